/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cache: bound, order of use, references, many threads.
 */

/* system */
#include <pthread.h>
#include <stdatomic.h>

/* this room */
#include "tests/test.h"
#include "milter/cache.h"

struct value {
	atomic_int	refs;
	int		number;
};

static void
value_ref(void *p)
{
	atomic_fetch_add(&((struct value *)p)->refs, 1);
}

static void
value_unref(void *p)
{
	atomic_fetch_sub(&((struct value *)p)->refs, 1);
}

static struct cache *
make(size_t bound)
{
	struct cache *cache;

	assert_int_equal(cache_new(bound, value_ref, value_unref, &cache), 0);
	return cache;
}

static bool
has(struct cache *cache, const char *key)
{
	void *value = cache_get(cache, slice_text(key));

	if (value != NULL)
		value_unref(value);
	return value != NULL;
}

static void
put(struct cache *cache, const char *key, struct value *value, size_t weight)
{
	test_int(key, cache_put(cache, slice_text(key), value, weight), 0);
}

static void
cache_get_counts(void **state)
{
	struct cache *cache = make(10);
	struct value v = { .number = 1 };
	struct value *got;

	(void)state;
	put(cache, "a", &v, 1);
	test_int("the cache's", atomic_load(&v.refs), 1);
	got = cache_get(cache, slice_text("a"));
	test_true("found", got == &v);
	test_int("and mine", atomic_load(&v.refs), 2);
	value_unref(got);
	test_true("not there", cache_get(cache, slice_text("b")) == NULL);
	cache_free(cache);
	test_int("all given back", atomic_load(&v.refs), 0);
}

static void
cache_put_oldest_goes(void **state)
{
	struct cache *cache = make(3);
	struct value v[5] = { { .number = 0 } };

	(void)state;
	put(cache, "a", &v[0], 1);
	put(cache, "b", &v[1], 1);
	put(cache, "c", &v[2], 1);
	test_true("a is used", has(cache, "a"));
	put(cache, "d", &v[3], 1);
	test_true("b was the oldest", !has(cache, "b"));
	test_true("a stays", has(cache, "a"));
	test_int("b given back", atomic_load(&v[1].refs), 0);
	put(cache, "e", &v[4], 3);
	test_int("e takes all the room", cache_entries(cache), 1);
	test_true("e", has(cache, "e"));
	cache_free(cache);
}

static void
cache_put_bound(void **state)
{
	struct cache *cache = make(100);
	struct value v = { .number = 0 };
	char key[16];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		snprintf(key, sizeof(key), "k%d", i);
		put(cache, key, &v, 7);
		test_true("never over the bound", cache_weight(cache) <= 100);
	}
	test_int("entries", cache_entries(cache), 14);
	test_true("room", cache_has_room(cache, 2));
	test_true("no room", !cache_has_room(cache, 3));
	test_int("references", atomic_load(&v.refs), 14);
	put(cache, "large", &v, 101);
	test_true("above the bound: not kept", !has(cache, "large"));
	test_int("and nothing went for it", cache_entries(cache), 14);
	cache_bound(cache, 21);
	test_int("smaller bound", cache_entries(cache), 3);
	cache_free(cache);
	test_int("all given back", atomic_load(&v.refs), 0);
}

static void
cache_put_replaces(void **state)
{
	struct cache *cache = make(100);
	struct value v[2] = { { .number = 0 } };

	(void)state;
	put(cache, "a", &v[0], 10);
	put(cache, "a", &v[1], 20);
	test_int("one entry", cache_entries(cache), 1);
	test_int("its weight", cache_weight(cache), 20);
	test_int("old one given back", atomic_load(&v[0].refs), 0);
	cache_drop(cache, slice_text("a"), &v[0]);
	test_true("drop of another value", has(cache, "a"));
	cache_drop(cache, slice_text("a"), &v[1]);
	test_true("drop", !has(cache, "a"));
	test_int("weight", cache_weight(cache), 0);
	cache_free(cache);
}

