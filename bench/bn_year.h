/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of 2005: RSA by limb width or build, as openssl speed prints it,
 * and the ratios.
 */
#ifndef BN_YEAR_H
#define BN_YEAR_H

/* this room */
#include "table.h"

struct bn_year {
	const char	*system, *openssl, *bn, *source;
	unsigned	 bits;
	double		 sign, verify;	/* a second; 0 or below: not known */
	double		 sign_ratio, verify_ratio;	/* likewise */
};

/*
 * For programs: the columns of 2005, the ratios behind them; then rows.
 */
void bn_year_begin(struct table *table, FILE *out);
void bn_year_row(struct table *table, const struct bn_year *year);

/*
 * For people: what stands above the lines of a build, and such a line.
 *   to       what the ratios are to; NULL: there are none
 *   ratios   put them behind the line
 */
void bn_year_head(FILE *out, const char *bn, const char *to);
void bn_year_line(FILE *out, const struct bn_year *year, bool ratios);

#endif
