/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process and those below it use: processor time and memory.
 */
#ifndef PROCESS_USE_H
#define PROCESS_USE_H

/* system */
#include <sys/types.h>
#include <stdbool.h>
#include <stddef.h>

/* this room */
#include "pin.h"

#define PROCESS_USE_MAX	256	/* processes */

/* Processes by number; those that end meanwhile take their time with them. */
struct process_use {
	pid_t	pid[PROCESS_USE_MAX];
	size_t	n;
};

/*
 * Find a process and all below it (/proc; elsewhere the process alone).
 *   returns  0; -1: there is none, or more than PROCESS_USE_MAX
 */
int process_use_find(pid_t pid, struct process_use *out) MUSTUSE;

struct process_sample {
	double	cpu_us;		/* used so far, by all threads there were */
	long	rss_kb;		/* resident, all together; 0: not known */
	long	peak_kb;	/* the most there was; 0: not known */
	bool	gone;		/* one of them has ended */
};

void process_use_sample(const struct process_use *use,
    struct process_sample *out);

/*
 * Let peak_kb count from now on, where the system allows it.
 */
void process_use_forget_peak(const struct process_use *use);

/*
 * Processor time that this process used so far, microseconds.
 */
double process_use_own_us(void);

#endif
