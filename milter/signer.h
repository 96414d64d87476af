/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Worker threads that run signature jobs, one bounded queue a group (DESIGN
 * "Data flow" 4), and threads for blocking work (a key file to read), so that
 * a slow disk never stands in front of a signature. Made after the last fork.
 * Each token has a signer of its own (tokens.h).
 */
#ifndef SIGNER_H
#define SIGNER_H

#include "want.h"

#define SIGNER_PASSES		2048	/* batches a group's queue holds */
#define SIGNER_TASKS_MAX	1024	/* blocking tasks that wait */
#define SIGNER_TASK_THREADS	2
#define SIGNER_THREADS_MAX	256

struct signer;

/*
 *   threads   workers; 0: half of the CPUs allowed to the process, at least 1
 *   errors    DKIM_ERR_NOMEM: no memory or no thread
 */
int signer_new(unsigned threads, struct signer **out) MUSTUSE;

/*
 * Workers for the signatures of this signer.
 */
unsigned signer_threads(const struct signer *signer);

/*
 * Queue a WANT_SIGNATURE: signature (the job) and expires are set. One
 * reference moves to the signer; the answer comes by the inbox. A full queue
 * (WANT_ERR_QUEUE_FULL) and a passed deadline (WANT_ERR_TIMEOUT) are answers,
 * too; they are counted here. An operation that fails is WANT_ERR_SIGN with
 * its reason in detail; WANT_ERR_KEY_GONE where a token has to be asked for
 * the key again. A key in a token goes to that token's own signer.
 */
void signer_ask(struct signer *signer, struct want *want /* moved */);

/*
 * Queue blocking work; run gets the want's reference and answers it. A full
 * queue is answered WANT_ERR_QUEUE_FULL, a passed deadline WANT_ERR_TIMEOUT.
 */
typedef void (*signer_task_fn)(struct want *want /* moved */);
void signer_task(struct signer *signer, signer_task_fn run,
    struct want *want /* moved */);

/*
 * Finish what is queued and end the threads. What comes later is answered
 * WANT_ERR_STOPPED until then; nobody may ask afterwards.
 */
void signer_free(struct signer *signer);

#endif
