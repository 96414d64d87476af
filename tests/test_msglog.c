/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The line of a message (BEHAVIOUR 9), OpenDKIM's phrases (MIGRATION 2h).
 */

/* this room */
#include "tests/test.h"
#include "milter/msglog.h"

static struct options options;

static struct msglog_signature
signature(enum dkim_result result, const char *d, const char *s)
{
	return (struct msglog_signature){ .result = result,
	    .text = dkim_result_text(result), .reason = "body hash differs",
	    .domain = slice_text(d), .selector = slice_text(s),
	    .algorithm = slice_text("rsa-sha256"),
	    .signature = slice_text("AbCdEfGhIjK") };
}

static const char *
text_of(struct buf *b)
{
	buf_add_nul(b);
	assert_int_equal(buf_end(b), 0);
	return (const char *)b->p;
}

static struct msglog
made_log(enum msglog_role role, const struct msglog_signature *s, size_t n)
{
	return (struct msglog){ .options = &options, .role = role,
	    .queue_id = slice_text("4XyZ"), .signatures = s, .n = n,
	    .result = "none", .reason = "", .from = slice_text("a@b.example"),
	    .client = slice_text("c.example[192.0.2.1]") };
}

static void
msglog_line_format(void **state)
{
	struct msglog_signature s[10];
	struct msglog m;
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, MSGLOG_TEXT_MAX);
	s[0] = signature(DKIM_PASS, "a.example", "s1");
	s[1] = signature(DKIM_PERMERROR, "", "");
	s[1].algorithm = slice_of(NULL, 0);
	m = made_log(MSGLOG_VERIFY, s, 2);
	m.dns_us = 12999;
	msglog_line(&m, &b);
	test_str("two", text_of(&b), "4XyZ: role=verify result=pass,permerror "
	    "d=a.example, s=s1, a=rsa-sha256, from=a@b.example "
	    "client=c.example[192.0.2.1] reason= dns_ms=12 sign_us=0");
	buf_reset(&b);
	m = made_log(MSGLOG_NONE, NULL, 0);
	m.queue_id = slice_of(NULL, 0);
	m.reason = "no table entry";
	m.detail = slice_text("x \"y\"\n\xff");
	m.sign_us = 345;
	m.action = ACTION_REJECT;
	msglog_line(&m, &b);
	test_str("none", text_of(&b), "NOQUEUE: role=none result=none d= s= "
	    "a= from=a@b.example client=c.example[192.0.2.1] "
	    "reason=\"no table entry: x \\x22y\\x22\\x0a\\xff\" dns_ms=0 "
	    "sign_us=345 action=reject");
	buf_reset(&b);
	for (i = 0; i < 10; i++)
		s[i] = signature(DKIM_FAIL, "d", "s");
	m = made_log(MSGLOG_SIGN, s, 10);
	m.from = slice_text("a b,c\"d\r\n@e");
	msglog_line(&m, &b);
	test_str("at most eight, hostile octets", text_of(&b), "4XyZ: "
	    "role=sign result=fail,fail,fail,fail,fail,fail,fail,fail "
	    "d=d,d,d,d,d,d,d,d s=s,s,s,s,s,s,s,s a=rsa-sha256,rsa-sha256,"
	    "rsa-sha256,rsa-sha256,rsa-sha256,rsa-sha256,rsa-sha256,"
	    "rsa-sha256 from=a\\x20b\\x2cc\\x22d\\x0d\\x0a@e "
	    "client=c.example[192.0.2.1] reason= dns_ms=0 sign_us=0");
	buf_clear(&b);
}

static void
check_phrases(const char *row, const struct msglog *m, const char *want)
{
	struct buf all, one;
	size_t i;

	buf_init(&all, 65536);
	buf_init(&one, MSGLOG_TEXT_MAX);
	for (i = 0; msglog_phrase(m, i, &one); i++) {
		buf_add(&all, buf_slice(&one));
		buf_add_octet(&all, '\n');
		buf_clear(&one);
	}
	buf_clear(&one);
	test_str(row, text_of(&all), want);
	buf_clear(&all);
}

/*
 * What a stranger writes must not push the line, or the rest of it, out of the
 * log, which takes 4,095 octets.
 */
