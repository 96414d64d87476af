/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The resolver against a DNS server of the test's own: outcomes, deadlines,
 * cache, shared questions, bounds, patience, the trust anchor.
 */

#include "tests/test.h"
#include "tests/last_fault.h"
#include "tests/dns_server.h"
#include "milter/clock.h"
#include "milter/inbox.h"
#include "milter/loop.h"
#include "milter/resolver.h"
#include "milter/stats.h"

#define SECOND	1000000u

static struct loop *loop;
static struct conf conf;
static char nameserver[64];

static int
set_up(void **state)
{
	(void)state;
	if (dns_server_start() != 0 || loop_new(&loop) != 0)
		return -1;
	snprintf(nameserver, sizeof(nameserver), "127.0.0.1@%u",
	    dns_server.port);
	atomic_init(&conf.refs, 1);
	conf.options.nameservers = nameserver;
	conf.options.dns_timeout = 5;
	return rsab_backend_find("libcrypto", &conf.backend);
}

static void
passed(void *arg)
{
	(void)!write(*(int *)arg, "", 1);
}

/* What was posted has run, and what that posted, four deep. */
static void
drain(void)
{
	int ends[2];
	char c;

	assert_int_equal(pipe(ends), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(loop_post(loop, passed, &ends[1]), 0);
		assert_int_equal(read(ends[0], &c, 1), 1);
	}
	close(ends[0]);
	close(ends[1]);
}

static int
tear_down(void **state)
{
	(void)state;
	drain();
	loop_free(loop);
	dns_server_stop();
	return 0;
}

static struct resolver *
make(void)
{
	struct resolver *resolver;

	assert_int_equal(resolver_new(loop, &conf, &report, &resolver), 0);
	return resolver;
}

static struct want *
want_of(struct inbox *inbox, const char *first, const char *domain,
    uint64_t us)
{
	struct want *want;

	assert_int_equal(want_new(WANT_PUBLIC_KEY, inbox, &conf, &want), 0);
	snprintf(want->public_key.name, sizeof(want->public_key.name),
	    "%s._domainkey.%s", first, domain);
	want->asked = clock_us();
	want->expires = want->asked + us;
	return want;
}

/* Ask and wait; the want, answered, with one reference. */
static struct want *
ask(struct resolver *resolver, const char *first, uint64_t us)
{
	struct inbox *inbox;
	struct want *want, *got;

	assert_int_equal(inbox_new(&inbox), 0);
	want = want_of(inbox, first, "example.net", us);
	if (resolver_ask(resolver, want)) {
		want_unref(want);
	} else {
		got = inbox_take(inbox, clock_us() + 20 * SECOND);
		test_true(first, got == want);
		want_unref(want);
	}
	inbox_unref(inbox);
	return want;
}

static void
resolver_ask_outcomes(void **state)
{
	static const struct {
		const char	*first;
		enum dkim_answer_state state;
		size_t		 records;
		const char	*detail;
	} rows[] = {
		{ "ok-1", DKIM_ANSWER_FOUND, 1, NULL },
		{ "two-1", DKIM_ANSWER_FOUND, 2, NULL },
		{ "alias-1", DKIM_ANSWER_FOUND, 1, NULL },
		{ "nx-1", DKIM_ANSWER_NO_KEY, 0, NULL },
		{ "nodata-1", DKIM_ANSWER_NO_KEY, 0, NULL },
		{ "fail-1", DKIM_ANSWER_TEMPERROR, 0, "SERVFAIL" },
		{ "slow-1", DKIM_ANSWER_FOUND, 1, NULL },
	};
	struct resolver *resolver = make();

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct want *want = ask(resolver, rows[i].first, 10 * SECOND);
		const struct dkim_answer *a = &want->public_key.answer;

		test_int(rows[i].first, want->error, WANT_OK);
		test_int(rows[i].first, a->state, rows[i].state);
		test_str(rows[i].first, a->detail, rows[i].detail);
		test_int(rows[i].first, a->dnssec, DKIM_DNSSEC_INSECURE);
		test_int(rows[i].first, a->keyset == NULL ? 0 :
		    dkim_keyset_count(a->keyset), rows[i].records);
		want_unref(want);
	}
	resolver_free(resolver);
}

