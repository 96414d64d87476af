/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the time of a message goes. Looked at outside of the windows, since
 * reading the clock within them would be part of the figures.
 */
#ifndef MESSAGE_PHASES_H
#define MESSAGE_PHASES_H

/* this room */
#include "message_contestant.h"

/* Microseconds a message, medians; 0: not measured. */
struct message_phases {
	double	key;		/* parsing it */
	double	hash;		/* header and body in, canonicalized, hashed */
	double	rsa;
	double	field;		/* the result printed, all freed */
	double	evp;		/* libcrypto hashing the same octets, alone */
	double	p50, p99;	/* from its first octet to its field, in its
				 * batch */
};

/*
 * Run batches on one thread for so many seconds.
 *   returns  0, or an exit status (what was wrong is told)
 */
int message_phases_look(struct message_contestant *c, double seconds,
    struct message_phases *out) MUSTUSE;

#endif
