/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results of dkimbench sign and verify; see message_report.h.
 */

/* this room */
#include "message_report.h"

/* Those of --tsv are a contract: more may follow, none changes. */
static const struct table_column columns[] = {
	{ "backend", -13, false },
	{ "path", -8, false },
	{ "bits", 5, false },
	{ "op", -6, false },
	{ "canon", -15, false },
	{ "size", 7, false },
	{ "batch", 5, false },
	{ "threads", 7, false },
	{ "per_s_median", 12, false },
	{ "per_s_min", 10, false },
	{ "per_s_max", 10, false },
	{ "us_each", 8, true },
	{ "p50_us", 8, false },
	{ "p99_us", 8, false },
	{ "ratio", 6, false },
	{ "cycles", 9, false },
	{ "key", -6, false },
	{ "rsa_percent", 11, false },
	{ "key_us", 7, false },
	{ "hash_us", 7, false },
	{ "rsa_us", 8, false },
	{ "field_us", 8, false },
	{ "evp_us", 7, false },
};

#define COLUMNS		(sizeof columns / sizeof columns[0])
#define FIGURES_FROM	8	/* the first column that is measured */
#define KEY		16

void
message_report_begin(struct table *table, bool tsv, FILE *out)
{
	table_init(table, columns, COLUMNS, tsv, out);
	table_header(table);
}

static void
put_figures(struct table *table, const struct message_result *r)
{
	const struct measure_summary *s = &r->summary;
	const struct message_phases *p = &r->phases;

	table_figure(table, s->per_s_median, 1);
	table_figure(table, s->per_s_min, 1);
	table_figure(table, s->per_s_max, 1);
	table_figure(table, s->ns_median / 1000, 2);
	table_figure(table, p->p50, 2);
	table_figure(table, p->p99, 2);
	table_figure(table, s->ratio, 3);
	table_figure(table, s->cycles, 0);
	table_text(table, r->parse ? "parsed" : "cached");
	table_figure(table, r->raw_percent, 1);
	table_figure(table, p->key, 2);
	table_figure(table, p->hash, 2);
	table_figure(table, p->rsa, 2);
	table_figure(table, p->field, 2);
	table_figure(table, p->evp, 2);
	table_end(table, NULL);
}

int
message_report_add(struct table *table, const struct message_result *r)
{
	table_text(table, r->backend);
	table_text(table, r->path);
	table_number(table, r->bits);
	table_text(table, r->op == RSAB_OP_SIGN ? "sign" : "verify");
	table_text(table, r->canon);
	table_number(table, r->size);
	table_number(table, r->batch);
	table_number(table, r->threads);
	if (r->reason == NULL)
		put_figures(table, r);
	else {
		for (size_t i = FIGURES_FROM; i < COLUMNS; i++)
			table_text(table, i != KEY ? "n/a" :
			    r->parse ? "parsed" : "cached");
		table_end(table, r->reason);
	}
	return table_check(table);
}
