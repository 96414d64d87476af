/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose Authentication-Results is this? (PROBLEMS 40-42; RFC 8601 s2.2, s5.)
 */

/* this room */
#include "tests/test.h"
#include "dkim/dkim.h"

#define FOREIGN	DKIM_AUTHRES_FOREIGN
#define OURS	DKIM_AUTHRES_OURS
#define DKIM	DKIM_AUTHRES_OURS_DKIM

/*
 * RFC 8601 s2.1 #4, s2.2 #2, #3, #6, #10, s5 #1, #4, #11: every form of our
 * name is ours.
 */
static void
dkim_authres_claims_fields(void **state)
{
	static const struct {
		const char			*name, *value;
		enum dkim_authres_claim		 want;
	} rows[] = {
		{ "ours", " mx.example.org; dkim=pass", DKIM },
		{ "case", " MX.Example.ORG; DKIM=pass", DKIM },
		{ "no blank", "mx.example.org;dkim=pass", DKIM },
		{ "the other id", " other; dkim=pass", DKIM },
		{ "quoted", " \"mx.example.org\"; dkim=pass", DKIM },
		{ "quoted-pair", " \"m\\x.example.org\"; dkim=pass", DKIM },
		{ "comment in front", " (a (b\\)) c) mx.example.org; dkim=pass",
		    DKIM },
		{ "comment behind", " mx.example.org(c) ; dkim=pass", DKIM },
		{ "folded", "\r\n\tmx.example.org\r\n\t;\r\n\tdkim=pass",
		    DKIM },
		{ "folded, LF", "\n\tmx.example.org;\n\tdkim=pass", DKIM },
		{ "version", " mx.example.org 1; dkim=pass", DKIM },
		{ "version, comment", " mx.example.org (x) 1 (y); dkim=pass",
		    DKIM },
		{ "future version", " mx.example.org 99; dkim=pass", DKIM },
		{ "job id", " mx.example.org/AB12; dkim=pass", DKIM },
		{ "job id quoted", " \"mx.example.org/AB12\"; dkim=pass",
		    DKIM },
		{ "final dot", " mx.example.org.; dkim=pass", DKIM },
		{ "U-label", " b\xc3\xbc" "cher.example; dkim=pass", DKIM },
		{ "A-label", " XN--bcher-kva.example; dkim=pass", DKIM },
		{ "method version", " mx.example.org; dkim/1=pass", DKIM },
		{ "method comment", " mx.example.org; (x) dkim (y) = pass",
		    DKIM },
		{ "dkim second", " mx.example.org; spf=pass x=y; dkim=pass",
		    DKIM },
		{ "dkim-atps", " mx.example.org; dkim-atps=neutral", DKIM },
		{ "spf only", " mx.example.org; spf=pass smtp.mailfrom=a@b.c",
		    OURS },
		{ "none", " mx.example.org; none", OURS },
		{ "none, final semicolon", " mx.example.org; none;", OURS },
		{ "alone", " mx.example.org", OURS },
		{ "quotes and semicolon", " mx.example.org; spf=pass "
		    "reason=\"a;b\" (c;d) x.y=z; auth=pass", OURS },
		/* RFC 8601 s2.2 #3, #6, #10 */
		{ "version, not dkim", " mx.example.org 2; spf=pass", OURS },
		{ "method version, not dkim", " mx.example.org; spf/1=pass",
		    OURS },
		{ "comments, not dkim", " mx.example.org (a) ; (b) spf (c) "
		    "= (d) pass (e)", OURS },
		/* PROBLEMS 41: hard to parse and ours: in doubt */
		{ "junk method", " mx.example.org; =pass", DKIM },
		{ "open comment", " mx.example.org; spf=pass (x", DKIM },
		{ "open quote", " mx.example.org; spf=pass reason=\"x", DKIM },
		{ "no result", " mx.example.org; spf pass", DKIM },
		/* no id that reads cleanly: in doubt */
		{ "empty", "", DKIM },
		{ "blank", " \r\n ", DKIM },
		{ "no id", " spf=pass (sender IP is 192.0.2.1) "
		    "smtp.mailfrom=a.b; dkim=pass (signature was verified)",
		    DKIM },
		{ "semicolon first", " ; dkim=pass", DKIM },
		{ "open comment first", " (mx.example.org; dkim=pass", DKIM },
		{ "open quote first", " \"mx.example.org; dkim=pass", DKIM },
		{ "blank in quotes", " \"mx.example.org \"; dkim=pass", DKIM },
		{ "quotes, then more", " \"foreign\".org; dkim=pass", DKIM },
		{ "comment inside the id", " mx(x).example.org; dkim=pass",
		    DKIM },
		{ "two ids", " foreign.org mx.example.org; dkim=pass", DKIM },
		{ "comma", " foreign.org, mx.example.org; dkim=pass", DKIM },
		{ "address", " joe@foreign.org; dkim=pass", DKIM },
		{ "encoded-word", " =?utf-8?q?mx.example.org?=; dkim=pass",
		    DKIM },
		{ "control octet", " mx\x01.example.org; dkim=pass", DKIM },
		{ "wide letters", " \xef\xbd\x8d\xef\xbd\x98.example.org; "
		    "dkim=pass", DKIM },
		{ "not UTF-8", " mx\xff.example.org; dkim=pass", DKIM },
		/* PROBLEMS 42: foreign ones stay */
		{ "foreign", " mail.example.com; dkim=pass", FOREIGN },
		/* RFC 8601 s2.1 #4, s2.2 #2, #3, #10, s5 #11: what reads in
		 * whole is not in doubt */
		{ "foreign, comments", " (a (b\\)) c) mail.example.com (d) ; "
		    "dkim=pass", FOREIGN },
		{ "foreign, quoted", " \"mail.example\\.com\"; dkim=pass",
		    FOREIGN },
		{ "foreign, version", " mail.example.com 1; dkim=pass",
		    FOREIGN },
		{ "foreign, future version", " mail.example.com (c) 99 (d); "
		    "dkim=pass", FOREIGN },
		{ "foreign, folded", "\r\n\tmail.example.com\r\n 1\r\n\t;"
		    "\r\n\tdkim=pass", FOREIGN },
		{ "foreign, ours in a comment",
		    " mail.example.com (mx.example.org); dkim=pass", FOREIGN },
		{ "below ours", " a.mx.example.org; dkim=pass", FOREIGN },
		{ "above ours", " example.org; dkim=pass", FOREIGN },
		{ "longer", " mx.example.orga; dkim=pass", FOREIGN },
		{ "foreign job id", " a.b/mx.example.org; dkim=pass", FOREIGN },
		{ "foreign U-label", " m\xc3\xbcller.example; dkim=pass",
		    FOREIGN },
		{ "foreign, junk behind", " mail.example.com; =(", FOREIGN },
	};
	const struct slice ids[] = {
		slice_text("mx.example.ORG"), slice_text("OTHER"),
		slice_text("xn--bcher-kva.example"),
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, dkim_authres_claims(
		    slice_text(rows[i].value), ids, TEST_COUNT(ids)),
		    rows[i].want);
	test_int("a NUL", dkim_authres_claims(slice_of(
	    " mx.example.org\0; dkim=pass", 27), ids, 1), DKIM);
	test_int("U-label of ours", dkim_authres_claims(
	    slice_text("xn--bcher-kva.example; dkim=pass"),
	    &(struct slice){ (const uint8_t *)"b\xc3\xbc" "cher.example", 15 },
	    1), DKIM);
}

