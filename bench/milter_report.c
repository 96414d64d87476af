/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench milter tells; see milter.h.
 */

/* system */
#include <err.h>
#include <sysexits.h>

/* this room */
#include "milter.h"
#include "statistic.h"
#include "table.h"

static const struct table_column columns[] = {
	{ "socket", -28, false },
	{ "connections", 11, false },
	{ "messages", 8, false },
	{ "size", 9, false },
	{ "per_s", 8, false },
	{ "p50_us", 8, false },
	{ "p95_us", 8, false },
	{ "p99_us", 8, false },
	{ "failures", 8, false },
	{ "cpu_us_per_message", 18, false },
	{ "rss_kb", 8, false },
	{ "mode", 6, false },
	{ "rate", 8, false },
	{ "idle", 6, false },
	{ "late", 6, false },
	{ "peak_kb", 8, false },
	{ "grown_kb", 8, false },
	{ "own_us", 7, false },
};

#define N_COLUMNS	(sizeof columns / sizeof columns[0])

void
milter_report_sum(struct mta_load_result *result,
    const struct process_sample *before, const struct process_sample *after,
    double own_us, struct milter_figures *out)
{
	double n = (double)result->n;

	*out = (struct milter_figures){ .before = *before, .after = *after };
	if (result->n == 0 || result->seconds <= 0)
		return;
	statistic_sort(result->latency_us, result->n);
	out->per_s = n / result->seconds;
	out->p50_us = statistic_percentile(result->latency_us, result->n, 50);
	out->p95_us = statistic_percentile(result->latency_us, result->n, 95);
	out->p99_us = statistic_percentile(result->latency_us, result->n, 99);
	/* what ended took its time with it */
	if (!after->gone)
		out->cpu_us = (after->cpu_us - before->cpu_us) / n;
	out->own_us = own_us / n;
}

static size_t
failures(const struct mta_load_result *result)
{
	size_t n = result->idle_lost;

	for (enum mta_fault f = MTA_OK + 1; f < MTA_FAULTS; f++)
		n += result->faults[f];
	return n;
}

static void
print_row(const struct milter *m, const struct mta_load_result *result,
    const struct milter_figures *f, bool known)
{
	long grown = f->after.peak_kb - f->before.rss_kb;
	struct table table;

	table_init(&table, columns, N_COLUMNS, m->measure.tsv, stdout);
	table_header(&table);
	table_text(&table, m->socket);
	table_number(&table, m->connections);
	table_number(&table, m->messages);
	table_number(&table, m->size);
	table_figure(&table, f->per_s, 1);
	table_figure(&table, f->p50_us, 0);
	table_figure(&table, f->p95_us, 0);
	table_figure(&table, f->p99_us, 0);
	table_number(&table, failures(result));
	table_figure(&table, known ? f->cpu_us : 0, 1);
	table_figure(&table, (double)f->after.rss_kb, 0);
	table_text(&table, m->mode == MTA_SIGN ? "sign" : "verify");
	table_figure(&table, m->rate, 1);
	table_number(&table, m->idle);
	table_number(&table, result->late);
	table_figure(&table, (double)f->after.peak_kb, 0);
	if (known && f->before.rss_kb > 0)
		table_number(&table, grown > 0 ? (unsigned long)grown : 0);
	else
		table_text(&table, NULL);
	table_figure(&table, f->own_us, 1);
	table_end(&table, NULL);
}

int
milter_report(const struct milter *m, const struct mta_load_result *result,
    const struct milter_figures *figures)
{
	print_row(m, result, figures, m->pid != 0);
	if (m->pid != 0 && figures->after.gone)
		warnx("process %ld, or one below it, has ended",
		    (long)m->pid);
	for (enum mta_fault f = MTA_OK + 1; f < MTA_FAULTS; f++)
		if (result->faults[f] > 0)
			warnx("%zu messages failed: %s", result->faults[f],
			    mta_fault_text(f));
	if (result->idle_lost > 0)
		warnx("%zu idle connections were closed by the filter",
		    result->idle_lost);
	return failures(result) > 0 ? EX_SOFTWARE : 0;
}
