/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks socketspec_check with a value of Socket: what is taken is in one of
 * libmilter's three notations, what is not has been reported.
 */

/* this room */
#include "milter/socketspec.h"
#include "tests/fuzz/fuzz_report.h"

static bool
begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct report report = { .write = fuzz_report_write };
	char *text = fuzz_string(slice_of(p, n));
	struct socketspec out = { .text = "" };
	const char *c;

	if (socketspec_check("f:1: Socket", text, &report, &out) != 0) {
		FUZZ_WANT(report.fatals > 0);
		free(text);
		return 0;
	}
	FUZZ_WANT(memchr(out.text, '\0', sizeof(out.text)) != NULL);
	FUZZ_WANT(memchr(out.path, '\0', sizeof(out.path)) != NULL);
	FUZZ_WANT(begins(out.text, "unix:") == (out.path[0] != '\0'));
	FUZZ_WANT(begins(out.text, "unix:") || begins(out.text, "inet:") ||
	    begins(out.text, "inet6:"));
	for (c = out.text; *c != '\0' && out.path[0] == '\0'; c++)
		FUZZ_WANT((uint8_t)*c > ' ' && (uint8_t)*c < 0x7f);
	free(text);
	return 0;
}
