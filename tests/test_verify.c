/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts (RFC 6376 s6.1; BEHAVIOUR: order of judgement).
 */

/* this room */
#include "tests/made_judged.h"

static struct replay world;
static struct rsab_key *rsa, *ed25519, *small;
static struct dkim_names *sign_names, *from_twice;
static char *rsa_dns, *ed25519_dns;

static const char header_text[] =
    "From: Joe <joe@example.com>\r\nSubject: a\r\n";
static const char body_text[] = "Hello\r\nworld\r\n";

/*
 * One message to be signed and verified; zero is the usual.
 */
struct trial {
	const char	*name;
	const char	*dns;		/* NULL: the key's record */
	const char	*body;		/* as verified; NULL: as signed */
	const char	*header;
	const char	*identity;
	uint64_t	 time;		/* t=; 0: now */
	uint64_t	 ttl;
	uint64_t	 now;		/* of the verifier; 0: now */
	unsigned	 min_bits;
	const char	*want;
};

static int
set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	rsa = made_key(&world, "rfc6376.pem");
	ed25519 = made_key(&world, "rfc8463-ed25519.pem");
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 768,
	    &small), 0);
	sign_names = made_names(DKIM_NAMES_SIGN, NULL);
	from_twice = made_names(DKIM_NAMES_OVERSIGN, "From");
	rsa_dns = made_dns(rsa, "sel._domainkey.example.com");
	ed25519_dns = made_dns(ed25519, "sel._domainkey.example.com");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	free(rsa_dns);
	free(ed25519_dns);
	dkim_names_free(sign_names);
	dkim_names_free(from_twice);
	rsab_key_unref(rsa);
	rsab_key_unref(ed25519);
	rsab_key_unref(small);
	replay_end(&world);
	return 0;
}

static struct dkim_sign_options
plain_options(const struct rsab_key *key)
{
	return (struct dkim_sign_options){
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.header_canon = DKIM_RELAXED,
		.body_canon = DKIM_SIMPLE,
		.sign = sign_names,
		.now = MADE_NOW,
		.key = key,
	};
}

/*
 * The field line for header_text and body_text; the caller frees.
 */
static char *
sign_plain(const struct dkim_sign_options *o, struct rsab_key *key)
{
	struct dkim_header *header = made_header(header_text);
	struct buf field;
	char *text;

	buf_init(&field, 65536);
	assert_int_equal(made_sign(&world, header, body_text, o, key, "\r\n",
	    &field), 0);
	text = made_field(&field);
	buf_clear(&field);
	dkim_header_free(header);
	return text;
}

static void
run_trial(const struct trial *t)
{
	struct dkim_sign_options o = plain_options(rsa);
	struct dkim_verify_options options = made_plain;
	struct replay_message m;
	char *field;

	if (t->time != 0)
		o.now = t->time;
	o.ttl = t->ttl;
	if (t->identity != NULL)
		o.identity = slice_text(t->identity);
	if (t->now != 0)
		options.now = t->now;
	if (t->min_bits != 0)
		options.min_bits = t->min_bits;
	field = sign_plain(&o, rsa);
	test_int(t->name, made_verify(&world, field, t->header == NULL ?
	    header_text : t->header, t->body == NULL ? body_text : t->body,
	    t->dns == NULL ? rsa_dns : t->dns, &options, &m), 0);
	test_int(t->name, dkim_verifier_count(m.verifier), 1);
	made_want(t->name, &m, 0, t->want);
	replay_done(&m);
	free(field);
}

#define NAME	"sel._domainkey.example.com\t"

/*
 * RFC 6376 s6, s6.1.2 #5: the steps in their order.
 */
