/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks dkim_mailbox_parse with the body of a From field: each mailbox,
 * written anew with every octet quoted, reads as the same one.
 */

/* this room */
#include "tests/fuzz/fuzz.h"

static void
check_again(const struct dkim_mailbox *m, const char *domain)
{
	struct dkim_mailbox again;
	struct arena a;
	struct buf b;
	size_t i, n;

	buf_init(&b, 1 << 20);
	buf_add_text(&b, "x <\"");
	for (i = 0; i < m->local.n; i++) {
		buf_add_octet(&b, '\\');
		buf_add_octet(&b, m->local.p[i]);
	}
	buf_add_text(&b, "\" (c) @ ");
	buf_add_text(&b, domain);
	buf_add_text(&b, ">");
	FUZZ_WANT(buf_end(&b) == 0);
	arena_init(&a, 1 << 20);
	FUZZ_WANT(dkim_mailbox_parse(buf_slice(&b), &a, &again, 1, &n) == 0);
	FUZZ_WANT(n == 1 && slice_equal(again.local, m->local) &&
	    slice_is(again.domain, domain));
	arena_clear(&a);
	buf_clear(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct dkim_mailbox out[DKIM_MAILBOXES_MAX];
	char domain[DKIM_NAME_MAX + 1];
	struct slice in = slice_of(p, n);
	struct arena a;
	size_t i, found = 0;

	if (n > 65536)
		return 0;
	arena_init(&a, 1 << 20);
	if (dkim_mailbox_parse(in, &a, out, DKIM_MAILBOXES_MAX, &found) != 0)
		found = 0;
	FUZZ_WANT(found <= DKIM_MAILBOXES_MAX);
	for (i = 0; i < found; i++) {
		FUZZ_WANT(out[i].local.n <= n && out[i].domain.n <= n);
		if (dkim_domain_to_ascii(out[i].domain, domain) == 0)
			check_again(&out[i], domain);
	}
	arena_clear(&a);
	return 0;
}
