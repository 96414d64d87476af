/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inbox: order, deadlines, and many threads that answer one that takes.
 */

/* system */
#include <pthread.h>
#include <unistd.h>

/* this room */
#include "tests/session_made.h"
#include "milter/clock.h"

#define THREADS	4
#define EACH	2000

static struct conf *conf;
static struct inbox *inbox;

static int
open_both(void **state)
{
	(void)state;
	conf = made_conf(MADE_TABLES);
	return inbox_new(&inbox);
}

static int
close_both(void **state)
{
	(void)state;
	inbox_close(inbox);
	inbox_unref(inbox);
	conf_unref(conf);
	return 0;
}

static void
put(size_t id)
{
	struct want *w;

	assert_int_equal(want_new(WANT_ROWS, inbox, conf, &w), 0);
	w->id = id;
	want_unref(w);
	inbox_put(inbox, w);
}

static void
inbox_oldest_first(void **state)
{
	struct want *w;
	size_t i;

	(void)state;
	test_true("empty", inbox_take(inbox, 0) == NULL);
	for (i = 0; i < 3; i++)
		put(i);
	for (i = 0; i < 3; i++) {
		w = inbox_take(inbox, 0);
		assert_non_null(w);
		test_int("order", w->id, i);
		want_unref(w);
	}
	test_true("empty again", inbox_take(inbox, 0) == NULL);
	put(7);
	w = inbox_take(inbox, 0);
	test_int("after it was empty", w->id, 7);
	want_unref(w);
}

static void
inbox_waits_until_deadline(void **state)
{
	uint64_t now = clock_us();

	(void)state;
	test_true("nothing came", inbox_take(inbox, now + 30000) == NULL);
	test_true("not before it", clock_us() >= now + 30000);
	/* a deadline that has passed does not wait */
	now = clock_us();
	test_true("passed", inbox_take(inbox, now - 1000000) == NULL);
	test_true("at once", clock_us() < now + 5000000);
}

static void
inbox_closed_drops(void **state)
{
	(void)state;
	put(1);
	put(2);
	inbox_close(inbox);
	test_true("dropped", inbox_take(inbox, 0) == NULL);
	put(3);
	test_true("dropped, too", inbox_take(inbox, 0) == NULL);
	test_true("nobody waits", inbox_take(inbox, clock_us() + 60000000) ==
	    NULL);
}

static void *
put_many(void *arg)
{
	size_t i;

	(void)arg;
	for (i = 0; i < EACH; i++)
		put(i);
	return NULL;
}

static void
inbox_many_threads(void **state)
{
	pthread_t threads[THREADS];
	struct want *w;
	size_t i, n = 0;

	(void)state;
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, put_many,
		    NULL), 0);
	while (n < THREADS * EACH) {
		w = inbox_take(inbox, clock_us() + 60000000);
		assert_non_null(w);
		want_unref(w);
		n++;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	test_true("each once", inbox_take(inbox, 0) == NULL);
}

/*
 * The taker gives the last reference to the inbox back while the answerer is
 * still inside inbox_put.
 */
static void *
put_one(void *arg)
{
	struct want *w = arg;

	inbox_put(w->inbox, w);
	return NULL;
}

static void
inbox_gone_while_put(void **state)
{
	struct inbox *own;
	struct want *w;
	pthread_t thread;
	int i;

	(void)state;
	for (i = 0; i < 500; i++) {
		assert_int_equal(inbox_new(&own), 0);
		assert_int_equal(want_new(WANT_ROWS, own, conf, &w), 0);
		want_unref(w);
		assert_int_equal(pthread_create(&thread, NULL, put_one, w),
		    0);
		w = inbox_take(own, clock_us() + 60000000);
		assert_non_null(w);
		inbox_close(own);
		inbox_unref(own);
		want_unref(w);
		pthread_join(thread, NULL);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(inbox_oldest_first,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(inbox_waits_until_deadline,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(inbox_closed_drops,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(inbox_many_threads,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(inbox_gone_while_put,
		    open_both, close_both),
	};

	return MADE_RUN(tests);
}