static void
dkim_verifier_finish_order(void **state)
{
	static const char two_from[] =
	    "From: x@y.z\r\nFrom: Joe <joe@example.com>\r\nSubject: a\r\n";
	static const struct trial rows[] = {
		/* RFC 6376 s6.1.3 #3, #6, #7, s3.5 #25, s3.7 #5 */
		{ .name = "good", .want = "pass" },
		{ .name = "body", .body = "Hello\r\nWorld\r\n",
		    .want = "fail: body hash did not verify" },
		{ .name = "header", .header =
		    "From: Joe <joe@example.com>\r\nSubject: b\r\n",
		    .want = "fail: signature did not verify" },
		/* RFC 6376 s6.1.2 #8 */
		{ .name = "no key", .dns = "",
		    .want = "permerror: no key for signature" },
		{ .name = "no key before body", .dns = "", .body = "x\r\n",
		    .want = "permerror: no key for signature" },
		{ .name = "SERVFAIL before body", .dns = NAME "!SERVFAIL\n",
		    .body = "x\r\n",
		    .want = "temperror: key unavailable: SERVFAIL" },
		{ .name = "timeout", .dns = NAME "!TIMEOUT\n",
		    .want = "temperror: key unavailable: timeout" },
		/* RFC 6376 s6.1.2 #3, #10, #13, #14 */
		{ .name = "revoked", .dns = NAME "p=\n",
		    .want = "permerror: key revoked" },
		{ .name = "malformed before body", .dns = NAME "x\n",
		    .body = "x\r\n", .want = "permerror: key syntax error" },
		{ .name = "other key type", .dns = NAME "k=ed25519; "
		    "p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n",
		    .want = "permerror: inappropriate key algorithm" },
		/* RFC 6376 s5.4 */
		{ .name = "no From", .header = "Subject: a\r\n",
		    .want = "permerror: no From field in the message" },
		{ .name = "expired before key", .ttl = 10,
		    .now = MADE_NOW + 11, .dns = NAME "!SERVFAIL\n",
		    .want = "permerror: signature expired" },
		{ .name = "at x=", .ttl = 10, .now = MADE_NOW + 10,
		    .want = "pass" },
		{ .name = "t= at the drift", .time = MADE_NOW + 300,
		    .want = "pass" },
		{ .name = "t= beyond the drift", .time = MADE_NOW + 301,
		    .want = "policy: signature time is in the future" },
		{ .name = "t= at 2^64", .time = UINT64_MAX,
		    .want = "policy: signature time is in the future" },
		{ .name = "future, but wrong", .time = MADE_NOW + 301,
		    .body = "x\r\n",
		    .want = "fail: body hash did not verify" },
		{ .name = "min bits", .min_bits = 1025,
		    .want = "policy: key is too small" },
		{ .name = "min bits met", .min_bits = 1024, .want = "pass" },
		{ .name = "small goes before future", .min_bits = 2048,
		    .time = MADE_NOW + 301,
		    .want = "policy: key is too small" },
		{ .name = "small, but wrong", .min_bits = 2048, .header =
		    "From: x@example.com\r\nSubject: a\r\n",
		    .want = "fail: signature did not verify" },
		{ .name = "two From", .header = two_from,
		    .want = "policy: more than one From field" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		run_trial(&rows[i]);
}

/*
 * RFC 6376 s6.1.2 step 4: several records, the best result counts, four are
 * tried.
 */
static void
dkim_verifier_finish_records(void **state)
{
	const char *good = strchr(rsa_dns, '\t') + 1;
	char dns[65536], *other[4];
	struct dkim_verify_options options = made_plain;
	struct rsab_key *key;
	struct replay_message m;
	struct dkim_sign_options o = plain_options(rsa);
	char *field;
	size_t i, n;

	(void)state;
	field = sign_plain(&o, rsa);
	snprintf(dns, sizeof(dns), NAME "spf\n" NAME "p=\n" NAME "%s", good);
	assert_int_equal(made_verify(&world, field, header_text, body_text,
	    dns, &options, &m), 0);
	made_want("others are passed over", &m, 0, "pass");
	replay_done(&m);
	snprintf(dns, sizeof(dns), NAME "spf\n" NAME "p=\n");
	assert_int_equal(made_verify(&world, field, header_text, body_text,
	    dns, &options, &m), 0);
	made_want("revoked first", &m, 0, "permerror: key revoked");
	replay_done(&m);
	/* four of other keys, before or behind the good one in their order */
	for (i = 0; i < 4; i++) {
		assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA,
		    1024, &key), 0);
		other[i] = made_dns(key, "");
		rsab_key_unref(key);
	}
	for (n = 3; n <= 4; n++) {
		size_t used = 0;

		for (i = 0; i < n; i++)
			used += (size_t)snprintf(dns + used, sizeof(dns) -
			    used, NAME "n=%zu; %s", i, other[i] + 1 +
			    strlen("v=DKIM1; "));
		snprintf(dns + used, sizeof(dns) - used, NAME "p=%s",
		    strstr(good, "p=") + 2);
		assert_int_equal(made_verify(&world, field, header_text,
		    body_text, dns, &options, &m), 0);
		made_want(n == 3 ? "fourth" : "fifth", &m, 0, n == 3 ? "pass" :
		    "fail: signature did not verify");
		replay_done(&m);
	}
	for (i = 0; i < 4; i++)
		free(other[i]);
	free(field);
}

