/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole configurations, one after the other as at start and reload: rows and
 * keys that become bad stay as they were (BEHAVIOUR 4), faults say where.
 */

/* system */
#include <sys/wait.h>

/* this room */
#include "tests/capture.h"
#include "milter/ask.h"
#include "milter/bringup.h"
#include "milter/conf_options.h"
#include "milter/inbox.h"
#include "milter/keptrows.h"
#include "milter/stats.h"

#define TABLES "Socket inet:1@localhost\nRequireSafeKeys no\n"		\
	"KeyTable file:KeyTable\nSigningTable file:SigningTable\n"

static struct capture capture;
static const struct bringup parts;

/* Base folder, then the lines. */
static struct conf *
bring_up(struct conf *old, const char *lines)
{
	struct options options;
	struct conf *conf;
	char text[4096];
	const char *path;

	capture_init(&capture);
	snprintf(text, sizeof(text), "BaseDirectory %s\n%s", capture_dir(),
	    lines);
	path = capture_text("dkimd.conf", text);
	if (conf_options_load(path, NULL, 0, &capture.report, &options) != 0 ||
	    bringup_conf(&parts, &options, old, &capture.report, &conf) != 0) {
		fprintf(stderr, "# configuration: %s\n", capture.text);
		fail();
		return NULL;
	}
	return conf;
}

static void
write_key(const char *name)
{
	const struct rsab_backend *backend;
	struct rsab_key *key;
	char *pem;
	size_t n;

	assert_int_equal(rsab_backend_find("libcrypto", &backend), 0);
	assert_int_equal(rsab_key_generate(backend, RSAB_ED25519, 0, &key), 0);
	assert_int_equal(rsab_key_print_private(key, &pem, &n), 0);
	capture_text(name, pem);
	rsab_key_unref(key);
	rsab_wipe_free(pem, n);
}

/* A want answered at once, with one reference. */
static struct want *
answered(struct conf *conf, enum want_kind kind, const char *name,
    const struct row *row)
{
	struct inbox *inbox;
	struct want *want;
	const char *reason;

	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(want_new(kind, inbox, conf, &want), 0);
	if (kind == WANT_ROWS) {
		want->rows.table = TABLE_KEY;
		snprintf(want->rows.key_text, sizeof(want->rows.key_text),
		    "%s", name);
		want->rows.key = slice_of(want->rows.key_text, strlen(name));
	} else {
		want->private_key.row = *row;
		assert_int_equal(conf_key_row(row->value,
		    &want->private_key.key_row, &reason), 0);
	}
	assert_true(ask(NULL, want));
	want_unref(want);
	inbox_unref(inbox);
	return want;
}

/* The value of a key name's row, as a session is given it; "" for none. */
static const char *
value_of(struct conf *conf, const char *name)
{
	static char text[4096];
	struct want *want = answered(conf, WANT_ROWS, name, NULL);

	text[0] = '\0';
	test_int(name, want->error, WANT_OK);
	if (want->rows.n > 0)
		snprintf(text, sizeof(text), "%.*s",
		    (int)want->rows.rows[0].value.n,
		    (const char *)want->rows.rows[0].value.p);
	want_unref(want);
	return text;
}

/* Does mail that needs this name have a key? */
static bool
has_key(struct conf *conf, const char *name)
{
	struct want *rows = answered(conf, WANT_ROWS, name, NULL), *key;
	bool found;

	test_int(name, rows->rows.n, 1);
	key = answered(conf, WANT_PRIVATE_KEY, name, &rows->rows.rows[0]);
	found = key->error == WANT_OK;
	want_unref(key);
	want_unref(rows);
	return found;
}