/* REFUSED and junk: libunbound tries others first, a temperror in the end. */
static void
resolver_ask_useless(void **state)
{
	static const char *const names[] = { "refuse-1", "junk-1" };
	struct resolver *resolver = make();

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(names); i++) {
		struct want *want = ask(resolver, names[i], SECOND);

		test_int(names[i], want->public_key.answer.state,
		    DKIM_ANSWER_TEMPERROR);
		want_unref(want);
	}
	resolver_free(resolver);
}

/*
 * PROBLEMS 32: each RCODE, with a good record beside it, and a truncated answer
 * that TCP does not mend: a key only from the one that is an answer.
 */
static void
resolver_ask_every_rcode(void **state)
{
	struct resolver *resolver = make();
	enum dkim_answer_state wanted;
	struct want *want;
	char first[16];
	unsigned rcode;

	(void)state;
	for (rcode = 0; rcode <= 16; rcode++) {
		snprintf(first, sizeof(first), rcode > 15 ? "tc-1" :
		    "rcode%x-1", rcode);
		want = ask(resolver, first, SECOND / 2);
		wanted = rcode == 0 ? DKIM_ANSWER_FOUND : rcode == 3 ?
		    DKIM_ANSWER_NO_KEY : DKIM_ANSWER_TEMPERROR;
		test_int(first, want->public_key.answer.state, wanted);
		test_int(first, want->public_key.answer.keyset != NULL,
		    rcode == 0);
		want_unref(want);
	}
	resolver_free(resolver);
}

static void
resolver_ask_deadline(void **state)
{
	struct resolver *resolver = make();
	struct want *want;
	uint64_t start = clock_us(), took;

	(void)state;
	want = ask(resolver, "drop-1", SECOND / 5);
	took = clock_us() - start;
	test_int("state", want->public_key.answer.state,
	    DKIM_ANSWER_TEMPERROR);
	test_str("detail", want->public_key.answer.detail,
	    "no answer in time");
	/* libevent's clock is a coarse one */
	test_true("not before", took >= SECOND / 5 - 20000);
	test_true("and soon after", took < 2 * SECOND);
	want_unref(want);
	/* An expired one does not wait at all */
	want = ask(resolver, "drop-2", 0);
	test_int("expired", want->public_key.answer.state,
	    DKIM_ANSWER_TEMPERROR);
	want_unref(want);
	resolver_free(resolver);
}

static void
resolver_ask_cached(void **state)
{
	uint64_t before = stats_get(STAT_DNS_CACHED);
	struct resolver *resolver = make();
	struct inbox *inbox;
	struct want *want;
	int asked;

	(void)state;
	want_unref(ask(resolver, "ok-2", 10 * SECOND));
	asked = atomic_load(&dns_server.questions);
	assert_int_equal(inbox_new(&inbox), 0);
	want = want_of(inbox, "ok-2", "example.net", SECOND);
	test_true("at once", resolver_ask(resolver, want));
	test_int("found", want->public_key.answer.state, DKIM_ANSWER_FOUND);
	test_true("cached", want->public_key.cached);
	test_int("counted", stats_get(STAT_DNS_CACHED) - before, 1);
	test_int("no question", atomic_load(&dns_server.questions), asked);
	want_unref(want);
	want_unref(want);
	/* Failures are not kept */
	want_unref(ask(resolver, "nx-2", 10 * SECOND));
	want = want_of(inbox, "nx-2", "example.net", 10 * SECOND);
	test_true("NXDOMAIN is asked again", !resolver_ask(resolver, want));
	want_unref(inbox_take(inbox, clock_us() + 10 * SECOND));
	want_unref(want);
	inbox_unref(inbox);
	resolver_free(resolver);
}

