/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A configuration from its options: tables opened, every row looked at
 * (PROBLEMS 44, 48), and the reference counts.
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/conf.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

/* A configuration from text, or NULL with messages in capture. */
static struct conf *
make(const char *text)
{
	const char *path = capture_text("dkimd.conf", text);
	struct options options;
	struct conf *conf = NULL;

	capture_init(&capture);
	if (conf_options_load(path, NULL, 0, &capture.report, &options) == 0 &&
	    conf_new(&options, &capture.report, &conf) != 0)
		conf = NULL;
	return conf;
}

static void
conf_new_values(void **state)
{
	struct conf *conf;
	char host[256] = "";

	(void)state;
	conf = make("");
	test_true("empty", conf != NULL);
	capture_check("empty", &capture, NULL);
	test_true("empty",
	    conf->domain == NULL && conf->key_table == NULL &&
		conf->peers == NULL && conf->internal != NULL &&
		conf->backend != NULL);
	test_int("canon", conf->header_canon, DKIM_RELAXED);
	test_int("canon", conf->body_canon, DKIM_RELAXED);
	test_true("From is oversigned",
	    dkim_names_has(conf->oversign, slice_text("From")));
	test_true("the sender is From",
	    dkim_names_has(conf->sender, slice_text("From")));
	conf_unref(conf);

	conf = make("Canonicalization simple\nMinimum 50%\nAuthservID "
		    "HOSTNAME\nMTA ORIGINATING\n"
		    "MacroList daemon_name=A|B\nSignHeaders "
		    "*,+X-Mine\nRemoveARFrom a.b,c.d\n"
		    "SenderHeaders List-Post,Sender,From\n");
	test_true("values", conf != NULL);
	capture_check("values", &capture, NULL);
	test_int("one word is the header's", conf->header_canon, DKIM_SIMPLE);
	test_int("one word is the header's", conf->body_canon, DKIM_SIMPLE);
	test_int("minimum", conf->minimum.kind, DKIM_MINIMUM_PERCENT);
	test_int("minimum", conf->minimum.value, 50);
	test_int("host name", gethostname(host, sizeof(host) - 1), 0);
	test_str("host name", conf->options.authserv_id, host);
	test_true("+X-Mine", dkim_names_has(conf->sign, slice_text("x-mine")));
	test_int("senders", dkim_names_count(conf->sender), 3);
	test_int("lists", dataset_count(conf->remove_ar_from), 2);
	conf_unref(conf);
}

static void
conf_new_rows(void **state)
{
	struct conf *conf;
	char text[900], want[300];

	(void)state;
	capture_text("keys",
	    "k1 example.com:s:/k/1\n# two\nk2 example.com:s\n"
	    "k3 %:s:/k/%:rsa-sha1\nk1 example.net:s:/k/2\nk4 "
	    "example.com:s:name\n");
	capture_text("signing",
	    "*@example.com k1\n*@example.net nosuch\n"
	    "*@example.org %\n*@a.example\n*@b\xc3\xbc"
	    "cher.example k1\n"
	    "u@example.com k3:@%\n(bad k1\n");
	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nKeyTable file:keys\n"
	    "SigningTable refile:signing\n",
	    capture_dir());
	conf = make(text);
	test_true("faults of rows do not stop", conf != NULL);
	test_int("rows", capture.report.rows, 6);
	test_int("fatals", capture.report.fatals, 0);
	capture_check("form", &capture,
	    "/keys:3: KeyTable: \"k2\": wanted is domain:selector:key");
	capture_check("sha1", &capture,
	    "/keys:4: KeyTable: \"k3\": rsa-sha1 is never used");
	capture_check(
	    "twice", &capture, "/keys:5: KeyTable: \"k1\": never used");
	capture_check(
	    "key", &capture, "/keys:6: KeyTable: \"k4\": the key is no path");
	snprintf(want, sizeof(want),
	    "R %s/signing:2: SigningTable: \"nosuch\": no row of "
	    "KeyTable",
	    capture_dir());
	capture_check("name", &capture, want);
	capture_check("no name", &capture,
	    "/signing:4: SigningTable: \"*@a.example\": the key");
	capture_check("U-label", &capture, "write xn--bcher-kva.example");
	capture_check(
	    "pattern", &capture, "/signing:7: SigningTable: pattern \"(bad\"");
	conf_unref(conf);
}

/* KeyTable as refile is the commonest copy in the field; its names have case.
 */
