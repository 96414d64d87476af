/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two clocks of the daemon.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * Monotonic microseconds, for deadlines and durations.
 */
static inline uint64_t
clock_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/*
 * Seconds of Unix time, for t= and x=.
 */
static inline uint64_t
clock_unix(void)
{
	return (uint64_t)time(NULL);
}

#endif
