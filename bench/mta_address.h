/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a milter listens: unix:PATH, local:PATH, a bare path,
 * inet:PORT@HOST, inet6:PORT@HOST, and Postfix's inet:HOST:PORT.
 */
#ifndef MTA_ADDRESS_H
#define MTA_ADDRESS_H

/* system */
#include <sys/socket.h>

/* this room */
#include "pin.h"

struct mta_address {
	struct sockaddr_storage	storage;
	socklen_t		n;
};

/*
 * Take a notation apart and look the host up, once.
 *   returns  0, EX_USAGE, EX_NOHOST; told
 */
int mta_address_parse(const char *text, struct mta_address *out) MUSTUSE;

/*
 * A new socket, not blocking, that is connected or is about to be: it is when
 * it can be written to.
 *   fd       out; the caller closes it
 *   returns  0, or errno: EAGAIN where a UNIX socket's backlog is full
 */
int mta_address_connect(const struct mta_address *address, int *fd) MUSTUSE;

#endif
