/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers that look random and are the same for the same seed: for messages
 * and test operands, never for keys.
 */
#ifndef RANDOM_H
#define RANDOM_H

/* system */
#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t	state;		/* the seed, any */
};

/*
 * The next 64 bits.
 *   source   SplitMix64 (Steele, Lea, Flood 2014)
 */
uint64_t random_next(struct random *random);

/*
 * Fill n octets.
 */
void random_fill(struct random *random, uint8_t *out, size_t n);

/*
 * The gap to the next arrival of a Poisson process, in means: -log of a number
 * that is even in (0, 1].
 */
double random_gap(struct random *random);

#endif
