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
 *   errors   -1: no memory, descriptor or thread
 */
int loop_new(struct loop **out) MUSTUSE;

/*
 * End the thread and free; what was posted and has not run is lost. Not on
 * the loop's thread.
 */
void loop_free(struct loop *loop);

struct event_base *loop_base(struct loop *loop);

/*
 * Run a function on the loop's thread, in the order of the posts. Any thread.
 *   errors   -1: no memory, it will not run
 */
typedef void (*loop_fn)(void *arg);
int loop_post(struct loop *loop, loop_fn run, void *arg) MUSTUSE;

#endif
