/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads of the front end.
 */
#ifndef FRONT_LOOP_H
#define FRONT_LOOP_H

#include "front_own.h"

/*
 * Make a loop ready; front_loop_run serves it, and does not return unless the
 * loop fails.
 *   errors   -1: no memory or no descriptor; nothing is left
 */
int front_loop_init(struct mlfi *front, struct front_loop *loop) MUSTUSE;
int front_loop_run(struct front_loop *loop);

/*
 * Free what front_loop_init made; no thread runs it, no connection is there.
 */
void front_loop_clear(struct front_loop *loop);

/*
 * Start as many as the configuration in force wants, beside the first one, on
 * whose thread this runs. None ends: those that a token needed do no harm. Told
 * to the log where they cannot be had.
 */
void front_loop_grow(struct mlfi *front);

/*
 * Let the connection's own thread look at it: it is new there, or has an
 * answer. Any thread.
 */
void front_loop_wake(struct front_conn *c);

/*
 * The connection goes: nobody is to look at it any more. Its own thread.
 */
void front_loop_forget(struct front_conn *c);

#endif
