/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is agreed with an MTA (MILTER 1.3), macros kept and asked for.
 */

/* system */
#include <arpa/inet.h>
#include <netinet/in.h>

/* this room */
#include "tests/capture.h"
#include "milter/macros.h"
#include "milter/terms.h"
#include "milter/wire.h"

#define ALL_ACTIONS	0x1fful		/* what Debian's MTAs offer */
#define ALL_STEPS	0x1ffffful

static struct conf *
open_conf(const char *more)
{
	static struct capture capture;
	struct options o;
	struct conf *conf;
	char text[512];

	snprintf(text, sizeof(text), "Socket inet:1@localhost\n%s", more);
	capture_init(&capture);
	if (conf_options_load(capture_text("dkimd.conf", text), NULL, 0,
	    &capture.report, &o) != 0 ||
	    conf_new(&o, &capture.report, &conf) != 0) {
		fprintf(stderr, "# configuration: %s\n", capture.text);
		fail();
		return NULL;
	}
	return conf;
}

static void
terms_actions(void **state)
{
	const struct {
		const char *name, *conf;
		unsigned long offered, want;	/* 0: refused */
	} rows[] = {
		{ "plain", "", ALL_ACTIONS, 0x111 },
		{ "KeepAuthResults", "KeepAuthResults yes\n", ALL_ACTIONS,
		    0x101 },
		{ "quarantine", "On-BadSignature quarantine\n", ALL_ACTIONS,
		    0x131 },
		{ "no symlist", "", 0x3f, 0x11 },
		{ "no header changes", "", 0x0f, 0 },
		{ "no need of them", "KeepAuthResults yes\n", 0x01, 0x01 },
		{ "no quarantine", "On-DNSError quarantine\n", 0x1f, 0 },
	};
	unsigned long actions, steps;
	struct terms t;
	struct conf *conf;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		conf = open_conf(rows[i].conf);
		actions = rows[i].offered;
		steps = ALL_STEPS;
		test_int(rows[i].name, terms_make(conf, &actions, &steps,
		    &t), rows[i].want != 0);
		if (rows[i].want != 0)
			test_int(rows[i].name, actions, rows[i].want);
		conf_unref(conf);
	}
}

/*
 * RFC 6376 s5.3, s3.4.1: where it can be had, the space behind the colon is
 * asked for.
 */
static void
terms_steps(void **state)
{
	struct conf *conf = open_conf("");
	unsigned long actions = ALL_ACTIONS, steps = ALL_STEPS;
	struct terms t;

	(void)state;
	test_true("all", terms_make(conf, &actions, &steps, &t));
	test_int("all", steps, WIRE_NOHELO | WIRE_NOUNKNOWN | WIRE_NODATA |
	    WIRE_NR_HDR | WIRE_NR_RCPT | WIRE_NR_BODY | WIRE_STEP_SKIP |
	    WIRE_HDR_LEADSPC);
	test_true("no reply to chunks", t.no_reply_body && !t.skip);
	test_true("leading space", t.leading_space);
	actions = ALL_ACTIONS;
	steps = WIRE_STEP_SKIP;
	test_true("few", terms_make(conf, &actions, &steps, &t));
	test_true("skip instead", t.skip && !t.no_reply_body);
	test_true("no leading space", !t.leading_space);
	test_int("nothing that is not offered, but what is played", steps,
	    WIRE_STEP_SKIP | WIRE_NR_HDR | WIRE_NR_RCPT);
	conf_unref(conf);
}

static void
terms_packed(void **state)
{
	unsigned bits;

	(void)state;
	for (bits = 0; bits < 64; bits++)
		test_int("packed", terms_pack(terms_unpack(bits)), bits);
}

