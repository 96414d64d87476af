/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the canonicalizations: the body's output does not depend on how the
 * input is cut (RFC 6376 s3.4), and what is canonical stays as it is. Input:
 * an octet of options, one of the cut's length, then body and field value.
 */

/* this room */
#include "dkim/canon.h"
#include "tests/fuzz/fuzz.h"

static void
add(void *context, struct slice octets)
{
	buf_add(context, octets);
}

/*
 * Canonicalize in, cut into pieces of 1 to cut octets; 0: whole.
 */
static void
run_body(enum dkim_canon alg, bool fix, struct slice in, size_t cut,
    struct buf *out)
{
	struct sink sink = { add, out };
	struct canon c;
	size_t n, step = cut;

	buf_init(out, 1 << 20);
	canon_init(&c, alg, fix);
	while (in.n > 0) {
		n = cut == 0 || step > in.n ? in.n : step;
		canon_body(&c, slice_sub(in, 0, n), &sink);
		in = slice_from(in, n);
		step = step > 1 ? step - 1 : cut;
	}
	canon_body_end(&c, &sink);
	FUZZ_WANT(buf_end(out) == 0);
}

static void
check_body(enum dkim_canon alg, bool fix, struct slice in, size_t cut)
{
	struct buf whole, pieces, octets, again;

	run_body(alg, fix, in, 0, &whole);
	run_body(alg, fix, in, cut, &pieces);
	run_body(alg, fix, in, 1, &octets);
	run_body(alg, fix, buf_slice(&whole), cut, &again);
	FUZZ_WANT(slice_equal(buf_slice(&whole), buf_slice(&pieces)));
	FUZZ_WANT(slice_equal(buf_slice(&whole), buf_slice(&octets)));
	FUZZ_WANT(slice_equal(buf_slice(&whole), buf_slice(&again)));
	buf_clear(&whole);
	buf_clear(&pieces);
	buf_clear(&octets);
	buf_clear(&again);
}

/*
 * Are all CRs and LFs of value CRLFs?
 */
static bool
is_folded(struct slice value)
{
	size_t i;

	for (i = 0; i < value.n; i++) {
		if (value.p[i] == '\n')
			return false;
		if (value.p[i] == '\r' && (++i == value.n ||
		    value.p[i] != '\n'))
			return false;
	}
	return true;
}

static void
check_field(enum dkim_canon alg, struct slice value)
{
	struct buf once, twice, last;
	struct sink first = { add, &once }, second = { add, &twice },
	    third = { add, &last };
	struct slice name = slice_text("Subject"), got;
	size_t colon;

	buf_init(&once, 1 << 20);
	buf_init(&twice, 1 << 20);
	buf_init(&last, 1 << 20);
	canon_field(alg, name, value, &first);
	canon_field_last(alg, name, value, &third);
	FUZZ_WANT(buf_end(&once) == 0 && buf_end(&last) == 0);
	got = buf_slice(&once);
	FUZZ_WANT(got.n >= name.n + 3 && got.p[got.n - 1] == '\n' &&
	    got.p[got.n - 2] == '\r');
	got.n -= 2;
	FUZZ_WANT(slice_equal(got, buf_slice(&last)));
	/* what unfolding leaves may be a fold again: CR CRLF LF */
	if (!is_folded(value))
		goto out;
	colon = slice_find(got, ':');
	canon_field(alg, slice_sub(got, 0, colon),
	    slice_from(got, colon + 1), &second);
	FUZZ_WANT(buf_end(&twice) == 0);
	FUZZ_WANT(slice_equal(buf_slice(&once), buf_slice(&twice)));
out:
	buf_clear(&once);
	buf_clear(&twice);
	buf_clear(&last);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	enum dkim_canon alg;
	struct slice in;

	if (n < 2 || n > 65536)
		return 0;
	alg = (p[0] & 1) != 0 ? DKIM_RELAXED : DKIM_SIMPLE;
	in = slice_of(p + 2, n - 2);
	check_body(alg, (p[0] & 2) != 0, in, p[1]);
	check_field(alg, in);
	return 0;
}
