/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The libevent base and its thread.
 */

/* system */
#include <event2/event.h>
#include <event2/thread.h>
#include <pthread.h>
#include <stdlib.h>

/* this room */
#include "milter/loop.h"

struct loop {
	struct event_base	*base;
	pthread_t		 thread;
};

struct post {
	loop_fn	 run;
	void	*arg;
};

static void *
run_loop(void *arg)
{
	struct loop *loop = arg;

	event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);
	return NULL;
}

int
loop_new(struct loop **out)
{
	struct loop *loop;

	if (evthread_use_pthreads() != 0)
		return -1;
	loop = calloc(1, sizeof(*loop));
	if (loop == NULL)
		return -1;
	loop->base = event_base_new();
	if (loop->base == NULL)
		goto out;
	if (pthread_create(&loop->thread, NULL, run_loop, loop) != 0)
		goto out;
	*out = loop;
	return 0;

out:
	if (loop->base != NULL)
		event_base_free(loop->base);
	free(loop);
	return -1;
}

void
loop_free(struct loop *loop)
{
	if (loop == NULL)
		return;
	event_base_loopbreak(loop->base);
	pthread_join(loop->thread, NULL);
	event_base_free(loop->base);
	free(loop);
}

struct event_base *
loop_base(struct loop *loop)
{
	return loop->base;
}

static void
run_post(evutil_socket_t fd, short what, void *arg)
{
	struct post *post = arg;

	(void)fd;
	(void)what;
	post->run(post->arg);
	free(post);
}

int
loop_post(struct loop *loop, loop_fn run, void *arg)
{
	struct post *post;

	post = malloc(sizeof(*post));
	if (post == NULL)
		return -1;
	post->run = run;
	post->arg = arg;
	/* With no time to wait, libevent appends it to what is active */
	if (event_base_once(loop->base, -1, EV_TIMEOUT, run_post, post,
	    NULL) != 0) {
		free(post);
		return -1;
	}
	return 0;
}
