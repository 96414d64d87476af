/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole messages through one backend, in batches: a batch's headers and bodies
 * first, then its RSA operations in one call, then its fields.
 */
#ifndef MESSAGE_CONTESTANT_H
#define MESSAGE_CONTESTANT_H

/* this room */
#include "measure.h"
#include "message_reference.h"

#define MESSAGE_BATCH_MAX	REFERENCE_MESSAGES

/* Borders of a batch's phases. */
enum message_lap {
	MESSAGE_BEGUN,
	MESSAGE_KEYS,		/* keys parsed, if they are */
	MESSAGE_HASHED,		/* canonicalized, hashed, jobs made */
	MESSAGE_RUN,		/* RSA */
	MESSAGE_DONE,		/* fields written, all freed */
	MESSAGE_LAPS,
};

/* A message under way. */
struct message_slot {
	struct message_signing	 signing;
	struct message_verifying verifying;
	struct rsab_key		*key;		/* parsed for this one */
	struct dkim_keyset	*keyset;
};

/* A thread's workspace. */
struct message_seat {
	struct rsab_worker	*worker;
	struct message_slot	 slot[MESSAGE_BATCH_MAX];
	struct rsab_job		*job[MESSAGE_BATCH_MAX];
	struct buf		 text;
	unsigned		 at;		/* next of the reference */
};

struct message_contestant {
	const struct rsab_backend	*backend;
	struct message_reference	*reference;
	enum rsab_op			 op;
	unsigned			 batch, threads;
	bool				 parse;	/* the key, each time */
	struct rsab_key			*key;		/* of the jobs */
	struct dkim_keyset		*keyset;	/* verifying */
	struct message_seat		*seat;		/* one a thread */
	uint64_t			*laps;	/* MESSAGE_LAPS; or NULL */
};

/*
 * Load the key, and show that every message comes out right, and verifying,
 * that none does whose signature has one bit turned.
 *   reference outlives the contestant
 *   parse    the key is parsed anew for each message
 *   returns  0, or an exit status (what was wrong is told)
 */
int message_contestant_init(struct message_contestant *c,
    const struct rsab_backend *backend, struct message_reference *reference,
    enum rsab_op op, unsigned batch, unsigned threads, bool parse) MUSTUSE;
void message_contestant_clear(struct message_contestant *c);

/*
 * What runs its batches: "evp", "ifma", ...
 */
const char *message_contestant_path(const struct message_contestant *c);

/*
 * The run of struct measure_contestant: rounds batches. Every field that is
 * printed is compared with the reference's; a wrong one ends the run. With
 * laps set, the clock is read at the borders of the phases of each batch.
 *   arg      a struct message_contestant
 */
int message_contestant_run(void *arg, unsigned thread, size_t rounds) MUSTUSE;

#endif
