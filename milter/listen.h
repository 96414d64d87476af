/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket: can it be opened, and why not; its file: stale ones out of the
 * way, owner and mode told (BEHAVIOUR 8, 10; MIGRATION 2h).
 */
#ifndef LISTEN_H
#define LISTEN_H

#include "identity.h"
#include "socketspec.h"

/*
 * Who will open the socket, for listen_check; borrowed.
 */
struct listen_try {
	const char		*where;		/* "file:line: Socket" */
	const struct identity	*who;
	bool			 can_try;	/* the process has who's rights
						 * now */
	bool			 running;	/* dkimd may be listening now:
						 * no fault (dkimd -n) */
};

/*
 * What would keep libmilter from opening the socket, which it does not say
 * itself: folder, path, rights, host, address. Nothing is changed.
 *   report   FAULT_FATAL with the reason and the user
 *   errors   -1: reported
 */
int listen_check(const struct listen_try *how, const struct socketspec *spec,
    struct report *report) MUSTUSE;

/*
 * Path of a UNIX socket as libmilter writes it ("local:", "unix:", a bare
 * path); NULL for other kinds.
 */
const char *listen_path(const char *socket);

/*
 * Take a stale socket file away: only after ECONNREFUSED. A file that is no
 * socket and one that somebody listens on are reported.
 *   errors   -1: reported
 */
int listen_prepare(const char *socket, struct report *report) MUSTUSE;

/*
 * Log owner, group and mode of the socket, and warn when nobody else, or
 * everybody, can connect.
 */
void listen_describe(const char *socket);

#endif