static void
conf_new_key_table_refile(void **state)
{
	struct conf *conf;
	char text[900];
	struct row row;
	size_t n;

	(void)state;
	capture_text("keys",
	    "mail._domainkey.example.com example.com:mail:/k/mail.private\n"
	    "all* %:mail:/k/%\n");
	capture_text("signing",
	    "*@example.com mail._domainkey.example.com\n*@a.example Mail._x\n"
	    "*@b.example all-of-them\n");
	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nKeyTable refile:keys\n"
	    "SigningTable refile:signing\n",
	    capture_dir());
	conf = make(text);
	test_true("made", conf != NULL);
	test_int("rows", capture.report.rows, 1);
	capture_check(
	    "case", &capture, "signing:2: SigningTable: \"Mail._x\": no row");
	test_int("find",
	    dataset_find(conf->key_table,
		slice_text("mail._domainkey.example.com"), false, &row, 1, &n),
	    0);
	test_int("find", n, 1);
	conf_unref(conf);
}

static void
conf_new_fatal(void **state)
{
	const struct {
		const char *text, *message;
	} rows[] = {
		{ "KeyTable csl:k=a.bc:s:pkcs11:object=k\nSigningTable "
		  "csl:a.bc=k\n",
		    "dkimd.conf:1: KeyTable: \"k\": keys in a token are not "
		    "supported yet" },
		{ "KeyTable /nonexistent/k\nSigningTable csl:a=k\n",
		    "dkimd.conf:1: KeyTable: cannot read \"/nonexistent/k\": "
		    "no such file" },
		{ "InternalHosts 10.0.0.0/99\n",
		    "dkimd.conf:1: InternalHosts: \"10.0.0.0/99\"" },
		{ "PeerList dsn:mysql://x\n",
		    "dkimd.conf:1: PeerList: data sets of kind" },
		{ "SignHeaders From,a b\n",
		    "dkimd.conf:1: SignHeaders: \"a b\": wanted is a list" },
		{ "OversignHeaders *\n",
		    "dkimd.conf:1: OversignHeaders: \"*\": wanted is" },
		{ "ExemptDomains file:x\n",
		    "dkimd.conf:1: ExemptDomains: \"x\": a relative path" },
	};
	struct conf *conf;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		conf = make(rows[i].text);
		test_true(rows[i].text, conf == NULL);
		capture_check(rows[i].text, &capture, rows[i].message);
	}
	conf = make(
	    "InternalHosts x y\nSignHeaders a b\nPeerList /nonexistent/x\n");
	test_true("all", conf == NULL);
	test_int("all are named", capture.report.fatals, 3);
}

static void
conf_new_macro_list(void **state)
{
	struct conf *conf = make("MacroList {daemon_name}=A\n");

	(void)state;
	test_true("made", conf != NULL);
	capture_check("braces", &capture,
	    "MacroList: \"{daemon_name}\": a macro is named without");
	conf_unref(conf);
}

static unsigned lasts;

static void
last(struct conf *conf)
{
	(void)conf;
	lasts++;
}

static void
conf_slot_references(void **state)
{
	struct conf *a = make(""), *b = make("UMask 2\n"), *got;
	struct conf_slot slot;

	(void)state;
	a->last = last;
	b->last = last;
	test_int("init", conf_slot_init(&slot, a), 0);
	got = conf_slot_get(&slot);
	test_true("the first", got == a);
	test_true("the old one", conf_slot_swap(&slot, b) == a);
	conf_unref(a);
	test_int("a message still holds it", lasts, 0);
	conf_unref(got);
	test_int("the last one gone", lasts, 1);
	got = conf_slot_get(&slot);
	test_true("the second", got == b);
	conf_unref(got);
	conf_unref(conf_slot_swap(&slot, NULL));
	test_int("gone, too", lasts, 2);
	conf_unref(NULL);
	pthread_mutex_destroy(&slot.lock);
}

static bool
run_new(void *arg)
{
	struct options options;
	struct conf *conf = NULL;
	int error;

	capture_init(&capture);
	error = conf_options_load(arg, NULL, 0, &capture.report, &options);
	if (error == 0)
		error = conf_new(&options, &capture.report, &conf);
	conf_unref(conf);
	return error == 0;
}

static void
conf_new_no_memory(void **state)
{
	char text[900], path[300];

	(void)state;
	capture_text("keys", "k1 example.com:s:/k/1\n");
	capture_text("signing", "*@example.com k1\n(a|b)@x.example k1\n");
	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nKeyTable file:keys\n"
	    "SigningTable refile:signing\nAuthservID HOSTNAME\nMTA "
	    "x\nDontSignMailTo y\n"
	    "ExemptDomains z\n",
	    capture_dir());
	snprintf(path, sizeof(path), "%s", capture_text("memory.conf", text));
	test_every_allocation(run_new, path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conf_new_values),
		cmocka_unit_test(conf_new_rows),
		cmocka_unit_test(conf_new_key_table_refile),
		cmocka_unit_test(conf_new_fatal),
		cmocka_unit_test(conf_new_macro_list),
		cmocka_unit_test(conf_slot_references),
		cmocka_unit_test(conf_new_no_memory),
	};

	return CAPTURE_RUN(tests);
}
