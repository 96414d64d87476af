/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queue: order, batches, fairness between lanes, bounds, closing.
 */

/* system */
#include <pthread.h>

/* this room */
#include "tests/test.h"
#include "milter/queue.h"

static int items[1000];

static struct queue *
make(unsigned passes)
{
	struct queue *queue;

	assert_int_equal(queue_new(passes, &queue), 0);
	return queue;
}

static void
done(struct queue *queue)
{
	void *out[QUEUE_BATCH_MAX];

	queue_close(queue);
	while (queue_take(queue, out) > 0)
		continue;
	queue_free(queue);
}

static void
queue_take_order(void **state)
{
	struct queue *queue = make(64);
	void *out[QUEUE_BATCH_MAX];

	(void)state;
	for (int i = 0; i < 5; i++)
		test_int("put", queue_put(queue, 1, 1, &items[i]), 0);
	for (int i = 0; i < 5; i++) {
		test_int("one at a time", queue_take(queue, out), 1);
		test_true("oldest first", out[0] == &items[i]);
	}
	done(queue);
}

static void
queue_take_batch(void **state)
{
	static const struct {
		const char	*name;
		unsigned	 batch;
		int		 waiting;
		size_t		 want;
	} rows[] = {
		{ "one pass not full", 4, 3, 3 },
		{ "one pass", 4, 4, 4 },
		{ "more than one", 4, 7, 4 },
		{ "two passes", 4, 8, 8 },
		{ "more than two", 4, 20, 8 },
		{ "no lanes", 1, 20, 1 },
	};
	void *out[QUEUE_BATCH_MAX];

	(void)state;
	for (size_t r = 0; r < TEST_COUNT(rows); r++) {
		struct queue *queue = make(64);

		for (int i = 0; i < rows[r].waiting; i++)
			test_int(rows[r].name, queue_put(queue, 9,
			    rows[r].batch, &items[i]), 0);
		test_int(rows[r].name, queue_take(queue, out), rows[r].want);
		for (size_t i = 0; i < rows[r].want; i++)
			test_true(rows[r].name, out[i] == &items[i]);
		done(queue);
	}
}

/* The lane whose head waits longest is served, however full others are. */
static void
queue_take_oldest_lane(void **state)
{
	struct queue *queue = make(64);
	void *out[QUEUE_BATCH_MAX];

	(void)state;
	for (int i = 0; i < 4; i++)
		test_int("a", queue_put(queue, 100, 2, &items[i]), 0);
	test_int("b", queue_put(queue, 7, 2, &items[10]), 0);
	for (int i = 4; i < 40; i++)
		test_int("a", queue_put(queue, 100, 2, &items[i]), 0);
	test_int("a: two passes", queue_take(queue, out), 4);
	test_true("a first", out[0] == &items[0]);
	test_int("then b", queue_take(queue, out), 1);
	test_true("b", out[0] == &items[10]);
	test_int("then a", queue_take(queue, out), 4);
	test_true("a again", out[0] == &items[4]);
	done(queue);
}

static void
queue_put_full(void **state)
{
	struct queue *queue = make(64);
	void *out[QUEUE_BATCH_MAX];

	(void)state;
	for (int i = 0; i < 256; i++)
		test_int("64 passes of 4", queue_put(queue, 1, 4, &items[i]),
		    0);
	test_int("full", queue_put(queue, 1, 4, &items[256]), QUEUE_ERR_FULL);
	test_int("another lane has room", queue_put(queue, 2, 1, &items[0]),
	    0);
	test_int("take", queue_take(queue, out), 8);
	for (int i = 0; i < 8; i++)
		test_int("room again", queue_put(queue, 1, 4, &items[i]), 0);
	test_int("full again", queue_put(queue, 1, 4, &items[0]),
	    QUEUE_ERR_FULL);
	done(queue);
}

static void
queue_put_lanes(void **state)
{
	struct queue *queue = make(1);

	(void)state;
	for (uint32_t i = 0; i < QUEUE_LANES_MAX; i++)
		test_int("lane", queue_put(queue, i * 77, 1, &items[0]), 0);
	test_int("no more lanes", queue_put(queue, 5, 1, &items[0]),
	    QUEUE_ERR_NOMEM);
	done(queue);
}

static void
queue_close_drains(void **state)
{
	struct queue *queue = make(2);
	void *out[QUEUE_BATCH_MAX];

	(void)state;
	test_int("put", queue_put(queue, 1, 1, &items[0]), 0);
	queue_close(queue);
	test_int("closed", queue_put(queue, 1, 1, &items[1]),
	    QUEUE_ERR_CLOSED);
	test_int("what is there comes out", queue_take(queue, out), 1);
	test_int("then nothing", queue_take(queue, out), 0);
	queue_free(queue);
}

static void *
take_all(void *arg)
{
	void *out[QUEUE_BATCH_MAX];
	size_t n, *sum = calloc(1, sizeof(*sum));

	while ((n = queue_take(arg, out)) > 0)
		for (size_t i = 0; i < n; i++)
			*sum += (size_t)((int *)out[i] - items);
	return sum;
}

static void
queue_threads(void **state)
{
	struct queue *queue = make(1000);
	pthread_t thread[3];
	size_t sum = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		pthread_create(&thread[i], NULL, take_all, queue);
	for (int i = 0; i < 1000; i++)
		test_int("put", queue_put(queue, (uint32_t)i % 3, 2,
		    &items[i]), 0);
	queue_close(queue);
	for (int i = 0; i < 3; i++) {
		void *part;

		pthread_join(thread[i], &part);
		sum += *(size_t *)part;
		free(part);
	}
	test_int("each came out once", sum, 999 * 1000 / 2);
	queue_free(queue);
}

static bool
one_run(void *unused)
{
	struct queue *queue;
	int r;

	(void)unused;
	if (queue_new(4, &queue) != 0)
		return false;
	r = queue_put(queue, 1, 1, &items[0]);
	done(queue);
	return r == 0;
}

static void
queue_no_memory(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(one_run, NULL), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_take_order),
		cmocka_unit_test(queue_take_batch),
		cmocka_unit_test(queue_take_oldest_lane),
		cmocka_unit_test(queue_put_full),
		cmocka_unit_test(queue_put_lanes),
		cmocka_unit_test(queue_close_drains),
		cmocka_unit_test(queue_threads),
		cmocka_unit_test(queue_no_memory),
	};
	return TEST_RUN(tests);
}
