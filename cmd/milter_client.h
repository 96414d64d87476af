/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MTA's side of a milter connection, blocking, for one message at a time.
 */
#ifndef MILTER_CLIENT_H
#define MILTER_CLIENT_H

#include "milter/wire.h"

struct milter_client {
	int		 fd;
	uint32_t	 actions, steps;	/* as negotiated */
	struct buf	 out;			/* packets to send */
	struct buf	 in;			/* octets received */
	size_t		 used;			/* of in, consumed */
	const char	*socket;		/* for messages */
};

/*
 * Connect and negotiate. Both notations are understood: inet:port@host and
 * inet:host:port, inet6: likewise, unix:path, local:path, a bare path.
 *   returns  0, EX_USAGE, EX_UNAVAILABLE (nobody there), EX_PROTOCOL; told
 */
int milter_client_open(const char *socket, struct milter_client *c) MUSTUSE;
void milter_client_close(struct milter_client *c);

/*
 * Send what was put into c->out.
 *   returns  0 or EX_UNAVAILABLE, told
 */
int milter_client_send(struct milter_client *c) MUSTUSE;

/*
 * Wait for one packet; slices of reply live until the next call.
 *   returns  0, EX_UNAVAILABLE (closed, or silent for two minutes),
 *            EX_PROTOCOL (no milter packet); told
 */
int milter_client_reply(struct milter_client *c, struct wire_reply *reply)
    MUSTUSE;

#endif
