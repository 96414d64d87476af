/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of 2005; see bn_year.h.
 */

/* this room */
#include "bn_year.h"

/* Those of the tables of 2005, and the ratios to the first width or build. */
static const struct table_column columns[] = {
	{ "system", -24, false },
	{ "openssl", -12, false },
	{ "bn", -10, false },
	{ "key_bits", 8, false },
	{ "sign_per_s", 10, false },
	{ "verify_per_s", 12, false },
	{ "source", -9, false },
	{ "sign_ratio", 10, false },
	{ "verify_ratio", 12, false },
};

void
bn_year_begin(struct table *table, FILE *out)
{
	table_init(table, columns, sizeof columns / sizeof columns[0], true,
	    out);
	table_header(table);
}

void
bn_year_row(struct table *table, const struct bn_year *year)
{
	table_text(table, year->system);
	table_text(table, year->openssl);
	table_text(table, year->bn);
	table_number(table, year->bits);
	table_figure(table, year->sign, 1);
	table_figure(table, year->verify, 1);
	table_text(table, year->source);
	table_figure(table, year->sign_ratio, 3);
	table_figure(table, year->verify_ratio, 3);
	table_end(table, NULL);
}

void
bn_year_head(FILE *out, const char *bn, const char *to)
{
	fprintf(out, "options:%s\n%18ssign    verify    sign/s verify/s", bn,
	    " ");
	if (to != NULL)
		fprintf(out, "   to %s", to);
	fputc('\n', out);
}

/*
 * Seconds of one operation and how many in a second; - where not known.
 */
static void
print_seconds(FILE *out, double per_s)
{
	if (per_s > 0)
		fprintf(out, " %8.6fs", 1 / per_s);
	else
		fprintf(out, " %9s", "-");
}

static void
print_rate(FILE *out, double per_s)
{
	if (per_s > 0)
		fprintf(out, " %8.1f", per_s);
	else
		fprintf(out, " %8s", "-");
}

void
bn_year_line(FILE *out, const struct bn_year *year, bool ratios)
{
	fprintf(out, "rsa %4u bits", year->bits);
	print_seconds(out, year->sign);
	print_seconds(out, year->verify);
	print_rate(out, year->sign);
	print_rate(out, year->verify);
	if (ratios && year->sign_ratio > 0)
		fprintf(out, "   sign %.2fx", year->sign_ratio);
	if (ratios && year->verify_ratio > 0)
		fprintf(out, "%s verify %.2fx", year->sign_ratio > 0 ? "" :
		    "  ", year->verify_ratio);
	fputc('\n', out);
}
