/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits of AutoRestart.
 */

/* system */
#include <string.h>
#include <sysexits.h>

/* this room */
#include "milter/conf_check.h"
#include "milter/restart.h"

void
restart_init(struct restart *restart, const struct options *options)
{
	uint64_t rate, seconds;

	memset(restart, 0, sizeof(*restart));
	restart->allowed = options->auto_restart;
	restart->count = options->auto_restart_count;
	if (options->auto_restart_rate == NULL ||
	    conf_check_rate(slice_text(options->auto_restart_rate), &rate,
	    &seconds) != 0)
		return;
	restart->rate = rate > RESTART_RATE_MAX ? RESTART_RATE_MAX :
	    (size_t)rate;
	restart->seconds = seconds;
}

bool
restart_again(struct restart *restart, int code, uint64_t now,
    const char **why)
{
	uint64_t *oldest;

	if (!restart->allowed) {
		*why = "AutoRestart is no";
		return false;
	}
	if (code == EX_USAGE || code == EX_NOPERM || code == EX_CONFIG) {
		*why = "it would end the same way again";
		return false;
	}
	if (restart->count != 0 && restart->done >= restart->count) {
		*why = "AutoRestartCount is reached";
		return false;
	}
	if (restart->rate != 0) {
		oldest = &restart->times[restart->done % restart->rate];
		if (restart->done >= restart->rate &&
		    now - *oldest < restart->seconds * 1000000) {
			*why = "AutoRestartRate is reached";
			return false;
		}
		*oldest = now;
	}
	restart->done++;
	return true;
}