/*
 * RFC 6376 s3.6.1 #29, #30, s3.10: t=s; t=y changes no result.
 */
static void
dkim_verifier_finish_flags(void **state)
{
	static const struct {
		const char	*name, *flags, *body, *want;
		bool		 testing;
	} rows[] = {
		{ "t=y pass", "t=y; ", "Hello\r\nworld\r\n", "pass", true },
		{ "t=y fail", "t=y; ", "x\r\n",
		    "fail: body hash did not verify", true },
		{ "t=s", "t=s; ", "Hello\r\nworld\r\n", "permerror: domain "
		    "mismatch: i= in a subdomain, key has t=s", false },
		{ "none", "", "Hello\r\nworld\r\n", "pass", false },
	};
	struct dkim_sign_options o = plain_options(rsa);
	const char *p = strstr(rsa_dns, "p=");
	struct replay_message m;
	char dns[4096], *field;
	size_t i;

	(void)state;
	o.identity = slice_text("joe@mail.example.com");
	field = sign_plain(&o, rsa);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(dns, sizeof(dns), NAME "%s%s", rows[i].flags, p);
		assert_int_equal(made_verify(&world, field, header_text,
		    rows[i].body, dns, &made_plain, &m), 0);
		made_want(rows[i].name, &m, 0, rows[i].want);
		test_int(rows[i].name, dkim_verifier_verdict(m.verifier, 0)->
		    testing, rows[i].testing);
		replay_done(&m);
	}
	free(field);
}

#define TAGS(more) \
	"v=1; a=ed25519-sha256; d=example.com; s=sel; h=from:subject" more

/*
 * l= (PROBLEMS 10; RFC 6376 s3.5 #52, #54, s5.3.1, s6.1.3 #1, #8) and Minimum.
 * The body has 14 octets.
 */
static void
dkim_verifier_finish_length(void **state)
{
	static const struct {
		const char		*name, *tags;
		uint64_t		 length;
		struct dkim_minimum	 minimum;
		const char		*want;
	} rows[] = {
		{ "whole", TAGS("; l=14"), 14, { 0, 0 }, "pass" },
		{ "part", TAGS("; l=7"), 7, { 0, 0 },
		    "pass: part of the body is not signed" },
		{ "nothing", TAGS("; l=0"), 0, { 0, 0 },
		    "pass: part of the body is not signed" },
		{ "leading zeros", TAGS("; l=00000000000000000000000007"), 7,
		    { 0, 0 }, "pass: part of the body is not signed" },
		{ "more than there is", TAGS("; l=15"), UINT64_MAX, { 0, 0 },
		    "permerror: l= is larger than the body" },
		{ "2^64", TAGS("; l=18446744073709551616"), UINT64_MAX,
		    { 0, 0 }, "permerror: l= is larger than the body" },
		{ "2^64 - 1", TAGS("; l=18446744073709551615"), UINT64_MAX,
		    { 0, 0 }, "permerror: l= is larger than the body" },
		{ "Minimum 7", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_OCTETS, 7 },
		    "pass: part of the body is not signed" },
		{ "Minimum 8", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_OCTETS, 8 },
		    "policy: too much of the body is unsigned" },
		{ "Minimum 20, all covered", TAGS("; l=14"), 14,
		    { DKIM_MINIMUM_OCTETS, 20 }, "pass" },
		{ "Minimum without l=", TAGS(""), UINT64_MAX,
		    { DKIM_MINIMUM_OCTETS, 20 }, "pass" },
		{ "Minimum 50%", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_PERCENT, 50 },
		    "pass: part of the body is not signed" },
		{ "Minimum 51%", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_PERCENT, 51 },
		    "policy: too much of the body is unsigned" },
		{ "Minimum beyond 100%", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_PERCENT, UINT64_MAX },
		    "policy: too much of the body is unsigned" },
		{ "Minimum 7+", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_UNSIGNED, 7 },
		    "pass: part of the body is not signed" },
		{ "Minimum 6+", TAGS("; l=7"), 7,
		    { DKIM_MINIMUM_UNSIGNED, 6 },
		    "policy: too much of the body is unsigned" },
	};
	struct replay_message m;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		struct dkim_verify_options options = made_plain;
		char *field = made_raw(&world, ed25519, header_text, body_text,
		    rows[i].tags, rows[i].length);

		options.minimum = rows[i].minimum;
		assert_int_equal(made_verify(&world, field, header_text,
		    body_text, ed25519_dns, &options, &m), 0);
		made_want(rows[i].name, &m, 0, rows[i].want);
		if (rows[i].length <= 14) {
			const struct dkim_verdict *v =
			    dkim_verifier_verdict(m.verifier, 0);

			test_int(rows[i].name, v->covered, rows[i].length);
			test_int(rows[i].name, v->body, 14);
		}
		replay_done(&m);
		free(field);
	}
}

