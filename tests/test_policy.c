/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who signs as whom: the rows of MIGRATION 2c and 2d (marked [V] there: seen in
 * OpenDKIM), BEHAVIOUR 3, PROBLEMS 20 and 53.
 */

/* this room */
#include <netinet/in.h>

#include "tests/capture.h"
#include "milter/policy.h"

#include <arpa/inet.h>

struct decided {
	struct conf		*conf;
	struct dkim_header	*header;
	struct arena		 arena;
	struct buf		 trace;
	struct macros		 macros;
	struct policy		 p;
	unsigned		 lookups;
	char			 keys[2048];	/* looked up */
};

static struct conf *
open_conf(const char *text)
{
	static struct capture capture;
	struct options options;
	struct conf *conf;

	capture_init(&capture);
	if (conf_options_load(capture_text("dkimd.conf", text), NULL, 0,
	    &capture.report, &options) != 0 ||
	    conf_new(&options, &capture.report, &conf) != 0) {
		fprintf(stderr, "# configuration: %s\n", capture.text);
		fail();
		return NULL;
	}
	return conf;
}

static const struct dataset *
table(const struct conf *conf, enum want_table which)
{
	return which == TABLE_SIGNING ? conf->signing_table :
	    which == TABLE_KEY ? conf->key_table : conf->domain;
}

/*
 * Decide about a header of "Name: value\n" lines from a client.
 */
static void
decide(struct decided *d, const char *conf, const char *client,
    const char *header)
{
	struct policy_facts facts;
	struct policy_need need;
	struct sockaddr_in sin = { .sin_family = AF_INET };
	struct row rows[WANT_ROWS_MAX];
	const char *end, *colon;
	size_t n, at = 0;

	d->conf = open_conf(conf);
	assert_int_equal(dkim_header_new(0, &d->header), 0);
	for (; *header != '\0'; header = end + 1) {
		colon = strchr(header, ':');
		end = strchr(colon, '\n');
		assert_int_equal(dkim_header_add_milter(d->header,
		    slice_of(header, (size_t)(colon - header)),
		    slice_of(colon + 1, (size_t)(end - colon) - 1)), 0);
	}
	arena_init(&d->arena, 1 << 24);
	buf_init(&d->trace, 65536);
	assert_int_equal(inet_pton(AF_INET, client, &sin.sin_addr), 1);
	facts = (struct policy_facts){ .conf = d->conf, .macros = &d->macros,
	    .client_name = slice_text("client.example.net"),
	    .address = (struct sockaddr *)&sin, .header = d->header };
	policy_begin(&d->p, &facts, &d->arena, &d->trace);
	d->keys[0] = '\0';
	d->lookups = 0;
	while (policy_needs(&d->p, &need)) {
		at += (size_t)snprintf(d->keys + at, sizeof(d->keys) - at,
		    "%.*s ", (int)need.key.n, (const char *)need.key.p);
		n = 0;
		if (need.key.n <= DATASET_KEY_MAX)
			assert_int_equal(dataset_find(table(d->conf,
			    need.table), need.key, need.nocase, rows,
			    WANT_ROWS_MAX, &n), 0);
		policy_give(&d->p, rows, n);
		assert_true(++d->lookups < 1000);
	}
	buf_add_nul(&d->trace);
}

static void
undecide(struct decided *d)
{
	dkim_header_free(d->header);
	arena_clear(&d->arena);
	buf_clear(&d->trace);
	conf_unref(d->conf);
}

static void
check_slice(const char *row, struct slice got, const char *want)
{
	test_octets(row, got.p, got.n, want, strlen(want));
}

#define SOCKET "Socket inet:1@localhost\n"
#define KEY_TABLE "KeyTable csl:k=d.example:s:/k,%=x.example:s:/k," \
	"p=%:s:/keys/%/key,Case=c.example:s:/k,w=ex.org:s:/k,ex.org=e:s:/k\n"

