/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection of the front end: octets in and out. On its loop's thread,
 * but for front_conn_new.
 */
#ifndef FRONT_CONN_H
#define FRONT_CONN_H

#include "front_own.h"

/*
 * A connection that was accepted: it belongs to the loop from here on.
 *   fd       moved, also on failure
 *   errors   DKIM_ERR_NOMEM
 */
int front_conn_new(struct front_loop *loop, int fd) MUSTUSE;

/*
 * It is new, an answer came, or a time is over.
 */
void front_conn_look(struct front_conn *c);

void front_conn_close(struct front_conn *c);

#endif
