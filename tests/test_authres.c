/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing Authentication-Results (RFC 8601 s2.2, s2.7.1; RFC 6008).
 */

/* system */
#include <time.h>

/* this room */
#include "tests/made.h"

#define BH	"bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

static struct replay world;
static struct rsab_key *ed25519;

static const char header_text[] = "From: Joe <joe@example.com>\r\n";

static int
set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	ed25519 = made_key(&world, "rfc8463-ed25519.pem");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	rsab_key_unref(ed25519);
	replay_end(&world);
	return 0;
}

static struct dkim_authres
plain_authres(void)
{
	return (struct dkim_authres){
		.authserv_id = slice_text("mx.example.org"),
		.line_end = "\r\n",
	};
}

/*
 * What is printed for fields on top of header_text, as a C string; the caller
 * frees.
 */
static char *
print_for(const char *fields, const char *body, const char *dns, size_t max,
    const struct dkim_authres *ar)
{
	struct dkim_verify_options options = made_plain;
	struct replay_message m;
	struct buf out;

	options.max_signatures = max;
	assert_int_equal(made_verify(&world, fields, header_text, body, dns,
	    &options, &m), 0);
	buf_init(&out, 1 << 20);
	assert_int_equal(dkim_authres_print(ar, m.verifier, NULL, &out), 0);
	buf_add_nul(&out);
	assert_int_equal(buf_end(&out), 0);
	replay_done(&m);
	return (char *)buf_take(&out);
}

/*
 * No line of what is printed passes the limit, no octet is above 126 or a
 * control octet, each line end is followed by a TAB.
 */
static void
check_octets(const char *row, const char *text)
{
	size_t i, column = strlen("Authentication-Results:");

	for (i = 0; text[i] != '\0'; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\r') {
			test_true(row, text[i + 1] == '\n' &&
			    text[i + 2] == '\t');
			i += 2;
			column = 1;
			continue;
		}
		test_true(row, c >= ' ' && c <= '~');
		test_true(row, ++column <= DKIM_AUTHRES_LINE_MAX);
	}
}

/*
 * Print, and compare with folds as one blank.
 */
static void
want_printed(const char *row, const char *fields, const char *dns,
    const struct dkim_authres *ar, const char *want)
{
	char *text = print_for(fields, "Hello\r\n", dns, 8, ar);
	size_t i, n = 0;

	check_octets(row, text);
	for (i = 0; text[i] != '\0'; i++)
		if (text[i] != '\r' && text[i] != '\n')
			text[n++] = text[i] == '\t' ? ' ' : text[i];
	text[n] = '\0';
	test_str(row, text, want);
	free(text);
}

static void
want_text(const char *row, const struct buf *out, const char *want)
{
	test_octets(row, out->p, out->n, want, strlen(want));
}

/*
 * RFC 8601 s2.2 #1, #2, #3, s2.5: the id, quoted where it must be.
 */
static void
dkim_authres_print_none(void **state)
{
	struct dkim_authres ar = plain_authres();
	struct buf out;

	(void)state;
	want_printed("unsigned", "", "", &ar, " mx.example.org; dkim=none");
	ar.job_id = slice_text("AB12");
	want_printed("job id", "", "", &ar,
	    " \"mx.example.org/AB12\"; dkim=none");
	ar = plain_authres();
	buf_init(&out, 65536);
	ar.line_end = "\n";
	test_int("no verifier", dkim_authres_print(&ar, NULL, NULL, &out), 0);
	want_text("no verifier", &out, " mx.example.org;\n\tdkim=none");
	buf_reset(&out);
	test_int("over", dkim_authres_print(&ar, NULL,
	    "header 1048576 octets", &out), 0);
	want_text("over", &out, " mx.example.org;\n"
	    "\tdkim=permerror reason=\"over a limit: header 1048576 octets\"");
	ar.authserv_id = slice_of(NULL, 0);
	test_int("no id", dkim_authres_print(&ar, NULL, NULL, &out),
	    DKIM_ERR_ARGUMENT);
	buf_clear(&out);
	buf_init(&out, 20);
	ar = plain_authres();
	test_int("no room", dkim_authres_print(&ar, NULL, NULL, &out),
	    DKIM_ERR_LIMIT);
	buf_clear(&out);
}

/*
 * An id whose octets fit, but not as they are written: no line passes 998.
 */
