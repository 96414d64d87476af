/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Windows by turns; see measure.h.
 */

/* system */
#include <err.h>
#include <pthread.h>
#include <stdlib.h>
#include <sysexits.h>

/* this room */
#include "measure.h"
#include "statistic.h"
#include "stopwatch.h"

#define LOOK_NS		1000000.0	/* between looks at the clock */
#define ROUNDS_MAX	((size_t)1 << 30)

const struct measure_clock measure_clock_real = {
	stopwatch_ns, stopwatch_ghz,
};

/* A thread's share of a window. */
struct share {
	const struct measure_plan *plan;
	const struct measure_contestant *contestant;
	pthread_barrier_t *start;
	unsigned	 thread;
	uint64_t	 begin, end;	/* ns */
	uint64_t	 rounds;
	int		 status;
};

/*
 * Rounds until the window is over.
 */
static void
share_run(struct share *s)
{
	const struct measure_contestant *c = s->contestant;
	double window = s->plan->seconds * 1e9;

	s->rounds = 0;
	s->begin = s->plan->clock->ns();
	do {
		s->status = c->run(c->arg, s->thread, c->rounds);
		s->rounds += c->rounds;
		s->end = s->plan->clock->ns();
	} while (s->status == 0 && (double)(s->end - s->begin) < window);
}

static void *
share_main(void *arg)
{
	struct share *s = arg;

	pin_thread(s->plan->pin, s->thread);
	pthread_barrier_wait(s->start);
	share_run(s);
	return NULL;
}

/*
 * All threads begin at once; the window lasts until the last has ended.
 *   started  so many of them came up
 */
static int
shares_run(struct share *shares, unsigned n)
{
	pthread_t threads[MEASURE_THREADS_MAX];
	pthread_barrier_t start;
	unsigned i;

	if (pthread_barrier_init(&start, NULL, n) != 0) {
		warnx("no barrier for %u threads", n);
		return EX_OSERR;
	}
	for (i = 0; i < n; i++) {
		shares[i].start = &start;
		if (pthread_create(&threads[i], NULL, share_main,
		    &shares[i]) != 0)
			/* those that wait at the barrier cannot be ended */
			errx(EX_OSERR, "thread %u of %u cannot be made", i + 1,
			    n);
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&start);
	return 0;
}

/*
 * One window of one contestant.
 */
static int
window_run(const struct measure_plan *plan, const struct measure_contestant *c,
    struct measure_window *out)
{
	struct share shares[MEASURE_THREADS_MAX];
	uint64_t begin, end, rounds = 0;
	int status = 0;

	for (unsigned i = 0; i < plan->threads; i++)
		shares[i] = (struct share){ .plan = plan, .contestant = c,
		    .thread = i };
	out->ghz_before = plan->clock->ghz();
	if (plan->threads == 1)
		share_run(&shares[0]);
	else
		status = shares_run(shares, plan->threads);
	if (status != 0)
		return status;
	out->ghz_after = plan->clock->ghz();
	begin = shares[0].begin;
	end = shares[0].end;
	for (unsigned i = 0; i < plan->threads; i++) {
		rounds += shares[i].rounds;
		if (shares[i].begin < begin)
			begin = shares[i].begin;
		if (shares[i].end > end)
			end = shares[i].end;
		if (shares[i].status != 0)
			status = shares[i].status;
	}
	out->ops = (double)rounds * c->per_round;
	out->ns = (double)(end - begin);
	return status;
}

/*
 * Find how many rounds fit between two looks at the clock, by doubling, then
 * run half a window that is not counted.
 */
static int
warm_up(const struct measure_plan *plan, struct measure_contestant *c)
{
	struct measure_plan half = *plan;
	struct measure_window window;

	half.seconds = plan->seconds / 2;
	for (c->rounds = 1;; c->rounds *= 2) {
		uint64_t begin = plan->clock->ns();
		int status = c->run(c->arg, 0, c->rounds);
		double ns = (double)(plan->clock->ns() - begin);

		if (status != 0)
			return status;
		if (ns >= LOOK_NS || ns >= half.seconds * 1e9 ||
		    c->rounds >= ROUNDS_MAX)
			break;
	}
	return window_run(&half, c, &window);
}

