/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What mta_load.c (connections) and mta_run.c (messages) share.
 */
#ifndef MTA_LOAD_OWN_H
#define MTA_LOAD_OWN_H

/* this room */
#include "mta_conn.h"
#include "mta_load.h"
#include "random.h"

#define MTA_LOAD_SECOND	UINT64_C(1000000000)	/* nanoseconds */

/* The messages of a run. */
struct mta_run {
	bool		 on;
	size_t		 messages, started, finished, arrived;
	size_t		 keep_every;	/* 0: none is kept */
	double		 rate;
	uint64_t	 began_ns, ended_ns;
	uint64_t	 due_ns;	/* of the next arrival */
	uint64_t	 start_due_ns;	/* when the next to start was due */
	struct random	 arrivals, starts;	/* the same numbers twice */
	struct mta_load_result *result;
};

struct mta_load {
	struct mta_load_setup setup;
	struct event_base *base;
	struct event	*retry, *patience, *arrival;

	struct mta_conn	*conns;		/* the idle ones last */
	size_t		 n, tried, opening, opened, idle_lost;
	struct mta_conn	*broken;	/* to be opened again */
	struct mta_conn	*ready, **ready_end;	/* have nothing to do */
	size_t		 refused;	/* attempts in a row */

	bool		 negotiated;	/* steps, and the scripts for them */
	uint32_t	 steps;
	struct mta_script connect, *scripts;	/* one a mail */

	bool		 left;		/* the loop */
	int		 status;	/* why */
	struct mta_run	 run;
};

/*
 * Leave the loop; the first status counts.
 */
void mta_load_leave(struct mta_load *load, int status);

/*
 * Stay in the loop until somebody leaves it, which may have been before.
 *   returns  the status
 */
int mta_load_loop(struct mta_load *load) MUSTUSE;

/*
 * A connection has nothing to do: it gets the next message, or is put into
 * the list; one of the list is of no more use.
 */
void mta_run_ready(struct mta_load *load, struct mta_conn *c);
void mta_run_unready(struct mta_load *load, struct mta_conn *c);

/*
 * The message of a connection is over.
 */
void mta_run_finish(struct mta_load *load, struct mta_conn *c,
    enum mta_fault fault);

/*
 * n messages got no connection.
 */
void mta_run_refuse(struct mta_load *load, size_t n);

/*
 * The timer of arrivals; arg is the load.
 */
void mta_run_arrival(evutil_socket_t fd, short what, void *arg);

#endif
