/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Products, squares and Montgomery reductions of eight lanes, in blocks of
 * BLOCK digits (5 or 10): mont52.h includes this file once for each. Numbers
 * are arrays x[n][8]: digit i of all lanes, then digit i + 1; n is a multiple
 * of BLOCK. Operations of one block (n = BLOCK) keep all columns in registers.
 *
 * Columns. A column k is the sum of all lo(a_i b_j) with i + j = k and of all
 * hi(a_i b_j) with i + j = k - 1, 64 bits a lane, without carries: each term is
 * below 2^52, there are at most 4 n of them, and n is at most 80. Columns of
 * one block, and of the next one, stay in registers (t) until all products
 * that reach the lower ones are in: product scanning (Comba 1990), a block
 * where he has a digit.
 *
 * Machine code. What a function may have of conditional jumps (loops, steps
 * of a lookup) and of vector stores is in tests/ct/kernels.gcc and .clang.
 * IFMAs with BLOCK 10, gcc 12 and clang 14, -O2: multiply 200 (one block),
 * square 300 (a block, a crossed one, the ten of squares), reduce 1004 (three
 * blocks, two of quotients, 4 for the rows of m), square_one 313,
 * multiply_one 403. Of stores to the stack reduce has the most: 12 by
 * gcc, 26 by clang.
 */

/* this room */
#include "rsa-backend/bn/lookup52.h"

#ifndef BLOCK
#define BLOCK 10
#endif

#ifndef BLOCK_JOIN
#define BLOCK_JOIN(a, b)	a ## _ ## b
#define BLOCK_JOIN2(a, b)	BLOCK_JOIN(a, b)
#define BLOCK_AT(p, i)		((p) + (size_t)(i) * V52_LANES)

/* A modulus a lane, and where its operations put what they need. */
struct mont52 {
	unsigned	 n;
	uint64_t	*m;		/* m[n + 1]: odd; zero on top */
	uint64_t	*mm;		/* mm[n] = (m k0 + 1) / 2^width */
	uint64_t	*k0;		/* k0[1]: -1 / m mod 2^width */
	uint64_t	*t;		/* t[2n + 1]: columns; zero on top */
	uint64_t	*q;		/* q[n] */
	struct lookup52	*lookup;	/* goes on beside; may be done */
};
#endif

/* F(i, 0) ... F(i, BLOCK - 1): literal numbers, so that t[] is registers. */
#if BLOCK == 5
#define BLOCK_EACH(F, i) F(i, 0) F(i, 1) F(i, 2) F(i, 3) F(i, 4)
#define BLOCK_FIRST_ROWS(F) F(0) F(1) F(2)
#define BLOCK_LAST_ROWS(F) F(3) F(4)
#else
#define BLOCK_EACH(F, i) F(i, 0) F(i, 1) F(i, 2) F(i, 3) F(i, 4) \
	F(i, 5) F(i, 6) F(i, 7) F(i, 8) F(i, 9)
#define BLOCK_FIRST_ROWS(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7)
#define BLOCK_LAST_ROWS(F) F(8) F(9)
#endif
#define BLOCK_ROWS(F) BLOCK_FIRST_ROWS(F) BLOCK_LAST_ROWS(F)

/* Names of this block size: multiply_5, multiply_10. */
#define BLOCK_NAME(name) BLOCK_JOIN2(name, BLOCK)

#define BLOCK_LOAD(j)	y[j] = v52_load(BLOCK_AT(b, j));
#define BLOCK_LO(i, j)	v52_madlo(&t[i + j], &x, &y[j]);
#define BLOCK_HI(i, j)	v52_madhi(&t[i + j + 1], &x, &y[j]);
#define BLOCK_ROW(i) \
	x = v52_load(BLOCK_AT(a, i)); \
	BLOCK_EACH(BLOCK_LO, i) BLOCK_EACH(BLOCK_HI, i)

/*
 * t += a b, one block each: t[2 BLOCK], a[BLOCK], b[BLOCK].
 */
