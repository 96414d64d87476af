/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads stay on processors of their own.
 */
#ifndef PIN_H
#define PIN_H

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define PIN_CPUS	1024	/* processors that are looked at */
#define PIN_ANY		(-1)

/* The processors that this process may use, the chosen one first. */
struct pin {
	unsigned	cpu[PIN_CPUS];
	unsigned	n;		/* 0: this system does not pin */
};

/*
 * Read the allowed set. To be called before any thread is pinned.
 *   cpu      the chosen one; PIN_ANY: the last of the set, since interrupts
 *            are mostly served by the first
 *   returns  0; -1: cpu is not in the set
 */
int pin_init(struct pin *pin, int cpu) MUSTUSE;

/*
 * Pin the calling thread: thread 0 to the chosen processor, the others to the
 * next ones, round the set.
 */
void pin_thread(const struct pin *pin, unsigned thread);

/*
 * Let the calling thread run on the first n processors of the set (all, where
 * there are fewer); what it starts from then on stays there.
 */
void pin_processors(const struct pin *pin, unsigned n);

#endif
