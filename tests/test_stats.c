/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters: every one has a name of its own, sums are right from many threads.
 */

/* system */
#include <pthread.h>

/* this room */
#include "tests/test.h"
#include "milter/stats.h"

#define THREADS	4
#define EACH	10000

static void
stats_name_each(void **state)
{
	(void)state;
	for (int i = 0; i < STAT_COUNT; i++) {
		test_true("has a name",
		    strcmp(stats_name((enum stats_counter)i), "unnamed") != 0);
		for (int k = 0; k < i; k++)
			test_true(stats_name((enum stats_counter)i),
			    strcmp(stats_name((enum stats_counter)i),
			    stats_name((enum stats_counter)k)) != 0);
	}
	test_str("beyond", stats_name(STAT_COUNT), "unnamed");
}

static void *
add(void *unused)
{
	(void)unused;
	for (int i = 0; i < EACH; i++)
		stats_add(STAT_MESSAGES, 1);
	return NULL;
}

static void
stats_add_threads(void **state)
{
	pthread_t thread[THREADS];
	uint64_t before = stats_get(STAT_MESSAGES);

	(void)state;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, add, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	test_int("sum", stats_get(STAT_MESSAGES) - before, THREADS * EACH);
}

static void
stats_print_nonzero(void **state)
{
	char text[STATS_TEXT_MAX], small[16];
	size_t n;

	(void)state;
	stats_add(STAT_SIGNED, 7);
	n = stats_print(text, sizeof(text));
	test_int("length", n, strlen(text));
	test_true("signed=7", strstr(text, "signed=7") != NULL);
	test_true("no zero", strstr(text, "=0") == NULL);
	/* Too small a room: whole items only, ended */
	n = stats_print(small, sizeof(small));
	test_true("fits", n < sizeof(small) && small[n] == '\0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stats_name_each),
		cmocka_unit_test(stats_add_threads),
		cmocka_unit_test(stats_print_nonzero),
	};
	return TEST_RUN(tests);
}