/*
 * PROBLEMS 18 and RFC 6376 s3.5 #7, #8, #11, #36, #40, #58, #59, #60, s3.2 #12,
 * s3.7 #10, s6.1.1 #3, s6.1.3 #1, #2: b= wherever it stands, folded, with an
 * unknown tag that ends in b; h= that names more fields than there are, and
 * itself.
 */
static void
dkim_verifier_finish_odd_fields(void **state)
{
	static const char *const tags[] = {
		TAGS("; xb=abc; zb=b"),
		TAGS("; c=relaxed; h2=x"),
		"v=1; a=ed25519-sha256; c=relaxed/relaxed; d=EXAMPLE.com;\r\n"
		"\ts=sel; h=FROM : subject:Subject:dkim-signature:\r\n"
		" from:from:x; q=x:dns/txt; i==6Aoe@mail.example.com",
	};
	struct replay_message m;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(tags); i++) {
		char *unknown, *field = made_raw(&world, ed25519, header_text,
		    body_text, tags[i], UINT64_MAX);

		assert_int_equal(made_verify(&world, field, header_text,
		    body_text, ed25519_dns, &made_plain, &m), 0);
		made_want(tags[i], &m, 0, "pass");
		replay_done(&m);
		/* a tag that nobody knows is signed as all others are */
		unknown = strstr(field, "xb=abc");
		if (unknown != NULL) {
			unknown[3] = 'X';
			assert_int_equal(made_verify(&world, field,
			    header_text, body_text, ed25519_dns, &made_plain,
			    &m), 0);
			made_want("changed", &m, 0,
			    "fail: signature did not verify");
			replay_done(&m);
		}
		free(field);
	}
}

/*
 * RFC 8301 s1, s3, s3.1 #2, #4, #5: rsa-sha1 never passes; RFC 6376 s3.3,
 * s3.3.4, s3.5 #16, #18: unknown algorithms; RFC 8301 s3.2 #6, #7: small keys.
 */
static void
dkim_verifier_finish_algorithms(void **state)
{
	static const struct {
		const char	*name, *tags, *want;
	} rows[] = {
		{ "sha1", "v=1; a=rsa-sha1; d=example.com; s=sel; h=from",
		    "permerror: signature syntax error: "
		    "bh= of wrong length" },
		{ "unknown", "v=1; a=rsa-sha512; d=example.com; s=sel; h=from",
		    "permerror: unknown algorithm" },
		{ "case", "v=1; a=RSA-SHA256; d=example.com; s=sel; h=from",
		    "pass" },
	};
	char sha1[] = "DKIM-Signature: v=1; a=rsa-sha1; d=example.com; "
	    "s=sel; h=from; bh=2jmj7l5rSw0yVb/vlWAYkK/YBwk=; b=YQ==\r\n";
	struct replay_message m;
	char *field, *dns;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		field = made_raw(&world, rsa, header_text, body_text,
		    rows[i].tags, UINT64_MAX);
		assert_int_equal(made_verify(&world, field, header_text,
		    body_text, rsa_dns, &made_plain, &m), 0);
		made_want(rows[i].name, &m, 0, rows[i].want);
		replay_done(&m);
		free(field);
	}
	assert_int_equal(made_verify(&world, sha1, header_text, body_text,
	    rsa_dns, &made_plain, &m), 0);
	made_want("sha1", &m, 0, "permerror: rsa-sha1 is not accepted");
	replay_done(&m);
	field = made_raw(&world, small, header_text, body_text,
	    "v=1; a=rsa-sha256; d=example.com; s=sel; h=from", UINT64_MAX);
	dns = made_dns(small, "sel._domainkey.example.com");
	assert_int_equal(made_verify(&world, field, header_text, body_text,
	    dns, &made_plain, &m), 0);
	made_want("768 bits", &m, 0, "policy: key is too small");
	test_int("bits", dkim_verifier_verdict(m.verifier, 0)->key_bits, 768);
	replay_done(&m);
	/* the record of a small key under a signature of 1024 bits */
	free(field);
	field = made_raw(&world, rsa, header_text, body_text,
	    "v=1; a=rsa-sha256; d=example.com; s=sel; h=from", UINT64_MAX);
	assert_int_equal(made_verify(&world, field, header_text, body_text,
	    dns, &made_plain, &m), 0);
	made_want("sizes differ", &m, 0, "policy: key is too small");
	replay_done(&m);
	free(field);
	free(dns);
}

