/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of dkimbench rsa; see rsa_report.h.
 */

/* system */
#include <assert.h>
#include <string.h>

/* this room */
#include "rsa_report.h"

/* Those of --tsv are a contract: more may follow, none changes. */
static const struct table_column columns[] = {
	{ "backend", -13, false },
	{ "path", -10, false },
	{ "bits", 5, false },
	{ "op", -8, false },
	{ "batch", 5, false },
	{ "threads", 7, false },
	{ "per_s_median", 12, false },
	{ "per_s_min", 10, false },
	{ "per_s_max", 10, false },
	{ "ratio", 6, false },
	{ "cycles", 9, false },
	{ "ns_each", 9, false },
	{ "ns_p95", 9, false },
};

#define COLUMNS		(sizeof columns / sizeof columns[0])

void
rsa_report_begin(struct rsa_report *report, enum rsa_report_form form,
    FILE *out)
{
	report->form = form;
	report->out = out;
	report->n = 0;
	table_init(&report->table, columns, COLUMNS, form == RSA_REPORT_TSV,
	    out);
	if (form == RSA_REPORT_OPENSSL)
		fprintf(out, "%18ssign    verify    sign/s verify/s\n", " ");
	else
		table_header(&report->table);
	fflush(out);
}

static void
row_print(struct table *table, const struct rsa_result *r)
{
	const struct measure_summary *s = &r->summary;

	table_text(table, r->backend);
	table_text(table, r->path);
	table_number(table, r->bits);
	table_text(table, r->op);
	table_number(table, r->batch);
	table_number(table, r->threads);
	if (r->reason != NULL) {
		for (size_t i = 6; i < COLUMNS; i++)
			table_text(table, "n/a");
		table_end(table, r->reason);
		return;
	}
	table_figure(table, s->per_s_median, 1);
	table_figure(table, s->per_s_min, 1);
	table_figure(table, s->per_s_max, 1);
	table_figure(table, s->ratio, 3);
	table_figure(table, s->cycles, 0);
	table_figure(table, s->ns_median, 0);
	table_figure(table, s->ns_p95, 0);
	table_end(table, NULL);
}

int
rsa_report_add(struct rsa_report *report, const struct rsa_result *result)
{
	if (report->form == RSA_REPORT_OPENSSL) {
		assert(report->n < 2 * RSA_ENTRANTS_MAX);
		report->held[report->n++] = *result;
		return 0;
	}
	row_print(&report->table, result);
	return table_check(&report->table);
}

/*
 * The line of openssl speed for a backend, under one that names it.
 */
static void
openssl_print(FILE *out, const struct rsa_result *sign,
    const struct rsa_result *verify)
{
	double s = sign->summary.per_s_median;
	double v = verify->summary.per_s_median;

	fprintf(out, "# %s", sign->backend);
	if (sign->reason != NULL || verify->reason != NULL) {
		fprintf(out, ": n/a: %s\n", sign->reason != NULL ?
		    sign->reason : verify->reason);
		return;
	}
	fprintf(out, ", sign by %s, verify by %s, batch %u, threads %u\n",
	    sign->path, verify->path, sign->batch, sign->threads);
	fprintf(out, "rsa %4u bits %8.6fs %8.6fs %8.1f %8.1f\n", sign->bits,
	    1 / s, 1 / v, s, v);
}

void
rsa_report_batch(struct rsa_report *report)
{
	for (size_t i = 0; i < report->n; i++)
		for (size_t k = 0; k < report->n; k++)
			if (strcmp(report->held[i].op, "sign") == 0 &&
			    strcmp(report->held[k].op, "verify") == 0 &&
			    report->held[i].entrant ==
			    report->held[k].entrant)
				openssl_print(report->out, &report->held[i],
				    &report->held[k]);
	fflush(report->out);
	report->n = 0;
}
