/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SplitMix64; see random.h.
 */

/* system */
#include <math.h>

/* this room */
#include "random.h"

uint64_t
random_next(struct random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void
random_fill(struct random *random, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(random_next(random) >> 56);
}

double
random_gap(struct random *random)
{
	/* 53 bits, as a double has; from 1, whose logarithm is there */
	double u = (double)((random_next(random) >> 11) + 1) / 0x1p53;

	return -log(u);
}
