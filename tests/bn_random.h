/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random numbers that lose carries: besides even ones, numbers of runs of
 * zeros, ones and their neighbours, at the widths of limbs and digits.
 */
#ifndef TESTS_BN_RANDOM_H
#define TESTS_BN_RANDOM_H

/* system */
#include <stdint.h>
#include <string.h>

/* this room */
#include "tests/bn_raw.h"

struct bn_random {
	uint64_t	state;
};

/*
 *   source   Steele, Lea, Flood 2014 (SplitMix64)
 */
static inline uint64_t
bn_random_next(struct bn_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/*
 * Each case has a stream of its own, so that it can be run alone.
 */
static inline void
bn_random_start(struct bn_random *r, uint64_t seed, uint64_t number)
{
	r->state = seed;
	r->state = bn_random_next(r) ^ number * 0xd1342543de82ef95;
	(void)bn_random_next(r);
}

/*
 * From low to high, both among them.
 */
static inline unsigned
bn_random_range(struct bn_random *r, unsigned low, unsigned high)
{
	return low + (unsigned)(bn_random_next(r) % (high - low + 1));
}

/*
 * Set bits at..at+width-1 of x (big-endian) to a value.
 */
static inline void
bn_random_put(struct bn_raw_octets *x, unsigned at, unsigned width,
    uint64_t value)
{
	for (unsigned i = 0; i < width; i++) {
		size_t octet = (at + i) / 8;

		if (octet < x->n && (value >> i & 1) != 0)
			x->octets[x->n - 1 - octet] |=
			    (uint8_t)(1 << (at + i) % 8);
	}
}

/*
 * A number below 2^bits.
 *   out      (bits + 7) / 8 octets
 */
static inline void
bn_random_number(struct bn_random *r, struct bn_raw_octets *out, unsigned bits)
{
	static const unsigned widths[] = { 8, 32, 52, 64 };
	unsigned kind = bn_random_range(r, 0, 5);
	unsigned width = widths[bn_random_next(r) % 4];

	out->n = (bits + 7) / 8;
	memset(out->octets, 0, out->n);
	for (unsigned at = 0; at < bits; at += width) {
		uint64_t value = bn_random_next(r);
		unsigned pick = bn_random_range(r, 0, 7);

		/* kind 0..2: even; 3: digits of all sorts; 4, 5: long runs */
		if (kind == 3 && pick < 6)
			value = pick < 2 ? 0 - (uint64_t)pick :
			    pick < 4 ? pick - 1 : 0 - (uint64_t)(pick - 3);
		else if (kind > 3)
			value = pick == 0 ? value : pick == 1 ? kind - 4 :
			    0 - (uint64_t)(kind - 4);
		bn_random_put(out, at, bits - at < width ? bits - at : width,
		    value);
	}
}

/*
 * An odd number of exactly so many bits, at least 2.
 */
static inline void
bn_random_odd(struct bn_random *r, struct bn_raw_octets *out, unsigned bits)
{
	bn_random_number(r, out, bits);
	out->octets[out->n - 1] |= 1;
	out->octets[0] |= (uint8_t)(1 << (bits - 1) % 8);
	/* The lowest digit 1 or -1, where k0 is -1 or 1 */
	if (bits > 128 && bn_random_range(r, 0, 7) == 0) {
		memset(out->octets + out->n - 8,
		    (int)bn_random_range(r, 0, 1) * 0xff, 8);
		out->octets[out->n - 1] |= 1;
	}
}

#endif