static V52_INLINE void
BLOCK_NAME(block_multiply)(v52 *t, const uint64_t *a, const uint64_t *b)
{
	v52 x, y[BLOCK];

	v52_barrier();
	BLOCK_ROWS(BLOCK_LOAD)
	BLOCK_ROWS(BLOCK_ROW)
}

#undef BLOCK_ROW
#undef BLOCK_LO
#undef BLOCK_HI
#define BLOCK_LO(i, j) \
	if (j > i) \
		v52_madlo(&t[i + j], &y[i], &y[j]);
#define BLOCK_HI(i, j) \
	if (j > i) \
		v52_madhi(&t[i + j + 1], &y[i], &y[j]);
#define BLOCK_ROW(i) BLOCK_EACH(BLOCK_LO, i) BLOCK_EACH(BLOCK_HI, i)

/*
 * t += the products b_i b_j with i < j: t[2 BLOCK], b[BLOCK].
 */
static V52_INLINE void
BLOCK_NAME(block_cross)(v52 *t, const uint64_t *b)
{
	v52 y[BLOCK];

	v52_barrier();
	BLOCK_ROWS(BLOCK_LOAD)
	BLOCK_ROWS(BLOCK_ROW)
}

#undef BLOCK_ROW
#undef BLOCK_LO
#undef BLOCK_HI
#define BLOCK_LO(i, j)	v52_madlo(&t[i + j], &x, &y[j]);
#define BLOCK_HI(i, j)	v52_madhi(&t[i + j + 1], &x, &y[j]);
#define BLOCK_LOAD_REST(j)	y[j] = v52_load(BLOCK_AT(rest, j));
#define BLOCK_DIGIT(i) \
	v52_store(BLOCK_AT(out, i), v52_and(c, digit)); \
	c = v52_add(t[i], v52_shr(c, V52_WIDTH));
#define BLOCK_ROW(i) \
	x = v52_load(BLOCK_AT(a, i)); \
	BLOCK_EACH(BLOCK_LO, i) BLOCK_EACH(BLOCK_HI, i) \
	BLOCK_DIGIT(i)

/*
 * t += a b but for the last two rows, which have rest for b; the lowest
 * columns become digits. A row makes one column whole, so that its carry, a
 * chain of 4 cycles a digit, goes on beside the products of the next row.
 *   c        the column below t, with what was carried into it
 *   t        t[2 BLOCK]: the lower half is stale afterwards
 *   a, b     a[BLOCK], b[BLOCK], rest[BLOCK]
 *   out      out[BLOCK]: digits, c's first
 *   result   the next c
 */
static V52_INLINE v52
BLOCK_NAME(block_multiply_last)(v52 c, v52 *t, const uint64_t *a,
    const uint64_t *b, const uint64_t *rest, uint64_t *out)
{
	const v52 digit = v52_set(V52_DIGIT);
	v52 x, y[BLOCK];

	v52_barrier();
	BLOCK_ROWS(BLOCK_LOAD)
	BLOCK_FIRST_ROWS(BLOCK_ROW)
	BLOCK_ROWS(BLOCK_LOAD_REST)
	BLOCK_LAST_ROWS(BLOCK_ROW)
	return c;
}

#undef BLOCK_ROW
#undef BLOCK_LO
/* The next c first: all the rest is for the ports, not for the chain. */
#define BLOCK_LO(i, j) \
	if (j > 0) \
		v52_madlo(&t[i + j], &x, &y[j]);
#define BLOCK_ROW(i) \
	x = c; \
	v52_store(BLOCK_AT(q, i), x); \
	v52_madlo(&t[i], &x, &y[0]); \
	c = v52_add(t[i], v52_shr(c, V52_WIDTH)); \
	BLOCK_EACH(BLOCK_LO, i) BLOCK_EACH(BLOCK_HI, i)
