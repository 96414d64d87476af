/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One milter connection on an event loop: what a session has to say goes out,
 * what the filter answers goes to the session.
 */
#ifndef MTA_CONN_H
#define MTA_CONN_H

/* system */
#include <event2/event.h>
#include <event2/event_struct.h>

/* this room */
#include "mta_address.h"
#include "mta_session.h"

struct mta_conn;

/*
 * The session is NEGOTIATED, READY or FAILED (the connection is closed then).
 * Called from the loop or from mta_conn_send, once each time.
 */
typedef void (*mta_conn_fn)(void *arg, struct mta_conn *c);

struct mta_conn {
	struct mta_session session;
	int		 fd;		/* -1: closed */
	struct event	 readable, writable;
	mta_conn_fn	 changed;
	void		*arg;

	uint64_t	 since_ns;	/* the filter was last heard of, or
					 * asked */
	uint64_t	 last_ns;	/* when the last of a message went */

	/* The owner's. */
	struct mta_conn	*next;
	bool		 idle, listed;
	size_t		 message, mail;
	uint64_t	 waited_ns;
};

/*
 * Connect and begin to negotiate. To be closed before it is opened again.
 *   returns  0, or errno; changed is not called then
 */
int mta_conn_open(struct mta_conn *c, struct event_base *base,
    const struct mta_address *address, enum mta_mode mode,
    mta_conn_fn changed, void *arg) MUSTUSE;
void mta_conn_close(struct mta_conn *c);

/*
 * Send what the session has to say.
 */
void mta_conn_send(struct mta_conn *c);

/*
 * Give the connection up with this fault; changed is called.
 */
void mta_conn_fail(struct mta_conn *c, enum mta_fault fault);

#endif
