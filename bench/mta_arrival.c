/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random arrivals; see mta_arrival.h.
 */

/* this room */
#include "mta_arrival.h"

uint64_t
mta_arrival_next(struct random *random, double rate)
{
	return (uint64_t)(random_gap(random) / rate * 1e9);
}
