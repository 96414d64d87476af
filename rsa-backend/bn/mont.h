/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Montgomery multiplication of numbers of n limbs, R = 2^(BN_LIMB_BITS n),
 * in two steps: a product or a square of 2n limbs, then its reduction. A
 * square has half the products, which pays for the second pass over the
 * result.
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

/* Limbs of room: a product and a difference. */
static inline size_t
mont_scratch(unsigned n)
{
	return 3 * (size_t)n;
}

/*
 * z = t / R mod m.
 *   z        n limbs, below m; apart from t
 *   t        c->t: 2n limbs, below m R; of no use afterwards
 */
static inline void
mont_reduce(const struct mont *c, limb *z)
{
	unsigned n = c->n;
	limb *t = c->t + n, *difference = c->t + 2 * (size_t)n;
	limb carry = row_reduce(c->t, c->m, n, c->k0), borrow;

	/* Now t + carry R is below 2 m: take m away unless that borrows. */
	borrow = row_subtract(difference, t, c->m, n);
	row_select(z, limb_mask((limb)(borrow & (carry ^ 1))), t, difference,
	    n);
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
	row_product(c->t, a, b, c->n);
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
	row_square(c->t, a, c->n);
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
