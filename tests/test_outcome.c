/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of outcomes: every row, which one applies first, the replies.
 */

/* this room */
#include "tests/test.h"
#include "milter/outcome.h"

static struct dkim_verdict
verdict(enum dkim_result result)
{
	return (struct dkim_verdict){ .result = result, .reason = "",
	    .evaluated = true };
}

static void
outcome_judge_first_row(void **state)
{
	const struct dkim_verdict pass = verdict(DKIM_PASS),
	    fail = verdict(DKIM_FAIL), temp = verdict(DKIM_TEMPERROR),
	    perm = verdict(DKIM_PERMERROR), policy = verdict(DKIM_POLICY),
	    neutral = verdict(DKIM_NEUTRAL);
	struct dkim_verdict no_key = perm, test_fail = fail, test_pass = pass,
	    later = policy;
	const struct {
		const char *name;
		const struct dkim_verdict *v[3];
		size_t n;
		enum outcome_kind kind;
		size_t deciding;
	} rows[] = {
		{ "unsigned", { NULL }, 0, OUTCOME_NO_SIGNATURE, 0 },
		{ "pass", { &pass }, 1, OUTCOME_ACCEPT, 0 },
		{ "fail", { &fail }, 1, OUTCOME_BAD_SIGNATURE, 0 },
		{ "permerror", { &perm }, 1, OUTCOME_BAD_SIGNATURE, 0 },
		{ "policy", { &policy }, 1, OUTCOME_BAD_SIGNATURE, 0 },
		{ "neutral", { &neutral }, 1, OUTCOME_ACCEPT, 1 },
		{ "no key", { &no_key }, 1, OUTCOME_KEY_NOT_FOUND, 0 },
		{ "temperror", { &temp }, 1, OUTCOME_DNS_ERROR, 0 },
		/* RFC 6376 s6.1, RFC 7372 s3.1: one good signature is enough,
		 * at whichever place */
		{ "temperror last", { &fail, &no_key, &temp }, 3,
		    OUTCOME_DNS_ERROR, 2 },
		{ "no key beside a fail", { &fail, &no_key }, 2,
		    OUTCOME_KEY_NOT_FOUND, 1 },
		{ "pass last", { &temp, &fail, &pass }, 3, OUTCOME_ACCEPT,
		    2 },
		/* RFC 6376 s3.6.1 #27 */
		{ "test key fails", { &test_fail }, 1, OUTCOME_ACCEPT, 1 },
		{ "test key passes, other fails", { &test_pass, &fail }, 2,
		    OUTCOME_BAD_SIGNATURE, 1 },
		{ "test key fails, other passes", { &test_fail, &pass }, 2,
		    OUTCOME_ACCEPT, 1 },
		{ "not evaluated beside a pass", { &later, &pass }, 2,
		    OUTCOME_ACCEPT, 1 },
		{ "not evaluated beside a fail", { &later, &fail }, 2,
		    OUTCOME_BAD_SIGNATURE, 1 },
	};
	size_t i, deciding;

	(void)state;
	no_key.no_key = true;
	test_fail.testing = test_pass.testing = true;
	later.evaluated = false;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, outcome_judge(rows[i].v, rows[i].n,
		    &deciding), rows[i].kind);
		test_int(rows[i].name, deciding, rows[i].deciding);
	}
}

/*
 * RFC 7372 s3.1, s4 and BEHAVIOUR 1: which option, which codes.
 */
