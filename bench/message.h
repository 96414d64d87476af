/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The message that is signed and verified: the header of the speed programs of
 * libdkim since 2005, and a body of any length.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

/* rooms below */
#include "dkim/dkim.h"

#define MESSAGE_FIELDS		8
#define MESSAGE_DOMAIN		"example.com"
#define MESSAGE_SELECTOR	"test"
#define MESSAGE_SIZE_MAX	((size_t)1 << 30)	/* octets of a body */

struct message_field {
	struct slice	name;
	struct slice	value;		/* with its leading space */
};

/*
 * The header, from the top; all of it is signed.
 *   source   test data of libdkim (BSD licence); names of no real mail
 */
extern const struct message_field message_fields[MESSAGE_FIELDS];

/*
 * Their names, each once, as SignHeaders takes them.
 */
extern const char message_names[];

struct message {
	uint8_t	*body;
	size_t	 octets;
};

/*
 * A body: lines of 75 printable characters that follow from seed, octets in
 * all, cut where they end; no CR is cut from its LF.
 *   line_end CRLF behind the last octet (two octets more)
 *   octets   up to MESSAGE_SIZE_MAX
 *   returns  0, or EX_OSERR (no memory, told)
 */
int message_make(struct message *message, size_t octets, bool line_end,
    uint64_t seed) MUSTUSE;
void message_clear(struct message *message);

#endif
