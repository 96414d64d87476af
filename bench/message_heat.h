/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One heat of dkimbench sign or verify: all backends with the same messages,
 * beside their raw RSA, by turns.
 */
#ifndef MESSAGE_HEAT_H
#define MESSAGE_HEAT_H

/* this room */
#include "backends.h"
#include "message_report.h"
#include "progress.h"

struct message_heat {
	struct backends		 backends;
	enum rsab_op		 op;
	bool			 key_load;	/* with rows of parsed keys */
	const char		*canon;		/* of the reference, as told */
	struct measure_plan	 plan;
	struct progress		 progress;
	struct table		 table;
};

/*
 * Measure and report.
 *   returns  0, or an exit status (what was wrong is told)
 */
int message_heat_run(struct message_heat *heat,
    struct message_reference *reference, unsigned batch) MUSTUSE;

#endif
