/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Powers of two modulo a public number. Each step shifts the remainder by up
 * to a limb and takes one digit of a quotient, which nobody needs, away.
 */

/* system */
#include <stdbool.h>

/* this room */
#include "rsa-backend/bn/row_portable.h"
#include "rsa-backend/bn/twopower.h"

#define LIMB_MAX	((limb)((wide)0 - 1))

/*
 * x 2^shift, shift below a limb.
 *   returns  what leaves the top
 */
static limb
shift_left(limb *x, unsigned n, unsigned shift)
{
	limb low = 0;

	for (unsigned i = 0; i < n; i++) {
		wide t = (wide)x[i] << shift;

		x[i] = (limb)((limb)t | low);
		low = (limb)(t >> BN_LIMB_BITS);
	}
	return low;
}

/*
 * Take q m away from x, which has top for its limb n.
 *   returns  1: that was too much, x is negative
 */
static bool
take_away(struct twopower *t, limb top, limb q)
{
	limb carry = 0;

	for (unsigned i = 0; i < t->n; i++) {
		wide p = (wide)q * t->m[i] + carry;
		limb low = (limb)p;

		carry = (limb)((limb)(p >> BN_LIMB_BITS) + (t->x[i] < low));
		t->x[i] = (limb)(t->x[i] - low);
	}
	return top < carry;
}

/*
 * x = (top b^n + x) mod m, b = 2^BN_LIMB_BITS; the quotient is below b. Two
 * limbs of m give a digit that is at most one too large.
 */
static void
reduce(struct twopower *t, limb top)
{
	limb high = t->m[t->n - 1], next = t->n < 2 ? 0 : t->m[t->n - 2];
	wide head = (wide)top << BN_LIMB_BITS | t->x[t->n - 1], rest;
	limb q, below = t->n < 2 ? 0 : t->x[t->n - 2];

	if (top >= high) {
		q = LIMB_MAX;
		rest = head - (wide)q * high;
	} else {
		q = (limb)(head / high);
		rest = head % high;
	}
	while (rest <= LIMB_MAX &&
	    (wide)q * next > (rest << BN_LIMB_BITS | below)) {
		q--;
		rest += high;
	}
	if (take_away(t, top, q))
		(void)row_add(t->x, t->x, t->m, t->n);
}

void
twopower_init(struct twopower *t, const uint8_t *m, size_t len)
{
	unsigned bits = (unsigned)(8 * len);

	for (unsigned octet = m[0]; octet < 0x80; octet <<= 1)
		bits--;
	t->n = limb_count(bits);
	t->shift = t->n * BN_LIMB_BITS - bits;
	t->at = bits;
	limb_from_octets(t->m, t->n, m, len);
	(void)shift_left(t->m, t->n, t->shift);
	/* b^n - m 2^shift; m is no power of two, so it is below m 2^shift */
	for (unsigned i = 0; i < t->n; i++)
		t->x[i] = (limb)~t->m[i];
	for (unsigned i = 0; i < t->n && ++t->x[i] == 0; i++)
		;
}

void
twopower_raise(struct twopower *t, unsigned exponent)
{
	unsigned left = exponent - t->at;
	limb top;

	for (; left >= BN_LIMB_BITS; left -= BN_LIMB_BITS) {
		top = t->x[t->n - 1];
		memmove(&t->x[1], &t->x[0], LIMB_SIZE * (t->n - 1));
		t->x[0] = 0;
		reduce(t, top);
	}
	if (left != 0) {
		top = shift_left(t->x, t->n, left);
		reduce(t, top);
	}
	t->at = exponent;
}

void
twopower_octets(const struct twopower *t, uint8_t *z, size_t len)
{
	limb x[TWOPOWER_LIMBS], high = 0;

	/* x is a multiple of 2^shift, as the power and m 2^shift are */
	for (unsigned i = t->n; i-- > 0;) {
		wide both = (wide)high << BN_LIMB_BITS | t->x[i];

		x[i] = (limb)(both >> t->shift);
		high = t->x[i];
	}
	limb_to_octets(z, len, x, t->n);
}