static void
dkim_authres_print_long_id(void **state)
{
	struct dkim_authres ar = plain_authres();
	char job[900];
	struct buf out;

	(void)state;
	buf_init(&out, 65536);
	memset(job, 'x', sizeof(job));
	ar.job_id = slice_of(job, 800);
	test_int("fits", dkim_authres_print(&ar, NULL, NULL, &out), 0);
	ar.job_id = slice_of(job, 900);
	test_int("too long", dkim_authres_print(&ar, NULL, NULL, &out),
	    DKIM_ERR_LIMIT);
	memset(job, '\x80', sizeof(job));
	buf_clear(&out);
	ar.job_id = slice_of(job, 290);
	test_int("=XX fits", dkim_authres_print(&ar, NULL, NULL, &out), 0);
	ar.job_id = slice_of(job, 400);
	test_int("=XX too long", dkim_authres_print(&ar, NULL, NULL, &out),
	    DKIM_ERR_LIMIT);
	buf_clear(&out);
}

/*
 * Everything in one clause: result, reason, comment, properties (RFC 8601 s2.1,
 * s2.2 #5, #7, #8, #11, #12, s2.3, s2.7.1, s4 #1, #2; RFC 6376 s3.9, s3.11,
 * s6.1.1 #6, s6.3 #6).
 */
static void
dkim_authres_print_clause(void **state)
{
	struct dkim_authres ar = plain_authres();
	char dns[1024], want[1024], *field, *b;

	(void)state;
	field = made_raw(&world, ed25519, header_text, "Hello\r\n",
	    "v=1; a=ed25519-sha256; d=EXAMPLE.com; s=sel; h=from", UINT64_MAX);
	b = strstr(field, "; b=") + 4;
	snprintf(dns, sizeof(dns), "sel._domainkey.example.com\tk=ed25519; "
	    "t=y; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n");
	snprintf(want, sizeof(want), " mx.example.org; dkim=pass "
	    "(256-bit key; unprotected; testing) header.d=example.com "
	    "header.i=@example.com header.a=ed25519-sha256 header.s=sel "
	    "header.b=%s%.8s%s", strcspn(b, "/=") < 8 ? "\"" : "", b,
	    strcspn(b, "/=") < 8 ? "\"" : "");
	want_printed("pass", field, dns, &ar, want);
	ar.no_header_b = true;
	want_printed("NoHeaderB", field, dns, &ar, " mx.example.org; dkim=pass "
	    "(256-bit key; unprotected; testing) header.d=example.com "
	    "header.i=@example.com header.a=ed25519-sha256 header.s=sel");
	want_printed("no key", field, "", &ar, " mx.example.org; "
	    "dkim=permerror reason=\"no key for signature\" "
	    "header.d=example.com header.i=@example.com "
	    "header.a=ed25519-sha256 header.s=sel");
	free(field);
	/* PROBLEMS 10: the covered share */
	field = made_raw(&world, ed25519, header_text, "Hello\r\n",
	    "v=1; a=ed25519-sha256; d=example.com; s=sel; h=from; l=3", 3);
	want_printed("l=", field, dns, &ar, " mx.example.org; dkim=pass "
	    "reason=\"part of the body is not signed, 3 of 7 octets covered\" "
	    "(256-bit key; unprotected; testing) header.d=example.com "
	    "header.i=@example.com header.a=ed25519-sha256 header.s=sel");
	free(field);
}

/*
 * RFC 8601 s2.7.1, s2.7.7, s4 #2: the words that are registered for dkim.
 */
static void
dkim_result_text_registered(void **state)
{
	static const char *const want[] = {
		[DKIM_NONE] = "none", [DKIM_PASS] = "pass",
		[DKIM_FAIL] = "fail", [DKIM_POLICY] = "policy",
		[DKIM_NEUTRAL] = "neutral", [DKIM_TEMPERROR] = "temperror",
		[DKIM_PERMERROR] = "permerror",
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(want); i++)
		test_str("word", dkim_result_text((enum dkim_result)i),
		    want[i]);
}

/*
 * PROBLEMS 34, 36, 38, 39, RFC 8601 s2.2 #9, #12: a stranger's octets in the
 * clause.
 */
