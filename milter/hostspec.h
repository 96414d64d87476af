/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One entry of a set of hosts: name, .suffix, address, network, each with "!".
 */
#ifndef HOSTSPEC_H
#define HOSTSPEC_H

#include "../dkim/dkim.h"

enum hostspec_kind {
	HOSTSPEC_NONE,		/* "-": nobody */
	HOSTSPEC_NAME,		/* host name, or ".suffix" */
	HOSTSPEC_GLOB,		/* name with "*" */
	HOSTSPEC_NET,		/* network, or one address */
};

struct hostspec {
	enum hostspec_kind	 kind;
	bool			 negated;
	struct slice		 name;		/* into the parsed text */
	uint8_t			 address[16];	/* host bits are zero; IPv4 as
						 * ::ffff:0:0/96 */
	unsigned		 bits;		/* of 128 */
};

/*
 *   globs    may a name have "*"?
 *   reason   static text on DKIM_ERR_SYNTAX, or a warning with 0: host bits;
 *            else it stays as it is
 *   source   MIGRATION 2d
 */
int hostspec_parse(struct slice text, bool globs, struct hostspec *out,
    const char **reason) MUSTUSE;

/*
 * Set all but the first bits of an address to zero.
 */
void hostspec_mask(uint8_t address[16], unsigned bits);

#endif
