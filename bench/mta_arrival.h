/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times at which messages come by themselves, whatever became of those before.
 */
#ifndef MTA_ARRIVAL_H
#define MTA_ARRIVAL_H

/* this room */
#include "random.h"

/*
 * Nanoseconds until the next arrival of a Poisson process.
 *   rate     arrivals a second, above 0
 */
uint64_t mta_arrival_next(struct random *random, double rate);

#endif
