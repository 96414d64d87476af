/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tokens of a configuration, with key store and signer: who shares what, what
 * a token that hangs holds up, what comes back, what a reload keeps. The other
 * process is fake_token.h.
 */

/* system */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* this room */
#include "tests/last_fault.h"
#include "tests/fake_token.h"
#include "milter/clock.h"
#include "milter/conf.h"
#include "milter/helper.h"
#include "milter/inbox.h"
#include "milter/keystore.h"
#include "milter/signer.h"
#include "milter/stats.h"
#include "milter/tokens.h"
#include "milter/want.h"

#define SECOND	1000000u

static char base[64], gone[96], report_path[96], pin[96];
static struct signer *signer;
static const struct rsab_backend *libcrypto;

static void
write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int
set_up(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/tokensXXXXXX");
	if (mkdtemp(base) == NULL || signer_new(2, &signer) != 0)
		return -1;
	snprintf(gone, sizeof(gone), "%s/gone", base);
	snprintf(report_path, sizeof(report_path), "%s/report", base);
	snprintf(pin, sizeof(pin), "%s/pin", base);
	setenv("DKIMD_TOKEN", fake_token_program(), 1);
	setenv("PKCS11_FAKE_GONE", gone, 1);
	setenv("PKCS11_FAKE_REPORT", report_path, 1);
	return rsab_backend_find("libcrypto", &libcrypto);
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

static int
begin(void **state)
{
	(void)state;
	unlink(gone);
	unlink(report_path);
	write_file(pin, "1234\n");
	last[0] = '\0';
	return 0;
}

/* ---- a configuration ----------------------------------------------------- */

static void
last_of(struct conf *conf)
{
	(void)!tokens_unref(conf->tokens);
	keystore_unref(conf->keystore);
}

static struct conf *
make(const char *backend, uint64_t timeout, const char *pin_text,
    struct conf *old)
{
	struct conf *conf = calloc(1, sizeof(*conf));

	assert_non_null(conf);
	atomic_init(&conf->refs, 1);
	conf->last = last_of;
	conf->options.require_safe_keys = false;
	conf->options.key_cache_size = 100;
	conf->options.pkcs11_timeout = timeout;
	conf->options.pkcs11_pin = pin_text == NULL ? NULL : strdup(pin_text);
	assert_int_equal(rsab_backend_find(backend, &conf->backend), 0);
	assert_int_equal(tokens_new(&conf->options, 2,
	    old == NULL ? NULL : old->tokens, &conf->tokens), 0);
	assert_int_equal(keystore_new(conf, signer,
	    old == NULL ? NULL : old->keystore, &conf->keystore), 0);
	return conf;
}

struct made {
	struct row	row;
	struct key_row	key_row;
	char		text[4096];
};

static struct made *
row_of(struct made *m, const char *key)
{
	snprintf(m->text, sizeof(m->text), "%s", key);
	m->row = (struct row){ .key = slice_text("name"), .file = "/t/KeyTable",
	    .line = 7 };
	m->key_row = (struct key_row){
		.domain = slice_text("example.com"),
		.selector = slice_text("s"),
		.key = slice_text(m->text),
		.source = strncmp(key, "pkcs11:", 7) == 0 ? KEY_SOURCE_URI :
		    KEY_SOURCE_FILE,
	};
	return m;
}

static int
load(struct conf *conf, const char *key, struct rsab_key **out)
{
	struct made m;

	last[0] = '\0';
	row_of(&m, key);
	return keystore_load(conf->keystore, &m.row, &m.key_row, NULL, &report,
	    out);
}

/* What a want came to, as a session asks. */
struct got {
	int		 error;
	char		 detail[256];
	struct rsab_key	*key;
	uint64_t	 us;
};

static struct got
ask_key(struct conf *conf, const char *key, struct rsab_key *of_no_use)
{
	uint64_t began = clock_us();
	struct inbox *inbox;
	struct want *want;
	struct got got;
	struct made m;

	row_of(&m, key);
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(want_new(WANT_PRIVATE_KEY, inbox, conf, &want), 0);
	want->private_key.row = m.row;
	want->private_key.key_row = m.key_row;
	if (of_no_use != NULL)
		want->private_key.gone = rsab_key_ref(of_no_use);
	if (!keystore_ask(conf->keystore, want))
		assert_ptr_equal(inbox_take(inbox, clock_us() + 30 * SECOND),
		    want);
	got.error = want->error;
	snprintf(got.detail, sizeof(got.detail), "%s", want->detail);
	got.key = want->private_key.key;
	want->private_key.key = NULL;	/* moved */
	got.us = clock_us() - began;
	want_unref(want);
	want_unref(want);
	inbox_close(inbox);
	inbox_unref(inbox);
	return got;
}

static struct want *
begin_sign(struct conf *conf, struct inbox *inbox, struct rsab_key *key)
{
	struct want *want;

	assert_int_equal(want_new(WANT_SIGNATURE, inbox, conf, &want), 0);
	want->signature.key = rsab_key_ref(key);
	want->signature.op = RSAB_OP_SIGN;
	want->signature.hash = RSAB_SHA256;
	memset(want->signature.digest, 7, RSAB_DIGEST_MAX);
	signer_ask(signer, want);
	return want;
}

static struct got
sign(struct conf *conf, struct rsab_key *key)
{
	uint64_t began = clock_us();
	struct inbox *inbox;
	struct want *want, *same;
	struct got got = { .key = NULL };

	assert_int_equal(inbox_new(&inbox), 0);
	want = begin_sign(conf, inbox, key);
	same = inbox_take(inbox, clock_us() + 30 * SECOND);
	assert_ptr_equal(same, want);
	got.error = want->error;
	snprintf(got.detail, sizeof(got.detail), "%s", want->detail);
	got.us = clock_us() - began;
	want_unref(want);
	want_unref(want);
	inbox_close(inbox);
	inbox_unref(inbox);
	return got;
}

static int
starts(void)
{
	FILE *f = fopen(report_path, "re");
	int c, n = 0;

	if (f == NULL)
		return 0;
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

/* ---- keys ---------------------------------------------------------------- */

static void
tokens_open_kinds(void **state)
{
	struct conf *conf = make("libcrypto", 5, NULL, NULL);
	struct rsab_key *rsa, *ed, *again;

	(void)state;
	test_int("no process before", starts(), 0);
	test_int("RSA", load(conf, "pkcs11:token=a;object=rsa2048", &rsa), 0);
	test_int("bits", rsab_key_bits(rsa), 2048);
	test_true("in a token", rsab_key_token(rsa) != NULL);
	test_int("once more", load(conf, "pkcs11:token=a;object=rsa2048",
	    &again), 0);
	test_true("from the cache", rsa == again);
	test_int("Ed25519", load(conf, "pkcs11:object=ed25519;token=a", &ed),
	    0);
	test_true("of the same token", rsab_key_token(rsa) ==
	    rsab_key_token(ed));
	test_int("signs", sign(conf, rsa).error, WANT_OK);
	test_int("signs", sign(conf, ed).error, WANT_OK);
	test_int("one process", starts(), 1);
	rsab_key_unref(again);
	rsab_key_unref(rsa);
	rsab_key_unref(ed);
	conf_unref(conf);
}

static void
tokens_open_faults(void **state)
{
	static const struct {
		const char *uri, *want;
	} rows[] = {
		{ "pkcs11:token=a;object=none", "/t/KeyTable:7: key \"name\": "
		    "pkcs11:token=a;object=none: the token has no such key: "
		    "the fake says so" },
		{ "pkcs11:token=a;object=wrong", "do not fit" },
		{ "pkcs11:object=k?module-path=/x", "module-path is not" },
		{ "pkcs11:object=k?pin-value=77x77", "pin-value=***" },
	};
	struct conf *conf = make("libcrypto", 5, NULL, NULL);
	struct rsab_key *key;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].uri, load(conf, rows[i].uri, &key),
		    DKIM_ERR_SYNTAX);
		if (strstr(last, rows[i].want) == NULL)
			test_str(rows[i].uri, last, rows[i].want);
		test_true("no PIN", strstr(last, "77x77") == NULL);
	}
	conf_unref(conf);
}

