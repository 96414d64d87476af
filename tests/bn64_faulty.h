/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A path that makes a mistake: another path's operations with one bit turned
 * between them, or, for what happens inside, the scalar path built with a
 * reduction that goes wrong. Release builds have no such hook.
 */
#ifndef TESTS_BN64_FAULTY_H
#define TESTS_BN64_FAULTY_H

/* rsa-backend */
#include "rsa-backend/bn/limb.h"
#include "rsa-backend/bn/row_portable.h"

/* Reductions until one goes wrong, 0: none does; and how. */
static unsigned faulty_reductions;
static enum { FAULTY_RESULT, FAULTY_Q } faulty_how;

/*
 * As row_reduce; a bit of what comes out, or of what the digits q are
 * multiplied by, is turned.
 */
static limb
faulty_row_reduce(limb *z, const limb *m, unsigned n, limb k0)
{
	bool now = faulty_reductions != 0 && --faulty_reductions == 0;
	limb carry = row_reduce(z, m, n, now && faulty_how == FAULTY_Q ?
	    k0 ^ 2 : k0);

	if (now && faulty_how == FAULTY_RESULT)
		z[n] ^= 32;
	return carry;
}

#define row_reduce	faulty_row_reduce
#include "rsa-backend/bn/scalar.h"
#undef row_reduce

static const struct path faulty_scalar = {
	.name = "faulty",
	SCALAR_PATH,
};

/* Where a bit is turned. */
enum faulty_point {
	FAULTY_NONE,
	/* between the operations */
	FAULTY_X,		/* the input of one half, after blinding */
	FAULTY_XP,
	FAULTY_XQ,
	FAULTY_H,		/* of the CRT: one more than it should be */
	FAULTY_S,
	FAULTY_PRODUCT,		/* of blinding or unblinding */
	FAULTY_POWER,		/* of a public operation */
	/* inside an exponentiation; faulty_scalar */
	FAULTY_TABLE,		/* an entry of the table */
	FAULTY_DIGIT,		/* digits q of a reduction */
	/* at rest, in the key */
	FAULTY_DP,
	FAULTY_DQ,
	FAULTY_P,
	FAULTY_Q_PRIME,
	FAULTY_QINV,
	FAULTY_R2_P,
	FAULTY_R3_Q,
	FAULTY_R2_N,		/* of the modulus */
	FAULTY_N,
	FAULTY_POINTS
};

static const char *const faulty_names[FAULTY_POINTS] = {
	"none", "x", "xp", "xq", "h", "s", "product", "power",
	"table entry", "q digits", "dp", "dq", "p", "q", "qinv", "R^2 mod p",
	"R^3 mod q", "R^2 mod n", "n",
};

/* The path that works, what goes wrong, in whose request, in which class. */
static const struct path *faulty_base;
static enum faulty_point faulty_at;
static size_t faulty_request;
static unsigned faulty_class;	/* digits of the modulus; 0: any */

static void
faulty_turn(const void *number)
{
	*(uint8_t *)(uintptr_t)number ^= 4;
}

static bool
faulty_is(enum faulty_point point, unsigned modulus_digits)
{
	return faulty_at == point &&
	    (faulty_class == 0 || faulty_class == modulus_digits);
}

static void
faulty_power_private(unsigned n, unsigned bits, const struct path_half *half,
    size_t count, void *scratch)
{
	size_t victim = 2 * faulty_request;

	if (faulty_is(FAULTY_X, 2 * n) && victim < count)
		faulty_turn(half[victim].x);
	if (faulty_is(FAULTY_TABLE, 2 * n) || faulty_is(FAULTY_DIGIT, 2 * n)) {
		/* 3 before the table; past it, some squaring */
		faulty_reductions = faulty_at == FAULTY_TABLE ? 6 : 60;
		faulty_how = faulty_at == FAULTY_TABLE ? FAULTY_RESULT :
		    FAULTY_Q;
	}
	faulty_base->power_private(n, bits, half, count, scratch);
	faulty_reductions = 0;
	if (faulty_is(FAULTY_XP, 2 * n) && victim < count)
		faulty_turn(half[victim].z);
	if (faulty_is(FAULTY_XQ, 2 * n) && victim < count)
		faulty_turn(half[victim + 1].z);
}

/*
 * z = z + q, as h + 1 would give.
 */
static void
faulty_h(unsigned n, const struct path_crt *crt)
{
	uint8_t z[RSAB_SIGNATURE_MAX], q[RSAB_SIGNATURE_MAX];
	unsigned carry = 0;

	faulty_base->to_octets(z, sizeof z, crt->z, 2 * n);
	faulty_base->to_octets(q, sizeof q, crt->q, n);
	for (size_t i = sizeof z; i-- > 0;) {
		carry += (unsigned)z[i] + q[i];
		z[i] = (uint8_t)carry;
		carry >>= 8;
	}
	faulty_base->from_octets(crt->z, 2 * n, z, sizeof z);
}

static void
faulty_crt(unsigned n, const struct path_crt *crt, size_t count,
    void *scratch)
{
	faulty_base->crt(n, crt, count, scratch);
	if (faulty_is(FAULTY_H, 2 * n) && faulty_request < count)
		faulty_h(n, &crt[faulty_request]);
	if (faulty_is(FAULTY_S, 2 * n) && faulty_request < count)
		faulty_turn(crt[faulty_request].z);
}

static void
faulty_product(unsigned n, const struct path_product *product, size_t count,
    void *scratch)
{
	faulty_base->product(n, product, count, scratch);
	if (faulty_is(FAULTY_PRODUCT, n) && faulty_request < count)
		faulty_turn(product[faulty_request].z);
}

static void
faulty_power_public(unsigned n, const struct path_power *power, size_t count,
    void *scratch)
{
	faulty_base->power_public(n, power, count, scratch);
	if (faulty_is(FAULTY_POWER, n) && faulty_request < count)
		faulty_turn(power[faulty_request].z);
}

/*
 * A path that works as base until faulty_at says otherwise.
 */
static struct path
faulty_path(const struct path *base)
{
	struct path path = *base;

	faulty_base = base;
	faulty_at = FAULTY_NONE;
	faulty_class = 0;
	path.power_private = faulty_power_private;
	path.crt = faulty_crt;
	path.product = faulty_product;
	path.power_public = faulty_power_public;
	return path;
}

#endif
