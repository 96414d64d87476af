/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks sigfield_parse with the body of a DKIM-Signature field: without an
 * error everything is there and within its grammar.
 */

/* this room */
#include "dkim/sigfield.h"
#include "tests/fuzz/fuzz.h"

static void
check_names(const struct sigfield *f, struct slice in)
{
	struct slice *names;
	bool from = false;
	size_t i;

	FUZZ_WANT(f->names_n > 0 && f->names_n <= DKIM_SIGNED_NAMES_MAX);
	names = calloc(f->names_n, sizeof(*names));
	FUZZ_WANT(names != NULL);
	sigfield_names(f, names);
	for (i = 0; i < f->names_n; i++) {
		FUZZ_WANT(fuzz_inside(names[i], in) && names[i].n > 0);
		from = from || slice_equal_nocase(names[i],
		    slice_text("from"));
	}
	/* RFC 6376 s5.4: From MUST be signed */
	FUZZ_WANT(from);
	free(names);
}

static void
check_whole(const struct sigfield *f, struct slice in)
{
	char ascii[DKIM_NAME_MAX + 1];

	FUZZ_WANT(fuzz_inside(f->domain, in) && f->domain.n > 0);
	FUZZ_WANT(fuzz_inside(f->selector, in) && f->selector.n > 0);
	FUZZ_WANT(dkim_domain_to_ascii(f->domain, ascii) == 0);
	FUZZ_WANT(slice_is(f->ascii_domain, ascii));
	FUZZ_WANT(f->query.n > 0 && f->query.n <= DKIM_NAME_MAX);
	FUZZ_WANT(f->query.p[f->query.n] == '\0');
	FUZZ_WANT(dkim_domain_to_ascii(f->query, ascii) == 0);
	FUZZ_WANT(slice_is(f->query, ascii));
	FUZZ_WANT(f->b_at <= in.n && f->b_n <= in.n - f->b_at);
	FUZZ_WANT(f->signature != NULL && f->signature_len > 0);
	FUZZ_WANT(f->has_length || f->length == UINT64_MAX);
	check_names(f, in);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n);
	struct sigfield f;
	struct arena a;
	int r;

	if (n > DKIM_FIELD_MAX)
		return 0;
	arena_init(&a, 4 * DKIM_FIELD_MAX);
	r = sigfield_parse(in, &a, &f);
	FUZZ_WANT(r == 0);
	if (f.error == NULL)
		check_whole(&f, in);
	arena_clear(&a);
	return 0;
}
