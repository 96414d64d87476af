/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contestants are measured by turns, in windows of one contestant each: A B A
 * C A B A C ..., so that what disturbs the machine disturbs neighbours alike,
 * and a ratio is that of two neighbouring windows.
 */
#ifndef MEASURE_H
#define MEASURE_H

/* system */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* this room */
#include "pin.h"

#define MEASURE_SECONDS		0.2	/* of a window, at least */
#define MEASURE_RUNS		20	/* windows of each, at least */
#define MEASURE_THREADS_MAX	64
#define MEASURE_STEADY		2.0	/* percent: a steady clock */

struct measure_clock {
	uint64_t (*ns)(void);
	double	(*ghz)(void);		/* 0: not known */
};

/* The clocks of stopwatch.h. */
extern const struct measure_clock measure_clock_real;

/* How to measure. */
struct measure_plan {
	double		 seconds;	/* of a window */
	unsigned	 runs;		/* windows of each */
	unsigned	 threads;
	const struct pin *pin;
	const struct measure_clock *clock;

	/* Called before each window, where not NULL. */
	void		(*progress)(void *arg, unsigned window, unsigned of);
	void		*progress_arg;
};

struct measure_window {
	double	ops, ns;
	double	ghz_before, ghz_after;
};

/* Who is measured. */
struct measure_contestant {
	/*
	 * Do rounds times what is measured, and check every result.
	 *   thread   of plan->threads, from 0
	 *   returns  0, or an exit status: a result was wrong, and was told
	 */
	int		(*run)(void *arg, unsigned thread, size_t rounds);
	void		*arg;
	unsigned	 per_round;	/* operations */

	/* out */
	size_t		 rounds;	/* between two looks at the clock */
	struct measure_window *windows;	/* malloc'd; measure_clear frees */
	size_t		 n;
};

/* What is told of a contestant. */
struct measure_summary {
	double	per_s_median, per_s_min, per_s_max;
	double	ns_median, ns_p95;	/* of wall time, an operation */
	double	ratio;		/* to the first; 0: it was not measured */
	double	cycles;		/* 0: not known */
	double	ghz;		/* median; 0: not known */
};

/*
 * Warm up and measure. The first contestant has a window before each window
 * of each other one; alone it has plan->runs.
 *   returns  0, or an exit status (what was wrong is told)
 */
int measure_heat(const struct measure_plan *plan,
    struct measure_contestant *contestants, size_t n) MUSTUSE;

/*
 * Sum up contestant k of a heat of n.
 *   ratio    median over the ratios of its windows to the first one's
 *            windows right before them
 *   cycles   an operation, in the best window that has the same clock, within
 *            MEASURE_STEADY, before and after it; one thread only
 *   returns  0, or an exit status (no memory)
 */
int measure_summarize(const struct measure_plan *plan,
    const struct measure_contestant *contestants, size_t n, size_t k,
    struct measure_summary *out) MUSTUSE;

/*
 * Free the windows of n contestants.
 */
void measure_clear(struct measure_contestant *contestants, size_t n);

#endif