#define BLOCK_LAST_ROW(i) \
	x = v52_zero(); \
	v52_madlo(&x, &c, &k0); \
	v52_store(BLOCK_AT(q, i), x); \
	c = v52_shr(v52_add(c, digit), V52_WIDTH); \
	v52_madhi(&c, &x, &m0); \
	v52_madlo(&t[i], &x, &y[0]); \
	c = v52_add(c, t[i]); \
	BLOCK_EACH(BLOCK_LO, i) BLOCK_EACH(BLOCK_HI, i)

/*
 * Rows of the reduction while c is the lowest column and t the ones above:
 * q_i is the low digit of c, c + q_i (b 2^width - 1) ends in zeros, and what
 * is above them is the next c and t. A row waits 6 cycles for the one before
 * (one IFMA, one sum), less than its own IFMAs take.
 *   t        t[2 BLOCK]: the lower half is stale afterwards
 *   q        out: q[BLOCK]; bits above width are there, and ignored
 *   b        b[BLOCK]: the lowest digits of mont52.h's mm
 *   result   the next c
 */
static V52_INLINE v52
BLOCK_NAME(block_quotient)(v52 c, v52 *t, uint64_t *q, const uint64_t *b)
{
	v52 x, y[BLOCK];

	v52_barrier();
	BLOCK_ROWS(BLOCK_LOAD)
	BLOCK_ROWS(BLOCK_ROW)
	return c;
}

/*
 * The same for the highest block of q, whose last two rows are of m itself:
 * rest[BLOCK] are its digits from the second on, m0 is the first. There
 * q_i = c k0, and c + lo(q_i m0) ends in zeros; lo(q_i m0) is 0 to
 * 2^width - 1, so that the carry is that of c + 2^width - 1 whatever q_i is,
 * and that product is never made.
 */
static V52_INLINE v52
BLOCK_NAME(block_quotient_last)(v52 c, v52 *t, uint64_t *q,
    const uint64_t *b, const uint64_t *rest, v52 m0, v52 k0)
{
	const v52 digit = v52_set(V52_DIGIT);
	v52 x, y[BLOCK];

	v52_barrier();
	BLOCK_ROWS(BLOCK_LOAD)
	BLOCK_FIRST_ROWS(BLOCK_ROW)
	BLOCK_ROWS(BLOCK_LOAD_REST)
	BLOCK_LAST_ROWS(BLOCK_LAST_ROW)
	return c;
}

#undef BLOCK_ROW
#undef BLOCK_LAST_ROW
#undef BLOCK_LO
#undef BLOCK_HI
#undef BLOCK_LOAD
#undef BLOCK_LOAD_REST

#define BLOCK_ZERO_LOW(i)	t[i] = v52_zero();
#define BLOCK_ZERO_HIGH(i)	t[BLOCK + i] = v52_zero();
#define BLOCK_SHIFT(i)		t[i] = t[BLOCK + i];
#define BLOCK_STORE(i)		v52_store(BLOCK_AT(out, i), t[i]);
#define BLOCK_ADD(i)	t[i] = v52_add(t[i], v52_load(BLOCK_AT(in, i)));

/*
 * z = a b in columns: z[2n], a[n], b[n].
 *   alias    z is none of them
 */
static V52_NOINLINE void
BLOCK_NAME(multiply)(uint64_t *z, const uint64_t *a, const uint64_t *b,
    unsigned n)
{
	const unsigned blocks = n / BLOCK;
	v52 t[2 * BLOCK];

	BLOCK_ROWS(BLOCK_ZERO_LOW)
	for (unsigned k = 0; k < 2 * blocks; k++) {
		const unsigned first = k < blocks ? 0 : k - blocks + 1;
		uint64_t *out = BLOCK_AT(z, k * BLOCK);

		BLOCK_ROWS(BLOCK_ZERO_HIGH)
		for (unsigned i = first; i <= k - first; i++)
			BLOCK_NAME(block_multiply)(t, BLOCK_AT(a, i * BLOCK),
			    BLOCK_AT(b, (k - i) * BLOCK));
		BLOCK_ROWS(BLOCK_STORE)
		BLOCK_ROWS(BLOCK_SHIFT)
	}
}

