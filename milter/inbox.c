/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to a session.
 */

/* system */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* this room */
#include "inbox.h"

struct inbox {
	atomic_uint	 refs;
	pthread_mutex_t	 lock;		/* guards all below */
	pthread_cond_t	 filled;
	struct want	*head, *tail;	/* oldest first, by want->next */
	bool		 closed;
	void		 (*notify)(void *arg);	/* or NULL */
	void		*notify_arg;
};

int
inbox_new(struct inbox **out)
{
	struct inbox *in;
	pthread_condattr_t attr;

	in = calloc(1, sizeof(*in));
	if (in == NULL)
		return DKIM_ERR_NOMEM;
	atomic_init(&in->refs, 1);
	if (pthread_mutex_init(&in->lock, NULL) != 0)
		goto no_lock;
	if (pthread_condattr_init(&attr) != 0)
		goto no_attr;
	/* A step of the wall clock must not move a deadline */
	if (pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
	    pthread_cond_init(&in->filled, &attr) != 0)
		goto no_cond;
	pthread_condattr_destroy(&attr);
	*out = in;
	return 0;

no_cond:
	pthread_condattr_destroy(&attr);
no_attr:
	pthread_mutex_destroy(&in->lock);
no_lock:
	free(in);
	return DKIM_ERR_NOMEM;
}

struct inbox *
inbox_ref(struct inbox *inbox)
{
	atomic_fetch_add_explicit(&inbox->refs, 1, memory_order_relaxed);
	return inbox;
}

void
inbox_unref(struct inbox *inbox)
{
	unsigned before;

	if (inbox == NULL)
		return;
	before = atomic_fetch_sub_explicit(&inbox->refs, 1,
	    memory_order_acq_rel);
	assert(before > 0);
	if (before > 1)
		return;
	/* A want in the list holds a reference: the list is empty here */
	assert(inbox->head == NULL);
	pthread_cond_destroy(&inbox->filled);
	pthread_mutex_destroy(&inbox->lock);
	free(inbox);
}

void
inbox_notify(struct inbox *inbox, void (*notify)(void *arg), void *arg)
{
	inbox->notify = notify;
	inbox->notify_arg = arg;
}

void
inbox_put(struct inbox *inbox, struct want *want)
{
	bool closed;

	/*
	 * The taker may give the want, and with it the last reference to this
	 * inbox, back before we have left the lock.
	 */
	inbox_ref(inbox);
	want->next = NULL;
	pthread_mutex_lock(&inbox->lock);
	closed = inbox->closed;
	if (!closed) {
		if (inbox->tail == NULL)
			inbox->head = want;
		else
			inbox->tail->next = want;
		inbox->tail = want;
		if (inbox->notify != NULL)
			inbox->notify(inbox->notify_arg);
		else
			pthread_cond_signal(&inbox->filled);
	}
	pthread_mutex_unlock(&inbox->lock);
	if (closed)
		want_unref(want);
	inbox_unref(inbox);
}

struct want *
inbox_take(struct inbox *inbox, uint64_t deadline)
{
	struct timespec until;
	struct want *want;
	int r = 0;

	until.tv_sec = (time_t)(deadline / 1000000);
	until.tv_nsec = (long)(deadline % 1000000) * 1000;
	pthread_mutex_lock(&inbox->lock);
	while (inbox->head == NULL && !inbox->closed && deadline != 0 &&
	    r == 0)
		r = pthread_cond_timedwait(&inbox->filled, &inbox->lock,
		    &until);
	want = inbox->head;
	if (want != NULL) {
		inbox->head = want->next;
		if (inbox->head == NULL)
			inbox->tail = NULL;
		want->next = NULL;
	}
	pthread_mutex_unlock(&inbox->lock);
	return want;
}

void
inbox_close(struct inbox *inbox)
{
	struct want *want, *next;

	pthread_mutex_lock(&inbox->lock);
	inbox->closed = true;
	want = inbox->head;
	inbox->head = NULL;
	inbox->tail = NULL;
	pthread_cond_broadcast(&inbox->filled);
	pthread_mutex_unlock(&inbox->lock);
	for (; want != NULL; want = next) {
		next = want->next;
		want_unref(want);
	}
}
