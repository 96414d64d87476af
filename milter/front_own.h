/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end that speaks the milter protocol itself, shared by the
 * front_*.c files: a few threads, each with a libevent base and many
 * connections. A connection stays on its thread; nothing on these threads
 * waits for anything but the next event.
 */
#ifndef FRONT_OWN_H
#define FRONT_OWN_H

/* system */
#include <event2/event.h>
#include <event2/event_struct.h>
#include <pthread.h>

/* this room */
#include "connection.h"
#include "descriptors.h"
#include "front_macros.h"
#include "mlfi.h"
#include "wire.h"

#define FRONT_LOOPS_MAX		64
#define FRONT_LOOPS_TOKEN	8	/* at least, where a token verifies */
#define FRONT_CHUNK		65536	/* octets received at once */
#define FRONT_OUT_MAX		(16 << 20) /* octets of answers: deletions of
					 * SESSION_REMOVED_MAX fields */
#define FRONT_IDLE_US		UINT64_C(7210000000)	/* as libmilter's */

struct front_conn;

/*
 * One thread. What others touch is behind the lock, which is a leaf.
 */
struct front_loop {
	struct mlfi	*front;
	struct event_base *base;
	struct event	*wake, *sweep;
	struct rsab_worker *worker;
	struct front_conn *conns;	/* all that are here */
	uint8_t		*chunk;		/* FRONT_CHUNK octets */

	int		 pipe[2];	/* written to when woken fills */
	pthread_mutex_t	 lock;
	struct front_conn *woken;	/* new here, or with an answer */
};

struct mlfi {
	struct mlfi_setup	 setup;
	struct descriptors	 descriptors;
	struct connection_setup	 connection;
	char			 host[256];
	atomic_bool		 draining;
	atomic_uint		 messages;

	int			 listener;
	struct event		*accept, *accept_again;
	unsigned		 n_loops, next_loop;
	struct front_loop	 loops[FRONT_LOOPS_MAX];
};

/* What the MTA said last. */
enum front_phase {
	FRONT_FRESH,
	FRONT_AGREED,		/* negotiated */
	FRONT_CONNECTED,	/* no message */
	FRONT_ENVELOPE,
	FRONT_BODY,		/* the header is over */
	FRONT_ANSWERED,		/* before its end: what comes of it is void */
};

/* Why no packet is taken. */
enum front_hold {
	FRONT_GO,
	FRONT_HOLD_BODY,	/* before body octets, which are not taken */
	FRONT_HOLD_LAST,	/* before the end of the body, likewise */
	FRONT_HOLD_END,		/* before the result */
};

struct front_conn {
	struct front_loop *loop;
	struct front_conn *next, **at;	/* of the loop's */
	int		 fd;
	struct event	 readable, writable, timer;
	bool		 reading;	/* readable is added */
	bool		 ended;		/* the MTA sends no more */
	bool		 faulty;	/* told by front_fault */

	struct connection *connection;
	struct terms	 terms;
	uint32_t	 steps;		/* as agreed */
	struct front_macros macros;
	enum front_phase phase;
	enum front_hold	 hold;
	uint64_t	 progress;	/* for exchange_look */
	uint64_t	 heard;		/* monotonic microseconds */

	struct buf	 in;		/* not yet taken */
	struct buf	 out;		/* not yet sent, from sent on */
	size_t		 sent;

	/* behind the loop's lock */
	bool		 woken;
	struct front_conn *next_woken;
};

#endif
