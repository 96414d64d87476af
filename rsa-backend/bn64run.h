/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes of the backends bn64: jobs sorted by path and size, signed with
 * blinding, or verified.
 */
#ifndef BN64RUN_H
#define BN64RUN_H

/* this room */
#include "backend.h"

/* Verifications of one size that are worth a pass through the lanes. */
#define BN64RUN_LANES_MIN	2

/*
 * The functions of struct rsab_backend. Scratch is made when it is first
 * needed: most workers only verify, one signature at a time.
 */
int bn64run_worker_new(void **state) MUSTUSE;
void bn64run_worker_free(void *state);
void bn64run_run(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n);
void bn64run_verify(void *state, struct rsab_job *const *jobs, backend_em em,
    size_t n, int *results);

#endif
