/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Montgomery multiplication of numbers of n limbs, R = 2^(BN_LIMB_BITS n),
 * in two steps: a product or a square of 2n limbs, then its reduction. A
 * square has half the products, which pays for the second pass over the
 * result (RSA.md 2a).
 *
 * All results are below the modulus, also those that are zero: each
 * reduction ends in one subtraction that is taken or not by a mask.
 *
 * ct, of all: leaks n only.
 */
#ifndef MONT_H
#define MONT_H

/* this room: row_adx.h where the file that includes this one has it already */
#include "rsa-backend/bn/limb.h"
#include "rsa-backend/bn/row_portable.h"

/* A modulus to work with. */
struct mont {
	const limb	*m;		/* m[n], odd */
	limb		 k0;		/* -m^-1 mod 2^BN_LIMB_BITS */
	unsigned	 n;
	limb		*t;		/* mont_scratch(n) limbs of room */
};

/* Limbs of room: a product, and a block of squares or a difference. */
static inline size_t
mont_scratch(unsigned n)
{
	return 2 * (size_t)n + (n > 2 * ROW_BLOCK ? n : 2 * ROW_BLOCK);
}

/*
 * z = x y.
 *   z        2n limbs, apart from x and y
 *   x, y     n limbs
 */
static inline void
mont_product(limb *z, const limb *x, const limb *y, unsigned n)
{
	unsigned i = 0;

	memset(z, 0, 2 * LIMB_SIZE * n);
	for (; i + ROW_BLOCK <= n; i += ROW_BLOCK)
		row_block_add_product(z + i, x, n, y + i);
	for (; i < n; i++)
		z[i + n] = row_add_product(z + i, x, n, y[i]);
}

/*
 * z = x^2: products of different limbs, twice, and squares of limbs.
 *   z        2n limbs, apart from x
 *   x        n limbs
 *   s        2 ROW_BLOCK limbs of room
 */
static inline void
mont_square_product(limb *z, const limb *x, unsigned n, limb *s)
{
	limb carry = 0;
	unsigned i = 0;

	/* A block leaves out the products of its own limbs. */
	memset(z, 0, 2 * LIMB_SIZE * n);
	for (; i + ROW_BLOCK <= n; i += ROW_BLOCK)
		row_block_add_product(z + 2 * i + ROW_BLOCK,
		    x + i + ROW_BLOCK, n - i - ROW_BLOCK, x + i);
	for (; i < n; i++)
		z[i + n] = row_add_product(z + 2 * i + 1, x + i + 1,
		    n - i - 1, x[i]);

	for (i = 0; i + ROW_BLOCK <= n; i += ROW_BLOCK)
		carry = row_block_double_add_square(z + 2 * i, x + i, carry,
		    s);
	for (; i < n; i++)
		carry = limb_double_add_square(z + 2 * i, x[i], carry);
}

/*
 * z = t / R mod m.
 *   z        n limbs, below m; apart from t
 *   t        c->t: 2n limbs, below m R; of no use afterwards
 */
static inline void
mont_reduce(const struct mont *c, limb *z)
{
	limb *t = c->t, *difference = c->t + 2 * c->n;
	limb carry = 0, borrow;
	unsigned n = c->n, i = 0;

	for (; i + ROW_BLOCK <= n; i += ROW_BLOCK)
		carry = row_block_reduce(t + i, c->m, n, c->k0, carry);
	for (; i < n; i++)
		carry = row_reduce(t + i, c->m, n, c->k0, carry);

	/* Now t / R + carry R is below 2 m: take m away unless that borrows. */
	borrow = row_subtract(difference, t + n, c->m, n);
	limb_select(z, limb_mask((limb)(borrow & (carry ^ 1))), t + n,
	    difference, n);
}

/*
 * z = a b / R mod m.
 *   a, b     n limbs each, the product below m R
 *   z        n limbs, below m
 *   alias    z may be a or b
 */
static inline void
mont_multiply(const struct mont *c, limb *z, const limb *a, const limb *b)
{
	mont_product(c->t, a, b, c->n);
	mont_reduce(c, z);
}

/*
 * z = a^2 / R mod m.
 *   a        n limbs, the square below m R
 *   z        n limbs, below m
 *   alias    z may be a
 */
static inline void
mont_square(const struct mont *c, limb *z, const limb *a)
{
	mont_square_product(c->t, a, c->n, c->t + 2 * c->n);
	mont_reduce(c, z);
}

/*
 * z = x / R mod m.
 *   x        n limbs, any
 *   z        n limbs, below m
 *   alias    z may be x
 */
static inline void
mont_leave(const struct mont *c, limb *z, const limb *x)
{
	memcpy(c->t, x, LIMB_SIZE * c->n);
	memset(c->t + c->n, 0, LIMB_SIZE * c->n);
	mont_reduce(c, z);
}

#endif
