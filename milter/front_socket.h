/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listening socket of the front end.
 */
#ifndef FRONT_SOCKET_H
#define FRONT_SOCKET_H

#include "report.h"

/*
 * Open a socket, not blocking; nobody can connect yet.
 *   text     of struct socketspec: unix:/path, inet:port@host, inet6:port@host
 *   out      descriptor, closed on exec
 *   errors   -1: reported
 */
int front_socket_open(const char *text, struct report *report, int *out)
    MUSTUSE;

/*
 * From now on connections come in.
 *   errors   -1, errno
 */
int front_socket_listen(int listener) MUSTUSE;

/*
 * The next connection, not blocking; -1: errno tells.
 */
int front_socket_accept(int listener);

#endif