/*
 * RFC 6376 s3.5 #81: what z= says of a field is not what is verified.
 */
static void
dkim_verifier_finish_copies(void **state)
{
	static const char changed[] =
	    "From: Joe <joe@example.com>\r\nSubject: b\r\n";
	struct dkim_sign_options o = plain_options(rsa);
	struct replay_message m;
	char *field;
	size_t i;

	(void)state;
	o.copy_fields = true;
	field = sign_plain(&o, rsa);
	for (i = 0; i < 2; i++) {
		assert_int_equal(made_verify(&world, field, i == 0 ?
		    header_text : changed, body_text, rsa_dns, &made_plain,
		    &m), 0);
		test_int(i == 0 ? "as signed" : "changed",
		    dkim_verifier_verdict(m.verifier, 0)->result,
		    i == 0 ? DKIM_PASS : DKIM_FAIL);
		replay_done(&m);
	}
	free(field);
}

/*
 * BEHAVIOUR 6: a key above the cap is permerror, but a wrong body hash fail.
 */
static void
dkim_verifier_finish_huge_key(void **state)
{
	char dns[8192], *field;
	struct replay_message m;

	(void)state;
	strcpy(dns, NAME "p=");
	memset(dns + strlen(dns), 'A', 5464);
	strcpy(dns + strlen(NAME "p=") + 5464, "\n");
	field = made_raw(&world, rsa, header_text, body_text,
	    "v=1; a=rsa-sha256; d=example.com; s=sel; h=from", UINT64_MAX);
	assert_int_equal(made_verify(&world, field, header_text, body_text,
	    dns, &made_plain, &m), 0);
	made_want("huge", &m, 0, "permerror: key is larger than 8192 bits");
	replay_done(&m);
	assert_int_equal(made_verify(&world, field, header_text, "x\r\n",
	    dns, &made_plain, &m), 0);
	made_want("huge, body wrong", &m, 0, "fail: body hash did not verify");
	replay_done(&m);
	free(field);
}

static void
dkim_verifier_call_order(void **state)
{
	struct dkim_answer none = { DKIM_ANSWER_NO_KEY, NULL,
	    DKIM_DNSSEC_INSECURE, NULL };
	struct dkim_sign_options o = plain_options(rsa);
	struct dkim_header *header;
	struct dkim_verifier *v;
	struct buf lines;
	char *field = sign_plain(&o, rsa);

	(void)state;
	buf_init(&lines, 65536);
	buf_add_text(&lines, field);
	buf_add_text(&lines, header_text);
	buf_add_nul(&lines);
	header = made_header((const char *)lines.p);
	assert_int_equal(dkim_verifier_new(world.lib, header, &made_plain, &v),
	    0);
	test_int("queries", dkim_verifier_queries(v), 1);
	test_str("query", dkim_verifier_query(v, 0),
	    "sel._domainkey.example.com");
	test_true("wants body", dkim_verifier_wants_body(v));
	test_int("finish too early", dkim_verifier_finish(v, world.worker),
	    DKIM_ERR_STATE);
	test_int("body", dkim_verifier_body(v, slice_text(body_text)), 0);
	test_int("end", dkim_verifier_body_end(v), 0);
	test_int("end twice", dkim_verifier_body_end(v), DKIM_ERR_STATE);
	test_int("body late", dkim_verifier_body(v, slice_text("x")),
	    DKIM_ERR_STATE);
	test_int("finish", dkim_verifier_finish(v, world.worker), 0);
	test_int("no answer", dkim_verifier_verdict(v, 0)->result,
	    DKIM_TEMPERROR);
	test_int("finish twice", dkim_verifier_finish(v, world.worker),
	    DKIM_ERR_STATE);
	dkim_verifier_free(v);
	/* the last of two answers counts, no reference is lost */
	assert_int_equal(dkim_verifier_new(world.lib, header, &made_plain, &v),
	    0);
	dkim_verifier_answer(v, 0, replay_answer(&world, rsa_dns,
	    "sel._domainkey.example.com"));
	dkim_verifier_answer(v, 0, none);
	assert_int_equal(dkim_verifier_body_end(v), 0);
	assert_int_equal(dkim_verifier_finish(v, world.worker), 0);
	test_true("no key", dkim_verifier_verdict(v, 0)->no_key);
	dkim_verifier_free(v);
	dkim_header_free(header);
	buf_clear(&lines);
	free(field);
}

