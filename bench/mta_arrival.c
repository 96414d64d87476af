/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random arrivals; see mta_arrival.h.
 */

/* system */
#include <math.h>

/* this room */
#include "mta_arrival.h"

uint64_t
mta_arrival_next(struct random *random, double rate)
{
	/* 53 bits, never 0: above 0, at most 1 */
	double u = ((double)(random_next(random) >> 11) + 1) / 0x1p53;

	return (uint64_t)(-log(u) / rate * 1e9);
}
