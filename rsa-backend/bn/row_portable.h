/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows in plain C: one number times one limb. mont.h is built on these or on
 * those of row_adx.h, whichever is included first.
 *
 * A block is ROW_BLOCK rows done together; here it is one row.
 *
 * ct, of all: leaks n only.
 */
#ifndef ROW_H
#define ROW_H

/* this room */
#include "rsa-backend/bn/limb.h"

#define ROW_BLOCK	1

/*
 * z + carry R = z + x y, R = 2^(BN_LIMB_BITS n).
 *   z, x     n limbs
 *   returns  carry
 */
static inline limb
row_add_product(limb *z, const limb *x, unsigned n, limb y)
{
	wide t = 0;

	for (unsigned i = 0; i < n; i++) {
		t = (wide)x[i] * y + z[i] + (t >> BN_LIMB_BITS);
		z[i] = (limb)t;
	}
	return (limb)(t >> BN_LIMB_BITS);
}

/*
 * z = x - y mod R.
 *   z, x, y  n limbs
 *   returns  1 where x < y, else 0
 *   alias    z may be x or y
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
 * One step of Montgomery's reduction: z + carry R b = z + q m + carry R,
 * b = 2^BN_LIMB_BITS, with the q for which z[0] becomes zero.
 *   z        n + 1 limbs
 *   m        n limbs
 *   k0       -m^-1 mod b
 *   carry    0 or 1
 *   returns  carry, 0 or 1
 *   source   Montgomery 1985
 */
static inline limb
row_reduce(limb *z, const limb *m, unsigned n, limb k0, limb carry)
{
	limb q = (limb)((wide)z[0] * k0);

	return limb_add(z + n, row_add_product(z, m, n, q), carry);
}

/*
 * z = z + x y, which fits.
 *   z        n + ROW_BLOCK limbs
 *   x        n limbs
 *   y        ROW_BLOCK limbs
 */
static inline void
row_block_add_product(limb *z, const limb *x, unsigned n, const limb *y)
{
	z[n] = (limb)(z[n] + row_add_product(z, x, n, y[0]));
}

/*
 * ROW_BLOCK steps of row_reduce.
 *   z        n + ROW_BLOCK limbs; z[0..ROW_BLOCK-1] are of no use afterwards
 *   m        n limbs, n at least ROW_BLOCK
 */
static inline limb
row_block_reduce(limb *z, const limb *m, unsigned n, limb k0, limb carry)
{
	return row_reduce(z, m, n, k0, carry);
}

/*
 * limb_double_add_square of ROW_BLOCK limbs.
 *   z        2 ROW_BLOCK limbs
 *   x        ROW_BLOCK limbs
 *   s        2 ROW_BLOCK limbs of room
 */
static inline limb
row_block_double_add_square(limb *z, const limb *x, limb carry, limb *s)
{
	(void)s;
	return limb_double_add_square(z, x[0], carry);
}

#endif
