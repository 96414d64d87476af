/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data for gnuplot; see pivot.h.
 */

/* system */
#include <string.h>

/* this room */
#include "pivot.h"

/*
 * The place of a name.
 *   returns  PIVOT_MAX: there is no room
 */
static size_t
place(char names[PIVOT_MAX][PIVOT_TEXT_SIZE], size_t *n, const char *name)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (strncmp(names[i], name, PIVOT_TEXT_SIZE - 1) == 0)
			return i;
	if (i < PIVOT_MAX) {
		snprintf(names[i], PIVOT_TEXT_SIZE, "%s", name);
		++*n;
	}
	return i;
}

int
pivot_add(struct pivot *pivot, const char *row, const char *column,
    double value)
{
	size_t r = place(pivot->row, &pivot->rows, row);
	size_t c = place(pivot->column, &pivot->columns, column);

	if (r == PIVOT_MAX || c == PIVOT_MAX)
		return -1;
	pivot->value[r][c] = value;
	pivot->known[r][c] = value >= 0;
	return 0;
}

void
pivot_quote(const char *text, FILE *out)
{
	fputc('"', out);
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || *text == '"' ||
		    *text == '\\' || *text == '`' ? ' ' : *text, out);
	fputc('"', out);
}

void
pivot_print(const struct pivot *pivot, const char *name, FILE *out)
{
	fprintf(out, "$%s << EOD\n\"\"", name);
	for (size_t c = 0; c < pivot->columns; c++) {
		fputc('\t', out);
		pivot_quote(pivot->column[c], out);
	}
	for (size_t r = 0; r < pivot->rows; r++) {
		fputc('\n', out);
		pivot_quote(pivot->row[r], out);
		for (size_t c = 0; c < pivot->columns; c++) {
			if (pivot->known[r][c])
				fprintf(out, "\t%.1f", pivot->value[r][c]);
			else
				fprintf(out, "\t?");
		}
	}
	fprintf(out, "\nEOD\n");
}
