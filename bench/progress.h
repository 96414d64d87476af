/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One line on standard error, written over again and again, where that is a
 * terminal.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

/* this room */
#include "measure.h"

#define PROGRESS_SIZE	64	/* octets of what is told, with its NUL */

struct progress {
	char	what[PROGRESS_SIZE];
};

/*
 * Let the windows of a plan be told; nothing where there is no terminal.
 *   progress outlives the plan
 */
void progress_attach(struct progress *progress, struct measure_plan *plan);

/*
 * What is measured from now on: cut where it is too long.
 */
void progress_name(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
