/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench rsa prints: a table (DESIGN "Output that programs read" names
 * the columns of --tsv), or the lines of openssl speed.
 */
#ifndef RSA_REPORT_H
#define RSA_REPORT_H

/* this room */
#include "measure.h"
#include "rsa_entrant.h"
#include "table.h"

enum rsa_report_form {
	RSA_REPORT_PEOPLE,
	RSA_REPORT_TSV,
	RSA_REPORT_OPENSSL,
};

struct rsa_result {
	size_t		 entrant;	/* its number */
	const char	*backend, *path;
	const char	*op;		/* "sign", "verify", "boundary" */
	unsigned	 bits, batch, threads;
	const char	*reason;	/* why it could not run, or NULL */
	struct measure_summary summary;
};

struct rsa_report {
	enum rsa_report_form form;
	FILE		*out;
	struct table	 table;

	/* RSA_REPORT_OPENSSL: of the present key, batch and threads */
	struct rsa_result held[2 * RSA_ENTRANTS_MAX];
	size_t		 n;
};

/*
 * Print what comes before the first result.
 */
void rsa_report_begin(struct rsa_report *report, enum rsa_report_form form,
    FILE *out);

/*
 * Print a result, or hold it until rsa_report_batch.
 *   returns  0, or an exit status: standard output takes no more
 */
int rsa_report_add(struct rsa_report *report,
    const struct rsa_result *result) MUSTUSE;

/*
 * All results of one key, batch and number of threads were added.
 */
void rsa_report_batch(struct rsa_report *report);

#endif