/* A KeyTable row that no longer parses, and a SigningTable that names it. */
static void
bringup_conf_bad_row_stays(void **state)
{
	uint64_t kept = stats_get(STAT_KEYS_KEPT);
	struct conf *first, *second, *third;

	(void)state;
	write_key("a.pem");
	write_key("b.pem");
	capture_text("SigningTable", "a.example a\nb.example b\n");
	capture_text("KeyTable", "a a.example:s:./a.pem\n"
	    "b b.example:s:./b.pem\n");
	first = bring_up(NULL, TABLES);
	capture_check("start", &capture, NULL);
	test_true("a", has_key(first, "a"));
	test_int("nothing kept", stats_get(STAT_KEYS_KEPT), kept);

	capture_text("KeyTable", "# two lines\na a.example;s;./a.pem\n"
	    "b b.example:t:./b.pem\nc c.example\n");
	second = bring_up(first, TABLES);
	conf_unref(first);
	test_int("rows at fault", capture.report.rows, 2);
	test_int("one stays", capture.report.warnings, 1);
	capture_check("where", &capture, "KeyTable:2: KeyTable: \"a\": the "
	    "row loaded before stays");
	test_str("as it was", value_of(second, "a"), "a.example:s:./a.pem");
	test_true("signs", has_key(second, "a"));
	test_true("counted", stats_get(STAT_KEYS_KEPT) > kept);
	test_str("good rows are taken over", value_of(second, "b"),
	    "b.example:t:./b.pem");
	test_str("never good", value_of(second, "c"), "c.example");

	/* Still bad at the next reload; a row that is gone is gone */
	capture_text("KeyTable", "a\n");
	third = bring_up(second, TABLES);
	conf_unref(second);
	test_str("as it was", value_of(third, "a"), "a.example:s:./a.pem");
	test_true("signs", has_key(third, "a"));
	test_str("taken away", value_of(third, "b"), "");

	capture_text("KeyTable", "a a.example:new:./b.pem\n");
	first = bring_up(third, TABLES);
	conf_unref(third);
	test_str("mended", value_of(first, "a"), "a.example:new:./b.pem");
	test_int("no warning", capture.report.warnings, 0);
	conf_unref(first);
}

/* A row whose algorithm contradicts its key since the reload. */
static void
bringup_conf_contradiction_stays(void **state)
{
	struct conf *first, *second, *other;

	(void)state;
	write_key("c.pem");
	capture_text("SigningTable", "c.example c\n");
	capture_text("KeyTable", "c c.example:s:./c.pem\n");
	first = bring_up(NULL, TABLES);
	test_true("good", has_key(first, "c"));
	capture_text("KeyTable", "c c.example:s:./c.pem:rsa-sha256\n");
	second = bring_up(first, TABLES);
	test_true("the key loaded before", has_key(second, "c"));
	conf_unref(second);
	conf_unref(first);
	/* At a start there is none */
	other = bring_up(NULL, TABLES);
	test_true("at fault", !has_key(other, "c"));
	test_true("and so again", !has_key(other, "c"));
	conf_unref(other);
}

static void
keptrows_make_names(void **state)
{
	static const char *const rows[][3] = {
		/* before, after, value of key "k" */
		{ "k a.b:s:/k\nk b.b:s:/k\n", "k bad\n", "a.b:s:/k" },
		{ "k a.b:s:/k\n", "k bad\nk b.b:s:/k\n", "a.b:s:/k" },
		{ "k a.b:s:/k\n", "k b.b:s:/k\nk bad\n", "b.b:s:/k" },
		{ "K a.b:s:/k\n", "k bad\n", "bad" },
		{ "k worse\n", "k bad\n", "bad" },
		{ "j a.b:s:/j\nk c.b:s:/k\nl b.b:s:/l\n",
		    "l bad\nj bad\nk bad\n", "c.b:s:/k" },
	};

	(void)state;
	capture_text("SigningTable", "");
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct conf *old, *new;

		capture_text("KeyTable", rows[i][0]);
		old = bring_up(NULL, TABLES);
		capture_text("KeyTable", rows[i][1]);
		new = bring_up(old, TABLES);
		conf_unref(old);
		test_str(rows[i][0], value_of(new, "k"), rows[i][2]);
		conf_unref(new);
	}
}

/* A refile's row is known by its pattern, not by what that matches. */
static void
keptrows_make_patterns(void **state)
{
	struct conf *old, *new;

	(void)state;
	capture_text("SigningTable", "");
	capture_text("KeyTable", "* a.b:s:/any\nk* a.b:s:/k\n");
	old = bring_up(NULL, TABLES "KeyTable refile:KeyTable\n");
	capture_text("KeyTable", "k* bad\n");
	new = bring_up(old, TABLES "KeyTable refile:KeyTable\n");
	test_str("its own", value_of(new, "kx"), "a.b:s:/k");
	conf_unref(new);
	conf_unref(old);
}

struct pair {
	struct conf	*old, *new;
};

static bool
make_kept(void *arg)
{
	struct pair *pair = arg;
	struct keptrows *rows;

	if (keptrows_make(pair->old, pair->new, &capture.report, &rows) != 0)
		return false;
	test_true("some", rows != NULL);
	keptrows_free(rows);
	return true;
}

