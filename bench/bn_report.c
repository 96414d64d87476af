/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of dkimbench bn; see bn_report.h.
 *
 * The tables of 2005 were made by openssl speed, whose "options: bn(64,32)"
 * named the bits of a product and of a limb; so is it here.
 */

/* system */
#include <sys/utsname.h>
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* made by configure */
#include "config.h"

/* this room */
#include "bn_report.h"

static const struct table_column part_columns[] = {
	{ "limb", 4, false },
	{ "bits", 5, false },
	{ "op", -6, false },
	{ "per_s_median", 12, false },
	{ "per_s_min", 11, false },
	{ "per_s_max", 11, false },
	{ "ns_each", 10, true },
	{ "ratio", 6, false },
	{ "cycles", 10, false },
};

/* Those of the tables of 2005, and the ratios to the first width. */
static const struct table_column year_columns[] = {
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

#define COUNT(columns)	(sizeof (columns) / sizeof (columns)[0])

void
bn_report_begin(struct bn_report *report, const struct options_numbers *limbs,
    bool parts, bool tsv, FILE *out)
{
	report->limbs = limbs;
	report->parts = parts;
	report->tsv = tsv;
	report->out = out;
	report->n = 0;
	if (parts)
		table_init(&report->table, part_columns, COUNT(part_columns),
		    tsv, out);
	else
		table_init(&report->table, year_columns, COUNT(year_columns),
		    tsv, out);
	if (parts || tsv)
		table_header(&report->table);
}

static void
part_print(struct table *table, unsigned limb, unsigned bits, const char *op,
    const struct measure_summary *s)
{
	table_number(table, limb);
	table_number(table, bits);
	table_text(table, op);
	table_rates(table, s);
	table_figure(table, s->ratio, 3);
	table_figure(table, s->cycles, 0);
	table_end(table, NULL);
}

int
bn_report_add(struct bn_report *report, unsigned bits, const char *op,
    const struct measure_summary *summary)
{
	size_t n = report->limbs->n;

	if (report->parts)
		for (size_t i = 0; i < n; i++)
			part_print(&report->table, report->limbs->v[i], bits,
			    op, &summary[i]);
	else {
		/* the sizes come one after the other, both operations each */
		if (report->n == 0 ||
		    report->held[report->n - 1].bits != bits)
			report->held[report->n++].bits = bits;
		memcpy(strcmp(op, "sign") == 0 ?
		    report->held[report->n - 1].sign :
		    report->held[report->n - 1].verify, summary,
		    n * sizeof *summary);
	}
	if (!ferror(report->out))
		return 0;
	warn("standard output");
	return EX_IOERR;
}

static void
year_rows(struct bn_report *report, size_t limb, const char *bn)
{
	struct table *table = &report->table;
	char system[TABLE_FIELD_SIZE] = "-";
	struct utsname u;

	if (uname(&u) == 0)
		snprintf(system, sizeof system, "%.16s (%.16s %.24s)",
		    u.machine, u.sysname, u.release);
	for (size_t i = 0; i < report->n; i++) {
		const struct measure_summary *s = &report->held[i].sign[limb];
		const struct measure_summary *v =
		    &report->held[i].verify[limb];

		table_text(table, system);
		table_text(table, "dkimd " DKIMD_VERSION);
		table_text(table, bn);
		table_number(table, report->held[i].bits);
		table_figure(table, s->per_s_median, 1);
		table_figure(table, v->per_s_median, 1);
		table_text(table, "dkimbench");
		table_figure(table, s->ratio, 3);
		table_figure(table, v->ratio, 3);
		table_end(table, NULL);
	}
}

/*
 * As openssl speed prints it, the ratios behind each line.
 */
static void
year_lines(const struct bn_report *report, size_t limb, const char *bn)
{
	fprintf(report->out, "options:%s\n%18ssign    verify    sign/s "
	    "verify/s", bn, " ");
	if (limb > 0)
		fprintf(report->out, "   to %u-bit limbs",
		    report->limbs->v[0]);
	fputc('\n', report->out);
	for (size_t i = 0; i < report->n; i++) {
		const struct measure_summary *s = &report->held[i].sign[limb];
		const struct measure_summary *v =
		    &report->held[i].verify[limb];

		fprintf(report->out, "rsa %4u bits %8.6fs %8.6fs %8.1f %8.1f",
		    report->held[i].bits, 1 / s->per_s_median,
		    1 / v->per_s_median, s->per_s_median, v->per_s_median);
		if (limb > 0)
			fprintf(report->out, "   sign %.2fx verify %.2fx",
			    s->ratio, v->ratio);
		fputc('\n', report->out);
	}
}

void
bn_report_end(struct bn_report *report)
{
	char bn[32];

	if (report->parts)
		return;
	for (size_t i = 0; i < report->limbs->n; i++) {
		snprintf(bn, sizeof bn, "bn(%u,%u)", 2 * report->limbs->v[i],
		    report->limbs->v[i]);
		if (report->tsv)
			year_rows(report, i, bn);
		else
			year_lines(report, i, bn);
	}
	fflush(report->out);
}