static void
tokens_open_too_many(void **state)
{
	struct conf *conf = make("libcrypto", 5, NULL, NULL);
	struct rsab_key *key;
	char uri[128];

	(void)state;
	for (int i = 0; i < TOKENS_MAX; i++) {
		snprintf(uri, sizeof(uri), "pkcs11:token=t%d;object=rsa1024",
		    i);
		test_int(uri, load(conf, uri, &key), 0);
		rsab_key_unref(key);
	}
	test_int("one more", load(conf, "pkcs11:token=x;object=rsa1024",
	    &key), DKIM_ERR_SYNTAX);
	test_true("says so", strstr(last, "more than 32 tokens") != NULL);
	test_int("the others go on", load(conf,
	    "pkcs11:token=t3;object=rsa2048", &key), 0);
	rsab_key_unref(key);
	test_int("one process", starts(), 1);
	conf_unref(conf);
}

/* ---- gone and back ------------------------------------------------------- */

static void
tokens_gone_and_back(void **state)
{
	struct conf *conf = make("libcrypto", 5, NULL, NULL);
	uint64_t down = stats_get(STAT_TOKEN_GONE);
	uint64_t back = stats_get(STAT_TOKEN_BACK);
	struct got got;

	(void)state;
	write_file(gone, "");
	got = ask_key(conf, "pkcs11:token=gone;object=rsa1024", NULL);
	test_int("not there at the start", got.error, WANT_ERR_KEY);
	test_true("says so", strstr(got.detail, "not available now") != NULL);
	got = ask_key(conf, "pkcs11:token=gone;object=rsa1024", NULL);
	test_int("told once", stats_get(STAT_TOKEN_GONE) - down, 1);
	unlink(gone);
	got = ask_key(conf, "pkcs11:token=gone;object=rsa1024", NULL);
	test_int("there", got.error, WANT_OK);
	test_int("told", stats_get(STAT_TOKEN_BACK) - back, 1);
	test_int("signs", sign(conf, got.key).error, WANT_OK);
	write_file(gone, "");
	test_int("gone again", sign(conf, got.key).error, WANT_ERR_SIGN);
	test_int("told", stats_get(STAT_TOKEN_GONE) - down, 2);
	unlink(gone);
	test_int("back again", sign(conf, got.key).error, WANT_OK);
	test_int("told", stats_get(STAT_TOKEN_BACK) - back, 2);
	rsab_key_unref(got.key);
	conf_unref(conf);
}

