/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of dkimbench rsa --rate; see rsa_queue_report.h.
 */

/* this room */
#include "rsa_queue_report.h"
#include "table.h"

/* Those of --tsv are a contract: more may follow, none changes. */
static const struct table_column columns[] = {
	{ "backend", -13, false },
	{ "path", -10, false },
	{ "bits", 5, false },
	{ "threads", 7, false },
	{ "batch", 5, false },
	{ "capacity_per_s", 14, false },
	{ "rate_per_s", 10, false },
	{ "load", 5, false },
	{ "p50_us", 8, false },
	{ "p95_us", 8, false },
	{ "p99_us", 8, false },
	{ "pass_us", 8, false },
	{ "p99_passes", 10, false },
	{ "p99_all_us", 10, false },
	{ "late_p99_us", 11, false },
	{ "samples", 7, false },
	{ "failures", 8, false },
};

#define COLUMNS		(sizeof columns / sizeof columns[0])
#define KEY_COLUMNS	5

void
rsa_queue_report_begin(bool tsv, FILE *out)
{
	struct table table;

	table_init(&table, columns, COLUMNS, tsv, out);
	table_header(&table);
}

static void
figures_print(struct table *table, const struct rsa_queue_result *r)
{
	static const struct {
		enum rsa_queue_figure	figure;
		int			decimals;
	} rows[] = {
		{ RSA_QUEUE_CAPACITY, 1 }, { RSA_QUEUE_RATE, 1 },
		{ RSA_QUEUE_LOAD, 2 }, { RSA_QUEUE_P50, 1 },
		{ RSA_QUEUE_P95, 1 }, { RSA_QUEUE_P99, 1 },
		{ RSA_QUEUE_PASS, 1 }, { RSA_QUEUE_P99_PASSES, 2 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		table_figure(table, r->figure[rows[i].figure],
		    rows[i].decimals);
	table_figure(table, r->p99_all, 1);
	table_figure(table, r->figure[RSA_QUEUE_LATE_P99], 1);
	table_number(table, r->samples);
	table_number(table, r->failures);
}

int
rsa_queue_report_add(bool tsv, FILE *out, const struct rsa_queue_result *r)
{
	struct table table;

	table_init(&table, columns, COLUMNS, tsv, out);
	table_text(&table, r->backend);
	table_text(&table, r->path);
	table_number(&table, r->bits);
	table_number(&table, r->threads);
	if (r->reason != NULL)
		for (size_t i = KEY_COLUMNS - 1; i < COLUMNS; i++)
			table_text(&table, "n/a");
	else {
		table_number(&table, r->batch);
		figures_print(&table, r);
	}
	table_end(&table, r->reason);
	return table_check(&table);
}
