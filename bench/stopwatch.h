/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time, and how fast the processor runs now.
 */
#ifndef STOPWATCH_H
#define STOPWATCH_H

/* system */
#include <stdint.h>

/*
 * Nanoseconds of the monotonic clock.
 */
uint64_t stopwatch_ns(void);

/*
 * Cycles a nanosecond, from a chain of multiplications of which each waits for
 * the one before (3 cycles each on every x86-64 since 2006); the best of a few
 * chains, 0.2 ms in all. 0: not known on this kind of machine.
 */
double stopwatch_ghz(void);

/*
 * A counter that is cheap to read and fine: the time stamp counter of x86-64,
 * nanoseconds elsewhere. For differences of one short stretch.
 */
uint64_t stopwatch_ticks(void);

#endif
