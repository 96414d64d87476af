/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bounded queue in lanes; DESIGN "Data flow" 4.
 */

/* system */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* this room */
#include "milter/queue.h"

struct entry {
	void		*item;
	uint64_t	 turn;		/* lower: came earlier */
};

/* A ring */
struct lane {
	uint32_t	 id;
	unsigned	 batch;
	size_t		 space;		/* entries of ring */
	size_t		 head;		/* index of the oldest */
	size_t		 n;
	struct entry	*ring;
};

struct queue {
	pthread_mutex_t	 lock;
	pthread_cond_t	 filled;
	bool		 closed;
	unsigned	 passes;
	uint64_t	 turn;
	size_t		 lanes;
	struct lane	 lane[QUEUE_LANES_MAX];
};

int
queue_new(unsigned passes, struct queue **out)
{
	struct queue *queue;

	assert(passes > 0);
	queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return QUEUE_ERR_NOMEM;
	queue->passes = passes;
	if (pthread_mutex_init(&queue->lock, NULL) != 0)
		goto no_lock;
	if (pthread_cond_init(&queue->filled, NULL) != 0)
		goto no_condition;
	*out = queue;
	return QUEUE_OK;

no_condition:
	pthread_mutex_destroy(&queue->lock);
no_lock:
	free(queue);
	return QUEUE_ERR_NOMEM;
}

void
queue_free(struct queue *queue)
{
	size_t i;

	if (queue == NULL)
		return;
	for (i = 0; i < queue->lanes; i++) {
		assert(queue->lane[i].n == 0);
		free(queue->lane[i].ring);
	}
	pthread_cond_destroy(&queue->filled);
	pthread_mutex_destroy(&queue->lock);
	free(queue);
}

/* NULL: no memory, or all lanes are in use by others. */
static struct lane *
find_lane(struct queue *queue, uint32_t id, unsigned batch)
{
	struct lane *lane;
	size_t i;

	for (i = 0; i < queue->lanes; i++)
		if (queue->lane[i].id == id)
			return &queue->lane[i];
	if (queue->lanes == QUEUE_LANES_MAX)
		return NULL;
	lane = &queue->lane[queue->lanes];
	lane->space = (size_t)batch * queue->passes;
	lane->ring = calloc(lane->space, sizeof(*lane->ring));
	if (lane->ring == NULL)
		return NULL;
	lane->id = id;
	lane->batch = batch;
	queue->lanes++;
	return lane;
}

static int
put_locked(struct queue *queue, uint32_t id, unsigned batch, void *item)
{
	struct entry *entry;
	struct lane *lane;

	if (queue->closed)
		return QUEUE_ERR_CLOSED;
	lane = find_lane(queue, id, batch);
	if (lane == NULL)
		return QUEUE_ERR_NOMEM;
	if (lane->n == lane->space)
		return QUEUE_ERR_FULL;
	entry = &lane->ring[(lane->head + lane->n) % lane->space];
	entry->item = item;
	entry->turn = queue->turn++;
	lane->n++;
	pthread_cond_signal(&queue->filled);
	return QUEUE_OK;
}

int
queue_put(struct queue *queue, uint32_t lane, unsigned batch, void *item)
{
	int r;

	assert(batch >= 1 && batch <= QUEUE_BATCH_MAX / 2);
	pthread_mutex_lock(&queue->lock);
	r = put_locked(queue, lane, batch, item);
	pthread_mutex_unlock(&queue->lock);
	return r;
}

static struct lane *
oldest_lane(struct queue *queue)
{
	struct lane *best = NULL, *lane;
	size_t i;

	for (i = 0; i < queue->lanes; i++) {
		lane = &queue->lane[i];
		if (lane->n > 0 && (best == NULL || lane->ring[lane->head].turn
		    < best->ring[best->head].turn))
			best = lane;
	}
	return best;
}

static size_t
take_locked(struct lane *lane, void **items)
{
	size_t n = lane->batch, i;

	/* Two passes at once fill the lanes of wide machines */
	if (n > 1 && lane->n >= 2 * n)
		n = 2 * n;
	if (n > lane->n)
		n = lane->n;
	for (i = 0; i < n; i++) {
		items[i] = lane->ring[lane->head].item;
		lane->head = (lane->head + 1) % lane->space;
	}
	lane->n -= n;
	return n;
}

size_t
queue_take(struct queue *queue, void **items)
{
	struct lane *lane;
	size_t n = 0;

	pthread_mutex_lock(&queue->lock);
	while ((lane = oldest_lane(queue)) == NULL && !queue->closed)
		pthread_cond_wait(&queue->filled, &queue->lock);
	if (lane != NULL)
		n = take_locked(lane, items);
	pthread_mutex_unlock(&queue->lock);
	return n;
}

void
queue_close(struct queue *queue)
{
	pthread_mutex_lock(&queue->lock);
	queue->closed = true;
	pthread_cond_broadcast(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}
