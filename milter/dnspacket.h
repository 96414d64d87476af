/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The answer to a TXT question in wire format: RCODE, CNAME chain, records
 * (RFC 1035 s3.3.14, s4.1; RFC 1034 s3.6.2). Octets are hostile: every length
 * is checked, pointers only go back, loops are bounded.
 */
#ifndef DNSPACKET_H
#define DNSPACKET_H

#include "../dkim/dkim.h"

#define DNSPACKET_CNAMES_MAX	16	/* aliases followed */
#define DNSPACKET_WIRE_MAX	65535	/* octets of a packet */

enum dnspacket_rcode {		/* RFC 1035 s4.1.1 */
	DNSPACKET_NOERROR = 0,
	DNSPACKET_FORMERR = 1,
	DNSPACKET_SERVFAIL = 2,
	DNSPACKET_NXDOMAIN = 3,
	DNSPACKET_NOTIMP = 4,
	DNSPACKET_REFUSED = 5,
};

struct dnspacket {
	unsigned	 rcode;		/* of the packet itself */
	bool		 truncated;	/* TC: not the whole answer */
	uint32_t	 ttl;		/* seconds; the least of the records
					 * and aliases used; 0 without any */
	size_t		 n;		/* records found; more than
					 * DKIM_TXT_RECORDS_MAX: the rest is
					 * counted only */
	struct slice	 records[DKIM_TXT_RECORDS_MAX];	/* strings joined */
	uint8_t		*octets;	/* where the records lie */
};

/*
 * Parse an answer.
 *   name     that was asked for, NUL-ended, no trailing dot
 *   out      dnspacket_clear frees
 *   errors   DKIM_ERR_SYNTAX: malformed, or not an answer to name; _NOMEM
 */
int dnspacket_parse(struct slice wire, const char *name,
    struct dnspacket *out) MUSTUSE;
void dnspacket_clear(struct dnspacket *packet);

/*
 * The word of an RCODE: "SERVFAIL"; static.
 */
const char *dnspacket_rcode_text(unsigned rcode);

#endif
