/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Powers of two modulo a public number, by division: R^2 of a key record in a
 * tenth of a verification's time. Primes of private keys have residue.h.
 */
#ifndef TWOPOWER_H
#define TWOPOWER_H

/* this room */
#include "rsa-backend/bn/limb.h"

#define TWOPOWER_LIMBS	(8192 / BN_LIMB_BITS)

/* x = 2^(at + shift) mod m 2^shift */
struct twopower {
	unsigned	n;	/* limbs */
	unsigned	shift;	/* puts m's highest bit on top of its limb */
	unsigned	at;
	limb		m[TWOPOWER_LIMBS];
	limb		x[TWOPOWER_LIMBS];
};

/*
 * Begin with 2^b mod m, b the least for which it is not the power itself.
 *   m        len octets, big-endian, without leading zeros; odd, above 2, at
 *            most 8192 bits
 */
void twopower_init(struct twopower *t, const uint8_t *m, size_t len);

/*
 * Go on to 2^exponent mod m, exponent at least t->at. Takes time by the
 * difference and by the values.
 *   source   Knuth, TAOCP vol. 2, 4.3.1, algorithm D
 */
void twopower_raise(struct twopower *t, unsigned exponent);

/*
 * The number as octets, as many as m has.
 */
void twopower_octets(const struct twopower *t, uint8_t *z, size_t len);

#endif
