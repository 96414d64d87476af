/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which signatures are looked at (BEHAVIOUR: order and number; PROBLEMS 37).
 */

/* system */
#include <time.h>

/* this room */
#include "tests/made.h"

#define FIELD	"DKIM-Signature: v=1; a=rsa-sha256; d=%s; s=%s; h=from; " \
	"bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=YQ==\r\n"

static struct replay world;

static int
set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	replay_end(&world);
	return 0;
}

static void
add_field(struct buf *b, const char *domain, const char *selector)
{
	char line[1024];

	snprintf(line, sizeof(line), FIELD, domain, selector);
	buf_add_text(b, line);
}

/*
 * A verifier of these lines; both go with replay_done.
 */
static void
begin(struct buf *lines, size_t max, struct replay_message *m)
{
	struct dkim_verify_options options = made_plain;

	options.max_signatures = max;
	buf_add_nul(lines);
	assert_int_equal(buf_end(lines), 0);
	m->header = made_header((const char *)lines->p);
	assert_int_equal(dkim_verifier_new(world.lib, m->header, &options,
	    &m->verifier), 0);
	buf_clear(lines);
}

static void
want_queries(const char *row, const struct replay_message *m,
    const char *const *want, size_t n)
{
	size_t i;

	test_int(row, dkim_verifier_queries(m->verifier), n);
	for (i = 0; i < n; i++)
		test_str(row, dkim_verifier_query(m->verifier, i), want[i]);
}

/*
 * d= equal to the From domain, a parent or below it goes first, each from the
 * top; what is left over is policy.
 */
static void
choose_signatures_author_first(void **state)
{
	static const char *const want[] = {
		"s._domainkey.below.mail.example.com",
		"s._domainkey.mail.example.com",
		"s._domainkey.example.com",
		"s._domainkey.other1.org",
	};
	struct replay_message m;
	struct buf lines;
	size_t i;

	(void)state;
	buf_init(&lines, 1 << 20);
	add_field(&lines, "other1.org", "s");
	add_field(&lines, "below.mail.example.com", "s");
	add_field(&lines, "xmail.example.com", "s");
	add_field(&lines, "Mail.Example.com", "s");
	add_field(&lines, "example.com", "s");
	buf_add_text(&lines, "From: \"a@other2.org\" <joe@MAIL.example.com>"
	    "\r\n");
	begin(&lines, 4, &m);
	want_queries("author first", &m, want, TEST_COUNT(want));
	assert_int_equal(dkim_verifier_body_end(m.verifier), 0);
	assert_int_equal(dkim_verifier_finish(m.verifier, world.worker), 0);
	for (i = 0; i < 5; i++)
		test_int("evaluated", dkim_verifier_verdict(m.verifier, i)->
		    evaluated, i != 2);
	made_want("left out", &m, 2, "policy: not evaluated");
	replay_done(&m);
}

/*
 * Malformed, expired and unknown ones ask nothing and do not count; neither
 * does a second one under the same name.
 */
static void
choose_signatures_free_ones(void **state)
{
	static const char *const want[] = {
		"s._domainkey.a.org", "s._domainkey.b.org",
	};
	struct replay_message m;
	struct buf lines;

	(void)state;
	buf_init(&lines, 1 << 20);
	buf_add_text(&lines, "DKIM-Signature: eeee\r\n");
	buf_add_text(&lines, "DKIM-Signature: v=1; a=rsa-sha512; d=u.org; "
	    "s=s; h=from; bh=YQ==; b=YQ==\r\n");
	buf_add_text(&lines, "DKIM-Signature: x=1; v=1; a=rsa-sha256; "
	    "d=x.org; s=s; h=from; b=YQ==; "
	    "bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\r\n");
	add_field(&lines, "a.org", "s");
	add_field(&lines, "A.org", "S");
	add_field(&lines, "b.org", "s");
	add_field(&lines, "c.org", "s");
	buf_add_text(&lines, "From: joe@example.com\r\n");
	begin(&lines, 2, &m);
	want_queries("free ones", &m, want, TEST_COUNT(want));
	assert_int_equal(dkim_verifier_body_end(m.verifier), 0);
	assert_int_equal(dkim_verifier_finish(m.verifier, world.worker), 0);
	made_want("malformed", &m, 0,
	    "permerror: signature syntax error: bad tag list");
	made_want("unknown", &m, 1, "permerror: unknown algorithm");
	made_want("expired", &m, 2, "permerror: signature expired");
	made_want("asked", &m, 3, "temperror: key unavailable");
	made_want("second of the name", &m, 4, "temperror: key unavailable");
	made_want("left out", &m, 6, "policy: not evaluated");
	replay_done(&m);
}

