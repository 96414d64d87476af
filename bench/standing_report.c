/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of 2009 on paper; see standing_report.h.
 */

/* system */
#include <math.h>
#include <string.h>

/* this room */
#include "standing_report.h"
#include "table.h"

#define COLUMNS		19
#define TEXTS		5	/* columns that are as wide as what they hold */

/* Those of --tsv are a contract: more may follow, none changes. */
static const struct table_column all[COLUMNS] = {
	{ "row", -3, false },
	{ "os", -2, false },
	{ "machine", -7, false },
	{ "openssl", -7, false },
	{ "backend", -7, false },
	{ "mhz", 5, false },
	{ "key_bits", 8, false },
	{ "dkim_sign", 9, false },
	{ "dkim_sign_pct", 5, false },
	{ "dkim_sign_cor", 5, false },
	{ "dkim_verify", 11, false },
	{ "dkim_verify_pct", 5, false },
	{ "dkim_verify_cor", 5, false },
	{ "rsa_sign", 9, false },
	{ "rsa_sign_pct", 5, false },
	{ "rsa_sign_cor", 5, false },
	{ "rsa_verify", 10, false },
	{ "rsa_verify_pct", 5, false },
	{ "rsa_verify_cor", 5, false },
};

/* How long texts are, in columns. */
static void
widen(struct table_column columns[COLUMNS], const struct standing_row *row)
{
	const char *const text[TEXTS] = { row->row, row->os, row->machine,
	    row->openssl, row->backend };

	for (size_t i = 0; i < TEXTS; i++)
		if ((int)strlen(text[i]) > -columns[i].width)
			columns[i].width = -(int)strlen(text[i]);
}

/*
 * A whole number; 0 is one, too.
 */
static void
whole(struct table *table, double figure)
{
	char text[TABLE_FIELD_SIZE];

	snprintf(text, sizeof text, "%.0f", round(figure));
	table_text(table, figure < 0 ? NULL : text);
}

static void
print_row(struct table *table, const struct standing_row *row)
{
	table_text(table, row->row);
	table_text(table, row->os);
	table_text(table, row->machine);
	table_text(table, row->openssl);
	table_text(table, row->backend);
	whole(table, row->mhz);
	table_number(table, row->key_bits);
	for (unsigned m = 0; m < STANDING_MEASURES; m++) {
		whole(table, row->figure[m].mean);
		whole(table, row->figure[m].percent);
		whole(table, row->figure[m].corrected);
	}
	table_end(table, NULL);
}

void
standing_report(const struct standing *standing, bool tsv, FILE *out)
{
	struct table_column columns[COLUMNS];
	struct table table;

	memcpy(columns, all, sizeof columns);
	if (!tsv) {
		/* pct and cor stand behind their measure, as in 2009 */
		for (size_t i = 7; i < COLUMNS; i++)
			if ((i - 7) % 3 != 0)
				columns[i].name = (i - 7) % 3 == 1 ? "%" :
				    "cor%";
		for (size_t i = 0; i < standing->n; i++)
			widen(columns, &standing->rows[i]);
	}
	table_init(&table, columns, COLUMNS, tsv, out);
	table_header(&table);
	for (size_t i = 0; i < standing->n; i++)
		print_row(&table, &standing->rows[i]);
}
