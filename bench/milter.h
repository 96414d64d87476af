/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench milter: what was asked for, and what is told.
 */
#ifndef MILTER_H
#define MILTER_H

/* this room */
#include "mta_load.h"
#include "options.h"
#include "process_use.h"

struct milter {
	struct options_measure	 measure;
	const char		*socket, *keys, *client;
	const char		*domain;
	enum mta_mode		 mode;
	unsigned		 connections, idle, messages, warm_up;
	unsigned		 timeout, bits;
	size_t			 size, check;
	double			 rate;
	pid_t			 pid;		/* 0: none is watched */
	bool			 make_keys;
};

/*
 * Take a command line apart.
 *   returns  0, or EX_USAGE, told
 */
int milter_options(int argc, char **argv, struct milter *out) MUSTUSE;

struct milter_figures {
	double			 per_s, p50_us, p95_us, p99_us;
	double			 cpu_us, own_us;	/* a message */
	struct process_sample	 before, after;
};

/*
 * Sum up a run.
 *   result   its latencies are put in order
 *   own_us   processor time of this program in the run
 */
void milter_report_sum(struct mta_load_result *result,
    const struct process_sample *before, const struct process_sample *after,
    double own_us, struct milter_figures *out);

/*
 * Print the row, and on standard error what failed.
 *   returns  0, or EX_SOFTWARE: something failed
 */
int milter_report(const struct milter *m,
    const struct mta_load_result *result,
    const struct milter_figures *figures) MUSTUSE;

#endif
