/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * May a milter process that died be started again? AutoRestart,
 * AutoRestartCount and AutoRestartRate (BEHAVIOUR 4).
 */
#ifndef RESTART_H
#define RESTART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options.h"

#define RESTART_RATE_MAX	1000	/* restarts in the rate's time */

struct restart {
	bool		 allowed;	/* AutoRestart */
	uint64_t	 count;		/* in all; 0: no limit */
	size_t		 rate;		/* in seconds; 0: no limit */
	uint64_t	 seconds;
	uint64_t	 done;		/* so far */
	uint64_t	 times[RESTART_RATE_MAX]; /* of the last, a ring */
};

/*
 * Set up from the options, which are checked.
 */
void restart_init(struct restart *restart, const struct options *options);

/*
 * Count one restart, unless it is one too many or the exit code says that it
 * would not help (64, 77 and 78 of sysexits.h).
 *   now      monotonic microseconds
 *   why      out, when not allowed: static text
 */
bool restart_again(struct restart *restart, int code, uint64_t now,
    const char **why);

#endif
