/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Constants of a modulus. A power of two is doubled or, in the Montgomery
 * domain, squared until it has its exponent: no division.
 */

/* this room */
#include "rsa-backend/bn/residue.h"
#include "rsa-backend/bn/limb.h"
#include "rsa-backend/bn/row_portable.h"
#include "rsa-backend/bn/mont.h"
#include "rsa-backend/bn/wipe.h"

#define BITS_MAX	8192
#define LIMBS_MAX	(BITS_MAX / BN_LIMB_BITS)

/* Doublings that take less time than the squaring they save. */
#define DOUBLINGS_MAX	32

struct room {
	limb	m[LIMBS_MAX];
	limb	x[LIMBS_MAX];
	limb	t[3 * LIMBS_MAX];
};

uint64_t
residue_k0(uint64_t m)
{
	uint64_t x = (3 * m) ^ 2;	/* m^-1 mod 2^5 */

	for (int bits = 5; bits < 64; bits *= 2)
		x *= 2 - m * x;
	return 0 - x;
}

/* The length of a number in bits, by no other branch than on len. */
static unsigned
bit_length(const uint8_t *m, size_t len)
{
	unsigned bits = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned octet = m[len - 1 - i], width = 0, mask;

		for (int shift = 0; shift < 8; shift++)
			width += (0U - (octet >> shift)) >> 31;
		mask = 0U - ((0U - width) >> 31);
		bits = (bits & ~mask) | (((unsigned)i * 8 + width) & mask);
	}
	return bits;
}

/* x = 2^exponent, which fits. */
static void
set_two_power(limb *x, unsigned n, unsigned exponent)
{
	memset(x, 0, LIMB_SIZE * n);
	x[exponent / BN_LIMB_BITS] =
	    (limb)((wide)1 << exponent % BN_LIMB_BITS);
}

/* x = 2 x mod m. */
static void
double_residue(const struct mont *c, limb *x)
{
	limb carry = row_add(x, x, x, c->n);
	limb borrow = row_subtract(c->t, x, c->m, c->n);

	limb_select(x, limb_mask((limb)(borrow & (carry ^ 1))), x, c->t, c->n);
}

/*
 * x = 2^exponent mod m, exponent at least the length of m. In the Montgomery
 * domain x is 2^at, at from below 0; squaring doubles at, doubling adds 1.
 */
static void
raise(const struct mont *c, limb *x, unsigned bits, unsigned exponent)
{
	int domain = (int)(c->n * BN_LIMB_BITS);
	int at = (int)bits - domain, end = (int)exponent - domain;
	int squarings = 0;

	/* 2^bits - m: m is above 2^(bits - 1). */
	memset(x, 0, LIMB_SIZE * c->n);
	if (bits % BN_LIMB_BITS != 0)
		set_two_power(x, c->n, bits);
	row_subtract(x, x, c->m, c->n);

	while (end >> squarings > DOUBLINGS_MAX)
		squarings++;
	for (; at < end >> squarings; at++)
		double_residue(c, x);
	while (squarings-- > 0) {
		mont_square(c, x, x);
		if ((end >> squarings & 1) != 0)
			double_residue(c, x);
	}
}

WIPE_NOINLINE static void
two_power(struct room *room, uint8_t *z, const uint8_t *m, size_t len,
    unsigned exponent)
{
	unsigned bits = bit_length(m, len);
	struct mont c = { .m = room->m, .n = limb_count(bits), .t = room->t };

	limb_from_octets(room->m, c.n, m, len);
	c.k0 = (limb)residue_k0(room->m[0]);
	if (exponent < bits)
		set_two_power(room->x, c.n, exponent);
	else
		raise(&c, room->x, bits, exponent);
	limb_to_octets(z, len, room->x, c.n);
}

void
residue_of_two_power(uint8_t *z, const uint8_t *m, size_t len,
    unsigned exponent)
{
	struct room room;

	two_power(&room, z, m, len, exponent);
	limb_wipe(&room, sizeof(room));
	wipe_stack();
	wipe_registers();
}