static void
policy_refile_patterns(void **state)
{
	/* MIGRATION 2c, column "refile" */
	const struct {
		const char *pattern, *sender;
		bool match;
	} rows[] = {
		{ "*@ex.org", "a@ex.org", true },
		{ "*@ex.org", "a@sub.ex.org", false },
		{ "*@ex.org", "a@notex.org", false },
		{ "*@ex.org", "A@EX.ORG", true },
		{ "*@*.ex.org", "a@sub.ex.org", true },
		{ "*@*.ex.org", "a@x.sub.ex.org", true },
		{ "*@*.ex.org", "a@ex.org", false },
		{ "*ex.org", "a@ex.org", true },
		{ "*ex.org", "a@sub.ex.org", true },
		{ "*ex.org", "a@notex.org", true },
		{ "*ex.org", "a@ex.com", false },
		{ "ex.org", "a@ex.org", false },
		{ "@ex.org", "a@ex.org", false },
		{ ".ex.org", "a@sub.ex.org", false },
		{ "*", "a@ex.org", true },
		{ "u?@ex.org", "u@ex.org", true },
		{ "(x|u)@ex.org", "u@ex.org", true },
		{ "a+b@ex.org", "a+b@ex.org", true },
		{ "a.b@ex.org", "axb@ex.org", false },
	};
	struct decided d = { 0 };
	char conf[512], line[128], header[128];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(line, sizeof(line), "%s k\n", rows[i].pattern);
		snprintf(conf, sizeof(conf), "%sSigningTable refile:%s\n",
		    SOCKET KEY_TABLE, capture_text("st", line));
		snprintf(header, sizeof(header), "From: %s\n",
		    rows[i].sender);
		decide(&d, conf, "127.0.0.1", header);
		snprintf(line, sizeof(line), "%s %s", rows[i].pattern,
		    rows[i].sender);
		test_int(line, d.p.role, rows[i].match ? POLICY_SIGN :
		    POLICY_NONE);
		test_int(line, d.p.n_keys, rows[i].match);
		undecide(&d);
	}
}

static void
policy_literal_patterns(void **state)
{
	/* MIGRATION 2c, column "file/csl/db/SQL" */
	const struct {
		const char *pattern, *sender;
		bool match;
	} rows[] = {
		{ "*@ex.org", "a@ex.org", false },
		{ "*@*.ex.org", "a@sub.ex.org", false },
		{ "*ex.org", "a@ex.org", false },
		{ "ex.org", "a@ex.org", true },
		{ "ex.org", "a@EX.org", true },
		{ "ex.org", "a@sub.ex.org", false },
		{ "@ex.org", "a@ex.org", false },
		{ ".ex.org", "a@sub.ex.org", true },
		{ ".ex.org", "a@x.y.sub.ex.org", true },
		{ ".ex.org", "a@ex.org", false },
		{ "*", "a@anything.example", true },
		{ "a@ex.org", "a@ex.org", true },
		{ "A@ex.org", "a@ex.org", true },
		{ "a@ex.org", "b@ex.org", false },
		{ "a@.ex.org", "a@sub.ex.org", true },
		{ "a@*", "a@anything.example", true },
	};
	struct decided d = { 0 };
	char conf[512], line[128], header[128];
	size_t i;

	(void)state;
	for (i = 0; i < 2 * TEST_COUNT(rows); i++) {
		const char *pattern = rows[i / 2].pattern;

		snprintf(line, sizeof(line), "%s k\n", pattern);
		if (i % 2 == 0)
			snprintf(conf, sizeof(conf), "%s"
			    "SigningTable file:%s\n", SOCKET KEY_TABLE,
			    capture_text("st", line));
		else
			snprintf(conf, sizeof(conf), "%s"
			    "SigningTable csl:%s=k\n", SOCKET KEY_TABLE,
			    pattern);
		snprintf(header, sizeof(header), "From: <%s>\n",
		    rows[i / 2].sender);
		decide(&d, conf, "127.0.0.1", header);
		snprintf(line, sizeof(line), "%s %s", pattern,
		    rows[i / 2].sender);
		test_int(line, d.p.role, rows[i / 2].match ? POLICY_SIGN :
		    POLICY_NONE);
		undecide(&d);
	}
}

static void
policy_order_first_hit(void **state)
{
	struct decided d = { 0 };
	char conf[1024];
	size_t i;

	(void)state;
	decide(&d, SOCKET KEY_TABLE "SigningTable csl:*=w,.ex.org=w,a@*=w,"
	    "a@.ex.org=k\n", "127.0.0.1", "From: a@b.ex.org\n");
	check_slice("the first in the order of look-ups", d.p.keys[0].name,
	    "k");
	test_int("one", d.p.n_keys, 1);
	test_str("asked", d.keys, "a@b.ex.org b.ex.org a@.ex.org k ");
	undecide(&d);
	decide(&d, SOCKET KEY_TABLE "MultipleSignatures yes\n"
	    "SigningTable csl:*=w,.ex.org=w,a@.ex.org=k\n", "127.0.0.1",
	    "From: a@b.ex.org\n");
	test_int("all levels, one row a value", d.p.n_keys, 2);
	undecide(&d);
	for (i = 0; i < 2; i++) {
		snprintf(conf, sizeof(conf), SOCKET "%s%sSigningTable "
		    "refile:%s\n", KEY_TABLE, i == 0 ? "" :
		    "MultipleSignatures yes\n", capture_text("st",
		    "*@other.org k\n*@ex.org w\n*ex.org k\n"));
		decide(&d, conf, "127.0.0.1", "From: a@ex.org\n");
		test_int("patterns", d.p.n_keys, i + 1);
		check_slice("in file order", d.p.keys[0].name, "w");
		undecide(&d);
	}
}

