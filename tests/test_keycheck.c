/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every key of a KeyTable, looked at once (BEHAVIOUR 4: dkimd -n and
 * CheckSigningTable).
 */

/* this room */
#include "tests/capture.h"
#include "milter/conf_options.h"
#include "milter/keycache.h"
#include "milter/keystore.h"

static struct capture capture;

static struct conf *
make(const char *table)
{
	static const char text[] = "Socket inet:1@localhost\n"
	    "RequireSafeKeys no\nKeyTable file:KeyTable\n"
	    "SigningTable csl:x.example=good\n";
	struct options options;
	struct conf *conf;
	char all[512];

	capture_init(&capture);
	capture_text("KeyTable", table);
	snprintf(all, sizeof(all), "BaseDirectory %s\n%s", capture_dir(),
	    text);
	assert_int_equal(conf_options_load(capture_text("dkimd.conf", all),
	    NULL, 0, &capture.report, &options), 0);
	assert_int_equal(conf_new(&options, &capture.report, &conf), 0);
	assert_int_equal(keystore_new(conf, NULL, NULL, &conf->keystore), 0);
	capture_init(&capture);
	return conf;
}

static void
unmake(struct conf *conf)
{
	keystore_unref(conf->keystore);
	conf->keystore = NULL;
	conf_unref(conf);
}

static int
set_up(void **state)
{
	const struct rsab_backend *backend;
	struct rsab_key *key;
	char *pem;
	size_t n;

	(void)state;
	if (rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_key_generate(backend, RSAB_ED25519, 0, &key) != 0 ||
	    rsab_key_print_private(key, &pem, &n) != 0)
		return -1;
	capture_text("k.pem", pem);
	rsab_key_unref(key);
	rsab_wipe_free(pem, n);
	return 0;
}

static void
keystore_check_rows(void **state)
{
	static const struct {
		const char	*table;
		size_t		 loaded, faults;
		const char	*text;
	} rows[] = {
		{ "a a.example:s:./k.pem\nb b.example:t:./k.pem\n", 2, 0,
		    NULL },
		/* told when the table was read, not again */
		{ "a a.example\nb b.example:t:./k.pem\n", 1, 0, NULL },
		/* "%" in the path waits for mail, in the domain it does not */
		{ "a %:s:./%.pem\n", 0, 0, NULL },
		{ "a %:s:./k.pem\n", 1, 0, NULL },
		{ "a a.example:s:./none.pem\nb b.example:t:./k.pem\n", 1, 1,
		    "KeyTable:1: key \"a\": " },
		{ "\n\na a.example:s:./k.pem:rsa-sha256\n", 0, 1,
		    "KeyTable:3: key \"a\": the key is Ed25519" },
		{ "", 0, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct conf *conf = make(rows[i].table);

		test_int(rows[i].table, keystore_check(conf->keystore, conf,
		    &capture.report, NULL), rows[i].loaded);
		test_int(rows[i].table, capture.report.rows, rows[i].faults);
		capture_check(rows[i].table, &capture, rows[i].text);
		unmake(conf);
	}
}

static void
keystore_check_stops(void **state)
{
	struct conf *conf = make("a a.example:s:./k.pem\n");
	atomic_bool stop = true;

	(void)state;
	test_int("at once", keystore_check(conf->keystore, conf,
	    &capture.report, &stop), 0);
	atomic_store(&stop, false);
	test_int("not asked to", keystore_check(conf->keystore, conf,
	    &capture.report, &stop), 1);
	unmake(conf);
}

/* Each key has two names; a reload changes the bound of what is there. */
static void
keycache_get_bound(void **state)
{
	struct keycache *keys, *again;

	(void)state;
	assert_int_equal(keycache_get(NULL, 0, &keys), 0);
	test_true("0 counts as 1", cache_has_room(keys->cache, 2));
	test_true("no more", !cache_has_room(keys->cache, 3));
	assert_int_equal(keycache_get(keys, 3, &again), 0);
	test_true("the same", again == keys);
	test_true("three", cache_has_room(keys->cache, 6));
	test_true("no more", !cache_has_room(keys->cache, 7));
	keycache_unref(again);
	assert_int_equal(keycache_get(keys, UINT64_MAX, &again), 0);
	test_true("all there may be", cache_has_room(keys->cache,
	    SIZE_MAX / 2));
	keycache_unref(again);
	keycache_unref(keys);
	keycache_unref(NULL);
}

static bool
make_cache(void *unused)
{
	struct keycache *keys;

	(void)unused;
	if (keycache_get(NULL, 1, &keys) != 0)
		return false;
	keycache_unref(keys);
	return true;
}

static void
keycache_get_no_memory(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(make_cache, NULL) >= 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keystore_check_rows),
		cmocka_unit_test(keystore_check_stops),
		cmocka_unit_test(keycache_get_bound),
		cmocka_unit_test(keycache_get_no_memory),
	};

	return cmocka_run_group_tests(tests, set_up, capture_clean) != 0;
}