/* A process that dies under a signature: it is made by the next one. */
static void
tokens_crash(void **state)
{
	struct conf *conf = make("libcrypto", 5, NULL, NULL);
	struct got crash, good;

	(void)state;
	good = ask_key(conf, "pkcs11:token=a;object=rsa1024", NULL);
	crash = ask_key(conf, "pkcs11:token=b;object=crash", NULL);
	test_int("opens", crash.error, WANT_OK);
	test_int("signs all the same", sign(conf, crash.key).error, WANT_OK);
	test_int("in a new process", starts(), 2);
	test_int("as others do", sign(conf, good.key).error, WANT_OK);
	rsab_key_unref(good.key);
	rsab_key_unref(crash.key);
	conf_unref(conf);
}

/* One that hangs is killed, and left alone; another token goes on. */
static void
tokens_hang(void **state)
{
	struct conf *conf = make("libcrypto", 1, NULL, NULL);
	uint64_t kills = stats_get(STAT_TOKEN_KILLS);
	struct inbox *inbox;
	struct want *hung, *got;
	struct got bad, good, now;

	(void)state;
	good = ask_key(conf, "pkcs11:token=a;object=rsa1024", NULL);
	bad = ask_key(conf, "pkcs11:token=b;object=hang", NULL);
	test_int("opens", bad.error, WANT_OK);
	assert_int_equal(inbox_new(&inbox), 0);
	hung = begin_sign(conf, inbox, bad.key);
	for (int i = 0; i < 20; i++) {
		now = sign(conf, good.key);
		test_int("meanwhile", now.error, WANT_OK);
		test_true("at once", now.us < SECOND / 2);
	}
	got = inbox_take(inbox, clock_us() + 10 * SECOND);
	assert_ptr_equal(got, hung);
	test_int("after a second", hung->error, WANT_ERR_SIGN);
	test_true("says so", strstr(hung->detail, "no answer from the token "
	    "within 1000 ms") != NULL);
	test_int("killed", stats_get(STAT_TOKEN_KILLS) - kills, 1);
	want_unref(hung);
	want_unref(hung);
	inbox_unref(inbox);
	test_int("the other one goes on", sign(conf, good.key).error,
	    WANT_OK);
	rsab_key_unref(good.key);
	rsab_key_unref(bad.key);
	conf_unref(conf);
}