/*
 * keyname[:signer]; "%"; case of key names.
 */
static void
policy_key_names(void **state)
{
	const struct {
		const char *name, *value, *from, *d, *i;
		enum policy_fault fault;
	} rows[] = {
		{ "plain", "k", "a@ex.org", "d.example", "", 0 },
		{ "key name % is the domain", "%", "a@ex.org", "", "",
		    POLICY_FAULT_OURS },
		{ "d= % is the domain", "p", "a@Ex.ORG", "ex.org", "", 0 },
		{ "signer inside d=", "w:joe@sub.ex.org", "a@ex.org",
		    "ex.org", "joe@sub.ex.org", 0 },
		{ "signer % is the domain", "p:@%", "a@ex.org", "ex.org",
		    "@ex.org", 0 },
		{ "signer of no @", "p:%", "a@ex.org", "ex.org", "@ex.org",
		    0 },
		{ "signer outside d= is dropped", "w:@other.example",
		    "a@ex.org", "ex.org", "", 0 },
		{ "signer of a longer name", "w:@notex.org", "a@ex.org",
		    "ex.org", "", 0 },
		{ "unknown key", "nokey", "a@ex.org", "", "",
		    POLICY_FAULT_OURS },
		{ "key names keep their case", "case", "a@ex.org", "", "",
		    POLICY_FAULT_OURS },
		{ "key names keep their case, right", "Case", "a@ex.org",
		    "c.example", "", 0 },
	};
	struct decided d = { 0 };
	char conf[512], header[128];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), "%s"
		    "SigningTable csl:*=%s\n", SOCKET KEY_TABLE, rows[i].value);
		snprintf(header, sizeof(header), "From: %s\n", rows[i].from);
		decide(&d, conf, "127.0.0.1", header);
		test_int(rows[i].name, d.p.role, POLICY_SIGN);
		test_int(rows[i].name, d.p.fault, rows[i].fault);
		if (rows[i].fault == 0) {
			check_slice(rows[i].name, d.p.keys[0].domain,
			    rows[i].d);
			check_slice(rows[i].name, d.p.keys[0].identity,
			    rows[i].i);
		}
		undecide(&d);
	}
	decide(&d, SOCKET "KeyTable csl:ex.org=%:s:/k\n"
	    "SigningTable csl:*=%\n", "127.0.0.1", "From: a@EX.org\n");
	check_slice("% twice", d.p.keys[0].domain, "ex.org");
	undecide(&d);
}

/*
 * The sender: SenderHeaders' first field present, by RFC 5322.
 */
static void
policy_senders(void **state)
{
	const struct {
		const char *name, *headers, *header, *sender;
		enum policy_role role;
	} rows[] = {
		{ "comment and phrase", "From",
		    "From: \"x@evil.example\" (a@b) <joe@ex.org>\n",
		    "joe@ex.org", POLICY_SIGN },
		{ "quoted local part with @", "From",
		    "From: \"a@evil.example\"@ex.org\n",
		    "a@evil.example@ex.org", POLICY_SIGN },
		{ "source route", "From",
		    "From: <@relay.example,@b.example:joe@ex.org>\n",
		    "joe@ex.org", POLICY_SIGN },
		{ "first field present", "Sender,From",
		    "From: a@other.example\nSender: joe@ex.org\n",
		    "joe@ex.org", POLICY_SIGN },
		{ "next field", "Sender,From", "From: joe@ex.org\n",
		    "joe@ex.org", POLICY_SIGN },
		{ "only Sender matches", "From",
		    "From: a@other.example\nSender: joe@ex.org\n",
		    "a@other.example", POLICY_NONE },
		{ "Sender without From", "Sender,From",
		    "Sender: joe@ex.org\n", "joe@ex.org", POLICY_NONE },
		{ "several, all match", "From",
		    "From: joe@ex.org, jane@ex.org\n", "joe@ex.org",
		    POLICY_SIGN },
		{ "several, the second does not", "From",
		    "From: joe@ex.org, jane@other.example\n", "joe@ex.org",
		    POLICY_NONE },
		{ "several, the first does not", "From",
		    "From: jane@other.example, joe@ex.org\n",
		    "jane@other.example", POLICY_NONE },
		{ "no domain", "From", "From: joe\n", "", POLICY_NONE },
	};
	struct decided d = { 0 };
	char conf[512];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), "%s" "SenderHeaders %s\n"
		    "SigningTable csl:ex.org=k\n", SOCKET KEY_TABLE,
		    rows[i].headers);
		decide(&d, conf, "127.0.0.1", rows[i].header);
		test_int(rows[i].name, d.p.role, rows[i].role);
		if (rows[i].sender[0] != '\0')
			check_slice(rows[i].name, d.p.senders[0].text,
			    rows[i].sender);
		test_int(rows[i].name, d.p.warn, i == 8);
		undecide(&d);
	}
	/* U-labels are matched in their A-label form (RFC 5891) */
	decide(&d, SOCKET KEY_TABLE
	    "SigningTable csl:xn--bcher-kva.example=p\n", "127.0.0.1",
	    "From: joe@b\xc3\xbc" "cher.example\n");
	test_int("U-label", d.p.role, POLICY_SIGN);
	check_slice("U-label", d.p.keys[0].domain, "xn--bcher-kva.example");
	undecide(&d);
}