static void
msglog_line_long_values(void **state)
{
	static char octets[60001];
	struct msglog_signature s[10];
	struct msglog m;
	struct buf b;
	size_t i, n;

	(void)state;
	memset(octets, 0xff, sizeof(octets) - 1);
	for (i = 0; i < TEST_COUNT(s); i++) {
		s[i] = signature(DKIM_PERMERROR, octets, octets);
		s[i].algorithm = slice_text(octets);
	}
	for (n = 0; n <= TEST_COUNT(s); n++) {
		buf_init(&b, MSGLOG_TEXT_MAX);
		m = made_log(MSGLOG_VERIFY, s, n);
		m.queue_id = m.from = m.client = m.detail = slice_text(octets);
		m.reason = "reason";
		m.action = ACTION_REJECT;
		msglog_line(&m, &b);
		test_true("all of it", strstr(text_of(&b), " from=\\xff") !=
		    NULL && strstr(text_of(&b), " client=\\xff") != NULL &&
		    strstr(text_of(&b), " reason=\"reason: ") != NULL &&
		    strstr(text_of(&b), "... action=reject") == NULL &&
		    strstr(text_of(&b), "sign_us=0 action=reject") != NULL);
		test_true("it fits", b.n < 4000);
		buf_clear(&b);
	}
}

static void
msglog_phrases(void **state)
{
	struct msglog_signature s[2];
	struct msglog m;

	(void)state;
	s[0] = signature(DKIM_PASS, "a.example", "s1");
	s[1] = signature(DKIM_FAIL, "b.example", "s2");
	m = made_log(MSGLOG_SIGN, s, 2);
	check_phrases("not made", &m, "");
	m.made = true;
	check_phrases("made", &m,
	    "4XyZ: DKIM-Signature field added (s=s1, d=a.example)\n"
	    "4XyZ: DKIM-Signature field added (s=s2, d=b.example)\n");
	m = made_log(MSGLOG_VERIFY, s, 2);
	check_phrases("one passes", &m, "4XyZ: s=s2 d=b.example a=rsa-sha256 "
	    "SSL body hash differs\n4XyZ: DKIM verification successful\n");
	m = made_log(MSGLOG_VERIFY, s + 1, 1);
	check_phrases("bad", &m, "4XyZ: s=s2 d=b.example a=rsa-sha256 SSL "
	    "body hash differs\n4XyZ: bad signature data\n");
	s[1].result = DKIM_TEMPERROR;
	check_phrases("no answer", &m, "4XyZ: key retrieval failed (s=s2, "
	    "d=b.example)\n4XyZ: bad signature data\n");
	s[1].result = DKIM_PERMERROR;
	s[1].no_key = true;
	check_phrases("no key", &m, "4XyZ: key retrieval failed (s=s2, "
	    "d=b.example)\n4XyZ: bad signature data\n");
	m = made_log(MSGLOG_VERIFY, NULL, 0);
	check_phrases("unsigned", &m, "4XyZ: no signature data\n");
	m = made_log(MSGLOG_NONE, NULL, 0);
	check_phrases("none", &m, "");
}

static void
msglog_results(void **state)
{
	struct msglog_signature s = signature(DKIM_PASS, "a.example", "s1");
	struct msglog m = made_log(MSGLOG_VERIFY, &s, 1);
	struct buf b;

	(void)state;
	buf_init(&b, MSGLOG_TEXT_MAX);
	test_true("one", msglog_result(&m, 0, &b));
	test_str("LogResults", text_of(&b), "4XyZ: signature=AbCdEfGh "
	    "domain=a.example selector=s1 result=\"pass\"");
	test_true("no more", !msglog_result(&m, 1, &b));
	test_true("success", msglog_is_success(&m));
	s.result = DKIM_FAIL;
	test_true("no success", !msglog_is_success(&m));
	m.role = MSGLOG_SIGN;
	test_true("nothing judged", !msglog_result(&m, 0, &b));
	test_true("not made", !msglog_is_success(&m));
	buf_clear(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(msglog_line_format),
		cmocka_unit_test(msglog_line_long_values),
		cmocka_unit_test(msglog_phrases),
		cmocka_unit_test(msglog_results),
	};

	return TEST_RUN(tests);
}
