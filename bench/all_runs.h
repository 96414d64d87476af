/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of dkimbench rsa, sign and verify as recorded runs: the columns
 * of 2009, which dkimbench table reads, and some more.
 */
#ifndef ALL_RUNS_H
#define ALL_RUNS_H

/* system */
#include <stdio.h>

/* this room */
#include "machine.h"

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define ALL_RUNS_ROWS_MAX	26	/* labels a to z */
#define ALL_RUNS_BACKEND_SIZE	64	/* octets of a name and its NUL */

struct all_runs {
	FILE		*out;
	const struct machine_facts *facts;

	/* Rows of the table by their order: "bn64 x8". */
	char		 backend[ALL_RUNS_ROWS_MAX][ALL_RUNS_BACKEND_SIZE];
	size_t		 n;
};

/*
 * Begin with the names of the columns.
 *   facts    outlives it
 */
void all_runs_begin(struct all_runs *runs, const struct machine_facts *facts,
    FILE *out);

/*
 * Add what dkimbench rsa --tsv, sign --tsv or verify --tsv wrote; rows with a
 * key that is parsed each time, and operations other than sign and verify, are
 * left out.
 *   run      its number, from 1
 *   returns  0; EX_NOINPUT, EX_DATAERR, EX_OSERR: told
 */
int all_runs_take(struct all_runs *runs, const char *file, unsigned run)
    MUSTUSE;

#endif
