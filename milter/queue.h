/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One bounded queue for worker threads. It has lanes (a group of jobs that may
 * run together); who takes gets a batch of the lane whose head waits longest,
 * so that no lane starves. Its lock guards everything in it and is a leaf.
 */
#ifndef QUEUE_H
#define QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "report.h"

#define QUEUE_LANES_MAX	64	/* groups: size classes, backends, slots */
#define QUEUE_BATCH_MAX	64	/* items that one take gives */

enum queue_error {
	QUEUE_OK = 0,
	QUEUE_ERR_NOMEM = -1,	/* no memory, or lanes, for a new lane */
	QUEUE_ERR_FULL = -2,	/* the lane holds passes * batch items */
	QUEUE_ERR_CLOSED = -3,	/* queue_close was called */
};

struct queue;

/*
 *   passes   batches that a lane holds
 */
int queue_new(unsigned passes, struct queue **out) MUSTUSE;

/*
 * Free a queue that nobody waits in and that is empty.
 */
void queue_free(struct queue *queue);

/*
 * Put an item behind its lane; a lane is made at first use.
 *   lane     any number
 *   batch    items of one pass, 1 to QUEUE_BATCH_MAX / 2; a lane's first use
 *            decides
 *   item     stays the caller's on failure
 */
int queue_put(struct queue *queue, uint32_t lane, unsigned batch, void *item)
    MUSTUSE;

/*
 * Take one pass of the lane whose head waits longest (two passes when so many
 * wait), oldest first; waits for it.
 *   items    room for QUEUE_BATCH_MAX
 *   returns  items taken; 0: closed, and empty
 */
size_t queue_take(struct queue *queue, void **items);

/*
 * Nothing more goes in; what is there still comes out, then takers get 0.
 */
void queue_close(struct queue *queue);

#endif
