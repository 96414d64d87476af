/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of hosts: InternalHosts, ExternalIgnoreList, PeerList. Names, .suffixes,
 * addresses, networks, each with "!"; networks in binary (MIGRATION 2d).
 */
#ifndef HOSTSET_H
#define HOSTSET_H

#include <sys/socket.h>

#include "dataset.h"

struct hostset;

/*
 *   errors   DKIM_ERR_SYNTAX: reported; host bits in a network are a warning
 */
int hostset_open(const char *option, const char *text, const char *base,
    struct report *report, struct hostset **out) MUSTUSE;
void hostset_free(struct hostset *set);

/*
 * Is the client in the set?
 *   name     host name, or "[192.0.2.1]", or empty; any case
 *   address  NULL: a local pipe, counts as 127.0.0.1
 */
bool hostset_has(const struct hostset *set, struct slice name,
    const struct sockaddr *address);

#endif