#if BLOCK % 2 == 0
/* Twice the crossed products, and two columns a square. */
#define BLOCK_DOUBLE(i) \
	t[i] = v52_add(t[i], t[i]); \
	x = v52_load(BLOCK_AT(in, i / 2)); \
	if (i % 2 == 0) \
		v52_madlo(&t[i], &x, &x); \
	else \
		v52_madhi(&t[i], &x, &x); \
	v52_store(BLOCK_AT(out, i), t[i]);

/*
 * z = a a in columns: z[2n], a[n].
 *   alias    z is not a
 */
static V52_NOINLINE void
BLOCK_NAME(square)(uint64_t *z, const uint64_t *a, unsigned n,
    struct lookup52 *lookup)
{
	const unsigned blocks = n / BLOCK;
	v52 t[2 * BLOCK], x;

	BLOCK_ROWS(BLOCK_ZERO_LOW)
	for (unsigned k = 0; k < 2 * blocks; k++) {
		const unsigned first = k < blocks ? 0 : k - blocks + 1;
		const uint64_t *in = BLOCK_AT(a, k * BLOCK / 2);
		uint64_t *out = BLOCK_AT(z, k * BLOCK);

		BLOCK_ROWS(BLOCK_ZERO_HIGH)
		for (unsigned i = first; i < k - i; i++)
			BLOCK_NAME(block_multiply)(t, BLOCK_AT(a, i * BLOCK),
			    BLOCK_AT(a, (k - i) * BLOCK));
		if (k % 2 == 0)
			BLOCK_NAME(block_cross)(t, in);
		BLOCK_ROWS(BLOCK_DOUBLE)
		lookup52_step(lookup);
		BLOCK_ROWS(BLOCK_SHIFT)
	}
}

#undef BLOCK_DOUBLE
#endif

/*
 * z = t / R mod m, as digits: z[n], t[2n + 1] in columns with a zero on top;
 * f->q gets the quotient. A block of t[] is one column above that of q.
 *   alias    z may be t
 */
static V52_NOINLINE void
BLOCK_NAME(reduce)(uint64_t *z, const uint64_t *columns,
    const struct mont52 *f)
{
	const v52 digit = v52_set(V52_DIGIT);
	const uint64_t *m = f->mm, *rest = BLOCK_AT(f->m, 1);
	const unsigned last = f->n / BLOCK - 1;
	uint64_t *q = f->q;
	v52 t[2 * BLOCK], c = v52_load(columns);

	BLOCK_ROWS(BLOCK_ZERO_LOW)
	for (unsigned k = 0; k <= last; k++) {
		const uint64_t *in = BLOCK_AT(columns, k * BLOCK + 1);

		BLOCK_ROWS(BLOCK_ADD)
		BLOCK_ROWS(BLOCK_ZERO_HIGH)
		for (unsigned i = 0; i < k; i++)
			BLOCK_NAME(block_multiply)(t, BLOCK_AT(q, i * BLOCK),
			    BLOCK_AT(m, (k - i) * BLOCK));
		if (k < last)
			c = BLOCK_NAME(block_quotient)(c, t,
			    BLOCK_AT(q, k * BLOCK), m);
		else
			c = BLOCK_NAME(block_quotient_last)(c, t,
			    BLOCK_AT(q, k * BLOCK), m, rest,
			    v52_load(f->m), v52_load(f->k0));
		lookup52_step(f->lookup);
		BLOCK_ROWS(BLOCK_SHIFT)
	}
	for (unsigned k = 0; k <= last; k++) {
		const uint64_t *in = BLOCK_AT(columns, f->n + k * BLOCK + 1);
		uint64_t *out = BLOCK_AT(z, k * BLOCK);

		BLOCK_ROWS(BLOCK_ADD)
		BLOCK_ROWS(BLOCK_ZERO_HIGH)
		for (unsigned i = k + 1; i < last; i++)
			BLOCK_NAME(block_multiply)(t, BLOCK_AT(q, i * BLOCK),
			    BLOCK_AT(m, (last + 1 + k - i) * BLOCK));
		if (k < last) {
			c = BLOCK_NAME(block_multiply_last)(c, t,
			    BLOCK_AT(q, last * BLOCK),
			    BLOCK_AT(m, (k + 1) * BLOCK),
			    BLOCK_AT(rest, (k + 1) * BLOCK), out);
		} else {
			BLOCK_ROWS(BLOCK_DIGIT)
		}
		lookup52_step(f->lookup);
		BLOCK_ROWS(BLOCK_SHIFT)
	}
}

