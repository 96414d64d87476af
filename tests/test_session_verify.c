/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying by a session: keys asked together at end of header, one deadline,
 * each row of the outcomes, Authentication-Results written and removed.
 */

/* this room */
#include "tests/session_made.h"

/* RFC 8463 A.3: two signatures, one of each kind, by another implementation */
static char *example, *example_body;
static const char ed25519_dns[] = "brisbane._domainkey.football.example.com\t"
    "v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n";
static const char rsa_dns[] = "test._domainkey.football.example.com\t"
    "v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDkHlOQoBTzWRi"
    "Gs5V6NpP3idY6Wk08a5qhdR6wy5bdOKb2jLQiY/J16JYi0Qvx/byYzCNb3W91y3FutACDf"
    "zwQ/BC/e/8uBsCR+yz1Lxj+PL6lHvqMKrM3rG4hstT5QjvHO9PzoxZyVYLzBfO2EeC3Ip"
    "3G+2kryOTIKT+l/K4w3QIDAQAB\n";

#define CONF MADE_TABLES "AuthservID mx.example.net\n"

static int
read_example(void **state)
{
	uint8_t *p;
	size_t n, i, k;

	if (made_set_up(state) != 0)
		return -1;
	p = test_file("vectors/messages/rfc8463-A.3.eml", &n);
	example = calloc(1, n + 1);
	for (i = k = 0; i < n; i++)
		if (p[i] != '\r')
			example[k++] = (char)p[i];
	/* "Name: value\n" lines, then the body with CRLF */
	example_body = strstr((char *)p, "\r\n\r\n");
	assert_non_null(example_body);
	example_body = strdup(example_body + 4);
	*(strstr(example, "\n\n") + 1) = '\0';
	free(p);
	return 0;
}

static int
free_example(void **state)
{
	free(example);
	free(example_body);
	return made_tear_down(state);
}

/*
 * RFC 6376 s3.4 #5, s3.9, s6.3; RFC 8601 s2.1 #2, s4 #3, #5, #8: one field
 * comes, at the top, with what was found; nothing else changes.
 */
static void
session_verify_passes(void **state)
{
	struct made_run run;
	char dns[2048];
	const char *ar;

	(void)state;
	snprintf(dns, sizeof(dns), "%s%s", ed25519_dns, rsa_dns);
	made_open(&run, CONF "LogStyle both\nLogResults yes\n"
	    "AuthservIDWithJobID yes\n");
	made.records = dns;
	made_message(&run, "192.0.2.1", example, example_body);
	test_int("action", run.result->outcome.action, ACTION_ACCEPT);
	test_int("changes", run.result->n_actions, 1);
	test_int("at the top", run.result->actions[0].occurrence, 0);
	ar = made_inserted(&run, 0, "Authentication-Results");
	assert_non_null(ar);
	test_true("our name with job", strstr(ar, "mx.example.net/4XyZ") !=
	    NULL);
	test_true("both pass", strstr(strstr(ar, "dkim=pass") + 1,
	    "dkim=pass") != NULL);
	test_int("two keys", made.dns_asked, 2);
	made_has_note("line", &run, "4XyZ: role=verify result=pass,pass "
	    "d=football.example.com,football.example.com s=brisbane,test "
	    "a=ed25519-sha256,rsa-sha256 from=joe@football.example.com "
	    "client=client.example.net[192.0.2.1] reason= dns_ms=0 sign_us=0");
	made_has_note("phrase", &run, "4XyZ: DKIM verification successful");
	made_has_note("results", &run, "domain=football.example.com "
	    "selector=brisbane result=\"pass\"");
	test_int("counted", made_stat(&run, STAT_RESULT_PASS), 1);
	made_close(&run);
}

/*
 * Each row of BEHAVIOUR 1 that verifies, with every action.
 */
