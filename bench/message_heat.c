/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heat of messages; see message_heat.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <sysexits.h>

/* this room */
#include "message_heat.h"
#include "rsa_contestant.h"
#include "statistic.h"

#define LOOK_WINDOWS	5	/* that phases are looked at for */

/* What runs for a backend. */
struct lane {
	struct message_contestant cached, parsed;
	struct rsa_contestant	 raw;
	size_t			 cached_at, parsed_at, raw_at;
};

struct race {
	struct lane		 lane[OPTIONS_LIST_MAX];
	struct measure_contestant measured[3 * OPTIONS_LIST_MAX];
	size_t			 n;
};

/*
 * The index of one more contestant.
 */
static size_t
enter(struct race *race, int (*run)(void *arg, unsigned thread,
    size_t rounds), void *arg, unsigned batch)
{
	race->measured[race->n] = (struct measure_contestant){ .run = run,
	    .arg = arg, .per_round = batch };
	return race->n++;
}

static int
lane_init(const struct message_heat *heat, struct race *race, size_t i,
    struct message_reference *reference, unsigned batch)
{
	const struct rsab_backend *backend = heat->backends.backend[i];
	struct lane *lane = &race->lane[i];
	unsigned threads = heat->plan.threads;
	int status;

	status = message_contestant_init(&lane->cached, backend, reference,
	    heat->op, batch, threads, false);
	if (status == 0)
		status = rsa_contestant_init(&lane->raw, backend,
		    reference->key, heat->op, batch, threads);
	if (status == 0 && heat->key_load)
		status = message_contestant_init(&lane->parsed, backend,
		    reference, heat->op, batch, threads, true);
	if (status != 0)
		return status;
	lane->cached_at = enter(race, message_contestant_run, &lane->cached,
	    batch);
	lane->raw_at = enter(race, rsa_contestant_run, &lane->raw, batch);
	if (heat->key_load)
		lane->parsed_at = enter(race, message_contestant_run,
		    &lane->parsed, batch);
	return 0;
}

/*
 * Messages as percentage of raw RSA: median over the pairs of windows. Those of
 * the first contestant are neighbours, those of others two windows apart.
 */
static int
percent(const struct race *race, size_t messages, size_t raw, double *out)
{
	const struct measure_window *a, *b;
	size_t n = race->measured[raw].n;
	double *v = calloc(n + 1, sizeof *v);

	if (v == NULL) {
		warnx("no memory for %zu values", n);
		return EX_OSERR;
	}
	for (size_t i = 0; i < n; i++) {
		a = &race->measured[raw].windows[i];
		b = &race->measured[messages].windows[messages > 0 ? i :
		    i * (race->n - 1) + raw - 1];
		v[i] = 100 * (b->ops / b->ns) / (a->ops / a->ns);
	}
	statistic_sort(v, n);
	*out = statistic_median(v, n);
	free(v);
	return 0;
}

/*
 * A row of one contestant of a backend, or of its absence.
 */
static int
report(struct message_heat *heat, struct race *race, size_t i,
    const struct message_reference *reference, unsigned batch, bool parse)
{
	struct lane *lane = &race->lane[i];
	struct message_contestant *c = parse ? &lane->parsed : &lane->cached;
	size_t at = parse ? lane->parsed_at : lane->cached_at;
	struct message_result result = {
		.backend = heat->backends.names.v[i],
		.bits = reference->key->bits, .batch = batch,
		.threads = heat->plan.threads, .op = heat->op,
		.canon = heat->canon,
		.size = reference->task.message->octets, .parse = parse,
		.reason = heat->backends.reason[i],
	};
	int status = 0;

	if (result.reason == NULL) {
		result.path = message_contestant_path(c);
		status = measure_summarize(&heat->plan, race->measured,
		    race->n, at, &result.summary);
		/* the first of the list is what ratios are to */
		if (heat->backends.backend[0] == NULL)
			result.summary.ratio = 0;
		if (status == 0)
			status = percent(race, at, lane->raw_at,
			    &result.raw_percent);
		if (status == 0)
			status = message_phases_look(c, LOOK_WINDOWS *
			    heat->plan.seconds, &result.phases);
	}
	return status != 0 ? status : message_report_add(&heat->table,
	    &result);
}

static int
race_run(struct message_heat *heat, struct race *race,
    struct message_reference *reference, unsigned batch)
{
	int status = 0;

	for (size_t i = 0; i < heat->backends.names.n && status == 0; i++)
		if (heat->backends.backend[i] != NULL)
			status = lane_init(heat, race, i, reference, batch);
	if (status == 0)
		status = measure_heat(&heat->plan, race->measured, race->n);
	for (size_t i = 0; i < heat->backends.names.n && status == 0; i++) {
		status = report(heat, race, i, reference, batch, false);
		if (status == 0 && heat->key_load)
			status = report(heat, race, i, reference, batch, true);
	}
	return status;
}

int
message_heat_run(struct message_heat *heat,
    struct message_reference *reference, unsigned batch)
{
	struct race *race = calloc(1, sizeof *race);
	int status;

	if (race == NULL) {
		warnx("no memory for %zu backends", heat->backends.names.n);
		return EX_OSERR;
	}
	progress_name(&heat->progress, "%s, %u bits, %zu octets, batch %u",
	    heat->op == RSAB_OP_SIGN ? "sign" : "verify", reference->key->bits,
	    reference->task.message->octets, batch);
	status = race_run(heat, race, reference, batch);
	measure_clear(race->measured, race->n);
	for (size_t i = 0; i < heat->backends.names.n; i++) {
		message_contestant_clear(&race->lane[i].cached);
		message_contestant_clear(&race->lane[i].parsed);
		rsa_contestant_clear(&race->lane[i].raw);
	}
	free(race);
	return status;
}
