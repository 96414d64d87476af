/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many threads can run at once.
 */

#include "config.h"

/* system */
#ifdef HAVE_SCHED_GETAFFINITY
#include <sched.h>
#endif
#include <unistd.h>

/* this room */
#include "processors.h"

unsigned
processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef HAVE_SCHED_GETAFFINITY
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = CPU_COUNT(&set);
#endif
	return n < 1 ? 1 : (unsigned)n;
}