/*
 * A window for contestant c.
 */
static int
turn(const struct measure_plan *plan, struct measure_contestant *c,
    unsigned *done, unsigned of)
{
	if (plan->progress != NULL)
		plan->progress(plan->progress_arg, ++*done, of);
	return window_run(plan, c, &c->windows[c->n++]);
}

int
measure_heat(const struct measure_plan *plan,
    struct measure_contestant *contestants, size_t n)
{
	size_t others = n > 1 ? n - 1 : 1;
	unsigned done = 0, of = plan->runs * (unsigned)(n > 1 ? 2 * others : 1);
	int status = 0;

	for (size_t k = 0; k < n; k++) {
		contestants[k].n = 0;
		contestants[k].windows = calloc(plan->runs *
		    (k == 0 ? others : 1), sizeof *contestants[k].windows);
		if (contestants[k].windows == NULL) {
			warnx("no memory for %u windows", plan->runs);
			return EX_OSERR;
		}
	}
	pin_thread(plan->pin, 0);
	for (size_t k = 0; k < n && status == 0; k++)
		status = warm_up(plan, &contestants[k]);
	for (unsigned run = 0; run < plan->runs && status == 0; run++) {
		if (n == 1)
			status = turn(plan, &contestants[0], &done, of);
		for (size_t k = 1; k < n && status == 0; k++) {
			status = turn(plan, &contestants[0], &done, of);
			if (status == 0)
				status = turn(plan, &contestants[k], &done,
				    of);
		}
	}
	return status;
}

/*
 * Median ratio of the windows of contestant k to those before them.
 *   v        room for plan->runs values
 */
static double
ratio(const struct measure_contestant *contestants, size_t n, size_t k,
    double *v)
{
	const struct measure_window *a, *b;
	size_t i;

	if (k == 0)
		return 1;
	for (i = 0; i < contestants[k].n; i++) {
		a = &contestants[0].windows[i * (n - 1) + k - 1];
		b = &contestants[k].windows[i];
		v[i] = b->ops / b->ns / (a->ops / a->ns);
	}
	statistic_sort(v, i);
	return statistic_median(v, i);
}

/*
 * Cycles an operation: the least of the windows with a steady clock.
 */
static double
cycles(const struct measure_contestant *c)
{
	double best = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct measure_window *w = &c->windows[i];
		double now = w->ns / w->ops *
		    (w->ghz_before + w->ghz_after) / 2;

		if (statistic_agree(w->ghz_before, w->ghz_after,
		    MEASURE_STEADY) && (best == 0 || now < best))
			best = now;
	}
	return best;
}

int
measure_summarize(const struct measure_plan *plan,
    const struct measure_contestant *contestants, size_t n, size_t k,
    struct measure_summary *out)
{
	const struct measure_contestant *c = &contestants[k];
	double *v = calloc(c->n + 1, sizeof *v);

	if (v == NULL) {
		warnx("no memory for %zu values", c->n);
		return EX_OSERR;
	}
	for (size_t i = 0; i < c->n; i++)
		v[i] = c->windows[i].ns / c->windows[i].ops;
	statistic_sort(v, c->n);
	out->ns_median = statistic_median(v, c->n);
	out->ns_p95 = statistic_percentile(v, c->n, 95);
	for (size_t i = 0; i < c->n; i++)
		v[i] = c->windows[i].ops / c->windows[i].ns * 1e9;
	statistic_sort(v, c->n);
	out->per_s_median = statistic_median(v, c->n);
	out->per_s_min = v[0];
	out->per_s_max = v[c->n == 0 ? 0 : c->n - 1];
	for (size_t i = 0; i < c->n; i++)
		v[i] = c->windows[i].ghz_after;
	statistic_sort(v, c->n);
	out->ghz = statistic_median(v, c->n);
	out->ratio = ratio(contestants, n, k, v);
	out->cycles = plan->threads == 1 ? cycles(c) : 0;
	free(v);
	return 0;
}

void
measure_clear(struct measure_contestant *contestants, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		free(contestants[k].windows);
		contestants[k].windows = NULL;
		contestants[k].n = 0;
	}
}