/* Many messages, one name: one look-up, each has its answer. */
static void
resolver_ask_shared(void **state)
{
	uint64_t before = stats_get(STAT_DNS_QUERIES);
	struct resolver *resolver = make();
	struct inbox *inbox;
	struct want *want[50];

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	for (size_t i = 0; i < 50; i++) {
		want[i] = want_of(inbox, "slow-2", "example.net", 10 * SECOND);
		test_true("not at once", !resolver_ask(resolver, want[i]));
	}
	for (size_t i = 0; i < 50; i++) {
		struct want *got = inbox_take(inbox, clock_us() + 10 * SECOND);

		assert_non_null(got);
		test_int("found", got->public_key.answer.state,
		    DKIM_ANSWER_FOUND);
		want_unref(got);
	}
	for (size_t i = 0; i < 50; i++)
		want_unref(want[i]);
	test_int("one look-up", stats_get(STAT_DNS_QUERIES) - before, 1);
	inbox_unref(inbox);
	resolver_free(resolver);
}

static void
settle(void)
{
	/* What was posted before has run when a later look-up is answered */
	struct resolver *resolver = make();

	want_unref(ask(resolver, "ok-3", 10 * SECOND));
	resolver_free(resolver);
}

static void
resolver_cancel_before(void **state)
{
	struct resolver *resolver = make();
	struct inbox *inbox;
	struct want *want;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	want = want_of(inbox, "slow-3", "example.net", 10 * SECOND);
	test_true("not at once", !resolver_ask(resolver, want));
	atomic_store(&want->cancelled, true);
	resolver_cancel(resolver, want);
	settle();
	test_int("only ours", atomic_load(&want->refs), 1);
	test_true("no answer", inbox_take(inbox, 0) == NULL);
	/* Harmless afterwards */
	resolver_cancel(resolver, want);
	settle();
	test_int("only ours", atomic_load(&want->refs), 1);
	want_unref(want);
	/* One of two leaves, the other is answered */
	want = want_of(inbox, "slow-4", "example.net", 10 * SECOND);
	struct want *other = want_of(inbox, "slow-4", "example.net",
	    10 * SECOND);
	test_true("not at once", !resolver_ask(resolver, want));
	test_true("not at once", !resolver_ask(resolver, other));
	resolver_cancel(resolver, want);
	want_unref(want);
	want = inbox_take(inbox, clock_us() + 10 * SECOND);
	test_true("the other", want == other);
	test_int("found", other->public_key.answer.state, DKIM_ANSWER_FOUND);
	want_unref(want);
	want_unref(other);
	inbox_unref(inbox);
	resolver_free(resolver);
}

static void
resolver_ask_domain_bound(void **state)
{
	uint64_t before = stats_get(STAT_DNS_REFUSED);
	struct resolver *resolver = make();
	struct inbox *inbox;
	struct want *want;
	char name[32];
	size_t refused = 0, i;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	for (i = 0; i < RESOLVER_DOMAIN_MAX + 6; i++) {
		snprintf(name, sizeof(name), "drop-b%zu", i);
		want = want_of(inbox, name, "bound.example", SECOND);
		test_true("not at once", !resolver_ask(resolver, want));
		want_unref(want);
	}
	want = want_of(inbox, "ok-b", "other.example", SECOND);
	test_true("not at once", !resolver_ask(resolver, want));
	want_unref(want);
	for (i = 0; i < 7; i++) {
		want = inbox_take(inbox, clock_us() + 10 * SECOND);
		assert_non_null(want);
		if (strcmp(want->public_key.name,
		    "ok-b._domainkey.other.example") == 0)
			test_int("another domain", want->public_key.answer.
			    state, DKIM_ANSWER_FOUND);
		else {
			test_str("why", want->public_key.answer.detail,
			    "too many look-ups in flight");
			refused++;
		}
		want_unref(want);
	}
	test_int("refused", refused, 6);
	test_int("counted", stats_get(STAT_DNS_REFUSED) - before, 6);
	for (i = 0; i < RESOLVER_DOMAIN_MAX; i++)
		want_unref(inbox_take(inbox, clock_us() + 10 * SECOND));
	inbox_unref(inbox);
	resolver_free(resolver);
}

