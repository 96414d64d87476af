/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many milter connections at once, in one thread: opens them, sends messages
 * over them, closed loop or at random times, and keeps what came of each.
 */
#ifndef MTA_LOAD_H
#define MTA_LOAD_H

/* this room */
#include "mta_address.h"
#include "mta_session.h"

#define MTA_LOAD_MESSAGES_MAX	10000000	/* of a run */
#define MTA_LOAD_CONNECTIONS_MAX 100000

struct mta_load_setup {
	struct mta_address	 address;
	enum mta_mode		 mode;
	unsigned		 connections, idle;
	unsigned		 timeout;	/* seconds without an answer */
	const char		*client;	/* IPv4 address */
	const char		*sender;	/* address of MAIL */
	const struct mta_mail	*mails;		/* borrowed, sent in turn */
	size_t			 n_mails;
	uint64_t		 seed;		/* of arrivals */
};

/* What was sent and came back, for who wants to look at it closer. */
struct mta_load_kept {
	size_t		 mail;		/* index in mails */
	struct buf	 field;		/* value that the filter added */
};

struct mta_load_result {
	double		 seconds;	/* first message to last answer */
	double		*latency_us;	/* of each that was answered well */
	size_t		 n;		/* of those */
	size_t		 late;		/* found all connections busy */
	size_t		 faults[MTA_FAULTS];	/* messages by fault */
	size_t		 idle_lost;	/* idle connections that were closed */
	struct mta_load_kept *kept;
	size_t		 n_kept;
};

struct mta_load;

/*
 * Open all connections, idle ones too.
 *   setup    copied; what it points to stays the caller's
 *   returns  0, EX_UNAVAILABLE (nobody there, refused, no milter), EX_OSERR
 *            (descriptors, memory); told
 */
int mta_load_new(const struct mta_load_setup *setup, struct mta_load **out)
    MUSTUSE;
void mta_load_free(struct mta_load *load);

/*
 * Send messages.
 *   messages  in all, 1 to MTA_LOAD_MESSAGES_MAX
 *   rate      a second, at random times (Poisson); 0: as fast as answers come
 *   keep      so many answers, spread over the run, are kept
 *   out       mta_load_result_clear frees
 *   returns   0, EX_OSERR; told
 */
int mta_load_run(struct mta_load *load, size_t messages, double rate,
    size_t keep, struct mta_load_result *out) MUSTUSE;
void mta_load_result_clear(struct mta_load_result *result);

#endif