static void
session_verify_outcomes(void **state)
{
	const struct {
		const char *name, *option, *records, *body, *xcode;
		enum dkim_answer_state other;
		const char *result;
	} rows[] = {
		{ "temperror beside a fail", "On-DNSError", ed25519_dns,
		    "changed\r\n", "5.7.20", DKIM_ANSWER_TEMPERROR,
		    "dkim=temperror" },
		{ "no key beside a fail", "On-KeyNotFound", ed25519_dns,
		    "changed\r\n", "5.7.20", DKIM_ANSWER_NO_KEY,
		    "dkim=permerror" },
		{ "all fail", "On-BadSignature", NULL, "changed\r\n",
		    "5.7.20", DKIM_ANSWER_NO_KEY, "dkim=fail" },
	};
	static const struct {
		const char *text, *code;
		enum action action;
	} actions[] = {
		{ "accept", NULL, ACTION_ACCEPT },
		{ "discard", NULL, ACTION_DISCARD },
		{ "quarantine", NULL, ACTION_QUARANTINE },
		{ "reject", "550", ACTION_REJECT },
		{ "tempfail", "451", ACTION_TEMPFAIL },
	};
	struct made_run run;
	char conf[512], dns[2048];
	size_t i, k;

	(void)state;
	snprintf(dns, sizeof(dns), "%s%s", ed25519_dns, rsa_dns);
	for (i = 0; i < TEST_COUNT(rows) * TEST_COUNT(actions); i++) {
		k = i % TEST_COUNT(actions);
		snprintf(conf, sizeof(conf), CONF "%s %s\n",
		    rows[i / 5].option, actions[k].text);
		made_open(&run, conf);
		made.records = rows[i / 5].records == NULL ? dns :
		    rows[i / 5].records;
		made.state = rows[i / 5].other;
		made_message(&run, "192.0.2.1", example, rows[i / 5].body);
		test_int(rows[i / 5].name, run.result->outcome.action,
		    actions[k].action);
		test_str(rows[i / 5].name, run.result->outcome.code,
		    actions[k].code);
		if (actions[k].action == ACTION_REJECT)
			test_str(rows[i / 5].name, run.result->outcome.xcode,
			    rows[i / 5].xcode);
		/* the field is added only to what goes on */
		test_int(rows[i / 5].name, run.result->n_actions, k == 0 ||
		    k == 2);
		if (k == 0)
			test_true(rows[i / 5].result, strstr(made_inserted(
			    &run, 0, "Authentication-Results"),
			    rows[i / 5].result) != NULL);
		made_close(&run);
	}
}

static void
session_verify_one_pass_accepts(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, CONF "On-DNSError reject\nOn-KeyNotFound reject\n"
	    "On-BadSignature reject\n");
	made.records = rsa_dns;
	made.state = DKIM_ANSWER_TEMPERROR;
	made_message(&run, "192.0.2.1", example, example_body);
	test_int("beside a temperror", run.result->outcome.action,
	    ACTION_ACCEPT);
	made_close(&run);
}

/*
 * Unsigned mail: On-NoSignature, whether dkim=none is written or not.
 */
static void
session_verify_unsigned(void **state)
{
	static const char mail[] = "From: a@example.com\n";
	struct made_run run;
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		made_open(&run, i == 0 ? CONF : i == 1 ? CONF
		    "AlwaysAddARHeader yes\n" : i == 2 ? CONF
		    "AlwaysAddARHeader yes\nOn-NoSignature reject\n" : CONF
		    "On-NoSignature quarantine\n");
		made_connect(&run, "client.example.net", "192.0.2.1");
		made_mail(&run, mail);
		made_header_end(&run);
		test_int("over at end of header", session_is_over(run.session),
		    i == 0 || i == 2);
		test_true("no body wanted", !session_body(run.session,
		    slice_text("x\r\n")));
		made_end(&run);
		made_finish(&run);
		test_int("action", run.result->outcome.action, i == 2 ?
		    ACTION_REJECT : i == 3 ? ACTION_QUARANTINE : ACTION_ACCEPT);
		test_int("dkim=none", run.result->n_actions, i == 1);
		if (i == 1)
			test_true("none", strstr(made_inserted(&run, 0,
			    "Authentication-Results"), "dkim=none") != NULL);
		test_int("counted", made_stat(&run, STAT_RESULT_NONE), 1);
		made_has_note("line", &run, "role=verify result=none d= ");
		made_close(&run);
	}
}

/*
 * A message over a limit: permerror that names it; On-Security.
 */