/* Nor does one that hangs while a key is opened hold up a file's key. */
static void
tokens_mute(void **state)
{
	struct conf *conf = make("libcrypto", 1, NULL, NULL);
	struct inbox *inbox;
	struct want *want[6];
	struct got file;
	struct made m;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	row_of(&m, "pkcs11:token=m;object=mute");
	for (int i = 0; i < 6; i++) {
		assert_int_equal(want_new(WANT_PRIVATE_KEY, inbox, conf,
		    &want[i]), 0);
		want[i]->private_key.row = m.row;
		want[i]->private_key.key_row = m.key_row;
		test_true("later", !keystore_ask(conf->keystore, want[i]));
	}
	file = ask_key(conf, FAKE_KEYS "rsa1024.pem", NULL);
	test_int("a file's key", file.error, WANT_OK);
	test_true("at once", file.us < SECOND / 2);
	for (int i = 0; i < 6; i++) {
		struct want *one = inbox_take(inbox, clock_us() + 20 * SECOND);

		assert_non_null(one);
		test_int("not there", one->error, WANT_ERR_KEY);
		want_unref(one);
	}
	for (int i = 0; i < 6; i++)
		want_unref(want[i]);
	inbox_unref(inbox);
	rsab_key_unref(file.key);
	conf_unref(conf);
}

/* ---- keys that the token has no more ------------------------------------- */

static long
process_of(struct conf *conf)
{
	struct rsab_key *key;

	assert_int_equal(load(conf, "pkcs11:token=p;object=rsa1024", &key), 0);
	rsab_key_unref(key);
	return tokens_process(conf->tokens);
}

static void
tokens_import_again(void **state)
{
	struct conf *conf;
	struct got first, second, third;

	(void)state;
	if (rsab_backend_find("pkcs11", &libcrypto) != 0) {
		print_message("built without p11-kit\n");
		skip();
	}
	conf = make("pkcs11", 5, NULL, NULL);
	first = ask_key(conf, FAKE_KEYS "rsa1024.pem", NULL);
	test_int("imports", first.error, WANT_OK);
	test_true("into a token", rsab_key_token(first.key) != NULL);
	test_int("signs", sign(conf, first.key).error, WANT_OK);
	kill((pid_t)process_of(conf), SIGKILL);
	test_int("the token has lost it", sign(conf, first.key).error,
	    WANT_ERR_KEY_GONE);
	second = ask_key(conf, FAKE_KEYS "rsa1024.pem", first.key);
	test_int("read again", second.error, WANT_OK);
	test_true("another object", second.key != first.key);
	test_int("signs", sign(conf, second.key).error, WANT_OK);
	third = ask_key(conf, FAKE_KEYS "rsa1024.pem", first.key);
	test_true("once for all", third.key == second.key);
	rsab_key_unref(first.key);
	rsab_key_unref(second.key);
	rsab_key_unref(third.key);
	conf_unref(conf);
}

