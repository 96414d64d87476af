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
#include "bn_year.h"
#include "machine.h"

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
	if (parts) {
		table_init(&report->table, part_columns, COUNT(part_columns),
		    tsv, out);
		table_header(&report->table);
	} else if (tsv) {
		bn_year_begin(&report->table, out);
	}
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

/*
 * A width's table: rows, or the lines of openssl speed, with the ratios to the
 * first width behind each.
 */
static void
year_print(struct bn_report *report, size_t limb)
{
	char system[TABLE_FIELD_SIZE] = "-", bn[32], to[32];
	unsigned bits = report->limbs->v[limb];
	struct bn_year year = { .system = system, .bn = bn,
	    .openssl = "dkimd " DKIMD_VERSION, .source = "dkimbench" };
	struct utsname u;

	if (uname(&u) == 0)
		snprintf(system, sizeof system, "%.16s (%.16s %.*s)",
		    u.machine, u.sysname,
		    (int)machine_version(u.release), u.release);
	snprintf(bn, sizeof bn, "bn(%u,%u)", 2 * bits, bits);
	snprintf(to, sizeof to, "%u-bit limbs", report->limbs->v[0]);
	if (!report->tsv)
		bn_year_head(report->out, bn, limb > 0 ? to : NULL);
	for (size_t i = 0; i < report->n; i++) {
		const struct measure_summary *s = &report->held[i].sign[limb];
		const struct measure_summary *v =
		    &report->held[i].verify[limb];

		year.bits = report->held[i].bits;
		year.sign = s->per_s_median;
		year.verify = v->per_s_median;
		year.sign_ratio = s->ratio;
		year.verify_ratio = v->ratio;
		if (report->tsv)
			bn_year_row(&report->table, &year);
		else
			bn_year_line(report->out, &year, limb > 0);
	}
}

void
bn_report_end(struct bn_report *report)
{
	if (report->parts)
		return;
	for (size_t i = 0; i < report->limbs->n; i++)
		year_print(report, i);
	fflush(report->out);
}