/*
 * Signatures of one name are verified too, so there is an end to them.
 */
static void
choose_signatures_repeats_bounded(void **state)
{
	struct replay_message m;
	size_t i, evaluated = 0;
	struct buf lines;

	(void)state;
	buf_init(&lines, 1 << 20);
	for (i = 0; i < 100; i++)
		add_field(&lines, "a.org", "s");
	buf_add_text(&lines, "From: joe@example.com\r\n");
	begin(&lines, 0, &m);
	test_int("queries", dkim_verifier_queries(m.verifier), 1);
	for (i = 0; i < 100; i++)
		evaluated += dkim_verifier_verdict(m.verifier, i)->evaluated;
	test_int("first and its repeats", evaluated,
	    1 + DKIM_SIGNATURES_DEFAULT);
	replay_done(&m);
}

/*
 * rsa-sha1 never takes the place of another.
 */
static void
choose_signatures_sha1_last(void **state)
{
	static const char *const want[] = { "s._domainkey.b.org" };
	struct replay_message m;
	struct buf lines;

	(void)state;
	buf_init(&lines, 1 << 20);
	buf_add_text(&lines, "DKIM-Signature: v=1; a=rsa-sha1; d=example.com; "
	    "s=s; h=from; bh=2jmj7l5rSw0yVb/vlWAYkK/YBwk=; b=YQ==\r\n");
	add_field(&lines, "b.org", "s");
	buf_add_text(&lines, "From: joe@example.com\r\n");
	begin(&lines, 1, &m);
	want_queries("sha1", &m, want, 1);
	made_want("sha1", &m, 0, "permerror: rsa-sha1 is not accepted");
	replay_done(&m);
}

/*
 * PROBLEMS 37: a thousand others, the author's at the bottom. And ten thousand
 * fields in well under a second: nothing is quadratic.
 */
static void
choose_signatures_flood(void **state)
{
	static const size_t counts[] = { 1000, 9990 };
	struct timespec begun, ended;
	struct replay_message m;
	struct buf lines;
	char domain[32];
	size_t i, n;

	(void)state;
	for (n = 0; n < TEST_COUNT(counts); n++) {
		buf_init(&lines, 4 << 20);
		for (i = 0; i < counts[n]; i++) {
			snprintf(domain, sizeof(domain), "d%zu.org", i);
			add_field(&lines, domain, "s");
		}
		add_field(&lines, "example.com", "s");
		buf_add_text(&lines, "From: joe@example.com\r\n");
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
		begin(&lines, n == 0 ? 0 : 10000, &m);
		test_str("author's first", dkim_verifier_query(m.verifier, 0),
		    "s._domainkey.example.com");
		if (n == 0)
			test_int("queries", dkim_verifier_queries(m.verifier),
			    DKIM_SIGNATURES_DEFAULT);
		else
			test_int("queries", dkim_verifier_queries(m.verifier),
			    counts[n] + 1);
		assert_int_equal(dkim_verifier_body_end(m.verifier), 0);
		assert_int_equal(dkim_verifier_finish(m.verifier,
		    world.worker), 0);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
		test_true("under two seconds", ended.tv_sec - begun.tv_sec <
		    2);
		replay_done(&m);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choose_signatures_author_first),
		cmocka_unit_test(choose_signatures_free_ones),
		cmocka_unit_test(choose_signatures_repeats_bounded),
		cmocka_unit_test(choose_signatures_sha1_last),
		cmocka_unit_test(choose_signatures_flood),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
