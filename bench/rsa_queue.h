/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench rsa --rate: how long signatures take from the daemon's queue to
 * their result, at random arrivals.
 *
 * Windows alternate: a batch alone, what is possible, then each rate; a part
 * of what is possible is of the window right before.
 */
#ifndef RSA_QUEUE_H
#define RSA_QUEUE_H

/* this room */
#include "measure.h"
#include "rsa_entrant.h"

/*
 * Print what comes before the first result.
 */
void rsa_queue_begin(bool tsv);

/*
 * All entrants by one key, with plan->threads workers, at all rates.
 *   returns  0, or an exit status (told)
 */
int rsa_queue_run(const struct rsa_options *options,
    struct rsa_entrants *entrants, const struct reference *reference,
    const struct measure_plan *plan, struct progress *progress) MUSTUSE;

#endif