static void
policy_single_key(void **state)
{
	const struct {
		const char *name, *conf, *from, *d, *i;
	} rows[] = {
		{ "domain", "", "a@ex.org", "ex.org", "" },
		{ "sub-domain without SubDomains", "", "a@x.ex.org", NULL,
		    NULL },
		{ "sub-domain", "SubDomains yes\n", "a@y.x.ex.org", "ex.org",
		    "@ex.org" },
		{ "domain with SubDomains", "SubDomains yes\n", "a@ex.org",
		    "ex.org", "" },
		{ "longer name", "SubDomains yes\n", "a@notex.org", NULL,
		    NULL },
		{ "second of the list", "", "a@Two.example", "two.example",
		    "" },
	};
	struct decided d = { 0 };
	char conf[512], header[128];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), SOCKET "Domain ex.org,two.example"
		    "\nSelector sel\nKeyFile /k/one\n%s", rows[i].conf);
		snprintf(header, sizeof(header), "From: %s\n", rows[i].from);
		decide(&d, conf, "127.0.0.1", header);
		test_int(rows[i].name, d.p.role, rows[i].d == NULL ?
		    POLICY_NONE : POLICY_SIGN);
		if (rows[i].d != NULL) {
			check_slice(rows[i].name, d.p.keys[0].domain,
			    rows[i].d);
			check_slice(rows[i].name, d.p.keys[0].identity,
			    rows[i].i);
			check_slice(rows[i].name,
			    d.p.keys[0].key_row.selector, "sel");
			/* SOCKET is the first line */
			test_int(rows[i].name, d.p.keys[0].row.line, 4);
			check_slice(rows[i].name, d.p.keys[0].key_row.key,
			    "/k/one");
		}
		undecide(&d);
	}
}

/*
 * MIGRATION 2d: whose mail it is.
 */
static void
policy_origins(void **state)
{
	const struct {
		const char *name, *conf, *client, *macro, *value, *why;
		bool ours;
	} rows[] = {
		{ "internal by default", "", "127.0.0.1", NULL, NULL,
		    "is internal", true },
		{ "external", "", "192.0.2.1", NULL, NULL, "not internal",
		    false },
		{ "InternalHosts replaces", "InternalHosts 192.0.2.1\n",
		    "127.0.0.1", NULL, NULL, "not authenticated", false },
		{ "InternalHosts", "InternalHosts 192.0.2.0/24\n",
		    "192.0.2.1", NULL, NULL, "is internal", true },
		{ "authenticated", "", "192.0.2.1", "{auth_type}", "PLAIN",
		    "authenticated: ", true },
		{ "empty auth_type", "", "192.0.2.1", "{auth_type}", "",
		    "not authenticated", false },
		{ "MTA", "MTA ORIGINATING\n", "192.0.2.1", "{daemon_name}",
		    "ORIGINATING", "MTA name match", true },
		{ "other MTA", "MTA ORIGINATING\n", "192.0.2.1",
		    "{daemon_name}", "MTA-v4", "no MTA name match: 'MTA-v4'",
		    false },
		{ "no daemon_name", "MTA ORIGINATING\n", "192.0.2.1", NULL,
		    NULL, "macro {daemon_name} is missing", false },
		{ "MacroList value", "MacroList auth_authen=joe|jane\n",
		    "192.0.2.1", "{auth_authen}", "jane", "macros match",
		    true },
		{ "MacroList other value", "MacroList auth_authen=joe|jane\n",
		    "192.0.2.1", "{auth_authen}", "Jane",
		    "macro 'auth_authen' has another value", false },
		{ "MacroList part of a value",
		    "MacroList auth_authen=joe|jane\n", "192.0.2.1",
		    "{auth_authen}", "jan", "another value", false },
		{ "MacroList without value", "MacroList x_out\n",
		    "192.0.2.1", "{x_out}", "1", "macros match", true },
		{ "MacroList, macro missing", "MacroList x_out\n",
		    "192.0.2.1", NULL, NULL, "macro 'x_out' is missing",
		    false },
		{ "MacroList, later one hits", "MacroList x_out=1,y=2\n",
		    "192.0.2.1", "y", "2", "macros match: 'y'", true },
	};
	struct decided d = { 0 };
	char conf[512];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), "%s" "Mode sv\n"
		    "SigningTable csl:*=k\n%s", SOCKET KEY_TABLE, rows[i].conf);
		if (rows[i].macro != NULL)
			assert_int_equal(macros_set(&d.macros, rows[i].macro,
			    rows[i].value), 0);
		decide(&d, conf, rows[i].client, "From: a@ex.org\n");
		test_int(rows[i].name, d.p.ours, rows[i].ours);
		test_int(rows[i].name, d.p.role, rows[i].ours ? POLICY_SIGN :
		    POLICY_VERIFY);
		if (strstr((char *)d.trace.p, rows[i].why) == NULL) {
			fprintf(stderr, "# %s: trace: %s", rows[i].name,
			    (char *)d.trace.p);
			fail();
		}
		undecide(&d);
		macros_clear(&d.macros);
	}
}

