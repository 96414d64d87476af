/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench rsa --rate; see rsa_queue.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "rsa_queue.h"
#include "rsa_queue_load.h"
#include "rsa_queue_report.h"
#include "statistic.h"

/* Windows at one rate. */
struct series {
	double	*figure[RSA_QUEUE_FIGURES];	/* runs of each */
	size_t	 windows;
	double	*latency;			/* of all windows */
	size_t	 samples, failures;
};

struct queue_run {
	const struct rsa_options	*options;
	const struct measure_plan	*plan;
	struct rsa_queue_load		 load;
	struct series			 series[OPTIONS_LIST_MAX];
	unsigned			 done;		/* windows */
};

void
rsa_queue_begin(bool tsv)
{
	rsa_queue_report_begin(tsv, stdout);
}

static int
no_memory(void)
{
	warnx("no memory for the windows");
	return EX_OSERR;
}

static int
series_init(struct series *s, unsigned runs)
{
	for (size_t i = 0; i < RSA_QUEUE_FIGURES; i++)
		if ((s->figure[i] = calloc(runs, sizeof(double))) == NULL)
			return no_memory();
	return 0;
}

static void
series_clear(struct series *s)
{
	for (size_t i = 0; i < RSA_QUEUE_FIGURES; i++)
		free(s->figure[i]);
	free(s->latency);
}

/*
 * Add the latencies of a window to those of all.
 */
static int
series_keep(struct series *s, const struct rsa_queue_load *load)
{
	double *more = realloc(s->latency, (s->samples + load->n + 1) *
	    sizeof *more);

	if (more == NULL)
		return no_memory();
	memcpy(more + s->samples, load->latency, load->n * sizeof *more);
	s->latency = more;
	s->samples += load->n;
	s->failures += load->failures;
	return 0;
}

/*
 * Take the figures of the window that the load has just had.
 */
static int
series_add(struct series *s, const struct rsa_queue_load *load,
    double capacity, double pass)
{
	double p99, figure[RSA_QUEUE_FIGURES];
	int status = series_keep(s, load);

	if (status != 0)
		return status;
	statistic_sort(load->latency, load->n);
	statistic_sort(load->late, load->late_n);
	p99 = statistic_percentile(load->latency, load->n, 99);
	figure[RSA_QUEUE_CAPACITY] = capacity;
	figure[RSA_QUEUE_RATE] = load->per_s;
	figure[RSA_QUEUE_LOAD] = load->per_s / capacity;
	figure[RSA_QUEUE_P50] = statistic_median(load->latency, load->n);
	figure[RSA_QUEUE_P95] = statistic_percentile(load->latency, load->n,
	    95);
	figure[RSA_QUEUE_P99] = p99;
	figure[RSA_QUEUE_PASS] = pass;
	figure[RSA_QUEUE_P99_PASSES] = p99 / pass;
	figure[RSA_QUEUE_LATE_P99] = statistic_percentile(load->late,
	    load->late_n, 99);
	for (size_t i = 0; i < RSA_QUEUE_FIGURES; i++)
		s->figure[i][s->windows] = figure[i];
	s->windows++;
	return 0;
}

static void
tell_progress(struct queue_run *q)
{
	const struct measure_plan *plan = q->plan;

	if (plan->progress != NULL)
		plan->progress(plan->progress_arg, ++q->done, plan->runs *
		    (2 + (unsigned)q->options->rates_n));
}

/*
 * A batch alone, what is possible, then each rate.
 */