/*
 * Jobs of two messages, run in one call: the verdicts are each message's own.
 */
static void
dkim_verifier_jobs_of_two(void **state)
{
	struct dkim_sign_options o = plain_options(rsa);
	struct rsab_job *const *jobs, *both[2];
	struct dkim_verifier *v[2];
	struct dkim_header *header;
	struct buf lines;
	char *field = sign_plain(&o, rsa);
	size_t n;

	(void)state;
	buf_init(&lines, 65536);
	buf_add_text(&lines, field);
	buf_add_text(&lines, header_text);
	buf_add_nul(&lines);
	header = made_header((const char *)lines.p);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(dkim_verifier_new(world.lib, header,
		    &made_plain, &v[i]), 0);
		dkim_verifier_answer(v[i], 0, replay_answer(&world, rsa_dns,
		    "sel._domainkey.example.com"));
		test_int("jobs too early", dkim_verifier_jobs(v[i], &jobs, &n),
		    DKIM_ERR_STATE);
		assert_int_equal(dkim_verifier_body(v[i],
		    slice_text(body_text)), 0);
		assert_int_equal(dkim_verifier_body_end(v[i]), 0);
		test_int("judge without jobs", dkim_verifier_judge(v[i]),
		    DKIM_ERR_STATE);
		assert_int_equal(dkim_verifier_jobs(v[i], &jobs, &n), 0);
		test_int("jobs twice", dkim_verifier_jobs(v[i], &jobs, &n),
		    DKIM_ERR_STATE);
		assert_int_equal(n, 1);
		both[i] = jobs[0];
	}
	both[1]->signature[7] ^= 1;
	rsab_run(world.worker, both, 2);
	for (size_t i = 0; i < 2; i++) {
		test_int("judge", dkim_verifier_judge(v[i]), 0);
		test_int("judge twice", dkim_verifier_judge(v[i]),
		    DKIM_ERR_STATE);
	}
	test_str("first", dkim_result_text(
	    dkim_verifier_verdict(v[0], 0)->result), "pass");
	test_str("second", dkim_verifier_verdict(v[1], 0)->reason,
	    "signature did not verify");
	for (size_t i = 0; i < 2; i++)
		dkim_verifier_free(v[i]);
	/* nothing passes by being left alone */
	assert_int_equal(dkim_verifier_new(world.lib, header, &made_plain,
	    &v[0]), 0);
	dkim_verifier_answer(v[0], 0, replay_answer(&world, rsa_dns,
	    "sel._domainkey.example.com"));
	assert_int_equal(dkim_verifier_body(v[0], slice_text(body_text)), 0);
	assert_int_equal(dkim_verifier_body_end(v[0]), 0);
	assert_int_equal(dkim_verifier_jobs(v[0], &jobs, &n), 0);
	test_int("not run", dkim_verifier_judge(v[0]), DKIM_ERR_CRYPTO);
	dkim_verifier_free(v[0]);
	/* RFC 6376 s6.1: a wrong body hash needs no operation */
	assert_int_equal(dkim_verifier_new(world.lib, header, &made_plain,
	    &v[0]), 0);
	dkim_verifier_answer(v[0], 0, replay_answer(&world, rsa_dns,
	    "sel._domainkey.example.com"));
	assert_int_equal(dkim_verifier_body(v[0], slice_text("x")), 0);
	assert_int_equal(dkim_verifier_body_end(v[0]), 0);
	assert_int_equal(dkim_verifier_jobs(v[0], &jobs, &n), 0);
	test_int("no job", n, 0);
	assert_int_equal(dkim_verifier_judge(v[0]), 0);
	test_str("body", dkim_verifier_verdict(v[0], 0)->reason,
	    "body hash did not verify");
	dkim_verifier_free(v[0]);
	dkim_header_free(header);
	buf_clear(&lines);
	free(field);
}