static void
outcome_set_every_row(void **state)
{
	static const struct {
		const char *option, *reject;
		enum outcome_kind kind;
		size_t member;
		bool policy;
	} rows[] = {
		{ "On-DNSError", "5.7.20", OUTCOME_DNS_ERROR,
		    offsetof(struct options, on_dns_error), false },
		{ "On-KeyNotFound", "5.7.20", OUTCOME_KEY_NOT_FOUND,
		    offsetof(struct options, on_key_not_found), false },
		{ "On-BadSignature", "5.7.20", OUTCOME_BAD_SIGNATURE,
		    offsetof(struct options, on_bad_signature), false },
		{ "On-BadSignature", "5.7.21", OUTCOME_BAD_SIGNATURE,
		    offsetof(struct options, on_bad_signature), true },
		{ "On-NoSignature", "5.7.20", OUTCOME_NO_SIGNATURE,
		    offsetof(struct options, on_no_signature), false },
		{ "On-Security", "5.7.20", OUTCOME_SECURITY,
		    offsetof(struct options, on_security), false },
		{ "On-SignatureError", "5.6.0", OUTCOME_SIGNATURE_ERROR,
		    offsetof(struct options, on_signature_error), false },
		{ "On-InternalError", "5.6.0", OUTCOME_INTERNAL_ERROR,
		    offsetof(struct options, on_internal_error), false },
	};
	struct options o;
	struct outcome out;
	size_t i;
	int a;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		for (a = ACTION_ACCEPT; a <= ACTION_TEMPFAIL; a++) {
			memset(&o, 0, sizeof(o));
			*(enum action *)(void *)((char *)&o +
			    rows[i].member) = (enum action)a;
			outcome_set(&out, rows[i].kind, &o,
			    slice_text("example.org"), slice_text("sel"), "",
			    rows[i].policy);
			test_int(rows[i].option, out.action, a);
			test_str(rows[i].option, out.option, rows[i].option);
			test_str(rows[i].option, out.code,
			    a == ACTION_REJECT ? "550" :
			    a == ACTION_TEMPFAIL ? "451" : NULL);
			test_str(rows[i].option, out.xcode,
			    a == ACTION_REJECT ? rows[i].reject :
			    a == ACTION_TEMPFAIL ? "4.7.0" : NULL);
			test_true(rows[i].option, strstr(out.text,
			    "(s=sel, d=example.org)") != NULL);
		}
	memset(&o, 0, sizeof(o));
	outcome_set(&out, OUTCOME_MEMORY, &o, slice_of(NULL, 0),
	    slice_of(NULL, 0), NULL, false);
	test_int("no memory is never accepted", out.action, ACTION_TEMPFAIL);
}

static void
outcome_set_hostile_names(void **state)
{
	char name[1000];
	struct options o;
	struct outcome out;
	size_t n;

	(void)state;
	memset(&o, 0, sizeof(o));
	o.on_bad_signature = ACTION_REJECT;
	outcome_set(&out, OUTCOME_BAD_SIGNATURE, &o,
	    slice_of("a\r\nb\0c", 6), slice_text("\xc3\xa4"), "", false);
	test_str("escaped", out.text, "No passing DKIM signature found "
	    "(s=\\xc3\\xa4, d=a\\x0d\\x0ab\\x00c)");
	memset(name, '\xff', sizeof(name));
	for (n = 1; n <= sizeof(name); n++) {
		outcome_set(&out, OUTCOME_BAD_SIGNATURE, &o,
		    slice_of(name, n), slice_of(name, n % 256 + 1), "",
		    false);
		test_true("fits", memchr(out.text, '\0', sizeof(out.text)) !=
		    NULL);
		test_true("whole names or none", strchr(out.text, '(') ==
		    NULL || out.text[strlen(out.text) - 1] == ')');
	}
}

static void
outcome_double_percent(void **state)
{
	char out[OUTCOME_DOUBLED_MAX], text[OUTCOME_TEXT_MAX];

	(void)state;
	outcome_double("100% of %s", out);
	test_str("doubled", out, "100%% of %%s");
	memset(text, '%', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	outcome_double(text, out);
	test_int("the longest", strlen(out), 2 * (sizeof(text) - 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(outcome_judge_first_row),
		cmocka_unit_test(outcome_set_every_row),
		cmocka_unit_test(outcome_set_hostile_names),
		cmocka_unit_test(outcome_double_percent),
	};

	return TEST_RUN(tests);
}
