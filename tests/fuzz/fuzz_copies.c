/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks copies_parse and copies_compare with the value of z=: what comes out
 * has names and bounds, and encoded anew it comes out the same. Input: names
 * of h= up to the first line end, z= up to the next NUL, then header fields.
 */

/* this room */
#include "dkim/copies.h"
#include "dkim/taglist.h"
#include "tests/fuzz/fuzz.h"

#define CHANGES	8

/*
 * The copies, written again, mean the same.
 */
static void
check_again(const struct copy *copies, size_t n, struct arena *a)
{
	struct copy *again;
	struct buf b;
	size_t i, again_n;

	buf_init(&b, 4 * DKIM_FIELD_MAX);
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_add_octet(&b, '|');
		taglist_encode_qp(copies[i].name, "|:", &b);
		buf_add_octet(&b, ':');
		taglist_encode_qp(copies[i].value, "|", &b);
	}
	FUZZ_WANT(buf_end(&b) == 0);
	FUZZ_WANT(copies_parse(buf_slice(&b), a, &again, &again_n) == 0);
	FUZZ_WANT(again_n == n);
	for (i = 0; i < n; i++)
		FUZZ_WANT(slice_equal(again[i].name, copies[i].name) &&
		    slice_equal(again[i].value, copies[i].value));
	buf_clear(&b);
}

static struct dkim_header *
make_header(struct slice rest)
{
	struct dkim_header *header;
	struct slice line;
	size_t colon;

	FUZZ_WANT(dkim_header_new(0, &header) == 0);
	while (rest.n > 0) {
		line = fuzz_until(&rest, '\n');
		colon = slice_find(line, ':');
		if (colon < line.n && dkim_header_add(header,
		    slice_sub(line, 0, colon), slice_from(line, colon + 1)) !=
		    0)
			continue;
	}
	return header;
}

static void
check_compare(const struct copy *copies, size_t n, struct slice names,
    struct slice fields, struct arena *a)
{
	struct copies_difference d[CHANGES];
	struct dkim_header *header = make_header(fields);
	struct sigfield f = { .names = names };
	struct slice rest = names, name;
	struct signedset set;
	size_t i, found;

	while (f.names_n < DKIM_SIGNED_NAMES_MAX &&
	    taglist_next(&rest, ':', &name))
		f.names_n++;
	FUZZ_WANT(signedset_make(header, &f, SIZE_MAX, a, &set) == 0);
	FUZZ_WANT(copies_compare(copies, n, &set, DKIM_SIMPLE, a, d, CHANGES,
	    &found) == 0);
	FUZZ_WANT(found <= CHANGES);
	for (i = 0; i < found; i++) {
		FUZZ_WANT(d[i].change != COPIES_SAME);
		FUZZ_WANT((d[i].copy == COPIES_NONE) ==
		    (d[i].change == COPIES_ADDED));
		FUZZ_WANT((d[i].field == COPIES_NONE) ==
		    (d[i].change == COPIES_MISSING));
		FUZZ_WANT(d[i].copy == COPIES_NONE || d[i].copy < n);
		FUZZ_WANT(d[i].field == COPIES_NONE ||
		    set.fields[d[i].field].present);
	}
	dkim_header_free(header);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n), names, z;
	struct copy *copies;
	struct arena a;
	size_t copies_n;
	int r;

	if (n > DKIM_FIELD_MAX)
		return 0;
	names = fuzz_until(&in, '\n');
	z = fuzz_until(&in, '\0');
	arena_init(&a, 64 * (size_t)DKIM_FIELD_MAX);
	r = copies_parse(z, &a, &copies, &copies_n);
	FUZZ_WANT(r == 0 || r == DKIM_ERR_SYNTAX || r == DKIM_ERR_LIMIT);
	if (r == 0) {
		FUZZ_WANT(copies_n > 0 && copies_n <= COPIES_MAX);
		check_again(copies, copies_n, &a);
		check_compare(copies, copies_n, names, in, &a);
	}
	arena_clear(&a);
	return 0;
}
