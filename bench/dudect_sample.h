/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timed private operations of two kinds, and what their times tell.
 */
#ifndef DUDECT_SAMPLE_H
#define DUDECT_SAMPLE_H

/* system */
#include <stdbool.h>

/* this room */
#include "path_key.h"

struct dudect_sample {
	const struct path	*path;
	const struct reference	*reference;	/* its key, fixed */
	uint64_t		 runs, seed;
	bool			 is_exponent;	/* else the message differs */
	bool			 leak;		/* planted */

	/* out */
	double			 t;		/* the one furthest from 0 */
	double			 crop;		/* percentile it was found at */
};

/*
 * Time the operations; t of all values, and of those below a row of
 * percentiles: interrupts make a tail that hides small differences.
 *   returns  0, or an exit status (what was wrong is told)
 */
int dudect_sample_run(struct dudect_sample *sample) MUSTUSE;

#endif
