/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/arena.c.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/arena.h"

static void
arena_alloc_keeps_all(void **state)
{
	struct arena a;
	uint8_t *p[300];
	size_t i, n;

	(void)state;
	arena_init(&a, 1 << 24);
	for (i = 0; i < TEST_COUNT(p); i++) {
		n = i * i;
		p[i] = arena_alloc(&a, n);
		assert_non_null(p[i]);
		test_int("aligned", (uintptr_t)p[i] %
		    _Alignof(max_align_t), 0);
		memset(p[i], (int)(i & 255), n);
	}
	for (i = 0; i < TEST_COUNT(p); i++)
		for (n = 0; n < i * i; n++)
			if (p[i][n] != (i & 255))
				fail_msg("octet %zu of block %zu was written "
				    "over", n, i);
	test_true("nothing has an address", p[0] != NULL && p[0] != p[1]);
	arena_clear(&a);
	test_true("cleared", a.head == NULL && a.used == 0);
}

static void
arena_alloc_stops_at_cap(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, 64);
	test_true("64 fit", !arena_is_full(&a, 64));
	test_true("65 do not", arena_is_full(&a, 65));
	test_true("65", arena_alloc(&a, 65) == NULL);
	test_true("32", arena_alloc(&a, 32) != NULL);
	test_true("33", arena_alloc(&a, 33) == NULL);
	test_true("33 is full", arena_is_full(&a, 33));
	test_true("32 again", arena_alloc(&a, 32) != NULL);
	test_true("1", arena_alloc(&a, 1) == NULL);
	test_true("huge", arena_alloc(&a, SIZE_MAX) == NULL);
	arena_clear(&a);
	arena_init(&a, SIZE_MAX);
	test_true("huge, no cap", arena_alloc(&a, SIZE_MAX - 4) == NULL);
	arena_clear(&a);
}

static void
arena_copy_is_a_copy(void **state)
{
	struct arena a;
	uint8_t octets[3] = { 1, 0, 3 };
	struct slice s, none;

	(void)state;
	arena_init(&a, 1000);
	s = arena_copy(&a, slice_of(octets, 3));
	octets[0] = 9;
	test_octets("copy", s.p, s.n, "\1\0\3", 3);
	none = arena_copy(&a, slice_of(NULL, 0));
	test_true("copy of nothing", none.p != NULL && none.n == 0);
	arena_clear(&a);
}

/*
 * Memory of the caller's is used first, to its end and no further, and not
 * freed (a free of it would not be one).
 */
static void
arena_init_on_lent_memory(void **state)
{
	/* half of this is lent */
	_Alignas(max_align_t) uint8_t memory[512], *p;
	const size_t lent = sizeof(memory) / 2;
	struct arena a;
	size_t n = 0;

	(void)state;
	arena_init_on(&a, 4096, memory, lent);
	while ((p = arena_alloc(&a, 16)) != NULL && p >= memory &&
	    p < memory + sizeof(memory)) {
		test_true("within", p + 16 <= memory + lent);
		memset(p, 0xa5, 16);
		n++;
	}
	assert_non_null(p);
	test_true("most of it", n >= lent / 16 - 4);
	test_int("used", a.used, 16 * (n + 1));
	memset(p, 0x5a, 16);
	test_true("a large one", arena_alloc(&a, 2048) != NULL);
	test_true("the cap", arena_alloc(&a, 4096) == NULL);
	arena_clear(&a);
	test_true("cleared", a.head == NULL && a.used == 0);
}

static bool
fill(void *arg)
{
	struct arena a;
	bool done = true;
	size_t i;

	(void)arg;
	arena_init(&a, 1 << 24);
	for (i = 0; i < 100; i++) {
		if (arena_alloc(&a, 3000) != NULL)
			continue;
		test_true("not full", !arena_is_full(&a, 3000));
		done = false;
	}
	arena_clear(&a);
	return done;
}

static void
arena_alloc_no_memory(void **state)
{
	size_t n;

	(void)state;
	n = test_every_allocation(fill, NULL);
	test_true("blocks grow", n < 15);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_alloc_keeps_all),
		cmocka_unit_test(arena_alloc_stops_at_cap),
		cmocka_unit_test(arena_copy_is_a_copy),
		cmocka_unit_test(arena_init_on_lent_memory),
		cmocka_unit_test(arena_alloc_no_memory),
	};

	return TEST_RUN(tests);
}
