/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service loop: a libevent base and the one thread that runs it. What
 * belongs to the loop (DNS, timers) is touched on its thread only; others hand
 * work over with loop_post. Made after the last fork.
 */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"

struct event_base;
struct loop;

/*
 * A libevent base alone, for who runs it on a thread of its own.
 *   flag     of event2/event.h: EVENT_BASE_FLAG_...
 *   returns  NULL: no memory or no descriptor; else to be freed with
 *            event_base_free
 */
struct event_base *loop_base_new(int flag) MUSTUSE;

/*
 *   errors   -1: no memory, descriptor or thread
 */
int loop_new(struct loop **out) MUSTUSE;

/*
 * End the thread and free. What was posted before runs first, and what it
 * posts in its turn. Not on the loop's thread.
 */
void loop_free(struct loop *loop);

struct event_base *loop_base(struct loop *loop);

/*
 * Run a function on the loop's thread, in the order of the posts. Any thread.
 *   errors   -1: no memory, it will not run
 */
typedef void (*loop_fn)(void *arg);
int loop_post(struct loop *loop, loop_fn run, void *arg) MUSTUSE;

/*
 * A post made ready before, for what has to be done even without memory, as
 * giving things back.
 *   errors   -1: no memory
 */
struct loop_call;
int loop_call_new(struct loop *loop, loop_fn run, void *arg,
    struct loop_call **out) MUSTUSE;

/*
 * Post it: it runs once, in the order of the posts. Any thread.
 */
void loop_call_run(struct loop_call *call);

/*
 * Not while it waits to run; it may free itself as it runs. NULL is allowed.
 */
void loop_call_free(struct loop_call *call);

#endif
