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
	    "example.com:s:name\nexample.com:s:/k/1\n"
	    "k5 example.com:s:MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggS-\n");
	capture_text("signing",
	    "*@example.com k1\n*@example.net nosuch\n"
	    "*@example.org %\n*@a.example\n"
	    "u@example.com k3:@%\n");
	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nKeyTable file:keys\n"
	    "SigningTable refile:signing\n",
	    capture_dir());
	conf = make(text);
	test_true("faults of rows do not stop", conf != NULL);
	test_int("rows", capture.report.rows, 6);
	test_int("fatals", capture.report.fatals, 0);
	capture_check("form", &capture,
	    "/keys:3: KeyTable: \"k2\": \"example.com:s\": wanted is "
	    "domain:selector:key");
	capture_check("sha1", &capture,
	    "/keys:4: KeyTable: \"k3\": rsa-sha1 is never used");
	capture_check(
	    "twice", &capture, "/keys:5: KeyTable: \"k1\": never used");
	capture_check("key", &capture,
	    "/keys:6: KeyTable: \"k4\": \"example.com:s:name\": the key is no");
	capture_check("no name", &capture,
	    "/keys:7: KeyTable: \"example.com:s:/k/1\": only a name, or only a "
	    "value; wanted is name, blanks, domain:selector:key");
	capture_check("a key is not shown", &capture,
	    "/keys:8: KeyTable: \"k5\": \"example.com:s...\": the key is no");
	test_true("a key is not shown",
	    strstr(capture.text, "MIIEvQ") == NULL);
	snprintf(want, sizeof(want),
	    "R %s/signing:2: SigningTable: \"nosuch\": no row of "
	    "KeyTable",
	    capture_dir());
	capture_check("name", &capture, want);
	capture_check("no name", &capture,
	    "/signing:4: SigningTable: \"*@a.example\": the key");
	conf_unref(conf);
}

/* Whose mail a row was for is not known: it would pass unsigned. All faults are
 * named in one run. */
static void
conf_new_unknown_mail(void **state)
{
	char text[900];

	(void)state;
	capture_text("keys", "k1 example.com:s:/k/1\nk2 example.com:s\n");
	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nKeyTable file:keys\n"
	    "SigningTable refile:signing\n",
	    capture_dir());
	capture_text("signing", "*@example.com k1\n(bad k1\n");
	test_true("pattern", make(text) == NULL);
	capture_check("pattern", &capture, "F ");
	capture_check(
	    "pattern", &capture, "/signing:2: SigningTable: pattern \"(bad\"");
	capture_check("the other table, too", &capture, "/keys:2: KeyTable:");
	capture_text("signing", "*@example.com k1\n*@b\xc3\xbc"
				"cher.example k1\n");
	test_true("U-label", make(text) == NULL);
	test_int("U-label", capture.report.fatals, 1);
	capture_check("U-label", &capture,
	    "write xn--bcher-kva.example");
	test_true("Domain", make("Domain b\xc3\xbc"
				 "cher.example\nSelector s\nKeyFile /k\n") ==
	    NULL);
	capture_check("Domain", &capture, "write xn--bcher-kva.example");
}

/* A table without "file:" in front reads as a list of one item. */
static void
conf_new_forgotten_file(void **state)
{
	(void)state;
	test_true("both", make("KeyTable KeyTable\nSigningTable Signing\n") ==
	    NULL);
	test_int("no rows", capture.report.rows, 0);
	capture_check("KeyTable", &capture,
	    "F ");
	capture_check("KeyTable", &capture,
	    "dkimd.conf:1: KeyTable: \"KeyTable\" is a list of one item "
	    "without \"=\"; is this a path? write file:/path/KeyTable or "
	    "refile:/path/KeyTable");
	capture_check("SigningTable", &capture,
	    "dkimd.conf:2: SigningTable: \"Signing\" is a list");
	conf_unref(make("KeyTable csl:k=a.bc:s:/k\nSigningTable csl:a.bc=\n"));
	test_int("no key name", capture.report.fatals, 0);
	test_int("no key name", capture.report.rows, 1);
	test_true("one", make("KeyTable KeyTable\nSigningTable csl:a.bc=k\n") ==
	    NULL);
	test_int("one", capture.report.rows, 0);
}