static void
resolver_patience_shrinks(void **state)
{
	struct resolver *resolver = make();
	char name[32];

	(void)state;
	test_int("at first", resolver_patience(resolver), 5 * SECOND);
	/* BEHAVIOUR 5: after five */
	for (int i = 0; i < 5; i++) {
		test_int("until the fifth", resolver_patience(resolver),
		    5 * SECOND);
		snprintf(name, sizeof(name), "drop-p%d", i);
		want_unref(ask(resolver, name, SECOND / 20));
	}
	/* The answer is put before the count: the next one orders them */
	want_unref(ask(resolver, "drop-p9", SECOND / 20));
	test_int("then a second", resolver_patience(resolver), SECOND);
	want_unref(ask(resolver, "nx-p", 10 * SECOND));
	settle();
	test_int("until an answer comes", resolver_patience(resolver),
	    5 * SECOND);
	resolver_free(resolver);
}

static void
resolver_test_keys(void **state)
{
	char path[] = "/tmp/testkeysXXXXXX";
	int fd = mkstemp(path), asked = atomic_load(&dns_server.questions);
	static const char text[] = "a._domainkey.example.net "
	    DNS_SERVER_KEY "\na._domainkey.example.net v=DKIM1; p=\n";
	struct resolver *resolver;
	struct want *want;

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	close(fd);
	conf.options.test_public_keys = path;
	resolver = make();
	want = ask(resolver, "a", SECOND);
	test_int("found", want->public_key.answer.state, DKIM_ANSWER_FOUND);
	test_int("both", dkim_keyset_count(want->public_key.answer.keyset), 2);
	want_unref(want);
	want = ask(resolver, "b", SECOND);
	test_int("not there", want->public_key.answer.state,
	    DKIM_ANSWER_NO_KEY);
	want_unref(want);
	test_int("nothing asked", atomic_load(&dns_server.questions), asked);
	resolver_free(resolver);
	unlink(path);
	test_int("file gone", resolver_new(loop, &conf, &report, &resolver),
	    DKIM_ERR_SYNTAX);
	test_true("named", strstr(last, path) != NULL);
	conf.options.test_public_keys = NULL;
}

/* PROBLEMS 57: an anchor, and a server that passes no DNSSEC. */
static void
resolver_anchor_fails(void **state)
{
	/* The root's key of 2017, IANA root-anchors.xml */
	static const char anchor[] = ". IN DS 20326 8 2 E06D44B80B8F1D39A95C0B"
	    "0D7C65D08458E880409BBC683457104237C7F8EC8D\n";
	char path[] = "/tmp/anchorXXXXXX";
	int fd = mkstemp(path);
	struct resolver *resolver;
	struct want *want;

	(void)state;
	assert_int_equal(write(fd, anchor, sizeof(anchor) - 1),
	    sizeof(anchor) - 1);
	close(fd);
	conf.options.trust_anchor_file = path;
	resolver = make();
	want = ask(resolver, "ok-anchor", 10 * SECOND);
	test_int("found", want->public_key.answer.state, DKIM_ANSWER_FOUND);
	test_int("insecure", want->public_key.answer.dnssec,
	    DKIM_DNSSEC_INSECURE);
	want_unref(want);
	resolver_free(resolver);
	unlink(path);
	report.warnings = 0;
	resolver = make();
	test_int("missing file is a warning", report.warnings, 1);
	test_true("and named", strstr(last, path) != NULL);
	resolver_free(resolver);
	conf.options.trust_anchor_file = NULL;
}

