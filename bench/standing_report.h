/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of 2009 on paper.
 */
#ifndef STANDING_REPORT_H
#define STANDING_REPORT_H

/* system */
#include <stdio.h>

/* this room */
#include "standing.h"

/*
 * Print the rows as they are sorted. Means and percentages are whole numbers;
 * - is what is not known.
 */
void standing_report(const struct standing *standing, bool tsv, FILE *out);

#endif
