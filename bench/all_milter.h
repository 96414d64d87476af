/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd under load: one of our own on a UNIX-domain socket in a scratch
 * folder, with each backend, signing and verifying; first as much as goes,
 * then at parts of that.
 */
#ifndef ALL_MILTER_H
#define ALL_MILTER_H

/* this room */
#include "all_run.h"

#define ALL_MILTER_LOADS_MAX	8

struct all_milter_plan {
	const char	*dkimd;		/* path */
	double		 seconds;	/* of a load */
	unsigned	 load[ALL_MILTER_LOADS_MAX];	/* percent */
	size_t		 loads;
};

/*
 * Write FILE: the columns of dkimbench milter --tsv, then backend and load
 * (percent; "-" for as much as goes).
 *   returns  0, or the first exit status that was not (told);
 *            ALL_RUN_INTERRUPTED
 */
int all_milter(struct all_run *run, const struct all_milter_plan *plan,
    const char *file) MUSTUSE;

/*
 * Messages a connection, so that a rate lasts so long: at least one.
 */
unsigned all_milter_messages(double per_s, double seconds);

#endif
