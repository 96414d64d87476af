/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks dkim_domain_to_ascii: what passes may stand in a path, a query and a
 * log, and is its own A-label form.
 */

/* this room */
#include "tests/fuzz/fuzz.h"

static void
check_strict(const char *text, size_t labels_min)
{
	size_t i, label = 0, labels = 1;
	char c;

	for (i = 0; (c = text[i]) != '\0'; i++) {
		if (c == '.') {
			FUZZ_WANT(label >= 1);
			label = 0;
			labels++;
			continue;
		}
		FUZZ_WANT((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '_');
		FUZZ_WANT(++label <= DKIM_LABEL_MAX);
	}
	FUZZ_WANT(label >= 1 && labels >= labels_min && i <= DKIM_NAME_MAX);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	char out[DKIM_NAME_MAX + 1], again[DKIM_NAME_MAX + 1];
	struct slice in = slice_of(p, n);

	if (dkim_domain_to_ascii(in, out) == 0) {
		check_strict(out, 2);
		FUZZ_WANT(dkim_domain_to_ascii(slice_text(out), again) == 0);
		FUZZ_WANT(strcmp(out, again) == 0);
		FUZZ_WANT(dkim_domain_is_within(slice_text(out),
		    slice_text(again)));
		FUZZ_WANT(dkim_selector_to_ascii(in, again) == 0);
		FUZZ_WANT(strcmp(out, again) == 0);
	}
	if (dkim_selector_to_ascii(in, out) == 0)
		check_strict(out, 1);
	return 0;
}
