/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A watch on file descriptors: libmilter's accept spins when there are none
 * (MILTER 1.2), so connections are refused a little earlier.
 */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "report.h"

#define DESCRIPTORS_RESERVE	16	/* kept back for keys, DNS and log */

struct descriptors {
	atomic_int	spare;		/* -1: let go */
};

/*
 * Take the spare descriptor.
 *   errors   -1: there is none even now
 */
int descriptors_open(struct descriptors *d) MUSTUSE;

/*
 * Are there enough for one more connection? When there are none at all the
 * spare one is let go, so that the listener does not spin. Logged.
 */
bool descriptors_are_left(struct descriptors *d);

/*
 * A connection has ended: take the spare one back if it was let go.
 */
void descriptors_freed(struct descriptors *d);

#endif
