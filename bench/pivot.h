/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures by two names each, as a block of data that gnuplot reads: a line a
 * row, a column a series.
 */
#ifndef PIVOT_H
#define PIVOT_H

/* system */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PIVOT_MAX	16	/* rows, columns */
#define PIVOT_TEXT_SIZE	64	/* octets of a name and its NUL */

/* Zeroed before its first figure. */
struct pivot {
	char	row[PIVOT_MAX][PIVOT_TEXT_SIZE];
	char	column[PIVOT_MAX][PIVOT_TEXT_SIZE];
	size_t	rows, columns;
	double	value[PIVOT_MAX][PIVOT_MAX];
	bool	known[PIVOT_MAX][PIVOT_MAX];
};

/*
 * Add a figure; names come in the order in which they are seen first. Below 0
 * it is not known; of two with the same names the later one counts.
 *   returns  0; -1: more names than there is room for
 */
int pivot_add(struct pivot *pivot, const char *row, const char *column,
    double value) __attribute__((warn_unused_result));

/*
 * "$name << EOD", a line of names, the rows, "EOD". Names are quoted, ? stands
 * for what is not known.
 */
void pivot_print(const struct pivot *pivot, const char *name, FILE *out);

/*
 * Print a text as gnuplot quotes it: control characters and what would end the
 * quote or begin an escape become blanks.
 */
void pivot_quote(const char *text, FILE *out);

#endif