/*
 * PROBLEMS 41, RFC 8601 s7.8: over 4 KB, over 16 results; and cut at every
 * octet nothing is read past the end.
 */
static void
dkim_authres_claims_sizes(void **state)
{
	const struct slice ids[] = { slice_text("mx.example.org") };
	static const char whole[] = " (c) \"mx.exam\\ple.org\" 1 (x); spf=pass "
	    "reason=\"a\\\"b\" (y\\)) smtp.x=\"z\"; none";
	size_t i, n = sizeof(whole) - 1;
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	buf_add_text(&b, "mx.example.org");
	for (i = 0; i < 2000; i++)
		buf_add_text(&b, ";\r\n\tspf=pass smtp.mailfrom=a.b");
	test_int("long", dkim_authres_claims(buf_slice(&b), ids, 1), OURS);
	buf_add_text(&b, "; dkim=pass");
	test_int("dkim at the end", dkim_authres_claims(buf_slice(&b), ids, 1),
	    DKIM);
	buf_clear(&b);
	for (i = 0; i <= n; i++) {
		uint8_t *part = malloc(i + 1);

		memcpy(part, whole, i);
		test_true("never foreign", dkim_authres_claims(
		    slice_of(part, i), ids, 1) != FOREIGN || i == 0);
		free(part);
	}
	test_int("whole", dkim_authres_claims(slice_text(whole), ids, 1),
	    OURS);
	buf_init(&b, 1 << 20);
	for (i = 0; i < 1025; i++)
		buf_add_octet(&b, 'a');
	test_int("id of 1025", dkim_authres_claims(buf_slice(&b), ids, 1),
	    DKIM);
	test_int("id of 1024", dkim_authres_claims(slice_sub(buf_slice(&b), 0,
	    1024), ids, 1), FOREIGN);
	buf_clear(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dkim_authres_claims_fields),
		cmocka_unit_test(dkim_authres_claims_sizes),
	};

	return TEST_RUN(tests);
}
