/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reason of a failed verdict: body or header, and with z= the first field
 * that changed (RFC 6376 s3.5, s6.1.3; BEHAVIOUR: Authentication-Results).
 */

/* this room */
#include "tests/made_judged.h"

static struct replay world;
static struct rsab_key *rsa;
static struct dkim_names *sign_names, *from_twice;
static char *dns;

static const char header_text[] =
    "From: Joe <joe@example.com>\r\nTo: a@example.org\r\nSubject: a  b\r\n";
static const char body_text[] = "Hello\r\n";

static int
set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	rsa = made_key(&world, "rfc6376.pem");
	sign_names = made_names(DKIM_NAMES_SIGN, NULL);
	from_twice = made_names(DKIM_NAMES_OVERSIGN, "From,Reply-To");
	dns = made_dns(rsa, "sel._domainkey.example.com");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	free(dns);
	dkim_names_free(sign_names);
	dkim_names_free(from_twice);
	rsab_key_unref(rsa);
	replay_end(&world);
	return 0;
}

/*
 * The field line; the caller frees.
 */
static char *
sign(enum dkim_canon header_canon, bool copies)
{
	struct dkim_sign_options o = {
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.header_canon = header_canon,
		.body_canon = DKIM_SIMPLE,
		.sign = sign_names,
		.oversign = from_twice,
		.now = MADE_NOW,
		.copy_fields = copies,
		.key = rsa,
	};
	struct dkim_header *header = made_header(header_text);
	struct buf field;
	char *text;

	buf_init(&field, 65536);
	assert_int_equal(made_sign(&world, header, body_text, &o, rsa, "\r\n",
	    &field), 0);
	text = made_field(&field);
	buf_clear(&field);
	dkim_header_free(header);
	return text;
}

struct row {
	const char	*name;
	enum dkim_canon	 canon;
	bool		 no_copies;
	const char	*header;
	const char	*body;		/* NULL: as signed */
	const char	*want;
};

#define FAIL	"fail: signature did not verify"
#define FROM	"From: Joe <joe@example.com>\r\n"
#define TO	"To: a@example.org\r\n"
#define SUBJECT	"Subject: a  b\r\n"

static void
change_reason_rows(void **state)
{
	static const struct row rows[] = {
		{ "as signed", DKIM_RELAXED, false, FROM TO SUBJECT, NULL,
		    "pass" },
		{ "body", DKIM_RELAXED, false, FROM TO SUBJECT, "x\r\n",
		    "fail: body hash did not verify" },
		{ "body and header", DKIM_RELAXED, false, FROM TO, "x\r\n",
		    "fail: body hash did not verify" },
		{ "no z=", DKIM_RELAXED, true, FROM TO "Subject: c\r\n", NULL,
		    FAIL },
		{ "changed", DKIM_RELAXED, false, FROM TO
		    "Subject: [l] a b\r\n", NULL,
		    FAIL ": Subject differs from its copy in z=" },
		{ "the first of two", DKIM_RELAXED, false, FROM
		    "To: b@example.org\r\nSubject: c\r\n", NULL,
		    FAIL ": To differs from its copy in z=" },
		{ "missing", DKIM_RELAXED, false, FROM SUBJECT, NULL,
		    FAIL ": To of z= is missing" },
		{ "added", DKIM_RELAXED, false, FROM TO SUBJECT
		    "Reply-To: l@example.net\r\n", NULL,
		    FAIL ": Reply-To has no copy in z=" },
		{ "white space", DKIM_SIMPLE, false, FROM TO
		    "Subject: a b\r\n", NULL,
		    FAIL ": Subject differs in white space from z=" },
		{ "nothing that z= shows", DKIM_SIMPLE, false, FROM TO
		    "Subject:a  b\r\n", NULL, FAIL },
	};
	struct replay_message m;
	char *field;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		field = sign(rows[i].canon, !rows[i].no_copies);
		test_int(rows[i].name, made_verify(&world, field,
		    rows[i].header, rows[i].body == NULL ? body_text :
		    rows[i].body, dns, &made_plain, &m), 0);
		made_want(rows[i].name, &m, 0, rows[i].want);
		replay_done(&m);
		free(field);
	}
}

/*
 * z= of a stranger: what is wrong with it changes no verdict (RFC 6376 s3.5),
 * and no octet of it gets into the reason.
 */
static void
change_reason_strange(void **state)
{
	static const struct {
		const char	*name;
		const char	*z;
		const char	*names;
		const char	*want;
	} rows[] = {
		{ "no z= at all", "nonsense", "from", FAIL },
		{ "cut", "From:=2", "from", FAIL },
		{ "a name with quotes", "From:=20Joe=20<joe@example.com>|"
		    "a=22b:c", "from:a\"b",
		    FAIL ": a field of z= is missing" },
		{ "a long name", "From:=20Joe=20<joe@example.com>|"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:c",
		    "from:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		    FAIL ": a field of z= is missing" },
	};
	struct replay_message m;
	char tags[1024], *field, *b;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(tags, sizeof(tags), "v=1; a=rsa-sha256; d=example.com;"
		    " s=sel; h=%s; z=%s", rows[i].names, rows[i].z);
		field = made_raw(&world, rsa, FROM, body_text, tags,
		    UINT64_MAX);
		test_int(rows[i].name, made_verify(&world, field, FROM,
		    body_text, dns, &made_plain, &m), 0);
		made_want(rows[i].name, &m, 0, "pass");
		replay_done(&m);
		b = strstr(field, "; b=") + 4;
		*b = *b == 'A' ? 'B' : 'A';
		test_int(rows[i].name, made_verify(&world, field, FROM,
		    body_text, dns, &made_plain, &m), 0);
		made_want(rows[i].name, &m, 0, rows[i].want);
		replay_done(&m);
		free(field);
	}
}

/*
 * The reason stands in Authentication-Results as it is.
 */
static void
change_reason_printed(void **state)
{
	struct dkim_authres ar = { .authserv_id = slice_text("mx.example.org"),
	    .line_end = "\n" };
	char *field = sign(DKIM_RELAXED, true);
	struct replay_message m;
	struct buf b;

	(void)state;
	assert_int_equal(made_verify(&world, field, FROM TO "Subject: c\r\n",
	    body_text, dns, &made_plain, &m), 0);
	buf_init(&b, 65536);
	assert_int_equal(dkim_authres_print(&ar, m.verifier, NULL, &b), 0);
	buf_add_nul(&b);
	assert_int_equal(buf_end(&b), 0);
	assert_non_null(strstr((const char *)b.p, "reason=\"signature did not "
	    "verify: Subject differs from its copy in z=\""));
	buf_clear(&b);
	replay_done(&m);
	free(field);
}

static void
change_reason_memory(void **state)
{
	struct made_judged m = { .world = &world, .body = body_text,
	    .result = DKIM_FAIL, .reason = "signature did not verify: Subject "
	    "differs from its copy in z=" };
	char *field = sign(DKIM_RELAXED, true);

	(void)state;
	made_judged_allocations(&m, dns, field, FROM TO "Subject: c\r\n");
	free(field);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(change_reason_rows),
		cmocka_unit_test(change_reason_strange),
		cmocka_unit_test(change_reason_printed),
		cmocka_unit_test(change_reason_memory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