#define BLOCK_TWICE(i, j) \
	t[2 * i + j] = v52_add(t[2 * i + j], t[2 * i + j]);
#define BLOCK_SQUARE(i) \
	BLOCK_TWICE(i, 0) BLOCK_TWICE(i, 1) \
	x = v52_load(BLOCK_AT(a, i)); \
	v52_madlo(&t[2 * i], &x, &x); \
	v52_madhi(&t[2 * i + 1], &x, &x);
#define BLOCK_DIGIT_ABOVE(i) \
	carry = v52_add(carry, c); \
	c = t[BLOCK + 1 + i]; \
	v52_store(BLOCK_AT(z, i), v52_and(carry, digit)); \
	carry = v52_shr(carry, V52_WIDTH);

/*
 * reduce of one block of digits whose columns are registers: t[2 BLOCK + 1].
 */
static V52_INLINE void
BLOCK_NAME(reduce_one)(uint64_t *z, v52 *t, const struct mont52 *f)
{
	const v52 digit = v52_set(V52_DIGIT);
	v52 carry = v52_zero(), c;

	c = BLOCK_NAME(block_quotient_last)(t[0], t + 1, f->q, f->mm,
	    BLOCK_AT(f->m, 1), v52_load(f->m), v52_load(f->k0));
	BLOCK_ROWS(BLOCK_DIGIT_ABOVE)
}

/*
 * z = a a / R mod m, and z = a b / R mod m of one block of digits.
 *   alias    z may be a or b
 */
static V52_NOINLINE void
BLOCK_NAME(square_one)(uint64_t *z, const uint64_t *a,
    const struct mont52 *f)
{
	v52 t[2 * BLOCK + 1], x;

	BLOCK_ROWS(BLOCK_ZERO_LOW)
	BLOCK_ROWS(BLOCK_ZERO_HIGH)
	t[2 * BLOCK] = v52_zero();
	BLOCK_NAME(block_cross)(t, a);
	BLOCK_ROWS(BLOCK_SQUARE)
	BLOCK_NAME(reduce_one)(z, t, f);
}

static V52_NOINLINE void
BLOCK_NAME(multiply_one)(uint64_t *z, const uint64_t *a, const uint64_t *b,
    const struct mont52 *f)
{
	v52 t[2 * BLOCK + 1];

	BLOCK_ROWS(BLOCK_ZERO_LOW)
	BLOCK_ROWS(BLOCK_ZERO_HIGH)
	t[2 * BLOCK] = v52_zero();
	BLOCK_NAME(block_multiply)(t, a, b);
	BLOCK_NAME(reduce_one)(z, t, f);
}

#undef BLOCK_TWICE
#undef BLOCK_SQUARE
#undef BLOCK_DIGIT_ABOVE
#undef BLOCK_ZERO_LOW
#undef BLOCK_ZERO_HIGH
#undef BLOCK_SHIFT
#undef BLOCK_STORE
#undef BLOCK_ADD
#undef BLOCK_DIGIT
#undef BLOCK_EACH
#undef BLOCK_ROWS
#undef BLOCK_FIRST_ROWS
#undef BLOCK_LAST_ROWS
#undef BLOCK_NAME
#undef BLOCK
