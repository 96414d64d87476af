/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench bn prints: the tables of 2005, or a row for each operation.
 */
#ifndef BN_REPORT_H
#define BN_REPORT_H

/* this room */
#include "measure.h"
#include "options.h"
#include "table.h"

#define BN_LIMBS	2	/* widths there are */

struct bn_report {
	const struct options_numbers *limbs;
	bool		 parts, tsv;
	FILE		*out;
	struct table	 table;

	/* Without parts: held until the end, since a width comes as a whole. */
	struct {
		unsigned		 bits;
		struct measure_summary	 sign[BN_LIMBS], verify[BN_LIMBS];
	}		 held[OPTIONS_LIST_MAX];
	size_t		 n;
};

/*
 * Print what comes before the first result.
 *   limbs    widths, in the order of each result's summaries; kept
 *   parts    a row for each operation, printed as it comes
 */
void bn_report_begin(struct bn_report *report,
    const struct options_numbers *limbs, bool parts, bool tsv, FILE *out);

/*
 * Take the result of a size and operation.
 *   summary  one for each width
 *   returns  0, or an exit status: standard output takes no more
 */
int bn_report_add(struct bn_report *report, unsigned bits, const char *op,
    const struct measure_summary *summary) MUSTUSE;

/*
 * All results were added.
 */
void bn_report_end(struct bn_report *report);

#endif
