/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench rsa: raw RSA by backend, key size, operation, batch and threads.
 *
 * A heat is one key size, operation, batch and number of threads; its
 * contestants are the backends and tokens, measured by turns.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "rsa_contestant.h"
#include "rsa_entrant.h"
#include "rsa_options.h"
#include "rsa_queue.h"
#include "rsa_report.h"
#include "subcommand.h"

struct rsa {
	struct rsa_options	 options;
	struct rsa_entrants	 entrants;
	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	struct rsa_report	 report;
};

/* One heat on its way. */
struct heat {
	struct rsa		*rsa;
	const struct reference	*reference;
	const char		*op;
	unsigned		 batch;

	/* Those that run, and which entrant each is. */
	struct rsa_contestant	 racing[RSA_ENTRANTS_MAX];
	struct measure_contestant measured[RSA_ENTRANTS_MAX];
	size_t			 which[RSA_ENTRANTS_MAX];
	size_t			 n;

	/* Why an entrant does not run; NULL: it does. */
	const char		*reason[RSA_ENTRANTS_MAX];
};

static bool
is_boundary(const struct heat *heat)
{
	return strcmp(heat->op, "boundary") == 0;
}

/*
 * Make an entrant ready to run, where it can.
 */
static int
enter(struct heat *heat, size_t i)
{
	struct rsa *r = heat->rsa;
	struct rsa_entrant *entrant = &r->entrants.v[i];
	struct measure_contestant *measured = &heat->measured[heat->n];
	struct rsa_contestant *c = &heat->racing[heat->n];
	enum rsab_op op = strcmp(heat->op, "verify") == 0 ? RSAB_OP_VERIFY :
	    RSAB_OP_SIGN;
	int status;

	heat->reason[i] = entrant->reason;
	if (entrant->reason != NULL)
		return 0;
	status = entrant->place == NULL ? rsa_contestant_init(c,
	    entrant->backend, heat->reference, op, heat->batch,
	    r->plan.threads) : rsa_contestant_init_token(c, entrant->place,
	    &r->pin, heat->reference, op, heat->batch, r->plan.threads);
	if (status == EX_UNAVAILABLE) {
		memcpy(entrant->said, c->token.reason, RSA_TOKEN_REASON);
		heat->reason[i] = entrant->said;
		return 0;
	}
	if (status != 0)
		return status;
	measured->run = is_boundary(heat) ? rsa_token_echo :
	    rsa_contestant_run;
	measured->arg = is_boundary(heat) ? (void *)&c->token : (void *)c;
	measured->per_round = heat->batch;
	heat->which[heat->n++] = i;
	return 0;
}

/*
 * Report what a heat gave: all entrants in their order.
 */
static int
report(struct heat *heat)
{
	struct rsa *r = heat->rsa;
	int status = 0;

	for (size_t i = 0, k = 0; i < r->entrants.n && status == 0; i++) {
		const struct rsa_entrant *entrant = &r->entrants.v[i];
		struct rsa_result result = { .entrant = i,
		    .backend = entrant->name, .op = heat->op,
		    .bits = heat->reference->bits, .batch = heat->batch,
		    .threads = r->plan.threads, .reason = heat->reason[i] };

		if (is_boundary(heat) && entrant->place == NULL)
			continue;
		if (entrant->place != NULL)
			result.path = entrant->place->name;
		if (k < heat->n && heat->which[k] == i) {
			result.path = rsa_contestant_path(&heat->racing[k]);
			status = measure_summarize(&r->plan, heat->measured,
			    heat->n, k, &result.summary);
			/* the first of the list is what ratios are to */
			if (heat->which[0] != 0)
				result.summary.ratio = 0;
			k++;
		}
		if (status == 0)
			status = rsa_report_add(&r->report, &result);
	}
	return status;
}

