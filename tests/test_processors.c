/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many processors, where the test binds itself.
 */

#include "config.h"

/* system */
#include <sched.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/processors.h"

/*
 * Bound to one processor after the other, then to all again.
 */
static void
processors_bound(void **state)
{
#ifdef HAVE_SCHED_GETAFFINITY
	cpu_set_t all, one;

	(void)state;
	test_int("affinity", sched_getaffinity(0, sizeof(all), &all), 0);
	test_int("all", processors(), (unsigned)CPU_COUNT(&all));
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		test_int("bind", sched_setaffinity(0, sizeof(one), &one), 0);
		test_int("one", processors(), 1);
	}
	test_int("unbind", sched_setaffinity(0, sizeof(all), &all), 0);
	test_int("all", processors(), (unsigned)CPU_COUNT(&all));
#else
	(void)state;
	test_int("all", processors(), (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processors_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