static void
terms_macros_asked(void **state)
{
	struct conf *conf = open_conf("MacroList auth_ssf=1|2,v,{x}=y\n");
	char list[TERMS_LIST_MAX];

	(void)state;
	terms_macro_list(conf, TERMS_CONNECT, list);
	test_str("connect", list,
	    "j {daemon_name} {client_addr} {auth_ssf} v {x}");
	terms_macro_list(conf, TERMS_MAIL, list);
	test_str("MAIL", list, "i {daemon_name} {auth_type} {auth_authen} "
	    "{auth_ssf} v {x}");
	terms_macro_list(conf, TERMS_END, list);
	test_str("end", list, "i {auth_ssf} v {x}");
	conf_unref(conf);
}

static void
terms_addresses(void **state)
{
	struct sockaddr_in sin = { .sin_family = AF_INET };
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6 };
	struct sockaddr other = { .sa_family = AF_UNIX };
	struct sockaddr_storage st;
	const struct sockaddr *sa;
	socklen_t n;

	(void)state;
	test_true("given", terms_address((struct sockaddr *)&sin, "192.0.2.9",
	    &st, &n) == (struct sockaddr *)&sin && n == sizeof(sin));
	test_true("given, v6", terms_address((struct sockaddr *)&sin6, NULL,
	    &st, &n) == (struct sockaddr *)&sin6 && n == sizeof(sin6));
	test_true("local pipe", terms_address(NULL, NULL, &st, &n) == NULL);
	test_true("not an address", terms_address(&other, "local", &st, &n) ==
	    NULL);
	/* an unknown family must not count as 127.0.0.1 */
	sa = terms_address(NULL, "192.0.2.9", &st, &n);
	assert_non_null(sa);
	test_int("by macro", ((const struct sockaddr_in *)(const void *)
	    sa)->sin_addr.s_addr, htonl(0xc0000209));
	sa = terms_address(&other, "IPv6:2001:db8::1", &st, &n);
	assert_non_null(sa);
	test_int("by macro, v6", sa->sa_family, AF_INET6);
}

static bool
set_once(void *arg)
{
	struct macros *m = arg;
	bool done = macros_set(m, "{auth_type}", "PLAIN") == 0 &&
	    macros_set(m, "i", "one") == 0 && macros_set(m, "i", "two") == 0;

	if (done)
		test_true("set", slice_is(macros_get(m, slice_text("i")),
		    "two"));
	macros_clear(m);
	return done;
}

static void
macros_kept(void **state)
{
	static struct macros m;
	char name[16], big[MACROS_VALUE_MAX + 2];
	int i;

	(void)state;
	assert_int_equal(macros_set(&m, "{auth_type}", "PLAIN"), 0);
	test_true("with braces", slice_is(macros_get(&m,
	    slice_text("{auth_type}")), "PLAIN"));
	test_true("without", slice_is(macros_get(&m,
	    slice_text("auth_type")), "PLAIN"));
	test_true("another", macros_get(&m, slice_text("auth")).p == NULL);
	assert_int_equal(macros_set(&m, "{auth_type}", NULL), 0);
	test_true("gone", macros_get(&m, slice_text("auth_type")).p == NULL);
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(macros_set(&m, "i", "a"), 0);
	assert_int_equal(macros_set(&m, "i", big), 0);
	test_true("absurd", macros_get(&m, slice_text("i")).p == NULL);
	assert_int_equal(macros_set(&m, "i", big + 1), 0);
	test_int("longest", macros_get(&m, slice_text("i")).n,
	    MACROS_VALUE_MAX);
	for (i = 0; i < MACROS_MAX - 2; i++) {
		snprintf(name, sizeof(name), "{m%d}", i);
		assert_int_equal(macros_set(&m, name, "v"), 0);
	}
	test_int("too many", macros_set(&m, "z", "v"), DKIM_ERR_LIMIT);
	macros_clear(&m);
	test_int("sites", test_every_allocation(set_once, &m), 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_actions),
		cmocka_unit_test(terms_steps),
		cmocka_unit_test(terms_packed),
		cmocka_unit_test(terms_macros_asked),
		cmocka_unit_test(terms_addresses),
		cmocka_unit_test(macros_kept),
	};

	return CAPTURE_RUN(tests);
}