static void
policy_left_alone(void **state)
{
	const struct {
		const char *name, *conf, *client, *reason;
		enum policy_role role;
		bool external;
	} rows[] = {
		{ "peer", "PeerList 192.0.2.1\n", "192.0.2.1", "PeerList",
		    POLICY_NONE, false },
		{ "exempt, outside", "ExemptDomains ex.org\n", "192.0.2.1",
		    "ExemptDomains", POLICY_NONE, false },
		{ "exempt, inside", "ExemptDomains ex.org\n", "127.0.0.1",
		    "ExemptDomains", POLICY_NONE, false },
		{ "not exempt", "ExemptDomains example.net\n", "192.0.2.1",
		    "origin not ours", POLICY_VERIFY, true },
		{ "Mode s, outside", "Mode s\n", "192.0.2.1",
		    "origin not ours", POLICY_NONE, true },
		{ "Mode v, inside", "Mode v\n", "127.0.0.1",
		    "Mode does not sign", POLICY_NONE, false },
	};
	struct decided d = { 0 };
	char conf[512];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), SOCKET "Domain ex.org\n"
		    "Selector s\nKeyFile /k\n%s", rows[i].conf);
		decide(&d, conf, rows[i].client, "From: a@ex.org\n");
		test_int(rows[i].name, d.p.role, rows[i].role);
		test_int(rows[i].name, d.p.external, rows[i].external);
		test_true(rows[i].name, strstr(d.p.reason, rows[i].reason) !=
		    NULL);
		undecide(&d);
	}
}

static void
policy_trace_is_whole(void **state)
{
	struct decided d = { 0 };

	(void)state;
	decide(&d, SOCKET KEY_TABLE "LogWhy yes\nSigningTable csl:other=k\n",
	    "127.0.0.1", "From: a\xff@ex.org\n");
	undecide(&d);
	decide(&d, SOCKET KEY_TABLE "SigningTable csl:other=k\n", "127.0.0.1",
	    "From: a@ex.org\n");
	test_str("trace", (char *)d.trace.p, "client.example.net is internal\n"
	    "no signing table match for 'a@ex.org'\n"
	    "mode select: neither signing nor verifying\n");
	undecide(&d);
	decide(&d, SOCKET KEY_TABLE "SigningTable csl:ex.org=k\n", "127.0.0.1",
	    "From: a@ex.org\n");
	test_str("trace", (char *)d.trace.p, "client.example.net is internal\n"
	    "SigningTable: match for key 'ex.org'\nmatching row 'ex.org'\n"
	    "SigningTable names key 'k'\nmode select: signing\n");
	undecide(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(policy_refile_patterns),
		cmocka_unit_test(policy_literal_patterns),
		cmocka_unit_test(policy_order_first_hit),
		cmocka_unit_test(policy_key_names),
		cmocka_unit_test(policy_senders),
		cmocka_unit_test(policy_single_key),
		cmocka_unit_test(policy_origins),
		cmocka_unit_test(policy_left_alone),
		cmocka_unit_test(policy_trace_is_whole),
	};

	return CAPTURE_RUN(tests);
}