static void
cache_put_keys(void **state)
{
	static const uint8_t zero[] = { 'a', 0, 'b' };
	uint8_t *big = calloc(1, CACHE_KEY_MAX + 1);
	struct cache *cache = make(100);
	struct value v = { .number = 0 };

	(void)state;
	test_int("NUL inside", cache_put(cache, slice_of(zero, 3), &v, 1), 0);
	test_true("is no end", cache_get(cache, slice_of(zero, 2)) == NULL);
	test_int("empty", cache_put(cache, slice_of(NULL, 0), &v, 1), 0);
	test_int("longest", cache_put(cache, slice_of(big, CACHE_KEY_MAX), &v,
	    1), 0);
	test_int("too long", cache_put(cache, slice_of(big, CACHE_KEY_MAX + 1),
	    &v, 1), DKIM_ERR_LIMIT);
	cache_free(cache);
	free(big);
	test_int("all given back", atomic_load(&v.refs), 0);
}

static struct value shared[64];

static void *
use(void *arg)
{
	struct cache *cache = arg;
	char key[16];
	void *got;

	for (unsigned i = 0, x = 12345; i < 20000; i++) {
		x = x * 1103515245 + 12345;
		snprintf(key, sizeof(key), "%u", x >> 16 & 63);
		got = cache_get(cache, slice_text(key));
		if (got != NULL)
			value_unref(got);
		else
			(void)!cache_put(cache, slice_text(key),
			    &shared[x >> 16 & 63], 1);
	}
	return NULL;
}

static void
cache_threads(void **state)
{
	struct cache *cache = make(32);
	pthread_t thread[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, use, cache);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	test_int("full", cache_entries(cache), 32);
	cache_free(cache);
	for (int i = 0; i < 64; i++)
		test_int("given back", atomic_load(&shared[i].refs), 0);
}

static bool
one_run(void *unused)
{
	struct value v = { .number = 0 };
	struct cache *cache;
	bool good;

	(void)unused;
	if (cache_new(10, value_ref, value_unref, &cache) != 0)
		return false;
	good = cache_put(cache, slice_text("a"), &v, 1) == 0;
	test_int("references", atomic_load(&v.refs), good ? 1 : 0);
	cache_free(cache);
	return good;
}

static void
cache_no_memory(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(one_run, NULL), 3);
}

static bool
is_odd(const void *value, const void *arg)
{
	const struct value *v = value;

	return v->number % 2 == *(const int *)arg;
}

static void
cache_sweep_some(void **state)
{
	struct cache *cache = make(100);
	struct value v[9];
	const int odd = 1;
	char key[2] = "0";

	(void)state;
	for (int i = 0; i < 9; i++) {
		atomic_init(&v[i].refs, 0);
		v[i].number = i;
		key[0] = (char)('0' + i);
		put(cache, key, &v[i], 1);
	}
	/* a second name of one of them */
	put(cache, "x", &v[3], 1);
	cache_sweep(cache, is_odd, &odd);
	test_int("entries", cache_entries(cache), 5);
	test_int("weight", cache_weight(cache), 5);
	for (int i = 0; i < 9; i++) {
		key[0] = (char)('0' + i);
		test_int(key, has(cache, key), i % 2 == 0);
		test_int(key, atomic_load(&v[i].refs), i % 2 == 0);
	}
	test_true("by its other name", !has(cache, "x"));
	cache_sweep(cache, is_odd, &odd);
	test_int("nothing more", cache_entries(cache), 5);
	cache_free(cache);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cache_get_counts),
		cmocka_unit_test(cache_sweep_some),
		cmocka_unit_test(cache_put_oldest_goes),
		cmocka_unit_test(cache_put_bound),
		cmocka_unit_test(cache_put_replaces),
		cmocka_unit_test(cache_put_keys),
		cmocka_unit_test(cache_threads),
		cmocka_unit_test(cache_no_memory),
	};
	return TEST_RUN(tests);
}
