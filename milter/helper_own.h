/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a helper is, for helper*.c.
 */
#ifndef HELPER_OWN_H
#define HELPER_OWN_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "helper.h"

enum helper_state {
	STATE_IDLE,		/* not wanted yet */
	STATE_STARTING,
	STATE_UP,
	STATE_ENDING,		/* of no use any more, not collected yet */
	STATE_WAITING,		/* until start_at */
	STATE_DONE,
};

struct helper {
	atomic_uint		 refs;
	char			*program, *module, *init_args, *pin, *folders;
	unsigned		 sessions;
	int			 start_ms;
	bool			 quiet;

	pthread_mutex_t		 lock;		/* of all below */
	pthread_cond_t		 changed;	/* state */
	int			 wake[2];	/* pipe to the thread */
	bool			 has_thread;
	bool			 stopping;
	bool			 orphan;	/* the thread frees it */
	enum helper_state	 state;
	pid_t			 pid;		/* 0: none; collected under
						 * the lock: never another's */
	int			 control;	/* -1: none */
	uint64_t		 incarnation;
	bool			 killed;	/* by us */
	bool			 careful;	/* with PINs */
	bool			 useless;	/* it did not load its module */
	uint64_t		 started, start_at;	/* monotonic us */
	struct backoff		 backoff;
	struct rsab_token_detail why;
	char	refused[RSAB_TOKEN_REFUSED_MAX][RSAB_TOKEN_IDENTITY];
	size_t			 refusals;
};

/* The module, for messages. */
const char *helper_keep_name(const struct helper *h);

/*
 * Make the thread look around.
 */
void helper_keep_wake(struct helper *h);

/*
 * With the lock, as the next one.
 */
void helper_keep_state(struct helper *h, enum helper_state state);

/*
 * Wait for a change of state.
 *   until    monotonic microseconds
 */
void helper_keep_wait(struct helper *h, uint64_t until);

/*
 * The thread: a process as long as the helper is not stopping.
 *   arg      struct helper
 */
void *helper_keep_run(void *arg);

void helper_keep_free(struct helper *h);

#endif
