/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of results on standard output: for programs with --tsv (a header line
 * that begins with #, then rows parted by TABs), else laid out for people.
 */
#ifndef TABLE_H
#define TABLE_H

/* system */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

struct measure_summary;

#define TABLE_COLUMNS_MAX	24
#define TABLE_FIELD_SIZE	64	/* octets of a field and its NUL */

struct table_column {
	const char	*name;
	int		 width;		/* for people; below 0: to the left */
	bool		 people_only;	/* left out with --tsv */
};

struct table {
	const struct table_column *columns;
	size_t		 n;		/* at most TABLE_COLUMNS_MAX */
	bool		 tsv;
	FILE		*out;

	/* The row that is filled; table_end empties it. */
	char		 field[TABLE_COLUMNS_MAX][TABLE_FIELD_SIZE];
	size_t		 filled;
};

void table_init(struct table *table, const struct table_column *columns,
    size_t n, bool tsv, FILE *out);

/*
 * The header line.
 */
void table_header(struct table *table);

/*
 * The next field of the row: text ("-" when NULL or empty; control and 8-bit
 * characters become "_"), a whole number, or a figure.
 *   figure   with decimals digits after the point; 0 or below: missing ("-")
 */
void table_text(struct table *table, const char *text);
void table_number(struct table *table, unsigned long number);
void table_figure(struct table *table, double figure, int decimals);

/*
 * Four fields of a contestant: median, least and greatest rate per second,
 * median nanoseconds.
 */
void table_rates(struct table *table, const struct measure_summary *summary);

/*
 * End the row and hand it on, so that a long run shows what it has.
 *   note     put behind the row for people, where not NULL
 */
void table_end(struct table *table, const char *note);

/*
 * Were all rows written?
 *   returns  0, or EX_IOERR: standard output takes no more (told)
 */
int table_check(const struct table *table) MUSTUSE;

#endif