/*
 * BEHAVIOUR 5: bogus is temperror, whatever came with it; a limit of look-ups
 * is permerror.
 */
static void
dkim_verifier_answer_states(void **state)
{
	static const struct {
		const char		*name;
		enum dkim_answer_state	 state;
		enum dkim_dnssec	 dnssec;
		const char		*detail, *want;
	} rows[] = {
		{ "secure", DKIM_ANSWER_FOUND, DKIM_DNSSEC_SECURE, NULL,
		    "pass" },
		{ "bogus", DKIM_ANSWER_FOUND, DKIM_DNSSEC_BOGUS, NULL,
		    "temperror: key unavailable: DNSSEC bogus" },
		{ "temperror", DKIM_ANSWER_TEMPERROR, DKIM_DNSSEC_INSECURE,
		    NULL, "temperror: key unavailable" },
		{ "other words", DKIM_ANSWER_TEMPERROR, DKIM_DNSSEC_INSECURE,
		    "REFUSED", "temperror: key unavailable" },
		{ "timeout", DKIM_ANSWER_TEMPERROR, DKIM_DNSSEC_INSECURE,
		    "timeout", "temperror: key unavailable: timeout" },
		{ "over", DKIM_ANSWER_OVER, DKIM_DNSSEC_INSECURE, NULL,
		    "permerror: too many key look-ups" },
	};
	struct dkim_sign_options o = plain_options(rsa);
	struct dkim_header *header;
	struct dkim_verifier *v;
	struct dkim_answer answer;
	struct buf lines;
	char *field = sign_plain(&o, rsa);
	size_t i;

	(void)state;
	buf_init(&lines, 65536);
	buf_add_text(&lines, field);
	buf_add_text(&lines, header_text);
	buf_add_nul(&lines);
	header = made_header((const char *)lines.p);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		struct replay_message m = { header, NULL };

		assert_int_equal(dkim_verifier_new(world.lib, header,
		    &made_plain, &v), 0);
		answer = replay_answer(&world, rsa_dns,
		    "sel._domainkey.example.com");
		answer.state = rows[i].state;
		answer.dnssec = rows[i].dnssec;
		answer.detail = rows[i].detail;
		dkim_verifier_answer(v, 0, answer);
		assert_int_equal(dkim_verifier_body(v, slice_text(body_text)),
		    0);
		assert_int_equal(dkim_verifier_body_end(v), 0);
		assert_int_equal(dkim_verifier_finish(v, world.worker), 0);
		m.verifier = v;
		made_want(rows[i].name, &m, 0, rows[i].want);
		dkim_verifier_free(v);
	}
	dkim_header_free(header);
	buf_clear(&lines);
	free(field);
}

static void
dkim_verifier_every_allocation(void **state)
{
	struct made_judged m = { .world = &world, .body = body_text,
	    .result = DKIM_PASS };
	struct dkim_sign_options o = plain_options(rsa);
	char *field = sign_plain(&o, rsa);

	(void)state;
	made_judged_allocations(&m, rsa_dns, field, header_text);
	free(field);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dkim_verifier_finish_order),
		cmocka_unit_test(dkim_verifier_finish_records),
		cmocka_unit_test(dkim_verifier_finish_flags),
		cmocka_unit_test(dkim_verifier_finish_length),
		cmocka_unit_test(dkim_verifier_finish_odd_fields),
		cmocka_unit_test(dkim_verifier_finish_algorithms),
		cmocka_unit_test(dkim_verifier_finish_copies),
		cmocka_unit_test(dkim_verifier_finish_huge_key),
		cmocka_unit_test(dkim_verifier_call_order),
		cmocka_unit_test(dkim_verifier_jobs_of_two),
		cmocka_unit_test(dkim_verifier_answer_states),
		cmocka_unit_test(dkim_verifier_every_allocation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
