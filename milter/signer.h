/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Worker threads that run signature jobs, one bounded queue a group (DESIGN
 * "Data flow" 4). Made after the last fork.
 */
#ifndef SIGNER_H
#define SIGNER_H

#include "want.h"

struct signer;

/*
 *   threads   workers; 0: half of the CPUs allowed to the process, at least 1
 */
int signer_new(unsigned threads, struct signer **out) MUSTUSE;

/*
 * Queue a WANT_SIGNATURE: signature (the job) and expires are set. One
 * reference moves to the signer; the answer comes by the inbox. A full queue
 * and a passed deadline are answers, too.
 */
void signer_ask(struct signer *signer, struct want *want);

/*
 * Queue any blocking work (a key to load) for the workers.
 */
typedef void (*signer_task_fn)(struct want *want);
void signer_task(struct signer *signer, signer_task_fn run, struct want *want);

void signer_free(struct signer *signer);

#endif