static void
tokens_import_refused(void **state)
{
	struct rsab_token_detail detail;
	struct options options = { .pkcs11_timeout = 5 };
	char uri[] = "pkcs11:token=readonly";
	uint8_t octets[8192];
	struct rsab_key *key;
	struct tokens *t;
	size_t n;
	FILE *f = fopen(FAKE_KEYS "rsa1024.pem", "re");
	int r;

	(void)state;
	assert_non_null(f);
	n = fread(octets, 1, sizeof(octets), f);
	fclose(f);
	options.pkcs11_token = uri;
	assert_int_equal(tokens_new(&options, 0, NULL, &t), 0);
	r = tokens_import(t, slice_of(octets, n), &detail, &key);
	test_int("refused", r, RSAB_ERR_IMPORT);
	test_str("says so", rsab_strerror(r),
	    "this token takes no imported keys");
	(void)!tokens_unref(t);
}

/* Another key by the same name: found when its signatures do not verify. */
static void
tokens_other_key(void **state)
{
	struct conf *conf = make("libcrypto", 5, NULL, NULL);
	struct got was, is;

	(void)state;
	was = ask_key(conf, "pkcs11:token=o;object=other", NULL);
	test_int("opens", was.error, WANT_OK);
	test_int("bits", rsab_key_bits(was.key), 1024);
	kill((pid_t)tokens_process(conf->tokens), SIGKILL);
	test_int("is another", sign(conf, was.key).error, WANT_ERR_KEY_GONE);
	is = ask_key(conf, "pkcs11:token=o;object=other", was.key);
	test_int("opens", is.error, WANT_OK);
	test_int("bits", rsab_key_bits(is.key), 2048);
	test_int("signs", sign(conf, is.key).error, WANT_OK);
	rsab_key_unref(was.key);
	rsab_key_unref(is.key);
	conf_unref(conf);
}

/* ---- reload -------------------------------------------------------------- */

static bool
ends(long pid)
{
	for (int i = 0; i < 1000; i++) {
		if (kill((pid_t)pid, 0) != 0)
			return true;
		usleep(10000);
	}
	return false;
}

static void
tokens_new_reload(void **state)
{
	struct conf *one = make("libcrypto", 5, NULL, NULL), *two, *three;
	struct got got, old;
	long first, second;

	(void)state;
	old = ask_key(one, "pkcs11:token=a;object=rsa1024", NULL);
	first = tokens_process(one->tokens);
	two = make("libcrypto", 5, NULL, one);
	test_true("nothing has changed", one->tokens == two->tokens);
	conf_unref(one);
	got = ask_key(two, "pkcs11:token=a;object=rsa1024", NULL);
	test_true("nor has the key", got.key == old.key);
	rsab_key_unref(got.key);
	three = make("libcrypto", 6, NULL, two);
	test_true("another set of options", three->tokens != two->tokens);
	got = ask_key(three, "pkcs11:token=a;object=rsa1024", NULL);
	test_true("another key", got.error == WANT_OK && got.key != old.key);
	second = tokens_process(three->tokens);
	test_true("another process", second != first);
	test_int("the old key still signs", sign(three, old.key).error,
	    WANT_OK);
	conf_unref(two);
	test_int("also after the old configuration", sign(three,
	    old.key).error, WANT_OK);
	test_int("its process lives", kill((pid_t)first, 0), 0);
	rsab_key_unref(old.key);
	test_true("and goes with the last key", ends(first));
	test_int("the new one signs", sign(three, got.key).error, WANT_OK);
	rsab_key_unref(got.key);
	conf_unref(three);
	test_true("and ends", ends(second));
}