static int
run_heat(struct rsa *r, const struct reference *reference, const char *op,
    unsigned batch)
{
	struct heat *heat = calloc(1, sizeof *heat);
	int status = 0;

	if (heat == NULL) {
		warnx("no memory for %zu backends", r->entrants.n);
		return EX_OSERR;
	}
	*heat = (struct heat){ .rsa = r, .reference = reference, .op = op,
	    .batch = batch };
	progress_name(&r->progress, "%u bits, %s, batch %u, threads %u",
	    reference->bits, op, batch, r->plan.threads);
	for (size_t i = 0; i < r->entrants.n && status == 0; i++)
		if (!is_boundary(heat) || r->entrants.v[i].place != NULL)
			status = enter(heat, i);
	if (status == 0 && heat->n > 0)
		status = measure_heat(&r->plan, heat->measured, heat->n);
	for (size_t k = 0; k < heat->n && status == 0; k++)
		status = rsa_contestant_end(&heat->racing[k]);
	if (status == 0)
		status = report(heat);
	measure_clear(heat->measured, heat->n);
	while (heat->n > 0)
		rsa_contestant_clear(&heat->racing[--heat->n]);
	free(heat);
	return status;
}

/*
 * Is there a process between, whose cost can be told?
 */
static bool
has_token(const struct rsa_entrants *entrants)
{
	for (size_t i = 0; i < entrants->n; i++)
		if (entrants->v[i].place != NULL)
			return true;
	return false;
}

/*
 * All operations by one key with so many threads.
 */
static int
run_threads(struct rsa *r, const struct reference *reference)
{
	const struct rsa_options *o = &r->options;
	int status = 0;

	for (size_t b = 0; b < o->batches.n && status == 0; b++) {
		for (size_t i = 0; i < o->ops.n && status == 0; i++)
			if (strcmp(o->ops.v[i], "boundary") != 0)
				status = run_heat(r, reference, o->ops.v[i],
				    o->batches.v[b]);
		if (status == 0)
			rsa_report_batch(&r->report);
	}
	/* a request a job, whatever the batch; no line of openssl speed */
	if (status == 0 && rsa_options_has(o, "boundary") &&
	    !o->openssl_form && has_token(&r->entrants))
		status = run_heat(r, reference, "boundary", 1);
	return status;
}

static int
run_key(struct rsa *r, const struct reference *reference)
{
	const struct rsa_options *o = &r->options;
	int status = 0;

	for (size_t t = 0; t < o->threads.n && status == 0; t++) {
		r->plan.threads = o->threads.v[t];
		status = o->rates_n > 0 ? rsa_queue_run(o, &r->entrants,
		    reference, &r->plan, &r->progress) :
		    run_threads(r, reference);
	}
	return status;
}

static int
run_all(struct rsa *r)
{
	const struct rsa_options *o = &r->options;
	struct reference *reference;
	int status = 0;

	if (o->key != NULL) {
		status = reference_load(o->key, o->measure.seed, &reference);
		if (status != 0)
			return status;
		status = run_key(r, reference);
		reference_free(reference);
		return status;
	}
	for (size_t i = 0; i < o->bits.n && status == 0; i++) {
		status = reference_make(o->bits.v[i], o->measure.seed,
		    &reference);
		if (status != 0)
			break;
		status = run_key(r, reference);
		reference_free(reference);
	}
	return status;
}

static void
begin(struct rsa *r)
{
	const struct rsa_options *o = &r->options;

	if (o->rates_n > 0)
		rsa_queue_begin(o->measure.tsv);
	else
		rsa_report_begin(&r->report, o->measure.tsv ? RSA_REPORT_TSV :
		    o->openssl_form ? RSA_REPORT_OPENSSL : RSA_REPORT_PEOPLE,
		    stdout);
}

int
subcommand_rsa(int argc, char **argv)
{
	static struct rsa r;
	int status = rsa_options_parse(argc, argv, &r.options);

	if (status != 0)
		return status;
	status = rsa_entrant_find(&r.options, &r.entrants);
	if (status == 0)
		status = options_begin(&r.options.measure, &r.pin,
		    &r.progress, &r.plan);
	if (status == 0) {
		begin(&r);
		status = run_all(&r);
	}
	rsa_options_clear(&r.options);
	return status;
}