static void
keptrows_make_no_memory(void **state)
{
	struct pair pair;
	char before[512] = "", after[512] = "";
	size_t i;

	(void)state;
	for (i = 0; i < 10; i++) {
		snprintf(before + strlen(before), 32, "k%zu a.b:s:/k\n", i);
		snprintf(after + strlen(after), 32, "k%zu bad\n", i);
	}
	capture_text("SigningTable", "");
	capture_text("KeyTable", before);
	pair.old = bring_up(NULL, TABLES);
	capture_text("KeyTable", after);
	pair.new = bring_up(NULL, TABLES);
	/* the list twice, a copy a row, and itself */
	test_int("sites", test_every_allocation(make_kept, &pair), 13);
	conf_unref(pair.new);
	conf_unref(pair.old);
}

#define KEY_FILE "Domain a.example\nSelector s\nSocket inet:1@localhost\n" \
	"RequireSafeKeys no\nKeyFile "

static void
bringup_conf_key_file_place(void **state)
{
	struct conf *first, *second;

	(void)state;
	first = bring_up(NULL, KEY_FILE "./none.pem\n");
	test_int("at fault", capture.report.rows, 1);
	capture_check("where", &capture, "dkimd.conf:6: KeyFile: ");
	capture_check("what", &capture, "none.pem");
	conf_unref(first);
	capture_text("no.pem", "no key");
	first = bring_up(NULL, KEY_FILE "./no.pem\n");
	test_int("at fault", capture.report.rows, 1);
	capture_check("where", &capture, "dkimd.conf:6: KeyFile: ");
	conf_unref(first);

	write_key("k.pem");
	first = bring_up(NULL, KEY_FILE "./k.pem\n");
	test_int("good", capture.report.rows, 0);
	capture_text("k.pem", "");
	second = bring_up(first, KEY_FILE "./k.pem\n");
	test_int("stays", capture.report.rows, 1);
	capture_check("where", &capture, "dkimd.conf:6: KeyFile: ");
	capture_check("said", &capture, "is empty; the key loaded before "
	    "stays; a restart would fail");
	conf_unref(second);
	/* Another file is no file that was loaded before */
	second = bring_up(first, KEY_FILE "./other.pem\n");
	test_int("at fault", capture.report.rows, 1);
	conf_unref(second);
	conf_unref(first);
}

/* A configuration that only root reads, and one in a folder of root's. */
static void
bringup_reread_options_user(void **state)
{
	const char *one, *two;
	struct options options;
	struct identity who;
	char want[900];
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();
	capture_init(&capture);
	assert_int_equal(identity_find("12345:12346", &capture.report, &who),
	    0);
	two = capture_text("open.conf", "Mode v\n");
	one = capture_text("secret.conf", "Include open.conf\n");
	assert_int_equal(conf_options_load(one, NULL, 0, &capture.report,
	    &options), 0);
	assert_int_equal(chmod(one, 0600), 0);
	assert_int_equal(chmod(two, 0644), 0);
	assert_int_equal(chmod(capture_dir(), 0711), 0);
	pid = fork();
	if (pid == 0) {
		if (identity_drop(&who, &capture.report) != 0)
			_exit(2);
		bringup_reread_options(&options, &who, &capture.report);
		snprintf(want, sizeof(want), "W %s: user 12345 cannot read it, "
		    "and a reload cannot re-read it: chgrp 12346 %s; chmod "
		    "640 %s\n", one, one, one);
		if (strcmp(capture.text, want) != 0)
			fprintf(stderr, "# got %s, want %s", capture.text,
			    want);
		_exit(strcmp(capture.text, want) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	test_int("one warning", status, 0);
	bringup_reread_options(&options, &who, &capture.report);
	test_int("other rights tell nothing", capture.report.warnings, 0);
	conf_options_clear(&options);
}

static void
bringup_needs_key_file_rows(void **state)
{
	static char k[] = "k";
	const struct {
		const char	*name;
		struct options	 options;
		bool		 needs;
	} rows[] = {
		{ "signs", { .mode_sign = true, .key_file = k }, true },
		{ "verifies", { .mode_sign = false, .key_file = k }, false },
		{ "no file", { .mode_sign = true }, false },
		{ "KeyTable overrides", { .mode_sign = true, .key_file = k,
		    .key_table = k }, false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, bringup_needs_key_file(
		    &rows[i].options), rows[i].needs);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bringup_conf_bad_row_stays),
		cmocka_unit_test(bringup_conf_contradiction_stays),
		cmocka_unit_test(keptrows_make_names),
		cmocka_unit_test(keptrows_make_patterns),
		cmocka_unit_test(keptrows_make_no_memory),
		cmocka_unit_test(bringup_conf_key_file_place),
		cmocka_unit_test(bringup_reread_options_user),
		cmocka_unit_test(bringup_needs_key_file_rows),
	};

	return CAPTURE_RUN(tests);
}