/* Giving up needs no memory: else AddressSanitizer tells. */
static void
free_without_memory(struct resolver *resolver)
{
	struct loop_call *call;
	int ends[2], i;
	char c;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(loop_call_new(loop, passed, &ends[1], &call), 0);
	failmalloc_from(1);
	resolver_free(resolver);
	for (i = 0; i < 5; i++) {
		loop_call_run(call);
		assert_int_equal(read(ends[0], &c, 1), 1);
	}
	failmalloc_off();
	loop_call_free(call);
	close(ends[0]);
	close(ends[1]);
}

static void
resolver_new_no_memory(void **state)
{
	struct resolver *resolver;
	bool made = false, hit;
	size_t n;

	(void)state;
	for (n = 1; !made; n++) {
		failmalloc_at(n);
		made = resolver_new(loop, &conf, &report, &resolver) == 0;
		hit = failmalloc_hit();
		failmalloc_off();
		test_true("one that fails is told", made != hit);
	}
	test_true("sites", n > 9);
	free_without_memory(resolver);
}

/*
 * On the loop's thread, too: the want is answered whichever allocation fails.
 */
static void
resolver_ask_no_memory(void **state)
{
	static const char *const kinds[] = { "ok", "two", "alias", "nx" };
	struct resolver *resolver = make();
	size_t failed = 0;

	(void)state;
	for (size_t n = 1; n <= 25; n++)
		for (size_t k = 0; k < TEST_COUNT(kinds); k++) {
			const struct dkim_answer *answer;
			struct want *want;
			char name[32];
			bool hit;

			snprintf(name, sizeof(name), "%s-m%zu", kinds[k], n);
			/* two of them are those of the want and its inbox */
			failmalloc_at(n + 2);
			want = ask(resolver, name, 20 * SECOND);
			hit = failmalloc_hit();
			failmalloc_off();
			answer = &want->public_key.answer;
			test_int(name, want->error, WANT_OK);
			if (answer->state == DKIM_ANSWER_TEMPERROR) {
				test_str(name, answer->detail, "no memory");
				test_true(name, hit);
				failed++;
			} else
				test_int(name, answer->state, k == 3 ?
				    DKIM_ANSWER_NO_KEY : DKIM_ANSWER_FOUND);
			want_unref(want);
		}
	test_true("sites on both threads", failed >= 4 * 7);
	resolver_free(resolver);
}

/* A cancel that cannot be sent: the want's own deadline ends the look-up. */
static void
resolver_cancel_no_memory(void **state)
{
	struct resolver *resolver = make();
	struct inbox *inbox;
	struct want *want;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	want = want_of(inbox, "drop-c", "example.net", SECOND / 5);
	test_true("not at once", !resolver_ask(resolver, want));
	settle();
	atomic_store(&want->cancelled, true);
	failmalloc_from(1);
	resolver_cancel(resolver, want);
	failmalloc_off();
	test_true("comes", inbox_take(inbox, clock_us() + 10 * SECOND) ==
	    want);
	want_unref(want);
	test_int("only ours", atomic_load(&want->refs), 1);
	want_unref(want);
	inbox_unref(inbox);
	resolver_free(resolver);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resolver_ask_outcomes),
		cmocka_unit_test(resolver_ask_useless),
		cmocka_unit_test(resolver_ask_every_rcode),
		cmocka_unit_test(resolver_ask_deadline),
		cmocka_unit_test(resolver_ask_cached),
		cmocka_unit_test(resolver_ask_shared),
		cmocka_unit_test(resolver_cancel_before),
		cmocka_unit_test(resolver_ask_domain_bound),
		cmocka_unit_test(resolver_patience_shrinks),
		cmocka_unit_test(resolver_test_keys),
		cmocka_unit_test(resolver_anchor_fails),
		cmocka_unit_test(resolver_new_no_memory),
		cmocka_unit_test(resolver_ask_no_memory),
		cmocka_unit_test(resolver_cancel_no_memory),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
