/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets that cannot be taken; see front_fault.h.
 */

/* system */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* this room */
#include "front_fault.h"
#include "log.h"
#include "stats.h"

static void
put_address(const struct front_conn *c, struct buf *out)
{
	struct sockaddr_storage peer = { .ss_family = AF_UNSPEC };
	socklen_t n = sizeof(peer);
	char host[64], port[16];

	if (getpeername(c->fd, (struct sockaddr *)&peer, &n) == 0 &&
	    peer.ss_family == AF_UNIX)
		buf_add_text(out, "UNIX socket");
	else if (peer.ss_family != AF_UNSPEC &&
	    getnameinfo((const struct sockaddr *)&peer, n, host, sizeof(host),
	    port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		buf_add_format(out, "%s port %s", host, port);
	else
		/* it is gone already */
		buf_add_text(out, "address not known");
}

void
front_fault_mta(const struct front_conn *c, struct buf *out)
{
	const char *name = front_macros_get(&c->macros, "j");
	struct slice shown = slice_text(name == NULL || name[0] == '\0' ?
	    "without a name" : name);

	/* an absurd one is not worth a log line of its size */
	if (shown.n > MACROS_VALUE_MAX)
		shown = slice_sub(shown, 0, MACROS_VALUE_MAX);
	buf_add_escaped(out, shown);
	buf_add_text(out, " (");
	put_address(c, out);
	buf_add_text(out, ")");
}

void
front_fault(struct front_conn *c, const char *key, const char *what)
{
	struct buf mta;

	if (c->faulty)
		return;
	c->faulty = true;
	stats_add(STAT_BAD_PACKETS, 1);
	buf_init(&mta, FRONT_FAULT_MTA_MAX);
	front_fault_mta(c, &mta);
	buf_add_nul(&mta);
	if (buf_end(&mta) == 0)
		log_limited(LOG_ERR, key, "MTA %s: %s: connection closed",
		    (const char *)mta.p, what);
	buf_clear(&mta);
}
