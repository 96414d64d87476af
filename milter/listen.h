/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket's file: stale ones out of the way, owner and mode told
 * (BEHAVIOUR 8, MIGRATION 2h).
 */
#ifndef LISTEN_H
#define LISTEN_H

#include "report.h"

/*
 * Path of a UNIX socket as libmilter writes it ("local:", "unix:", a bare
 * path); NULL for other kinds.
 */
const char *listen_path(const char *socket);

/*
 * Take a stale socket file away: only after ECONNREFUSED. A missing folder, a
 * file that is no socket and one that somebody listens on are reported.
 *   errors   -1: reported
 */
int listen_prepare(const char *socket, struct report *report) MUSTUSE;

/*
 * Log owner, group and mode of the socket, and warn when nobody else, or
 * everybody, can connect.
 */
void listen_describe(const char *socket);

#endif