/* The line of the last start tells how many refused PINs it was told. */
static bool
was_told(const char *what)
{
	char line[8192], found[8192] = "";
	FILE *f = fopen(report_path, "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f) != NULL)
		snprintf(found, sizeof(found), "%s", line);
	fclose(f);
	return strstr(found, what) != NULL;
}

static void
tokens_new_refused_pin(void **state)
{
	struct conf *one, *two, *three, *four, *five;
	char uri[256];
	struct got got;

	(void)state;
	snprintf(uri, sizeof(uri), "pkcs11:token=a;object=pin?pin-source=%s",
	    pin);
	one = make("libcrypto", 5, "old", NULL);
	got = ask_key(one, uri, NULL);
	test_int("refused", got.error, WANT_ERR_KEY);
	test_true("says so", strstr(got.detail, "PIN is wrong") != NULL);
	two = make("libcrypto", 5, "old", one);
	test_true("a reload changes nothing", one->tokens == two->tokens);
	three = make("libcrypto", 6, "old", two);
	(void)ask_key(three, uri, NULL);
	test_true("nor does another timeout", was_told("refused 1\n"));
	write_file(pin, "9876543\n");
	four = make("libcrypto", 6, "old", three);
	test_true("a new PIN file does", three->tokens != four->tokens);
	(void)ask_key(four, uri, NULL);
	test_true("it is tried", was_told("refused 0\n"));
	five = make("libcrypto", 6, "new", four);
	test_true("and so is PKCS11PIN", four->tokens != five->tokens);
	(void)ask_key(five, uri, NULL);
	test_true("it is tried", was_told("pin 3; folders ; refused 0\n"));
	conf_unref(one);
	conf_unref(two);
	conf_unref(three);
	conf_unref(four);
	conf_unref(five);
}

static void
tokens_be_careful_is_told(void **state)
{
	struct options options = { .pkcs11_timeout = 5 };
	struct slice uri = slice_text("pkcs11:token=a;object=rsa1024");
	struct rsab_token_detail detail;
	struct rsab_key *key;
	struct tokens *t;

	(void)state;
	test_int("new", tokens_new(&options, 0, NULL, &t), 0);
	tokens_be_careful(t);
	test_int("open", tokens_open(t, uri, false, &detail, &key), 0);
	test_true("told", was_told("refused 0; careful\n"));
	rsab_key_unref(key);
	(void)!tokens_unref(t);
}

static bool
one_run(void *unused)
{
	struct options options = { .pkcs11_timeout = 5 };
	char folders[] = "/a, /b", any[] = "pkcs11:";
	struct tokens *t;

	(void)unused;
	options.pkcs11_pin_directory = folders;
	options.pkcs11_token = any;
	if (tokens_new(&options, 2, NULL, &t) != 0)
		return false;
	(void)!tokens_unref(t);
	return true;
}

static void
tokens_no_memory(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(one_run, NULL) >= 5);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(tokens_open_kinds, begin),
		cmocka_unit_test_setup(tokens_open_faults, begin),
		cmocka_unit_test_setup(tokens_open_too_many, begin),
		cmocka_unit_test_setup(tokens_gone_and_back, begin),
		cmocka_unit_test_setup(tokens_crash, begin),
		cmocka_unit_test_setup(tokens_hang, begin),
		cmocka_unit_test_setup(tokens_mute, begin),
		cmocka_unit_test_setup(tokens_import_again, begin),
		cmocka_unit_test_setup(tokens_import_refused, begin),
		cmocka_unit_test_setup(tokens_other_key, begin),
		cmocka_unit_test_setup(tokens_new_reload, begin),
		cmocka_unit_test_setup(tokens_new_refused_pin, begin),
		cmocka_unit_test_setup(tokens_be_careful_is_told, begin),
		cmocka_unit_test_setup(tokens_no_memory, begin),
	};

	(void)argc;
	if (fake_token_is(argv))
		return fake_token_main();
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
