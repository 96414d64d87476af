/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One milter connection as the MTA sees it: octets from the filter in, what to
 * send next and what became of a message out. No I/O and no clock. The filter
 * is not trusted: every packet is checked, and what it may send is bounded.
 */
#ifndef MTA_SESSION_H
#define MTA_SESSION_H

/* this room */
#include "mta_script.h"

#define MTA_SESSION_CHANGES_MAX	256	/* of one message */
#define MTA_SESSION_PROGRESS_MAX 10000	/* "wait on" for one command */
#define MTA_SESSION_ACTIONS	WIRE_ACTIONS_ALL	/* offered */
#define MTA_SESSION_STEPS	WIRE_STEPS_ALL

/* What came of a message, or of a connection. */
enum mta_fault {
	MTA_OK,
	MTA_CONNECT,		/* no connection */
	MTA_CLOSED,		/* closed by the filter */
	MTA_TIMEOUT,		/* no answer */
	MTA_PROTOCOL,		/* not what a milter may send */
	MTA_TEMPFAIL,
	MTA_REJECT,
	MTA_DISCARD,
	MTA_NO_FIELD,		/* accepted without the field */
	MTA_NO_PASS,		/* Authentication-Results, but no dkim=pass */
	MTA_BAD_SIGNATURE,	/* it does not verify */
	MTA_FAULTS,
};

/*
 * In one word, for tables; static.
 */
const char *mta_fault_text(enum mta_fault fault);

/* What the filter is to add to each message. */
enum mta_mode {
	MTA_SIGN,		/* DKIM-Signature */
	MTA_VERIFY,		/* Authentication-Results with dkim=pass */
};

enum mta_state {
	MTA_NEGOTIATING,
	MTA_NEGOTIATED,		/* steps is set; mta_session_open is next */
	MTA_OPENING,
	MTA_READY,		/* for mta_session_message */
	MTA_BUSY,
	MTA_FAILED,		/* of no more use; fault is set */
};

struct mta_session {
	enum mta_mode	 mode;
	enum mta_state	 state;
	enum mta_fault	 fault;		/* of the last message */
	uint32_t	 steps;

	const struct mta_script *script;
	size_t		 sent, stop;	/* octets; stops passed */
	struct buf	 in;		/* a packet that came in part */
	unsigned	 changes, progress;
	struct buf	 field;		/* value of the field looked for */
};

void mta_session_init(struct mta_session *s, enum mta_mode mode);
void mta_session_clear(struct mta_session *s);

/*
 * Send the script of a connection; of a message.
 *   script   borrowed until the state is READY or FAILED
 */
void mta_session_open(struct mta_session *s, const struct mta_script *script);
void mta_session_message(struct mta_session *s,
    const struct mta_script *script);

/*
 * What is to be sent now, up to where the filter answers; empty: wait for it.
 */
struct slice mta_session_out(const struct mta_session *s);

/*
 * Is the end of a message the last that mta_session_out gave?
 */
bool mta_session_is_last(const struct mta_session *s);

/*
 * n octets of it were sent.
 */
void mta_session_sent(struct mta_session *s, size_t n);

/*
 * Octets of the filter came. Afterwards state tells: READY (a message is
 * over: fault tells how), FAILED, or still at it.
 *   in       cut anywhere
 */
void mta_session_feed(struct mta_session *s, struct slice in);

/*
 * The connection is of no more use.
 */
void mta_session_fail(struct mta_session *s, enum mta_fault fault);

#endif
