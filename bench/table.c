/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of results; see table.h.
 */

/* system */
#include <assert.h>
#include <err.h>
#include <sysexits.h>

/* this room */
#include "measure.h"
#include "table.h"

void
table_init(struct table *table, const struct table_column *columns, size_t n,
    bool tsv, FILE *out)
{
	assert(n <= TABLE_COLUMNS_MAX);
	table->columns = columns;
	table->n = n;
	table->tsv = tsv;
	table->out = out;
	table->filled = 0;
}

/*
 * Write one column's field; first is cleared behind the first one.
 */
static void
field_print(const struct table *table, size_t i, const char *text,
    bool *first)
{
	if (table->tsv && table->columns[i].people_only)
		return;
	if (table->tsv)
		fprintf(table->out, "%s%s", *first ? "" : "\t", text);
	else
		fprintf(table->out, "%s%*s", *first ? "" : " ",
		    table->columns[i].width, text);
	*first = false;
}

void
table_header(struct table *table)
{
	bool first = true;

	if (table->tsv)
		fputc('#', table->out);
	for (size_t i = 0; i < table->n; i++)
		field_print(table, i, table->columns[i].name, &first);
	fputc('\n', table->out);
	fflush(table->out);
}

void
table_text(struct table *table, const char *text)
{
	char *field;
	size_t i;

	assert(table->filled < table->n);
	field = table->field[table->filled++];
	if (text == NULL || *text == '\0')
		text = "-";
	for (i = 0; i < TABLE_FIELD_SIZE - 1 && text[i] != '\0'; i++)
		field[i] = text[i] >= ' ' && text[i] != 0x7f ? text[i] : '_';
	field[i] = '\0';
}

void
table_number(struct table *table, unsigned long number)
{
	char text[TABLE_FIELD_SIZE];

	snprintf(text, sizeof text, "%lu", number);
	table_text(table, text);
}

void
table_figure(struct table *table, double figure, int decimals)
{
	char text[TABLE_FIELD_SIZE];

	snprintf(text, sizeof text, "%.*f", decimals, figure);
	table_text(table, figure > 0 ? text : NULL);
}

void
table_rates(struct table *table, const struct measure_summary *summary)
{
	table_figure(table, summary->per_s_median, 1);
	table_figure(table, summary->per_s_min, 1);
	table_figure(table, summary->per_s_max, 1);
	table_figure(table, summary->ns_median, 0);
}

void
table_end(struct table *table, const char *note)
{
	bool first = true;

	assert(table->filled == table->n);
	for (size_t i = 0; i < table->n; i++)
		field_print(table, i, table->field[i], &first);
	if (note != NULL && !table->tsv)
		fprintf(table->out, "  %s", note);
	fputc('\n', table->out);
	fflush(table->out);
	table->filled = 0;
}

int
table_check(const struct table *table)
{
	if (!ferror(table->out))
		return 0;
	warn("standard output");
	return EX_IOERR;
}