static int
round_run(struct queue_run *q)
{
	struct rsa_queue_load *load = &q->load;
	double seconds = q->plan->seconds, pass = 0, capacity;
	int status;

	tell_progress(q);
	status = rsa_queue_load_pass(load, seconds, &pass);
	tell_progress(q);
	if (status == 0)
		status = rsa_queue_load_full(load, seconds);
	capacity = load->per_s;
	for (size_t i = 0; i < q->options->rates_n && status == 0; i++) {
		const struct rsa_rate *rate = &q->options->rates[i];

		tell_progress(q);
		status = rsa_queue_load_at(load, rate->is_part ?
		    rate->value * capacity : rate->value, seconds);
		if (status == 0)
			status = series_add(&q->series[i], load, capacity,
			    pass / 1e3);
	}
	return status;
}

static int
rounds_run(struct queue_run *q)
{
	int status = 0;

	for (size_t i = 0; i < q->options->rates_n && status == 0; i++)
		status = series_init(&q->series[i], q->plan->runs);
	/* warm up */
	if (status == 0)
		status = rsa_queue_load_full(&q->load, q->plan->seconds / 2);
	for (unsigned i = 0; i < q->plan->runs && status == 0; i++)
		status = round_run(q);
	return status;
}

static void
summarize(struct series *s, struct rsa_queue_result *out)
{
	for (size_t i = 0; i < RSA_QUEUE_FIGURES; i++) {
		statistic_sort(s->figure[i], s->windows);
		out->figure[i] = statistic_median(s->figure[i], s->windows);
	}
	statistic_sort(s->latency, s->samples);
	out->p99_all = statistic_percentile(s->latency, s->samples, 99);
	out->samples = s->samples;
	out->failures = s->failures;
}

static int
report(struct queue_run *q, const struct rsa_entrant *entrant,
    const struct rsa_queue_result *like)
{
	struct rsa_queue_result result = *like;
	bool tsv = q->options->measure.tsv;
	int status = 0;

	if (result.reason != NULL)
		return rsa_queue_report_add(tsv, stdout, &result);
	result.batch = rsa_queue_load_batch(&q->load);
	if (entrant->place == NULL)
		result.path = rsab_key_path(q->load.key, RSAB_OP_SIGN,
		    result.batch);
	for (size_t i = 0; i < q->options->rates_n && status == 0; i++) {
		summarize(&q->series[i], &result);
		status = rsa_queue_report_add(tsv, stdout, &result);
	}
	return status;
}

static int
entrant_run(struct queue_run *q, struct rsa_entrant *entrant,
    const struct reference *reference)
{
	struct rsa_queue_result result = { .backend = entrant->name,
	    .path = entrant->place == NULL ? NULL : entrant->place->name,
	    .bits = reference->bits, .threads = q->plan->threads,
	    .reason = entrant->reason };
	int status;

	if (result.reason != NULL)
		return report(q, entrant, &result);
	status = rsa_queue_load_init(&q->load, entrant, reference,
	    q->plan->pin, q->plan->threads, q->options->measure.seed);
	if (status == EX_UNAVAILABLE) {
		memcpy(entrant->said, q->load.token.reason,
		    sizeof entrant->said);
		result.reason = entrant->said;
		return report(q, entrant, &result);
	}
	if (status == 0)
		status = rounds_run(q);
	if (status == 0)
		status = report(q, entrant, &result);
	rsa_queue_load_clear(&q->load);
	for (size_t i = 0; i < q->options->rates_n; i++)
		series_clear(&q->series[i]);
	return status;
}

int
rsa_queue_run(const struct rsa_options *options, struct rsa_entrants *entrants,
    const struct reference *reference, const struct measure_plan *plan,
    struct progress *progress)
{
	int status = 0;

	if (plan->pin->n <= plan->threads)
		warnx("%u threads on %u processors: arrivals share one with "
		    "the workers and come late", plan->threads, plan->pin->n);
	for (size_t i = 0; i < entrants->n && status == 0; i++) {
		struct queue_run q = { .options = options, .plan = plan };

		progress_name(progress, "%u bits, %s, queue, threads %u",
		    reference->bits, entrants->v[i].name, plan->threads);
		status = entrant_run(&q, &entrants->v[i], reference);
	}
	return status;
}
