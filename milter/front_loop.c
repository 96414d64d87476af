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
#include "log.h"
#include "loop.h"
#include "processors.h"

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

static int
make_parts(struct front_loop *loop)
{
	struct timeval minute = { .tv_sec = SWEEP_SECONDS };

	/* one thread alone touches it: others write to the pipe */
	loop->base = loop_base_new(EVENT_BASE_FLAG_NOLOCK);
	loop->chunk = malloc(FRONT_CHUNK);
	if (loop->base == NULL || loop->chunk == NULL ||
	    rsab_worker_new(&loop->worker) != 0 ||
	    pipe2(loop->pipe, O_CLOEXEC | O_NONBLOCK) != 0)
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
front_loop_init(struct mlfi *front, struct front_loop *loop)
{
	*loop = (struct front_loop){ .front = front, .pipe = { -1, -1 } };
	if (pthread_mutex_init(&loop->lock, NULL) != 0)
		return -1;
	if (make_parts(loop) == 0)
		return 0;
	front_loop_clear(loop);
	return -1;
}

void
front_loop_clear(struct front_loop *loop)
{
	if (loop->wake != NULL)
		event_free(loop->wake);
	if (loop->sweep != NULL)
		event_free(loop->sweep);
	if (loop->base != NULL)
		event_base_free(loop->base);
	rsab_worker_free(loop->worker);
	free(loop->chunk);
	for (size_t i = 0; i < 2; i++)
		if (loop->pipe[i] >= 0)
			close(loop->pipe[i]);
	pthread_mutex_destroy(&loop->lock);
}

int
front_loop_run(struct front_loop *loop)
{
	return event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);
}

/* ---- how many ----------------------------------------------------------- */

/*
 * One a processor; more where a token verifies, which holds its thread up.
 */
static unsigned
threads(const struct mlfi *front)
{
	struct conf *conf = conf_slot_get(front->setup.conf);
	unsigned n = processors();

	if (conf->verifier != NULL && n < FRONT_LOOPS_TOKEN)
		n = FRONT_LOOPS_TOKEN;
	conf_unref(conf);
	return n > FRONT_LOOPS_MAX ? FRONT_LOOPS_MAX : n;
}

static void *
serve(void *arg)
{
	(void)front_loop_run(arg);
	return NULL;
}

void
front_loop_grow(struct mlfi *front)
{
	unsigned wanted = threads(front);
	struct front_loop *loop;
	pthread_t thread;

	while (front->n_loops < wanted) {
		loop = &front->loops[front->n_loops];
		if (front_loop_init(front, loop) != 0)
			break;
		if (pthread_create(&thread, NULL, serve, loop) != 0) {
			front_loop_clear(loop);
			break;
		}
		/* it stays as long as the process */
		pthread_detach(thread);
		front->n_loops++;
	}
	if (front->n_loops < wanted)
		log_limited(LOG_ERR, "threads", "%u threads serve MTAs, where "
		    "%u are wanted: no memory, descriptors or threads",
		    front->n_loops, wanted);
}