static void
dkim_authres_print_quoting(void **state)
{
	static const struct {
		const char	*name, *field, *want;
	} rows[] = {
		{ "junk", "DKIM-Signature: eeee\r\n", "dkim=permerror "
		    "reason=\"signature syntax error: bad tag list\"" },
		{ "unknown algorithm", "DKIM-Signature: v=1; a=rsa\"\\;\r\n"
		    " d=a.org; s=s; h=from; b=YQ==; " BH "\r\n",
		    "dkim=permerror reason=\"unknown algorithm\" "
		    "header.d=a.org header.i=@a.org header.a=\"rsa\\\"\\\\\" "
		    "header.s=s header.b=\"YQ==\"" },
		{ "algorithm in UTF-8, folded", "DKIM-Signature: v=1; "
		    "a=\xc3\xb8\r\n x; d=a.org; s=s; h=from; b=YQ==; " BH
		    "\r\n", "dkim=permerror reason=\"unknown algorithm\" "
		    "header.d=a.org header.i=@a.org "
		    "header.a=\"=C3=B8=0D=0A x\" header.s=s "
		    "header.b=\"YQ==\"" },
		{ "i= of line ends", "DKIM-Signature: v=1; a=x; "
		    "i=a=0D=0Ab=3B@m.a.org; d=a.org; s=s; h=from; b=YQ==; " BH
		    "\r\n", "dkim=permerror reason=\"unknown algorithm\" "
		    "header.d=a.org header.i=\"a=0D=0Ab=3B@m.a.org\" "
		    "header.a=x header.s=s header.b=\"YQ==\"" },
		{ "i= of quotes", "DKIM-Signature: v=1; a=x; "
		    "i=\"a=20b\"@a.org; d=a.org; s=s; h=from; b=YQ==; " BH
		    "\r\n", "dkim=permerror reason=\"unknown algorithm\" "
		    "header.d=a.org header.i=\"\\\"a=20b\\\"@a.org\" "
		    "header.a=x header.s=s header.b=\"YQ==\"" },
		{ "U-labels", "DKIM-Signature: v=1; a=x; "
		    "i=m\xc3\xb8x@b\xc3\xbc" "cher.example; "
		    "d=b\xc3\xbc" "cher.example; s=s\xc3\xa9l; h=from; "
		    "b=YQ==; " BH "\r\n",
		    "dkim=permerror reason=\"unknown algorithm\" "
		    "header.d=xn--bcher-kva.example "
		    "header.i=\"m=C3=B8x@xn--bcher-kva.example\" header.a=x "
		    "header.s=xn--sl-bja header.b=\"YQ==\"" },
		{ "bad d=", "DKIM-Signature: v=1; a=rsa-sha256; "
		    "d=example.net(.x.org; s=s; h=from; b=YWFh; " BH "\r\n",
		    "dkim=permerror reason=\"signature syntax error: bad d=\" "
		    "header.a=rsa-sha256 header.b=YWFh" },
		{ "bad b=", "DKIM-Signature: v=1; a=rsa-sha256; "
		    "d=a.org; s=s; h=from; b=\"\\(; " BH "\r\n",
		    "dkim=permerror reason=\"signature syntax error: "
		    "b= not base64\" header.d=a.org header.i=@a.org "
		    "header.a=rsa-sha256 header.s=s header.b=\"\\\"\\\\(\"" },
	};
	struct dkim_authres ar = plain_authres();
	char want[1024];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(want, sizeof(want), " mx.example.org; %s",
		    rows[i].want);
		want_printed(rows[i].name, rows[i].field, "", &ar, want);
	}
}

/*
 * RFC 6008 s4: as much of b= as tells the signatures apart.
 */
static void
dkim_authres_print_unique_b(void **state)
{
	static const char *const values[] = {
		"aaaaaaaaaaaa", "aaaaaaaaaaab", "aaaaaaaabbbb", "cccccccccccc",
		"dddd", "eeeeeeeeeeee", "eeeeeeeeeeee", "eeeeeeeeef",
	};
	static const char *const want[] = {
		"header.b=aaaaaaaaaaaa", "header.b=aaaaaaaaaaab",
		"header.b=aaaaaaaab", "header.b=cccccccc", "header.b=dddd",
		"header.b=eeeeeeeeee", "header.b=eeeeeeeeee",
		"header.b=eeeeeeeeef",
	};
	struct dkim_authres ar = plain_authres();
	char fields[4096] = "", *text, *at;
	size_t i, n;

	(void)state;
	for (i = 0; i < TEST_COUNT(values); i++)
		sprintf(fields + strlen(fields), "DKIM-Signature: v=1; a=x; "
		    "d=a.org; s=s%zu; h=from; b=%s; " BH "\r\n", i, values[i]);
	text = print_for(fields, "", "", 8, &ar);
	at = text;
	for (i = 0; i < TEST_COUNT(want); i++) {
		at = strstr(at, "header.b=");
		test_true(want[i], at != NULL);
		n = strcspn(at, ";\r");
		test_octets(want[i], at, n, want[i], strlen(want[i]));
		at += n;
	}
	free(text);
}

static size_t
count(const char *text, const char *what)
{
	size_t n = 0;

	for (text = strstr(text, what); text != NULL;
	    text = strstr(text + 1, what))
		n++;
	return n;
}

