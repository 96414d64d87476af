/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clocks; see stopwatch.h.
 */

/* system */
#include <time.h>

/* this room */
#include "stopwatch.h"

#define CHAINS		8
#define CHAIN_LENGTH	20000	/* multiplications */
#define LATENCY		3	/* cycles of one */

uint64_t
stopwatch_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#if defined(__x86_64__)

/*
 * Nanoseconds of one chain.
 */
static uint64_t
chain(void)
{
	uint64_t begin, x = 3;

	begin = stopwatch_ns();
	for (unsigned i = 0; i < CHAIN_LENGTH / 10; i++)
		__asm__ volatile("imulq %0, %0\n\timulq %0, %0\n\t"
		    "imulq %0, %0\n\timulq %0, %0\n\timulq %0, %0\n\t"
		    "imulq %0, %0\n\timulq %0, %0\n\timulq %0, %0\n\t"
		    "imulq %0, %0\n\timulq %0, %0" : "+r" (x) : : "cc");
	return stopwatch_ns() - begin;
}

double
stopwatch_ghz(void)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < CHAINS; i++) {
		uint64_t ns = chain();

		if (ns < best)
			best = ns;
	}
	return best == 0 ? 0 : (double)LATENCY * CHAIN_LENGTH / (double)best;
}

uint64_t
stopwatch_ticks(void)
{
	uint32_t low, high;

	/* lfence: neither side of the stretch overlaps the reading */
	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a" (low),
	    "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

#else

double
stopwatch_ghz(void)
{
	return 0;
}

uint64_t
stopwatch_ticks(void)
{
	return stopwatch_ns();
}

#endif
