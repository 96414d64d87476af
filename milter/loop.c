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
	struct event		*stop;
	pthread_t		 thread;
};

struct post {
	loop_fn	 run;
	void	*arg;
};

struct loop_call {
	struct event	*event;
	struct post	 post;
};

static void *
run_loop(void *arg)
{
	struct loop *loop = arg;

	event_base_loop(loop->base, EVLOOP_NO_EXIT_ON_EMPTY);
	/* A break leaves what is active behind it: things to give back */
	event_base_loop(loop->base, EVLOOP_NONBLOCK);
	return NULL;
}

/*
 * On the loop's thread, so that the break cannot be lost: libevent forgets one
 * that is asked for before the thread has entered the loop.
 */
static void
stop_loop(evutil_socket_t fd, short what, void *arg)
{
	struct loop *loop = arg;

	(void)fd;
	(void)what;
	event_base_loopbreak(loop->base);
}

static void
free_loop(struct loop *loop)
{
	if (loop->stop != NULL)
		event_free(loop->stop);
	if (loop->base != NULL)
		event_base_free(loop->base);
	free(loop);
}

struct event_base *
loop_base_new(int flag)
{
	struct event_config *config = event_config_new();
	struct event_base *base;

	if (config == NULL)
		return NULL;
	event_config_set_flag(config, flag);
	base = event_base_new_with_config(config);
	event_config_free(config);
	return base;
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
	/*
	 * Deadlines count from now, not from when the loop woke, which may be
	 * long ago where it has much to do.
	 */
	loop->base = loop_base_new(EVENT_BASE_FLAG_NO_CACHE_TIME);
	if (loop->base == NULL)
		goto out;
	/* made here, so that stopping needs no memory */
	loop->stop = event_new(loop->base, -1, 0, stop_loop, loop);
	if (loop->stop == NULL)
		goto out;
	if (pthread_create(&loop->thread, NULL, run_loop, loop) != 0)
		goto out;
	*out = loop;
	return 0;

out:
	free_loop(loop);
	return -1;
}

void
loop_free(struct loop *loop)
{
	if (loop == NULL)
		return;
	event_active(loop->stop, EV_TIMEOUT, 0);
	pthread_join(loop->thread, NULL);
	free_loop(loop);
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

static void
run_call(evutil_socket_t fd, short what, void *arg)
{
	struct post post = ((struct loop_call *)arg)->post;

	(void)fd;
	(void)what;
	post.run(post.arg);
}

int
loop_call_new(struct loop *loop, loop_fn run, void *arg,
    struct loop_call **out)
{
	struct loop_call *call;

	call = calloc(1, sizeof(*call));
	if (call == NULL)
		return -1;
	call->post.run = run;
	call->post.arg = arg;
	call->event = event_new(loop->base, -1, 0, run_call, call);
	if (call->event == NULL) {
		free(call);
		return -1;
	}
	*out = call;
	return 0;
}

void
loop_call_run(struct loop_call *call)
{
	event_active(call->event, EV_TIMEOUT, 0);
}

void
loop_call_free(struct loop_call *call)
{
	if (call == NULL)
		return;
	event_free(call->event);
	free(call);
}
