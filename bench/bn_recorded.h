/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recorded tables of 2005: openssl speed rsa with limbs of several widths, or
 * builds of several kinds, and the ratios within a system.
 */
#ifndef BN_RECORDED_H
#define BN_RECORDED_H

/* system */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* this room */
#include "tsv.h"

#define BN_RECORDED_TEXT_SIZE	64	/* octets of a text and its NUL */
#define BN_RECORDED_ROWS_MAX	1024

struct bn_recorded_row {
	char		system[BN_RECORDED_TEXT_SIZE];
	char		openssl[BN_RECORDED_TEXT_SIZE];
	char		bn[BN_RECORDED_TEXT_SIZE];
	char		source[BN_RECORDED_TEXT_SIZE];
	unsigned	key_bits;
	double		sign, verify;	/* a second; below 0: not known */
	double		sign_ratio, verify_ratio;	/* recorded; likewise */
};

struct bn_recorded {
	struct bn_recorded_row *rows;
	size_t		 n;
};

/*
 * Is that header one of the tables of 2005? The columns: system, openssl, bn,
 * key_bits, sign_per_s, verify_per_s, source; others may be there.
 */
bool bn_recorded_is_header(const struct tsv *tsv);

/*
 * Take the row that tsv holds.
 *   recorded zeroed before the first
 *   returns  0; EX_DATAERR, EX_OSERR: error of tsv says why
 */
int bn_recorded_add(struct bn_recorded *recorded, struct tsv *tsv) MUSTUSE;

/*
 * Print them: with tsv, rows of dkimbench bn; else what openssl speed prints,
 * a block for each build. Ratios are those recorded (columns sign_ratio and
 * verify_ratio: of neighbouring windows), else to the first build of the same
 * system, at the same key size.
 */
void bn_recorded_report(const struct bn_recorded *recorded, bool tsv,
    FILE *out);

void bn_recorded_clear(struct bn_recorded *recorded);

#endif
