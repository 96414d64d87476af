/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service loop: what is posted runs, in order, on its thread; and it ends,
 * however soon it is told to.
 */

/* this room */
#include "tests/test.h"

/* system */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* the module */
#include "milter/loop.h"

struct seen {
	atomic_uint	 n;
	unsigned	 order[3];
	pthread_t	 thread;
};

struct mark {
	struct seen	*seen;
	unsigned	 number;
};

static void
note(void *arg)
{
	struct mark *m = arg;
	unsigned n = atomic_load(&m->seen->n);

	m->seen->order[n] = m->number;
	m->seen->thread = pthread_self();
	atomic_store(&m->seen->n, n + 1);
}

/*
 * Ten seconds at most.
 */
static unsigned
wait_for(struct seen *seen, unsigned n)
{
	unsigned i;

	for (i = 0; i < 10000 && atomic_load(&seen->n) < n; i++)
		usleep(1000);
	return atomic_load(&seen->n);
}

static void
loop_post_order(void **state)
{
	struct seen seen = { .n = 0 };
	struct mark marks[3] = { { &seen, 1 }, { &seen, 2 }, { &seen, 3 } };
	struct loop *loop;
	size_t i;

	(void)state;
	test_int("new", loop_new(&loop), 0);
	for (i = 0; i < 2; i++)
		test_int("post", loop_post(loop, note, &marks[i]), 0);
	test_int("posts that ran", wait_for(&seen, 2), 2);
	test_int("one more", loop_post(loop, note, &marks[2]), 0);
	test_int("posts that ran", wait_for(&seen, 3), 3);
	for (i = 0; i < 3; i++)
		test_int("order", seen.order[i], i + 1);
	test_true("another thread", !pthread_equal(seen.thread,
	    pthread_self()));
	loop_free(loop);
}

static void *
make_and_free(void *arg)
{
	struct loop *loop;
	size_t i;

	(void)arg;
	for (i = 0; i < 2000; i++)
		if (loop_new(&loop) == 0)
			loop_free(loop);
	return NULL;
}

/*
 * The end is asked for before the thread has begun to wait, more often than
 * not: none may be lost, or loop_free waits for ever.
 */
static void
loop_free_at_once(void **state)
{
	struct timespec limit;
	pthread_t thread;

	(void)state;
	clock_gettime(CLOCK_REALTIME, &limit);
	limit.tv_sec += 60;
	test_int("thread", pthread_create(&thread, NULL, make_and_free, NULL),
	    0);
	test_int("all loops end", pthread_timedjoin_np(thread, NULL, &limit),
	    0);
	loop_free(NULL);
}

/* Ready before: runs without memory, in the order of the posts, once. */
static void
loop_call_run_no_memory(void **state)
{
	struct seen seen = { .n = 0 };
	struct mark marks[3] = { { &seen, 1 }, { &seen, 2 }, { &seen, 3 } };
	struct loop_call *call;
	struct loop *loop;

	(void)state;
	test_int("new", loop_new(&loop), 0);
	test_int("call", loop_call_new(loop, note, &marks[1], &call), 0);
	test_int("post", loop_post(loop, note, &marks[0]), 0);
	failmalloc_from(1);
	loop_call_run(call);
	test_int("no post", loop_post(loop, note, &marks[2]), -1);
	test_int("ran", wait_for(&seen, 2), 2);
	failmalloc_off();
	test_int("post", loop_post(loop, note, &marks[2]), 0);
	test_int("ran", wait_for(&seen, 3), 3);
	for (size_t i = 0; i < 3; i++)
		test_int("order", seen.order[i], i + 1);
	loop_call_free(call);
	loop_call_free(NULL);
	failmalloc_at(1);
	test_int("no memory", loop_call_new(loop, note, NULL, &call), -1);
	failmalloc_off();
	loop_free(loop);
}

struct chain {
	struct loop	*loop;
	struct loop_call *call;
	unsigned	 left;		/* of posts that post the next */
};

static void
post_next(void *arg)
{
	struct chain *chain = arg;

	if (--chain->left > 0)
		loop_call_run(chain->call);
	else
		loop_call_free(chain->call);
}

/*
 * The resolver is freed by a post that posts another: the loop ends after the
 * last, whether its thread has come to the first or not.
 */
static void
loop_free_runs_what_waits(void **state)
{
	(void)state;
	for (size_t i = 0; i < 200; i++) {
		struct chain chain = { .left = 4 };

		test_int("new", loop_new(&chain.loop), 0);
		test_int("call", loop_call_new(chain.loop, post_next, &chain,
		    &chain.call), 0);
		test_int("post", loop_post(chain.loop, post_next, &chain), 0);
		loop_free(chain.loop);
		test_int("posts left", chain.left, 0);
	}
}

static bool
make_loop(void *arg)
{
	struct loop *loop;

	(void)arg;
	if (loop_new(&loop) != 0)
		return false;
	loop_free(loop);
	return true;
}

static void
loop_new_allocations(void **state)
{
	(void)state;
	test_every_allocation(make_loop, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loop_post_order),
		cmocka_unit_test(loop_call_run_no_memory),
		cmocka_unit_test(loop_free_at_once),
		cmocka_unit_test(loop_free_runs_what_waits),
		cmocka_unit_test(loop_new_allocations),
	};

	return TEST_RUN(tests);
}