/* Rows that match nothing: a warning with what to write, and no other. */
static void
conf_new_dead_rows(void **state)
{
	const struct {
		const char *name, *kind, *row;
		const char *want; /* NULL: no warning */
	} rows[] = {
		{ "domain", "refile", "example.com k",
		    "\"example.com\" matches no address: a refile is asked for "
		    "user@host; write *@example.com" },
		{ "at", "refile", "@example.com k", "write *@example.com" },
		{ "dot", "refile", ".example.com k", "write *.example.com" },
		{ "at and star", "refile", "@*.example.com k",
		    "write *@*.example.com" },
		{ "address", "refile", "u@example.com k", NULL },
		{ "all", "refile", "* k", NULL },
		{ "star", "refile", "*@example.com k", NULL },
		{ "star and domain", "refile", "*example.com k", NULL },
		{ "live", "refile", "(a|b)@example.com k", NULL },
		{ "file, at", "file", "@example.com k",
		    "\"@example.com\" matches no address in a file or list; "
		    "write example.com, or refile:/path for patterns" },
		{ "file, star", "file", "*@example.com k",
		    "write example.com," },
		{ "file, below", "file", "*@*.example.com k",
		    "write .example.com," },
		{ "file, hosts", "file", "*.example.com k",
		    "write .example.com," },
		{ "file, address below", "file", "u@*.example.com k",
		    "write u@.example.com," },
		{ "file, inner star", "file", "a*b@example.com k",
		    "only patterns of refile: have *" },
		{ "file, domain", "file", "example.com k", NULL },
		{ "file, suffix", "file", ".example.com k", NULL },
		{ "file, address suffix", "file", "u@.example.com k", NULL },
		{ "file, local", "file", "u@* k", NULL },
		{ "file, all", "file", "* k", NULL },
		{ "outside", "refile", "*@example.com k:postmaster@example.org",
		    "names a signer outside of its key's domain, so no i= is "
		    "written; write one in example.com" },
		{ "inside", "refile", "*@example.com k:u@a.example.com", NULL },
		{ "same", "refile", "*@example.com k:example.com", NULL },
		{ "percent", "refile", "*@example.com k:@%", NULL },
		{ "repeated", "refile", "*@a.example k\n*@A.example k2",
		    "is never used: an earlier row has the same pattern" },
		{ "repeated in a file", "file", "a.example k\na.example k2",
		    "is never used: an earlier row has the same pattern" },
		{ "the same twice", "file", "a.example k\na.example k", NULL },
	};
	struct conf *conf;
	char text[900];

	(void)state;
	capture_text("keys", "k example.com:s:/k/1\nk2 example.com:t:/k/2\n");
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof(text), "%s\n", rows[i].row);
		capture_text("signing", text);
		snprintf(text, sizeof(text),
		    "BaseDirectory %s\nKeyTable file:keys\n"
		    "SigningTable %s:signing\n",
		    capture_dir(), rows[i].kind);
		conf = make(text);
		test_true(rows[i].name, conf != NULL);
		test_int(rows[i].name, capture.report.warnings,
		    rows[i].want != NULL);
		if (rows[i].want != NULL) {
			capture_check(rows[i].name, &capture, rows[i].want);
			capture_check(rows[i].name, &capture, "/signing:");
		}
		conf_unref(conf);
	}
	capture_text("signing", "*@a.example k\n*@a.example k2\n");
	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nKeyTable file:keys\nMultipleSignatures yes\n"
	    "SigningTable refile:signing\n",
	    capture_dir());
	conf_unref(make(text));
	capture_check("both sign", &capture, NULL);
}

