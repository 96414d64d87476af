/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listening socket of the front end.
 */
#ifndef FRONT_SOCKET_H
#define FRONT_SOCKET_H

#include "report.h"

/*
 * Open a socket, not blocking. Who connects from now on waits to be accepted:
 * a socket that does not listen would look like a stale one to another dkimd.
 *   text     of struct socketspec: unix:/path, inet:port@host, inet6:port@host
 *   out      descriptor, closed on exec
 *   errors   -1: reported
 */
int front_socket_open(const char *text, struct report *report, int *out)
    MUSTUSE;

/*
 * The next connection, not blocking; -1: errno tells.
 */
int front_socket_accept(int listener);

#endif
