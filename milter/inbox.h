/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to a session: list, mutex, condition on the monotonic clock. Counted,
 * so an answer after the session is gone has somewhere to go. Under its lock
 * only that of a front end's loop is taken (front_loop.c), which is a leaf.
 */
#ifndef INBOX_H
#define INBOX_H

#include "want.h"

struct inbox;

int inbox_new(struct inbox **out) MUSTUSE;
struct inbox *inbox_ref(struct inbox *inbox);
void inbox_unref(struct inbox *inbox);

/*
 * Have it told that an answer came, for who does not wait in inbox_take:
 * called with the lock held, from any thread, never after inbox_close. To be
 * set before the first want.
 */
void inbox_notify(struct inbox *inbox, void (*notify)(void *arg), void *arg);

/*
 * Put an answered want in; the answerer's reference goes with it. After
 * inbox_close it is dropped.
 */
void inbox_put(struct inbox *inbox, struct want *want /* moved */);

/*
 * Take the oldest answer out, waiting until deadline.
 *   deadline   monotonic microseconds (log.h clock); 0: do not wait
 *   returns    NULL at the deadline; else the taker owns the reference
 */
struct want *inbox_take(struct inbox *inbox, uint64_t deadline);

/*
 * Nobody will take any more: drop what is there and what comes.
 */
void inbox_close(struct inbox *inbox);

#endif
