/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows in plain C: one number times one limb; and what is made of rows: a
 * product, a square, Montgomery's reduction. mont.h is built on these or on
 * those of row_adx.h, whichever is included first.
 *
 * ct, of all: leaks n only.
 */
#ifndef ROW_H
#define ROW_H

/* this room */
#include "rsa-backend/bn/limb.h"

/*
 * z + carry b = z + x y + carry, one limb of a row.
 */
static inline limb
row_step(limb *z, limb x, limb y, limb carry)
{
	wide t = (wide)x * y + *z + carry;

	*z = (limb)t;
	return (limb)(t >> BN_LIMB_BITS);
}

/*
 * z + carry R = z + x y, R = 2^(BN_LIMB_BITS n).
 *   z, x     n limbs
 *   returns  carry
 *   loops    2: four limbs a turn, the rest
 */
static inline limb
row_add_product(limb *z, const limb *x, unsigned n, limb y)
{
	limb carry = 0;
	unsigned i = 0;

	for (; i + 4 <= n; i += 4) {
		carry = row_step(z + i, x[i], y, carry);
		carry = row_step(z + i + 1, x[i + 1], y, carry);
		carry = row_step(z + i + 2, x[i + 2], y, carry);
		carry = row_step(z + i + 3, x[i + 3], y, carry);
	}
	for (; i < n; i++)
		carry = row_step(z + i, x[i], y, carry);
	return carry;
}

/*
 * z + carry R = x y, as row_add_product.
 *   loops    1
 */
static inline limb
row_product_limb(limb *z, const limb *x, unsigned n, limb y)
{
	limb carry = 0;

	for (unsigned i = 0; i < n; i++) {
		wide t = (wide)x[i] * y + carry;

		z[i] = (limb)t;
		carry = (limb)(t >> BN_LIMB_BITS);
	}
	return carry;
}

/*
 * z = x - y mod R.
 *   z, x, y  n limbs
 *   returns  1 where x < y, else 0
 *   alias    z may be x or y
 *   loops    1
 */
static inline limb
row_subtract(limb *z, const limb *x, const limb *y, unsigned n)
{
	wide t = 0;

	for (unsigned i = 0; i < n; i++) {
		t = (wide)x[i] - y[i] - (t >> BN_LIMB_BITS & 1);
		z[i] = (limb)t;
	}
	return (limb)(t >> BN_LIMB_BITS & 1);
}

/*
 * z = x + y mod R.
 *   z, x, y  n limbs
 *   returns  carry
 *   alias    z may be x or y
 *   loops    1
 */
static inline limb
row_add(limb *z, const limb *x, const limb *y, unsigned n)
{
	wide t = 0;

	for (unsigned i = 0; i < n; i++) {
		t = (wide)x[i] + y[i] + (t >> BN_LIMB_BITS);
		z[i] = (limb)t;
	}
	return (limb)(t >> BN_LIMB_BITS);
}

/*
 * z = mask ? x : y, for a mask of ones or zeros.
 *   z, x, y  n limbs
 *   alias    z may be x or y
 *   loops    1
 */
static inline void
row_select(limb *z, limb mask, const limb *x, const limb *y, unsigned n)
{
	limb_select(z, mask, x, y, n);
}

/*
 * z = x y.
 *   z        2n limbs, apart from x and y
 *   x, y     n limbs
 *   loops    1: rows, with theirs
 */
static inline void
row_product(limb *z, const limb *x, const limb *y, unsigned n)
{
	z[n] = row_product_limb(z, x, n, y[0]);
	for (unsigned i = 1; i < n; i++)
		z[n + i] = row_add_product(z + i, x, n, y[i]);
}

/*
 * z = x^2: products of different limbs, twice, and squares of limbs.
 *   z        2n limbs, apart from x
 *   x        n limbs
 *   loops    2: rows, with theirs, and limbs
 */
static inline void
row_square(limb *z, const limb *x, unsigned n)
{
	limb carry = 0;

	z[0] = 0;
	z[n] = row_product_limb(z + 1, x + 1, n - 1, x[0]);
	for (unsigned i = 1; i < n; i++)
		z[n + i] = row_add_product(z + 2 * i + 1, x + i + 1,
		    n - i - 1, x[i]);
	for (unsigned i = 0; i < n; i++)
		carry = limb_double_add_square(z + 2 * i, x[i], carry);
}

/*
 * z + carry R^2 = z + q m, with the q of n limbs for which z mod R becomes
 * zero.
 *   z        2n limbs; the lower half, zero, may be left as anything
 *   m        n limbs
 *   k0       -m^-1 mod b, b = 2^BN_LIMB_BITS
 *   returns  carry, 0 or 1
 *   source   Montgomery 1985
 *   loops    1: rows, with theirs
 */
static inline limb
row_reduce(limb *z, const limb *m, unsigned n, limb k0)
{
	limb carry = 0;

	for (unsigned i = 0; i < n; i++) {
		limb q = (limb)((wide)z[i] * k0);

		carry = limb_add(z + n + i, row_add_product(z + i, m, n, q),
		    carry);
	}
	return carry;
}

#endif