/* Items of lists of domains that match nothing. */
static void
conf_new_dead_items(void **state)
{
	const struct {
		const char *text, *want;
	} rows[] = {
		{ "DontSignMailTo *@x.example\n",
		    "dkimd.conf:1: DontSignMailTo: \"*@x.example\" matches "
		    "nothing here; write x.example" },
		{ "DontSignMailTo u@x.example,.y.example\n",
		    "\".y.example\" matches nothing here; write y.example and "
		    "each host below it" },
		{ "DontSignMailTo u@x.example,localhost\n", NULL },
		{ "RemoveARFrom *.example.org\n",
		    "RemoveARFrom: \"*.example.org\" matches nothing here; "
		    "write example.org" },
		{ "RemoveARFrom mx.example.org,mx\n", NULL },
		{ "Domain exa mple.org\nSelector s\nKeyFile /k\n",
		    "Domain: \"exa mple.org\" is no domain" },
		{ "Domain *.example.net\nSelector s\nKeyFile /k\n",
		    "Domain: \"*.example.net\" matches nothing here; write "
		    "example.net and SubDomains yes" },
		{ "Domain example.net\nSelector s\nKeyFile /k\n", NULL },
		{ "ExemptDomains .example.net\n",
		    "ExemptDomains: \".example.net\" matches nothing here" },
		{ "ExemptDomains example.net,a.example\n", NULL },
	};
	struct conf *conf;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		conf = make(rows[i].text);
		test_true(rows[i].text, conf != NULL);
		test_int(rows[i].text, capture.report.warnings,
		    rows[i].want != NULL);
		capture_check(rows[i].text, &capture, rows[i].want);
		conf_unref(conf);
	}
}

/* What a URI of a row may not carry (DESIGN "Threats"): a fault of that row. */
static void
conf_new_uris(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "pkcs11:token=t;object=k", NULL },
		{ "pkcs11:token=t;id=%01%02?pin-source=file:/etc/pin", NULL },
		{ "pkcs11:object=k?pin-value=1234",
		    "pin-value is allowed in the configuration file only" },
		{ "pkcs11:object=k?pin-source=|/bin/pin", "is a command" },
		{ "pkcs11:object=k?pin-source=pin", "not the full path" },
		{ "pkcs11:object=k?module-path=/x.so",
		    "module-path is not allowed" },
		{ "pkcs11:object=k?module-name=x",
		    "module-name is not allowed" },
		{ "pkcs11:object=k;object=l", "stands there twice" },
		{ "pkcs11:label=k", "unknown attribute" },
	};
	struct conf *conf;
	char text[900];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof(text), "k a.example:s:%s\n",
		    rows[i].text);
		capture_text("keys", text);
		capture_text("signing", "a.example k\n");
		snprintf(text, sizeof(text), "BaseDirectory %s\n"
		    "KeyTable file:keys\nSigningTable file:signing\n",
		    capture_dir());
		conf = make(text);
		test_true(rows[i].text, conf != NULL);
		test_int(rows[i].text, capture.report.rows,
		    rows[i].want != NULL);
		capture_check(rows[i].text, &capture, rows[i].want);
		conf_unref(conf);
	}
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
		cmocka_unit_test(conf_new_unknown_mail),
		cmocka_unit_test(conf_new_forgotten_file),
		cmocka_unit_test(conf_new_dead_rows),
		cmocka_unit_test(conf_new_dead_items),
		cmocka_unit_test(conf_new_uris),
		cmocka_unit_test(conf_new_key_table_refile),
		cmocka_unit_test(conf_new_fatal),
		cmocka_unit_test(conf_new_macro_list),
		cmocka_unit_test(conf_slot_references),
		cmocka_unit_test(conf_new_no_memory),
	};

	return CAPTURE_RUN(tests);
}
