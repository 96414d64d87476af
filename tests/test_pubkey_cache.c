/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public-key cache: its bound in octets at the edge, order of use, TTL,
 * DNSSEC state, no memory (DESIGN "Public keys").
 */

/* this room */
#include "tests/test.h"
#include "milter/pubkey.h"
#include "rsa-backend/rsab.h"

#define ED25519	"v=DKIM1; k=ed25519; "					\
	"p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
#define REVOKED	"v=DKIM1; p="

static struct dkim_keyset *
keyset(const char *first, const char *second)
{
	const struct slice records[] = { slice_text(first),
	    slice_text(second == NULL ? "" : second) };
	const struct rsab_backend *backend;
	struct dkim_keyset *set;

	assert_int_equal(rsab_backend_find("libcrypto", &backend), 0);
	assert_int_equal(dkim_keyset_parse(backend, records,
	    second == NULL ? 1 : 2, &set), 0);
	return set;
}

static bool
has(struct cache *cache, const char *name, uint64_t now)
{
	struct dkim_answer answer = { .keyset = NULL };
	bool found = pubkey_cache_get(cache, name, now, &answer);

	dkim_keyset_unref(answer.keyset);
	return found;
}

static void
put(struct cache *cache, const char *name, struct dkim_keyset *set)
{
	pubkey_cache_put(cache, name, set, DKIM_DNSSEC_SECURE, 1000);
}

/* What one name takes. */
static size_t
weight_of(const char *name, struct dkim_keyset *set)
{
	struct cache *cache;
	size_t weight;

	assert_int_equal(pubkey_cache_new(SIZE_MAX / 2, &cache), 0);
	put(cache, name, set);
	weight = cache_weight(cache);
	cache_free(cache);
	return weight;
}

static void
pubkey_cache_put_weight(void **state)
{
	struct dkim_keyset *one = keyset(ED25519, NULL);
	struct dkim_keyset *two = keyset(ED25519, REVOKED);
	struct dkim_keyset *none = keyset(REVOKED, NULL);
	size_t least = weight_of("a", none);

	(void)state;
	/* A loaded key is about a thousand octets and more */
	test_true("a key", weight_of("a", one) >= least + 1024);
	test_true("another record", weight_of("a", two) >
	    weight_of("a", one));
	test_int("the name", weight_of("abcd", none), least + 3);
	test_true("the set", weight_of("a", one) >
	    dkim_keyset_octets(one));
	dkim_keyset_unref(one);
	dkim_keyset_unref(two);
	dkim_keyset_unref(none);
}

static void
pubkey_cache_put_bound(void **state)
{
	struct dkim_keyset *set = keyset(ED25519, NULL);
	size_t weight = weight_of("a", set);
	struct cache *cache;

	(void)state;
	assert_int_equal(pubkey_cache_new(3 * weight, &cache), 0);
	put(cache, "a", set);
	put(cache, "b", set);
	put(cache, "c", set);
	test_int("three fit", cache_entries(cache), 3);
	test_true("a is used", has(cache, "a", 0));
	put(cache, "d", set);
	test_true("b was not", !has(cache, "b", 0));
	test_true("a", has(cache, "a", 0) && has(cache, "c", 0) &&
	    has(cache, "d", 0));
	/* Instead of itself: no other goes */
	put(cache, "d", set);
	test_int("replaced", cache_entries(cache), 3);
	cache_free(cache);

	assert_int_equal(pubkey_cache_new(3 * weight - 1, &cache), 0);
	put(cache, "a", set);
	put(cache, "b", set);
	put(cache, "c", set);
	test_int("an octet less", cache_entries(cache), 2);
	test_true("the oldest went", !has(cache, "a", 0));
	cache_free(cache);

	assert_int_equal(pubkey_cache_new(weight - 1, &cache), 0);
	put(cache, "a", set);
	test_int("too large alone", cache_entries(cache), 0);
	cache_free(cache);
	dkim_keyset_unref(set);
}

static void
pubkey_cache_get_until(void **state)
{
	struct dkim_keyset *set = keyset(ED25519, NULL);
	struct dkim_answer answer;
	struct cache *cache;

	(void)state;
	assert_int_equal(pubkey_cache_new(100000, &cache), 0);
	put(cache, "a", set);
	test_true("before", pubkey_cache_get(cache, "a", 999, &answer));
	test_int("state", answer.state, DKIM_ANSWER_FOUND);
	test_int("DNSSEC", answer.dnssec, DKIM_DNSSEC_SECURE);
	test_true("the set itself", answer.keyset == set);
	dkim_keyset_unref(answer.keyset);
	test_true("another name", !has(cache, "b", 0));
	test_true("it is over", !has(cache, "a", 1000));
	test_int("and gone", cache_weight(cache), 0);
	cache_free(cache);
	dkim_keyset_unref(set);
}

static void
pubkey_cache_put_no_memory(void **state)
{
	struct dkim_keyset *set = keyset(ED25519, NULL);
	struct cache *cache;
	size_t n;

	(void)state;
	assert_int_equal(pubkey_cache_new(100000, &cache), 0);
	for (n = 1; n <= 2; n++) {
		failmalloc_at(n);
		put(cache, "a", set);
		failmalloc_off();
		test_true("not kept", !has(cache, "a", 0));
	}
	put(cache, "a", set);
	test_true("kept", has(cache, "a", 0));
	cache_free(cache);
	dkim_keyset_unref(set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pubkey_cache_put_weight),
		cmocka_unit_test(pubkey_cache_put_bound),
		cmocka_unit_test(pubkey_cache_get_until),
		cmocka_unit_test(pubkey_cache_put_no_memory),
	};

	return TEST_RUN(tests);
}
