/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Back-off, with times made up.
 */

/* this room */
#include "tests/test.h"
#include "milter/backoff.h"

static const struct backoff_rule rule = { .first = 100, .cap = 1000,
    .good = 5000 };

static void
backoff_ended_grows(void **state)
{
	static const uint64_t want[] = { 0, 100, 200, 400, 800, 1000, 1000 };
	struct backoff b;

	(void)state;
	backoff_init(&b, &rule);
	for (size_t i = 0; i < TEST_COUNT(want); i++)
		test_int("ended at once", backoff_ended(&b, i), want[i]);
}

static void
backoff_ended_begins_anew(void **state)
{
	struct backoff b;

	(void)state;
	backoff_init(&b, &rule);
	for (int i = 0; i < 8; i++)
		(void)backoff_ended(&b, 0);
	test_int("just not good", backoff_ended(&b, 4999), 1000);
	test_int("good", backoff_ended(&b, 5000), 0);
	test_int("then the first again", backoff_ended(&b, 0), 100);
}

static void
backoff_ended_large(void **state)
{
	struct backoff_rule large = { .first = UINT64_MAX / 2,
	    .cap = UINT64_MAX, .good = UINT64_MAX };
	struct backoff b;

	(void)state;
	backoff_init(&b, &large);
	test_int("at once", backoff_ended(&b, 0), 0);
	test_true("first", backoff_ended(&b, 0) == UINT64_MAX / 2);
	test_true("no overflow", backoff_ended(&b, 0) == UINT64_MAX);
	test_true("stays", backoff_ended(&b, 0) == UINT64_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backoff_ended_grows),
		cmocka_unit_test(backoff_ended_begins_anew),
		cmocka_unit_test(backoff_ended_large),
	};

	return TEST_RUN(tests);
}
