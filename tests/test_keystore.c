/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The key store: loading, "%", fitting, files that change, rows that become
 * bad, KeyFile read before the drop (BEHAVIOUR 3, 4; PROBLEMS 44 to 50).
 */

/* system */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "tests/last_fault.h"
#include "milter/clock.h"
#include "milter/inbox.h"
#include "milter/keystore.h"
#include "milter/signer.h"
#include "milter/storedkey.h"

static char base[64], path[256];
static struct conf conf;
static struct signer *signer;

static int
set_up(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/keystoreXXXXXX");
	if (mkdtemp(base) == NULL || signer_new(1, &signer) != 0)
		return -1;
	atomic_init(&conf.refs, 1);
	conf.options.require_safe_keys = true;
	conf.options.key_cache_size = 100;
	return rsab_backend_find("libcrypto", &conf.backend);
}

static int
tear_down(void **state)
{
	char command[128];

	(void)state;
	signer_free(signer);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command) == 0 ? 0 : -1;
}

static const char *
in(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static void
write_text(const char *name, const char *text)
{
	int fd = open(in(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static char *
new_pem(enum rsab_key_type type, unsigned bits)
{
	struct rsab_key *key;
	char *pem;
	size_t n;

	assert_int_equal(rsab_key_generate(conf.backend, type, bits, &key), 0);
	assert_int_equal(rsab_key_print_private(key, &pem, &n), 0);
	rsab_key_unref(key);
	return pem;
}

static void
write_key(const char *name)
{
	char *pem = new_pem(RSAB_ED25519, 0);

	write_text(name, pem);
	free(pem);
}

static struct keystore *
make(struct keystore *old)
{
	struct keystore *store;

	assert_int_equal(keystore_new(&conf, signer, old, &store), 0);
	return store;
}

/* A row: key name, path or text, algorithm. */
struct made {
	struct row	row;
	struct key_row	key_row;
	char		text[4096];
};

static struct made *
row_of(struct made *m, const char *key, const char *algorithm)
{
	snprintf(m->text, sizeof(m->text), "%s", key);
	m->row = (struct row){ .key = slice_text("name"), .file = "/t/KeyTable",
	    .line = 7 };
	m->key_row = (struct key_row){
		.domain = slice_text("example.com"),
		.selector = slice_text("s"),
		.key = slice_text(m->text),
		.algorithm = slice_text(algorithm),
		.source = key[0] == '/' ? KEY_SOURCE_FILE : KEY_SOURCE_INLINE,
	};
	return m;
}

static int
load(struct keystore *store, struct made *m, const char *domain,
    struct rsab_key **out)
{
	last[0] = '\0';
	return keystore_load(store, &m->row, &m->key_row, domain, &report,
	    out);
}

static void
keystore_load_kinds(void **state)
{
	struct keystore *store = make(NULL);
	struct rsab_key *a, *b;
	struct made m;
	char *pem = new_pem(RSAB_RSA, 2048);

	(void)state;
	write_text("k", pem);
	test_int("file", load(store, row_of(&m, in("k"), ""), NULL, &a), 0);
	test_int("again", load(store, &m, NULL, &b), 0);
	test_true("the same key", a == b);
	rsab_key_unref(a);
	rsab_key_unref(b);
	test_int("inline", load(store, row_of(&m, pem, ""), NULL, &a), 0);
	rsab_key_unref(a);
	write_text("example.com.private", pem);
	snprintf(path, sizeof(path), "%s/%%.private", base);
	test_int("domain for %", load(store, row_of(&m, path, ""),
	    "example.com", &a), 0);
	rsab_key_unref(a);
	test_int("no domain", load(store, &m, NULL, &a), DKIM_ERR_SYNTAX);
	test_true("says so", strstr(last, "no domain is known") != NULL);
	m.key_row.source = KEY_SOURCE_URI;
	test_int("URI", load(store, &m, NULL, &a), DKIM_ERR_SYNTAX);
	test_true("no tokens", strstr(last, "no tokens here") != NULL);
	free(pem);
	keystore_unref(store);
}

static void
keystore_load_faults(void **state)
{
	struct keystore *store = make(NULL);
	struct rsab_key *key;
	struct made m;
	char *pem;

	(void)state;
	write_text("bad", "no key at all");
	test_int("no key", load(store, row_of(&m, in("bad"), ""), NULL, &key),
	    DKIM_ERR_SYNTAX);
	test_true("file:line", strncmp(last, "/t/KeyTable:7: key \"name\": ",
	    27) == 0);
	test_true("path", strstr(last, in("bad")) != NULL);
	test_int("missing", load(store, row_of(&m, in("none"), ""), NULL,
	    &key), DKIM_ERR_SYNTAX);
	test_true("missing", strstr(last, "No such file") != NULL);
	write_key("open");
	chmod(in("open"), 0644);
	test_int("unsafe", load(store, row_of(&m, in("open"), ""), NULL,
	    &key), DKIM_ERR_SYNTAX);
	test_true("unsafe", strstr(last, "bits 0004") != NULL);
	write_key("ed");
	test_int("contradiction", load(store, row_of(&m, in("ed"),
	    "rsa-sha256"), NULL, &key), DKIM_ERR_SYNTAX);
	test_true("contradiction", strstr(last, "the key is Ed25519, but the "
	    "row says rsa-sha256") != NULL);
	test_int("agreement", load(store, row_of(&m, in("ed"),
	    "ed25519-sha256"), NULL, &key), 0);
	rsab_key_unref(key);
	pem = new_pem(RSAB_RSA, 768);
	write_text("small", pem);
	free(pem);
	test_int("under 1024 bits", load(store, row_of(&m, in("small"), ""),
	    NULL, &key), DKIM_ERR_SYNTAX);
	test_true("RFC 8301", strstr(last, "768 bits") != NULL);
	keystore_unref(store);
}

/* Ask as a session does; the want, answered. */
static struct want *
ask_for(struct keystore *store, struct made *m, const char *domain,
    bool *at_once)
{
	struct inbox *inbox;
	struct want *want;

	conf.keystore = store;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(want_new(WANT_PRIVATE_KEY, inbox, &conf, &want), 0);
	want->private_key.row = m->row;
	want->private_key.key_row = m->key_row;
	snprintf(want->private_key.domain, sizeof(want->private_key.domain),
	    "%s", domain);
	*at_once = keystore_ask(store, want);
	if (*at_once)
		want_unref(want);
	else
		want_unref(inbox_take(inbox, clock_us() + 20000000));
	inbox_unref(inbox);
	return want;
}

static struct want *
ask(struct keystore *store, struct made *m, bool *at_once)
{
	return ask_for(store, m, "", at_once);
}

static void
keystore_ask_caches(void **state)
{
	struct keystore *store = make(NULL);
	struct want *want;
	struct made m;
	bool at_once;

	(void)state;
	write_key("a");
	row_of(&m, in("a"), "");
	want = ask(store, &m, &at_once);
	test_true("first by a thread", !at_once);
	test_int("loaded", want->error, WANT_OK);
	assert_non_null(want->private_key.key);
	want_unref(want);
	want = ask(store, &m, &at_once);
	test_true("then at once", at_once);
	test_int("loaded", want->error, WANT_OK);
	want_unref(want);
	row_of(&m, in("none"), "");
	m.key_row.selector = slice_text("t");
	want = ask(store, &m, &at_once);
	test_int("missing", want->error, WANT_ERR_KEY);
	test_true("detail", strncmp(want->detail, "/t/KeyTable:7", 13) == 0);
	want_unref(want);
	keystore_unref(store);
}

static void
fingerprint(struct keystore *store, struct made *m,
    uint8_t out[RSAB_FINGERPRINT_SIZE])
{
	bool at_once;
	struct want *want = ask(store, m, &at_once);

	test_int("there is a key", want->error, WANT_OK);
	if (want->error == WANT_OK)
		rsab_key_fingerprint(want->private_key.key, out);
	want_unref(want);
}

/* The clock of the once-a-second look is real: one second is waited for. */
static void
keystore_ask_changed_file(void **state)
{
	uint8_t one[RSAB_FINGERPRINT_SIZE], two[RSAB_FINGERPRINT_SIZE];
	struct keystore *store = make(NULL);
	struct made m;

	(void)state;
	write_key("c");
	row_of(&m, in("c"), "");
	fingerprint(store, &m, one);
	unlink(in("c"));
	write_key("c");
	fingerprint(store, &m, two);
	test_octets("within the second", two, sizeof(two), one, sizeof(one));
	usleep(1100000);
	fingerprint(store, &m, two);
	test_true("the new key takes over", memcmp(one, two, sizeof(one)) !=
	    0);
	write_text("c", "broken");
	usleep(1100000);
	fingerprint(store, &m, one);
	test_octets("a broken file leaves it", one, sizeof(one), two,
	    sizeof(two));
	unlink(in("c"));
	usleep(1100000);
	fingerprint(store, &m, one);
	test_octets("a missing one, too", one, sizeof(one), two, sizeof(two));
	keystore_unref(store);
}

static void
keystore_new_keeps(void **state)
{
	uint8_t one[RSAB_FINGERPRINT_SIZE], two[RSAB_FINGERPRINT_SIZE];
	struct keystore *old = make(NULL), *store;
	struct want *want;
	struct made m;
	bool at_once;

	(void)state;
	write_key("r");
	row_of(&m, in("r"), "");
	fingerprint(old, &m, one);
	store = make(old);
	conf.keystore = NULL;
	keystore_unref(old);
	fingerprint(store, &m, two);
	test_octets("over a reload", two, sizeof(two), one, sizeof(one));
	/* The row names a file that is not there now: same selector */
	row_of(&m, in("typo"), "");
	fingerprint(store, &m, two);
	test_octets("the row became bad", two, sizeof(two), one, sizeof(one));
	/* Another selector: the old key would not verify */
	m.key_row.selector = slice_text("other");
	want = ask(store, &m, &at_once);
	test_int("another selector", want->error, WANT_ERR_KEY);
	want_unref(want);
	keystore_unref(store);
}

/* Another RSABackend, and the file can no longer be read. */
static void
keystore_new_keeps_backend(void **state)
{
	const struct rsab_backend *before = conf.backend;
	uint8_t one[RSAB_FINGERPRINT_SIZE], two[RSAB_FINGERPRINT_SIZE];
	struct keystore *old = make(NULL), *store;
	struct made m;

	(void)state;
	write_key("backend");
	row_of(&m, in("backend"), "");
	fingerprint(old, &m, one);
	assert_int_equal(rsab_backend_find("bn64:portable", &conf.backend), 0);
	store = make(old);
	conf.keystore = NULL;
	keystore_unref(old);
	assert_int_equal(unlink(in("backend")), 0);
	fingerprint(store, &m, two);
	test_octets("the key stays", two, sizeof(two), one, sizeof(one));
	keystore_unref(store);
	conf.backend = before;
}

/* Mail brings a sender's domain, the check of the table none. */
static void
keystore_new_keeps_checked(void **state)
{
	struct keystore *old = make(NULL), *store;
	struct rsab_key *key;
	struct want *want;
	struct made m;
	bool at_once;

	(void)state;
	write_key("v");
	row_of(&m, in("v"), "");
	test_int("the check loads", load(old, &m, NULL, &key), 0);
	rsab_key_unref(key);
	store = make(old);
	keystore_unref(old);
	row_of(&m, in("no-v"), "");
	want = ask_for(store, &m, "sender.example", &at_once);
	test_int("mail signs", want->error, WANT_OK);
	want_unref(want);
	test_int("the check does not take it", load(store, &m, NULL, &key),
	    DKIM_ERR_SYNTAX);
	/* Where "%" stands, each domain has a key of its own */
	write_key("one.example.v");
	snprintf(path, sizeof(path), "%s/%%.v", base);
	row_of(&m, path, "");
	m.row.key = slice_text("percent");
	want = ask_for(store, &m, "one.example", &at_once);
	test_int("one", want->error, WANT_OK);
	want_unref(want);
	want = ask_for(store, &m, "two.example", &at_once);
	test_int("not for another", want->error, WANT_ERR_KEY);
	want_unref(want);
	keystore_unref(store);
}

/* One reload with the file as it is now: does the check find it at fault? */
static void
check_stays(const char *row, struct keystore *store, struct made *m,
    const char *says)
{
	struct rsab_key *key;
	struct want *want;
	bool at_once;
	size_t rows = report.rows;

	test_int(row, load(store, m, NULL, &key), DKIM_ERR_SYNTAX);
	test_int(row, report.rows, rows + 1);
	if (strstr(last, says) == NULL ||
	    strstr(last, "/t/KeyTable:7: key \"name\": ") != last ||
	    strstr(last, "the key loaded before stays; a restart would fail")
	    == NULL)
		test_str(row, last, says);
	want = ask(store, m, &at_once);
	test_int(row, want->error, WANT_OK);
	want_unref(want);
}

static void
keystore_load_vanished(void **state)
{
	struct keystore *store = make(NULL);
	struct rsab_key *key;
	struct made m;

	(void)state;
	write_key("w");
	row_of(&m, in("w"), "");
	test_int("good", load(store, &m, NULL, &key), 0);
	rsab_key_unref(key);
	assert_int_equal(chmod(in("w"), 0644), 0);
	check_stays("others read it", store, &m, "bits 0004");
	assert_int_equal(chmod(in("w"), 0600), 0);
	test_int("good again", load(store, &m, NULL, &key), 0);
	rsab_key_unref(key);
	assert_int_equal(chmod(base, 0777), 0);
	check_stays("the folder, too", store, &m, "bits 0002");
	assert_int_equal(chmod(base, 0700), 0);
	write_text("w", "broken");
	check_stays("no key", store, &m, "w: ");
	unlink(in("w"));
	check_stays("vanished", store, &m, "No such file");
	keystore_unref(store);
}

/* A KeyFile that only root could read, at a reload with another RSABackend. */
static void
keystore_keep_key_file(void **state)
{
	const struct rsab_backend *before = conf.backend;
	struct keystore *old = make(NULL), *store;
	char *pem = new_pem(RSAB_RSA, 2048);
	struct want *want;
	struct made m;
	bool at_once;

	(void)state;
	snprintf(path, sizeof(path), "%s/only-root", base);
	test_int("preload", keystore_preload(old, &conf, path,
	    (const uint8_t *)pem, strlen(pem), &report), 0);
	free(pem);
	assert_int_equal(rsab_backend_find("bn64:portable", &conf.backend), 0);
	store = make(old);
	test_int("keep", keystore_keep(store, old, path), 0);
	keystore_unref(old);
	row_of(&m, path, "");
	want = ask(store, &m, &at_once);
	test_true("at once", at_once);
	test_int("is there", want->error, WANT_OK);
	assert_string_equal(rsab_backend_name(rsab_key_backend(
	    want->private_key.key)), "libcrypto");
	want_unref(want);
	test_int("there is no other", keystore_keep(store, store, "/no/such"),
	    DKIM_ERR_ARGUMENT);
	keystore_unref(store);
	conf.backend = before;
}

static void
keystore_preload_key_file(void **state)
{
	struct keystore *store = make(NULL);
	char *pem = new_pem(RSAB_ED25519, 0);
	struct want *want;
	struct made m;
	bool at_once;

	(void)state;
	report.rows = report.fatals = 0;
	/* Not there for us: only root could read it */
	snprintf(path, sizeof(path), "%s/only-root", base);
	test_int("preload", keystore_preload(store, &conf, path,
	    (const uint8_t *)pem, strlen(pem), &report), 0);
	row_of(&m, path, "");
	want = ask(store, &m, &at_once);
	test_true("at once", at_once);
	test_int("is there", want->error, WANT_OK);
	want_unref(want);
	conf.options.signature_algorithm = (char *)(uintptr_t)"rsa-sha256";
	test_int("PROBLEMS 46", keystore_preload(store, &conf, path,
	    (const uint8_t *)pem, strlen(pem), &report), DKIM_ERR_SYNTAX);
	test_int("stops the start", report.fatals, 1);
	free(pem);
	pem = new_pem(RSAB_RSA, 1024);
	conf.options.signature_algorithm =
	    (char *)(uintptr_t)"ed25519-sha256";
	test_int("the reverse", keystore_preload(store, &conf, path,
	    (const uint8_t *)pem, strlen(pem), &report), DKIM_ERR_SYNTAX);
	test_int("stops the start, too", report.fatals, 2);
	conf.options.signature_algorithm = NULL;
	test_int("no key", keystore_preload(store, &conf, path,
	    (const uint8_t *)"x", 1, &report), DKIM_ERR_SYNTAX);
	test_int("a key at fault", report.rows, 1);
	free(pem);
	keystore_unref(store);
}

static void
storedkey_is_due_rules(void **state)
{
	struct storedkey *key;
	struct rsab_key *rsab;
	uint64_t t;

	(void)state;
	assert_int_equal(rsab_key_generate(conf.backend, RSAB_ED25519, 0,
	    &rsab), 0);
	assert_int_equal(storedkey_new(rsab, "/k", NULL, &key), 0);
	t = atomic_load(&key->looked);
	test_true("within the second", !storedkey_is_due(key, t + 999999));
	test_true("after it", storedkey_is_due(key, t + 1000000));
	test_true("one at a time", !storedkey_is_due(key, t + 1000001));
	test_true("a slow disk", !storedkey_is_due(key, t + 30000000));
	test_true("a lost one", storedkey_is_due(key, t + 31000000));
	storedkey_looked(key, t + 31500000);
	test_true("looked", !storedkey_is_due(key, t + 32000000));
	test_true("next", storedkey_is_due(key, t + 32500000));
	storedkey_unref(key);
}

static bool
one_run(void *unused)
{
	struct keystore *store;
	struct rsab_key *key;
	struct made m;
	int r;

	(void)unused;
	if (keystore_new(&conf, NULL, NULL, &store) != 0)
		return false;
	r = load(store, row_of(&m, in("n"), ""), NULL, &key);
	if (r == 0)
		rsab_key_unref(key);
	keystore_unref(store);
	return r == 0;
}

static void
keystore_no_memory(void **state)
{
	size_t failed = 0;

	(void)state;
	write_key("n");
	/* A key that is not cached for want of memory is no failure */
	for (size_t n = 1; n <= 60; n++) {
		failmalloc_at(n);
		if (!one_run(NULL))
			failed++;
		failmalloc_off();
	}
	test_true("sites", failed >= 8);
	test_true("afterwards", one_run(NULL));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keystore_load_kinds),
		cmocka_unit_test(keystore_load_faults),
		cmocka_unit_test(keystore_ask_caches),
		cmocka_unit_test(keystore_ask_changed_file),
		cmocka_unit_test(keystore_new_keeps),
		cmocka_unit_test(keystore_new_keeps_backend),
		cmocka_unit_test(keystore_new_keeps_checked),
		cmocka_unit_test(keystore_load_vanished),
		cmocka_unit_test(keystore_keep_key_file),
		cmocka_unit_test(keystore_preload_key_file),
		cmocka_unit_test(storedkey_is_due_rules),
		cmocka_unit_test(keystore_no_memory),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
