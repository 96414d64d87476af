/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processor affinity; see pin.h.
 */

/* system */
#include <sched.h>

/* made by configure */
#include "config.h"

/* this room */
#include "pin.h"

#ifdef HAVE_SCHED_GETAFFINITY

/*
 * Turn the list round until the element at is first.
 */
static void
rotate(struct pin *pin, unsigned at)
{
	unsigned old[PIN_CPUS];

	for (unsigned i = 0; i < pin->n; i++)
		old[i] = pin->cpu[i];
	for (unsigned i = 0; i < pin->n; i++)
		pin->cpu[i] = old[(at + i) % pin->n];
}

int
pin_init(struct pin *pin, int cpu)
{
	cpu_set_t set;

	pin->n = 0;
	CPU_ZERO(&set);
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return cpu == PIN_ANY ? 0 : -1;
	for (unsigned i = 0; i < CPU_SETSIZE && i < PIN_CPUS; i++)
		if (CPU_ISSET(i, &set))
			pin->cpu[pin->n++] = i;
	for (unsigned i = 0; i < pin->n; i++)
		if (cpu == (int)pin->cpu[i] ||
		    (cpu == PIN_ANY && i + 1 == pin->n)) {
			rotate(pin, i);
			return 0;
		}
	return -1;
}

void
pin_thread(const struct pin *pin, unsigned thread)
{
	cpu_set_t set;

	if (pin->n == 0)
		return;
	CPU_ZERO(&set);
	CPU_SET(pin->cpu[thread % pin->n], &set);
	/* the set was read from the system: it does not refuse its own */
	(void)sched_setaffinity(0, sizeof set, &set);
}

void
pin_processors(const struct pin *pin, unsigned n)
{
	cpu_set_t set;

	if (pin->n == 0)
		return;
	CPU_ZERO(&set);
	for (unsigned i = 0; i < n && i < pin->n; i++)
		CPU_SET(pin->cpu[i], &set);
	(void)sched_setaffinity(0, sizeof set, &set);
}

#else

int
pin_init(struct pin *pin, int cpu)
{
	pin->n = 0;
	return cpu == PIN_ANY ? 0 : -1;
}

void
pin_thread(const struct pin *pin, unsigned thread)
{
	(void)pin;
	(void)thread;
}

void
pin_processors(const struct pin *pin, unsigned n)
{
	(void)pin;
	(void)n;
}

#endif