static void
session_verify_over_limit(void **state)
{
	struct made_run run;
	static char big[3000];
	char header[8000];

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	snprintf(header, sizeof(header), "%sX: %s\n"
	    "Authentication-Results: mx.example.net; dkim=pass\n", example,
	    big);
	made_open(&run, MADE_TABLES "AuthservID mx.example.net\n"
	    "MaximumHeaders 2500\n");
	made_message(&run, "192.0.2.1", header, example_body);
	test_int("accepted", run.result->outcome.action, ACTION_ACCEPT);
	test_true("permerror", strstr(made_inserted(&run, 0,
	    "Authentication-Results"), "dkim=permerror") != NULL);
	test_int("no key is asked for", made.dns_asked, 0);
	/* what forges our name goes, also behind the limit */
	test_int("deleted", made_count(&run, SESSION_DELETE), 1);
	test_int("counted", made_stat(&run, STAT_OVER_LIMIT), 1);
	made_close(&run);
	made_open(&run, MADE_TABLES "MaximumHeaders 2500\n"
	    "On-Security reject\n");
	made_message(&run, "192.0.2.1", header, example_body);
	test_str("On-Security", run.result->outcome.code, "550");
	made_close(&run);
}

/*
 * RFC 6376 s3.6.1 #27, t=y: as judged, but no action; a passing test key does
 * not save the rest.
 */
static void
session_verify_testing(void **state)
{
	char testing[512], dns[2048];
	struct made_run run;
	const char *key = strstr(ed25519_dns, "k=ed25519");

	(void)state;
	snprintf(testing, sizeof(testing), "brisbane._domainkey.football."
	    "example.com\tv=DKIM1; t=y; %s", key);
	made_open(&run, CONF "On-BadSignature reject\nOn-KeyNotFound reject\n"
	    "On-NoSignature reject\n");
	made.records = testing;
	made_message(&run, "192.0.2.1", example, example_body);
	test_int("a passing test key and one without record",
	    run.result->outcome.action, ACTION_REJECT);
	snprintf(dns, sizeof(dns), "%stest._domainkey.football.example.com\t"
	    "v=DKIM1; t=y; %s", testing, strstr(rsa_dns, "k=rsa"));
	made.records = dns;
	made_message(&run, "192.0.2.1", example, "changed\r\n");
	test_int("test keys only", run.result->outcome.action, ACTION_ACCEPT);
	test_true("as judged", strstr(made_inserted(&run, 0,
	    "Authentication-Results"), "dkim=fail") != NULL);
	made_close(&run);
}

/*
 * One deadline from end of header for all keys; who comes late finds it over.
 */
static void
session_verify_deadline(void **state)
{
	struct made_run run;
	int i;

	(void)state;
	made_open(&run, CONF);
	for (i = 0; i < 3; i++) {
		made.dns = MADE_LATER;
		made.records = i == 2 ? rsa_dns : NULL;
		made.dns_cancelled = 0;
		run.now = MADE_US;
		made_connect(&run, "client.example.net", "192.0.2.1");
		made_mail(&run, example);
		made_header_end(&run);
		test_int("from end of header", session_deadline(run.session),
		    MADE_US + MADE_PATIENCE);
		session_body(run.session, slice_text(example_body));
		run.now = MADE_US + 4000000;
		made_end(&run);
		test_true("held", session_holds_end(run.session));
		if (i == 2)
			made_answer();
		made_take(&run);
		run.now = MADE_US + MADE_PATIENCE;
		session_expire(run.session, run.now);
		made_carry(&run);
		test_true("not held", !session_holds_end(run.session));
		test_int("cancelled", made.dns_cancelled, i == 2 ? 0 : 2);
		if (i == 1)
			made_answer();	/* too late: dropped */
		made_take(&run);
		made_finish(&run);
		test_int("On-DNSError", run.result->outcome.action, i == 2 ?
		    ACTION_ACCEPT : ACTION_TEMPFAIL);
		made_has_note("line", &run, i == 2 ? "dns_ms=4000" :
		    "result=temperror,temperror");
	}
	made_close(&run);
}

/*
 * An answer between body chunks; one whose service is at fault is a temperror.
 */
