/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Montgomery arithmetic of eight lanes (Montgomery 1985; "almost", Gueron
 * 2012): with 4 m < R = 2^(width n), operands below 2 m give results below
 * 2 m, and no subtraction is needed until the very end. A lane has its own
 * modulus. Numbers are arrays x[n][8] of digits below 2^width, aligned to 64
 * octets; n is 5 or a multiple of 10.
 *
 * "2 m" is to be read as 2 m (1 + k / 2^52) after k operations, see
 * mont52_reduce. With less than 2^12 of them in a power that is still below
 * R, and the last one, which has no product, brings it below m (1 + 1 / 2^51).
 *
 * A file that includes this includes v52_avx512.h first, or gets v52_array.h.
 */
#ifndef MONT52_H
#define MONT52_H

/* system */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* this room */
#ifndef V52_H
#include "rsa-backend/bn/v52_array.h"
#endif
#define BLOCK 5
#include "rsa-backend/bn/block52.h"
#define BLOCK 10
#include "rsa-backend/bn/block52.h"

#define MONT52_AT(x, i)	((x) + (size_t)(i) * V52_LANES)

/*
 * Make what reductions need of m and k0, and the zeros on top.
 */
static V52_NOINLINE void
mont52_prepare(struct mont52 *f)
{
	const v52 digit = v52_set(V52_DIGIT), k0 = v52_load(f->k0);
	v52 carry = v52_set(1);

	f->lookup->steps = 0;
	v52_store(MONT52_AT(f->m, f->n), v52_zero());
	v52_store(MONT52_AT(f->t, 2 * f->n), v52_zero());
	for (unsigned i = 0; i < f->n; i++) {
		const v52 x = v52_load(MONT52_AT(f->m, i));
		const v52 above = v52_load(MONT52_AT(f->m, i + 1));

		v52_madhi(&carry, &x, &k0);
		v52_madlo(&carry, &above, &k0);
		v52_store(MONT52_AT(f->mm, i), v52_and(carry, digit));
		carry = v52_shr(carry, V52_WIDTH);
	}
}

/*
 * z = t / R mod m: z[n] below m (1 + 1 / 2^width) + t / R. f->t is columns or
 * digits.
 *
 * A row of a reduction makes the lowest column zero by a multiple of m. With
 * m k0 (Orup 1995), whose lowest digit is -1, that multiple is the column
 * itself, and no product is waited for; what is added is up to 2^width times
 * as much, so the last two rows are of m: one brings the sum below 2 m, the
 * other to the bound above.
 */
static inline void
mont52_reduce(uint64_t *z, const struct mont52 *f)
{
	if (f->n == 5)
		reduce_5(z, f->t, f);
	else
		reduce_10(z, f->t, f);
}

/*
 * z = a b / R mod m: z[n], a[n], b[n].
 *   in       a b below 4 m^2, or below m R
 *   out      below 2 m
 *   alias    z may be a or b
 */
static inline void
mont52_multiply(uint64_t *z, const uint64_t *a, const uint64_t *b,
    const struct mont52 *f)
{
	if (f->n == 5) {
		multiply_one_5(z, a, b, f);
	} else if (f->n == 10) {
		multiply_one_10(z, a, b, f);
	} else {
		multiply_10(f->t, a, b, f->n);
		reduce_10(z, f->t, f);
	}
}

/*
 * z = a a / R mod m: z[n] and a[n] below 2 m.
 *   alias    z may be a
 */
static inline void
mont52_square(uint64_t *z, const uint64_t *a, const struct mont52 *f)
{
	if (f->n == 5) {
		square_one_5(z, a, f);
	} else if (f->n == 10) {
		square_one_10(z, a, f);
	} else {
		square_10(f->t, a, f->n, f->lookup);
		reduce_10(z, f->t, f);
	}
}

/*
 * z = a - b, or z = a where that is negative: z[n], a[n], b[n]; twice is the
 * shift that makes b twice b, 1 or 0.
 *   alias    z may be a
 */
static V52_NOINLINE void
mont52_subtract_once(uint64_t *z, const uint64_t *a, const uint64_t *b,
    unsigned twice, unsigned n)
{
	const v52 digit = v52_set(V52_DIGIT);
	v52 borrow = v52_zero();
	v52_mask negative;

	for (unsigned i = 0; i < n; i++) {
		const v52 x = v52_load(MONT52_AT(b, i));

		borrow = v52_add(borrow, v52_load(MONT52_AT(a, i)));
		borrow = v52_sar(v52_sub(borrow, v52_shl(x, twice)), V52_WIDTH);
	}
	negative = (v52_mask)~v52_equal(borrow, v52_zero());
	borrow = v52_zero();
	for (unsigned i = 0; i < n; i++) {
		const v52 x = v52_shl(v52_load(MONT52_AT(b, i)), twice);

		borrow = v52_add(borrow, v52_load(MONT52_AT(a, i)));
		borrow = v52_sub(borrow, v52_select(negative, v52_zero(), x));
		v52_store(MONT52_AT(z, i), v52_and(borrow, digit));
		borrow = v52_sar(borrow, V52_WIDTH);
	}
}

/*
 * z = a - b + 2 m: z[n], a[n] and b[n] below 2 m.
 *   out      above 0, below 4 m
 *   alias    z may be a or b
 */
static V52_NOINLINE void
mont52_difference(uint64_t *z, const uint64_t *a, const uint64_t *b,
    const struct mont52 *f)
{
	const v52 digit = v52_set(V52_DIGIT);
	v52 carry = v52_zero();

	for (unsigned i = 0; i < f->n; i++) {
		const v52 x = v52_load(MONT52_AT(f->m, i));

		carry = v52_add(carry, v52_load(MONT52_AT(a, i)));
		carry = v52_sub(carry, v52_load(MONT52_AT(b, i)));
		carry = v52_add(carry, v52_add(x, x));
		v52_store(MONT52_AT(z, i), v52_and(carry, digit));
		carry = v52_sar(carry, V52_WIDTH);
	}
}

/*
 * z = a + x b, all digits: z[2n], a[n], x[n], b[n]; the sum is below R^2.
 */
static V52_NOINLINE void
mont52_multiply_add(uint64_t *z, const uint64_t *a, const uint64_t *x,
    const uint64_t *b, unsigned n)
{
	const v52 digit = v52_set(V52_DIGIT);
	v52 carry = v52_zero();

	if (n == 5)
		multiply_5(z, x, b, n);
	else
		multiply_10(z, x, b, n);
	for (unsigned i = 0; i < 2 * n; i++) {
		carry = v52_add(carry, v52_load(MONT52_AT(z, i)));
		if (i < n)
			carry = v52_add(carry, v52_load(MONT52_AT(a, i)));
		v52_store(MONT52_AT(z, i), v52_and(carry, digit));
		carry = v52_shr(carry, V52_WIDTH);
	}
}

#endif
