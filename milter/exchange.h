/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between a session and those who answer its wants: carries wants out, takes
 * answers in, waits. For front ends; everything on the session's own thread.
 */
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include "session.h"

struct signer;

struct exchange {
	struct session	*session;
	struct inbox	*inbox;
	struct signer	*signer;
	void		(*progress)(void *context);	/* told to the MTA */
	void		*context;
};

/*
 * The first progress is after 3 s, then every 3 s (BEHAVIOUR 5): Sendmail's
 * time-out may be 10 s.
 */
#define EXCHANGE_PROGRESS_US	3000000

/*
 * Carry out what the session wants, and what it has given up. Never blocks.
 */
void exchange_carry(struct exchange *e);

/*
 * Take what is in the inbox, without waiting.
 */
void exchange_take(struct exchange *e);

/*
 * Wait for answers while holds(session), at most until the session's deadline.
 *   progress   call e->progress meanwhile
 */
void exchange_wait(struct exchange *e,
    bool (*holds)(const struct session *session), bool progress);

/*
 * The same for a front end that does not wait itself: take what is there and
 * give up what is late.
 *   next     progress: when the next is due, monotonic microseconds; 0: it
 *            begins now. NULL: none is told
 *   until    out, where the result is true: look again then, if no answer
 *            comes before
 *   returns  is the session still held?
 */
bool exchange_look(struct exchange *e,
    bool (*holds)(const struct session *session), uint64_t *next,
    uint64_t *until);

/*
 * Forget the message: its wants are told that they are given up.
 */
void exchange_reset(struct exchange *e);

/*
 * Write a result's notes to the log and add its counts up.
 */
void exchange_write(const struct session_result *result);

#endif
