/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets that cannot be taken: the connection is closed, and whoever looks
 * after the MTA finds out which one it was and why (BEHAVIOUR 8).
 */
#ifndef FRONT_FAULT_H
#define FRONT_FAULT_H

#include "front_own.h"

#define FRONT_FAULT_MTA_MAX	4300	/* octets of name and address */

/*
 * Count it, and tell the log, with the MTA's name and address; once a
 * connection.
 *   key      names the kind of fault to log_limited
 *   what     is wrong; plain text
 */
void front_fault(struct front_conn *c, const char *key, const char *what);

/*
 * The name that the MTA gives itself (macro j), escaped, and its address:
 * "mta.example.org (192.0.2.1 port 4711)"; of a UNIX socket "(UNIX socket)".
 */
void front_fault_mta(const struct front_conn *c, struct buf *out);

#endif
