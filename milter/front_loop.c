/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of the front end.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* this room */
#include "clock.h"
#include "front_conn.h"
#include "front_loop.h"
#include "loop.h"

#define SWEEP_SECONDS	60

/*
 * All woken so far; a connection may be woken again as soon as it is off the
 * list.
 */
static struct front_conn *
take_woken(struct front_loop *loop)
{
	struct front_conn *c;

	pthread_mutex_lock(&loop->lock);
	c = loop->woken;
	if (c != NULL) {
		loop->woken = c->next_woken;
		c->woken = false;
	}
	pthread_mutex_unlock(&loop->lock);
	return c;
}

static void
on_wake(evutil_socket_t fd, short what, void *arg)
{
	struct front_loop *loop = arg;
	struct front_conn *c;
	uint8_t octets[64];

	(void)what;
	/* before the list is looked at, so that no wake is lost */
	while (read(fd, octets, sizeof(octets)) == (ssize_t)sizeof(octets))
		;
	while ((c = take_woken(loop)) != NULL)
		front_conn_look(c);
}

void
front_loop_wake(struct front_conn *c)
{
	struct front_loop *loop = c->loop;
	bool first = false;

	pthread_mutex_lock(&loop->lock);
	if (!c->woken) {
		first = loop->woken == NULL;
		c->woken = true;
		c->next_woken = loop->woken;
		loop->woken = c;
	}
	pthread_mutex_unlock(&loop->lock);
	/* a full pipe has enough to wake its reader */
	if (first)
		(void)!write(loop->pipe[1], "", 1);
}

void
front_loop_forget(struct front_conn *c)
{
	struct front_conn **at = &c->loop->woken;

	pthread_mutex_lock(&c->loop->lock);
	if (c->woken) {
		while (*at != c)
			at = &(*at)->next_woken;
		*at = c->next_woken;
		c->woken = false;
	}
	pthread_mutex_unlock(&c->loop->lock);
}

/*
 * An MTA that has said nothing for longer than any MTA does.
 */
static void
on_sweep(evutil_socket_t fd, short what, void *arg)
{
	struct front_loop *loop = arg;
	struct front_conn *c, *next;
	uint64_t now = clock_us();

	(void)fd;
	(void)what;
	for (c = loop->conns; c != NULL; c = next) {
		next = c->next;
		if (c->hold == FRONT_GO && now - c->heard > FRONT_IDLE_US)
			front_conn_close(c);
	}
}

int
front_loop_init(struct mlfi *front, struct front_loop *loop)
{
	struct timeval minute = { .tv_sec = SWEEP_SECONDS };

	loop->front = front;
	/* one thread alone touches it: others write to the pipe */
	loop->base = loop_base_new(EVENT_BASE_FLAG_NOLOCK);
	loop->chunk = malloc(FRONT_CHUNK);
	if (loop->base == NULL || loop->chunk == NULL ||
	    rsab_worker_new(&loop->worker) != 0 ||
	    pipe2(loop->pipe, O_CLOEXEC | O_NONBLOCK) != 0 ||
	    pthread_mutex_init(&loop->lock, NULL) != 0)
		return -1;
	loop->wake = event_new(loop->base, loop->pipe[0], EV_READ |
	    EV_PERSIST, on_wake, loop);
	loop->sweep = event_new(loop->base, -1, EV_PERSIST, on_sweep, loop);
	if (loop->wake == NULL || loop->sweep == NULL ||
	    event_add(loop->wake, NULL) != 0 ||
	    event_add(loop->sweep, &minute) != 0)
		return -1;
	return 0;
}

int
front_loop_run(struct front_loop *loop)
{
	return event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);
}