/*
 * BEHAVIOUR 6: eight clauses "not evaluated", then their number; and malformed
 * ones are bounded likewise.
 */
static void
dkim_authres_print_floods(void **state)
{
	struct dkim_authres ar = plain_authres();
	struct timespec begun, ended;
	struct buf fields;
	char line[256], *text;
	size_t i;

	(void)state;
	buf_init(&fields, 16 << 20);
	for (i = 0; i < 30; i++) {
		snprintf(line, sizeof(line), "DKIM-Signature: v=1; "
		    "a=rsa-sha256; d=d%zu.org; s=s; h=from; b=YQ==; " BH
		    "\r\n", i);
		buf_add_text(&fields, line);
	}
	buf_add_nul(&fields);
	text = print_for((const char *)fields.p, "", "", 8, &ar);
	test_int("clauses", count(text, "dkim="), 8 + 8 + 1);
	test_true(text, strstr(text, "dkim=policy "
	    "reason=\"not evaluated: 14 more signatures\"") != NULL);
	free(text);
	text = print_for((const char *)fields.p, "", "", 21, &ar);
	test_int("one over", count(text, "dkim="), 21 + 8 + 1);
	test_true(text, strstr(text, "not evaluated: 1 more signature\"") !=
	    NULL);
	free(text);
	text = print_for((const char *)fields.p, "", "", 22, &ar);
	test_int("none over", count(text, "dkim="), 30);
	free(text);
	buf_reset(&fields);
	for (i = 0; i < 9000; i++)
		buf_add_text(&fields, "DKIM-Signature: v=1; b=aaaaaaaa\r\n");
	buf_add_text(&fields, "DKIM-Signature: v=1; a=rsa-sha256; "
	    "d=example.com; s=s; h=from; b=YQ==; " BH "\r\n");
	buf_add_nul(&fields);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
	text = print_for((const char *)fields.p, "", "", 8, &ar);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
	test_true("under two seconds", ended.tv_sec - begun.tv_sec < 2);
	check_octets("flood", text);
	test_int("malformed", count(text, "dkim="), 16 + 1 + 1);
	test_true(text, strstr(text, "errors: 8984 more signatures") != NULL);
	test_true(text, strstr(text, "header.d=example.com") != NULL);
	test_true("short", strlen(text) < 8192);
	free(text);
	buf_clear(&fields);
}

/*
 * No line over 998 octets for any length of i= and a=; what does not fit is
 * left out.
 */
static void
dkim_authres_print_long_values(void **state)
{
	static char field[16384], value[4097];
	struct dkim_authres ar = plain_authres();
	size_t n;
	char *text;

	(void)state;
	for (n = 1; n < 4096; n += n < 200 ? 1 : 97) {
		memset(value, n % 2 ? '"' : 'x', n);
		value[n] = '\0';
		snprintf(field, sizeof(field), "DKIM-Signature: v=1; a=%s; "
		    "d=a.org; s=s; i=%s@a.org; h=from; b=%s; " BH "\r\n",
		    value, value, value);
		text = print_for(field, "", "", 8, &ar);
		check_octets("long", text);
		test_true("result", strstr(text, "dkim=permerror") != NULL);
		if (n < 200 || n > 1000)
			test_int("i= where it fits",
			    strstr(text, "header.i=") != NULL, n < 200);
		free(text);
	}
}

static bool
print_once(void *arg)
{
	struct dkim_authres ar = plain_authres();
	struct buf out;
	int e;

	buf_init(&out, 65536);
	e = dkim_authres_print(&ar, arg, NULL, &out);
	if (e != 0)
		test_int("error", e, DKIM_ERR_NOMEM);
	buf_clear(&out);
	return e == 0;
}

static void
dkim_authres_print_every_allocation(void **state)
{
	struct replay_message m;

	(void)state;
	assert_int_equal(made_verify(&world, "DKIM-Signature: v=1; a=x; "
	    "d=a.org; s=s; i=\"x\"@a.org; h=from; b=YQ==; " BH "\r\n",
	    header_text, "", "", &made_plain, &m), 0);
	test_every_allocation(print_once, m.verifier);
	replay_done(&m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dkim_authres_print_none),
		cmocka_unit_test(dkim_authres_print_long_id),
		cmocka_unit_test(dkim_authres_print_clause),
		cmocka_unit_test(dkim_result_text_registered),
		cmocka_unit_test(dkim_authres_print_quoting),
		cmocka_unit_test(dkim_authres_print_unique_b),
		cmocka_unit_test(dkim_authres_print_floods),
		cmocka_unit_test(dkim_authres_print_long_values),
		cmocka_unit_test(dkim_authres_print_every_allocation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
