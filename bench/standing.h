/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of 2009: messages and raw RSA operations a second of several
 * machines, libraries and backends, as means over recorded runs, in percent of
 * one row, and in percent corrected by clock.
 */
#ifndef STANDING_H
#define STANDING_H

/* system */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* this room */
#include "tsv.h"

#define STANDING_TEXT_SIZE	64	/* octets of a text and its NUL */
#define STANDING_ROWS_MAX	1024
#define STANDING_RUNS_MAX	1024	/* of a measure */
#define STANDING_BITS_MAX	65536

enum standing_measure {
	STANDING_DKIM_SIGN,
	STANDING_DKIM_VERIFY,
	STANDING_RSA_SIGN,
	STANDING_RSA_VERIFY,
	STANDING_MEASURES,
};

struct standing_figure {
	double		sum;		/* of the runs */
	unsigned	runs;
	uint64_t	seen[STANDING_RUNS_MAX / 64 + 1]; /* a bit a run */

	/* made by standing_compare; below 0: not known */
	double		mean, percent, corrected;
};

/* What was measured together. */
struct standing_row {
	char		row[STANDING_TEXT_SIZE], machine[STANDING_TEXT_SIZE];
	char		os[STANDING_TEXT_SIZE], openssl[STANDING_TEXT_SIZE];
	char		backend[STANDING_TEXT_SIZE];
	double		mhz;		/* below 0: not known */
	unsigned	key_bits;
	size_t		order;		/* in the files, from 0 */
	struct standing_figure figure[STANDING_MEASURES];
};

struct standing {
	struct standing_row *rows;
	size_t		 n;
};

/*
 * Is that header one of recorded runs? The columns of 2009: row, machine, mhz,
 * os, openssl, backend, measure, key_bits, run, value; others may be there.
 */
bool standing_is_header(const struct tsv *tsv);

/*
 * Take the run that tsv holds.
 *   standing zeroed before the first
 *   returns  0; EX_DATAERR, EX_OSERR: error of tsv says why
 */
int standing_add(struct standing *standing, struct tsv *tsv) MUSTUSE;

/*
 * Means, percentages of the first row with that label and the same key size,
 * and percentages times its clock by the row's own.
 *   baseline label of a row; NULL: that of the first one
 *   returns  0; EX_USAGE: no such row (told)
 */
int standing_compare(struct standing *standing, const char *baseline) MUSTUSE;

/*
 * Sort by a comma list of keys: row, machine, os, openssl, backend, mhz,
 * key_bits, or a measure (dkim_sign, dkim_verify, rsa_sign, rsa_verify), also
 * with _pct or _cor. Measures are sorted from the greatest down, all others up;
 * behind ":up" or ":down" a key goes that way. What is not known comes last;
 * equal rows stay in the order of the files.
 *   returns  0; EX_USAGE: no such key (told)
 */
int standing_sort(struct standing *standing, const char *keys) MUSTUSE;

void standing_clear(struct standing *standing);

#endif
