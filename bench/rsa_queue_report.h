/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench rsa --rate prints.
 */
#ifndef RSA_QUEUE_REPORT_H
#define RSA_QUEUE_REPORT_H

/* system */
#include <stdbool.h>
#include <stdio.h>

/* Of each window; the median of all windows is told. */
enum rsa_queue_figure {
	RSA_QUEUE_CAPACITY,	/* signatures a second */
	RSA_QUEUE_RATE,		/* arrivals a second */
	RSA_QUEUE_LOAD,		/* the one by the other */
	RSA_QUEUE_P50,		/* us from queueing to result */
	RSA_QUEUE_P95,
	RSA_QUEUE_P99,
	RSA_QUEUE_PASS,		/* us of a full batch, alone */
	RSA_QUEUE_P99_PASSES,
	RSA_QUEUE_LATE_P99,	/* us by which arrivals came late */
	RSA_QUEUE_FIGURES,
};

struct rsa_queue_result {
	const char	*backend, *path;
	unsigned	 bits, batch, threads;
	const char	*reason;	/* why it could not run, or NULL */
	double		 figure[RSA_QUEUE_FIGURES];
	double		 p99_all;	/* us, of all windows together */
	size_t		 samples, failures;
};

/*
 * The header line, and a row.
 *   out      where to
 *   returns  0, or an exit status: it takes no more (told)
 */
void rsa_queue_report_begin(bool tsv, FILE *out);
int rsa_queue_report_add(bool tsv, FILE *out,
    const struct rsa_queue_result *result)
    __attribute__((warn_unused_result));

#endif
