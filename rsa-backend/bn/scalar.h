/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations of path.h one request after the other, for whatever limbs
 * and rows the file that includes this one has chosen.
 *
 * A function of a path is a short one around another that is not inlined,
 * whose stack it overwrites: the compiler may put a limb there without
 * telling. Scratch is the caller's to wipe.
 */
#ifndef SCALAR_H
#define SCALAR_H

/* this room */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/limb.h"
#include "rsa-backend/bn/mont.h"
#include "rsa-backend/bn/modexp.h"
#include "rsa-backend/bn/wipe.h"

#define SCALAR_BITS_MAX	8192

/* A multiple of 64 octets, so that what follows in scratch is aligned. */
static inline size_t
scalar_room(size_t limbs)
{
	return (limbs * LIMB_SIZE + 63) / 64 * 64;
}

/* The next part of scratch. */
static inline limb *
scalar_take(uint8_t **scratch, size_t limbs)
{
	limb *part = (limb *)(void *)*scratch;

	*scratch += scalar_room(limbs);
	return part;
}

static inline struct mont
scalar_mont(const struct path_modulus *modulus, unsigned n, uint8_t **scratch)
{
	struct mont c = {
		.m = modulus->m,
		.k0 = (limb)modulus->k0,
		.n = n,
		.t = scalar_take(scratch, mont_scratch(n)),
	};

	return c;
}

static inline unsigned
scalar_digits(unsigned bits)
{
	return bits <= SCALAR_BITS_MAX ? limb_count(bits) : 0;
}

static inline unsigned
scalar_digits_prime(unsigned bits)
{
	return bits <= SCALAR_BITS_MAX / 2 ? limb_count(bits) : 0;
}

static inline void
scalar_from_octets(void *z, unsigned n, const uint8_t *in, size_t len)
{
	limb_from_octets(z, n, in, len);
	wipe_registers();
}

static inline void
scalar_to_octets(uint8_t *out, size_t len, const void *x, unsigned n)
{
	limb_to_octets(out, len, x, n);
	wipe_registers();
}

static inline size_t
scalar_scratch_private(unsigned n)
{
	return scalar_room(mont_scratch(n)) + 3 * scalar_room(n) +
	    scalar_room(modexp_scratch(n));
}

static inline size_t
scalar_scratch_public(unsigned n)
{
	return scalar_room(mont_scratch(n)) + scalar_room(2 * (size_t)n);
}

/*
 * One half: into the Montgomery domain by a reduction, which divides by R,
 * and R^3; out again by another reduction.
 */
WIPE_NOINLINE static void
scalar_half(unsigned n, unsigned bits, const struct path_half *half,
    uint8_t *scratch)
{
	struct mont c = scalar_mont(&half->prime->modulus, n, &scratch);
	limb *one = scalar_take(&scratch, n), *base = scalar_take(&scratch, n);
	limb *z = scalar_take(&scratch, n);
	limb *table = scalar_take(&scratch, modexp_scratch(n));

	memcpy(c.t, half->x, 2 * LIMB_SIZE * n);
	mont_reduce(&c, base);
	mont_multiply(&c, base, base, half->prime->r3);
	mont_leave(&c, one, half->prime->modulus.rr);
	modexp_private(&c, z, base, one, half->prime->d, bits, table);
	mont_leave(&c, half->z, z);
}

static inline void
scalar_power_private(unsigned n, unsigned bits, const struct path_half *half,
    size_t count, void *scratch)
{
	for (size_t i = 0; i < count; i++)
		scalar_half(n, bits, &half[i], scratch);
	wipe_stack();
	wipe_registers();
}

/*
 * xq may be above p: a reduction and R^2 make it a residue.
 */
WIPE_NOINLINE static void
scalar_crt_one(unsigned n, const struct path_crt *crt, uint8_t *scratch)
{
	struct mont c = scalar_mont(&crt->p->modulus, n, &scratch);
	limb *h = scalar_take(&scratch, n), *sum = scalar_take(&scratch, n);
	limb *product = scalar_take(&scratch, modexp_scratch(n));
	limb *z = crt->z, borrow, carry;
	const limb *xq = crt->xq;

	mont_leave(&c, h, xq);
	mont_multiply(&c, h, h, crt->p->modulus.rr);
	borrow = row_subtract(h, crt->xp, h, n);
	row_add(sum, h, c.m, n);
	limb_select(h, limb_mask(borrow), sum, h, n);
	mont_multiply(&c, h, h, crt->qinv);

	row_product(product, h, crt->q, n);
	carry = row_add(z, product, xq, n);
	for (unsigned i = n; i < 2 * n; i++) {
		wide t = (wide)product[i] + carry;

		z[i] = (limb)t;
		carry = (limb)(t >> BN_LIMB_BITS);
	}
}

static inline void
scalar_crt(unsigned n, const struct path_crt *crt, size_t count, void *scratch)
{
	for (size_t i = 0; i < count; i++)
		scalar_crt_one(n, &crt[i], scratch);
	wipe_stack();
	wipe_registers();
}

WIPE_NOINLINE static void
scalar_product_one(unsigned n, const struct path_product *product,
    uint8_t *scratch)
{
	struct mont c = scalar_mont(product->modulus, n, &scratch);

	mont_multiply(&c, product->z, product->a, product->b);
}

static inline void
scalar_product(unsigned n, const struct path_product *product, size_t count,
    void *scratch)
{
	for (size_t i = 0; i < count; i++)
		scalar_product_one(n, &product[i], scratch);
	wipe_stack();
	wipe_registers();
}

WIPE_NOINLINE static void
scalar_power_one(unsigned n, const struct path_power *power, uint8_t *scratch)
{
	struct mont c = scalar_mont(power->modulus, n, &scratch);

	modexp_public(&c, power->z, power->x, power->modulus->rr, power->e,
	    scalar_take(&scratch, 2 * (size_t)n));
}

static inline void
scalar_power_public(unsigned n, const struct path_power *power, size_t count,
    void *scratch)
{
	for (size_t i = 0; i < count; i++)
		scalar_power_one(n, &power[i], scratch);
	wipe_stack();
	wipe_registers();
}

/* The members of a struct path, but for its name and features. */
#define SCALAR_PATH \
	.width = BN_LIMB_BITS, \
	.digit_size = LIMB_SIZE, \
	.lanes = 1, \
	.digits_prime = scalar_digits_prime, \
	.digits_modulus = scalar_digits, \
	.from_octets = scalar_from_octets, \
	.to_octets = scalar_to_octets, \
	.scratch_private = scalar_scratch_private, \
	.scratch_public = scalar_scratch_public, \
	.power_private = scalar_power_private, \
	.crt = scalar_crt, \
	.product = scalar_product, \
	.power_public = scalar_power_public

#endif
