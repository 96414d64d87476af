/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Socket in any notation, as libmilter takes it (MIGRATION 2h, BEHAVIOUR 8).
 */
#ifndef SOCKETSPEC_H
#define SOCKETSPEC_H

#include "report.h"

#define SOCKETSPEC_MAX	512	/* octets, with NUL */

struct socketspec {
	char	 text[SOCKETSPEC_MAX];	/* for smfi_setconn: unix:/path,
					 * inet:port@host, inet6:port@host */
	char	 path[SOCKETSPEC_MAX];	/* of a UNIX socket, else "" */
};

/*
 * Read and check the option Socket: inet:port[@host], inet6:port[@host],
 * local:path, unix:path, a bare path, and Postfix's inet:host:port.
 *   where    "file:line: Socket" (conf_options_where)
 *   text     the option; NULL: it is absent, which is an error
 *   report   who can connect from outside is warned about; inet:host:port is
 *            a note
 *   errors   DKIM_ERR_SYNTAX: reported
 */
int socketspec_check(const char *where, const char *text,
    struct report *report, struct socketspec *out) MUSTUSE;

#endif