static void
session_verify_answers(void **state)
{
	struct made_run run;
	size_t i, n = strlen(example_body);

	(void)state;
	made_open(&run, CONF);
	made.dns = MADE_LATER;
	made.records = rsa_dns;
	made_connect(&run, "client.example.net", "192.0.2.1");
	made_mail(&run, example);
	made_header_end(&run);
	for (i = 0; i < n; i++) {
		if (i == n / 2) {
			made_answer();
			made_take(&run);
		}
		session_body(run.session, slice_of(example_body + i, 1));
	}
	made_end(&run);
	made_finish(&run);
	test_int("one passes", made_stat(&run, STAT_RESULT_PASS), 1);
	made.dns = MADE_WRONG;
	made.error = WANT_ERR_STOPPED;
	made_message(&run, "192.0.2.1", example, example_body);
	test_int("no answerer", made_stat(&run, STAT_RESULT_TEMPERROR), 1);
	test_int("tempfail", run.result->outcome.action, ACTION_TEMPFAIL);
	made_close(&run);
}

static void
session_verify_modes(void **state)
{
	const struct {
		const char *name, *mode, *client;
		int verified;
	} rows[] = {
		{ "v, from outside", "v", "192.0.2.1", 1 },
		{ "v, from inside", "v", "127.0.0.1", 0 },
		{ "s, from outside", "s", "192.0.2.1", 0 },
		{ "sv, from outside", "sv", "192.0.2.1", 1 },
		{ "sv, from inside", "sv", "127.0.0.1", 0 },
	};
	struct made_run run;
	char conf[512];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), CONF "Mode %s\n"
		    "AlwaysAddARHeader yes\nDomain example.org\nSelector s\n"
		    "KeyFile /keys/rsa\n", rows[i].mode);
		made_open(&run, conf);
		made_message(&run, rows[i].client, "From: a@b.example\n", "");
		test_int(rows[i].name, made_stat(&run, STAT_VERIFIED),
		    rows[i].verified);
		test_int(rows[i].name, run.result->n_actions,
		    rows[i].verified);
		made_close(&run);
	}
}

static bool
verify_once(void *arg)
{
	struct made_run *run = arg;
	struct session_time now = { run->now, MADE_SECONDS };
	bool passed;

	if (session_connect(run->session, slice_text("c.example.net"), NULL,
	    0) != 0 || session_mail(run->session, conf_ref(run->conf)) != 0)
		return false;
	made_header(run, example);
	session_header_end(run->session, now, MADE_PATIENCE);
	made_carry(run);
	session_body(run->session, slice_text(example_body));
	session_end(run->session, now);
	made_carry(run);
	made_finish(run);
	passed = made_inserted(run, 0, "Authentication-Results") != NULL &&
	    strstr(made_inserted(run, 0, "Authentication-Results"),
	    "dkim=pass") != NULL;
	test_true("a verdict or later", passed ||
	    run->result->outcome.action == ACTION_TEMPFAIL);
	test_true("never a fail", made_stat(run, STAT_RESULT_FAIL) == 0);
	if (passed && made_note(run, "result=pass,pass") == NULL)
		return false;
	return passed && made_stat(run, STAT_RESULT_PASS) == 1;
}

static void
session_verify_allocations(void **state)
{
	struct made_run run;
	char dns[2048];
	size_t n;

	(void)state;
	snprintf(dns, sizeof(dns), "%s%s", ed25519_dns, rsa_dns);
	made_open(&run, CONF "InternalHosts 192.0.2.99\n");
	made.records = dns;
	n = test_every_allocation(verify_once, &run);
	test_true("many sites", n > 10);
	made_close(&run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_verify_passes),
		cmocka_unit_test(session_verify_outcomes),
		cmocka_unit_test(session_verify_one_pass_accepts),
		cmocka_unit_test(session_verify_unsigned),
		cmocka_unit_test(session_verify_over_limit),
		cmocka_unit_test(session_verify_testing),
		cmocka_unit_test(session_verify_deadline),
		cmocka_unit_test(session_verify_answers),
		cmocka_unit_test(session_verify_modes),
		cmocka_unit_test(session_verify_allocations),
	};

	return cmocka_run_group_tests(tests, read_example, free_example) != 0;
}
