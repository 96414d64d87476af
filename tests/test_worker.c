/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Workspaces: one a thread, kept for it, given back when it ends.
 */

/* this room */
#include "tests/test.h"
#include "milter/worker.h"

static struct workers workers;

struct seen {
	struct rsab_worker	*first, *second;
};

static void *
run_twice(void *arg)
{
	struct seen *seen = arg;

	seen->first = worker_get(&workers);
	seen->second = worker_get(&workers);
	return NULL;
}

static int
set_up(void **state)
{
	(void)state;
	return worker_open(&workers);
}

static void
worker_get_each_thread(void **state)
{
	struct seen here, there;
	pthread_t thread;

	(void)state;
	run_twice(&here);
	test_true("is there", here.first != NULL);
	test_true("the same", here.first == here.second);
	assert_int_equal(pthread_create(&thread, NULL, run_twice, &there), 0);
	/* What its thread leaves, AddressSanitizer would tell */
	assert_int_equal(pthread_join(thread, NULL), 0);
	test_true("is there", there.first != NULL);
	test_true("the same", there.first == there.second);
	test_true("not ours", there.first != here.first);
}

static void *
run_no_memory(void *arg)
{
	struct seen *seen = arg;

	failmalloc_from(1);
	seen->first = worker_get(&workers);
	failmalloc_off();
	seen->second = worker_get(&workers);
	return NULL;
}

static void
worker_get_no_memory(void **state)
{
	struct seen seen;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_no_memory, &seen),
	    0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	test_true("none", seen.first == NULL);
	test_true("later", seen.second != NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worker_get_each_thread),
		cmocka_unit_test(worker_get_no_memory),
	};
	int failed = cmocka_run_group_tests(tests, set_up, NULL);

	/* that of the main thread, which libmilter's threads have not */
	rsab_worker_free(pthread_getspecific(workers.key));
	return failed != 0;
}
