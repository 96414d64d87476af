/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing threads: answers before, at and after the deadline, cancelled wants,
 * full queues, and blocking work that does not hold up signatures.
 */

/* system */
#include <pthread.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/clock.h"
#include "milter/inbox.h"
#include "milter/signer.h"
#include "milter/stats.h"

#define SECOND	1000000u

static struct conf conf;
static struct rsab_key *rsa, *ed25519;

static int
set_up(void **state)
{
	const struct rsab_backend *backend;

	(void)state;
	atomic_init(&conf.refs, 1);
	return rsab_backend_find("libcrypto", &backend) != 0 ||
	    rsab_key_generate(backend, RSAB_RSA, 2048, &rsa) != 0 ||
	    rsab_key_generate(backend, RSAB_ED25519, 0, &ed25519) != 0;
}

static int
tear_down(void **state)
{
	(void)state;
	rsab_key_unref(rsa);
	rsab_key_unref(ed25519);
	return 0;
}

static struct want *
make(struct inbox *inbox, struct rsab_key *key, size_t id, uint64_t in)
{
	struct want *want;

	assert_int_equal(want_new(WANT_SIGNATURE, inbox, &conf, &want), 0);
	want->id = id;
	want->expires = in == 0 ? 0 : clock_us() + in;
	want->signature.key = rsab_key_ref(key);
	want->signature.op = RSAB_OP_SIGN;
	want->signature.hash = RSAB_SHA256;
	memset(want->signature.digest, (int)id & 0xff, RSAB_DIGEST_MAX);
	return want;
}

static int
verify(struct want *want)
{
	struct rsab_worker *worker;
	struct rsab_job job = want->signature, *jobs = &job;

	assert_int_equal(rsab_worker_new(&worker), 0);
	job.op = RSAB_OP_VERIFY;
	rsab_run(worker, &jobs, 1);
	rsab_worker_free(worker);
	return job.result;
}

static struct want *
take(struct inbox *inbox)
{
	return inbox_take(inbox, clock_us() + 20 * SECOND);
}

static void
signer_ask_signs(void **state)
{
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;
	bool seen[40] = { false };

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(2, &signer), 0);
	for (size_t i = 0; i < 40; i++) {
		want = make(inbox, i % 2 == 0 ? rsa : ed25519, i, 0);
		signer_ask(signer, want);
		want_unref(want);
	}
	for (size_t i = 0; i < 40; i++) {
		want = take(inbox);
		assert_non_null(want);
		test_int("error", want->error, WANT_OK);
		test_int("good signature", verify(want), RSAB_OK);
		test_true("once", !seen[want->id]);
		test_true("answered", want->answered >= want->asked);
		seen[want->id] = true;
		want_unref(want);
	}
	signer_free(signer);
	inbox_unref(inbox);
	test_int("nothing holds the configuration", atomic_load(&conf.refs),
	    1);
}

static void
signer_counts_passes(void **state)
{
	uint64_t before = 0, after = 0;
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;

	(void)state;
	for (int i = 0; i < RSAB_PASS_MAX; i++)
		before += (uint64_t)(i + 1) * stats_get(
		    (enum stats_counter)(STAT_SIGN_PASS_1 + i));
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(1, &signer), 0);
	for (size_t i = 0; i < 11; i++) {
		want = make(inbox, rsa, i, 0);
		signer_ask(signer, want);
		want_unref(want);
	}
	for (size_t i = 0; i < 11; i++) {
		want = take(inbox);
		assert_non_null(want);
		want_unref(want);
	}
	signer_free(signer);
	inbox_unref(inbox);
	for (int i = 0; i < RSAB_PASS_MAX; i++)
		after += (uint64_t)(i + 1) * stats_get(
		    (enum stats_counter)(STAT_SIGN_PASS_1 + i));
	test_int("signatures in all passes", after - before, 11);
}

static void
signer_ask_late(void **state)
{
	uint64_t before = stats_get(STAT_SIGN_TIMEOUT);
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(1, &signer), 0);
	want = make(inbox, ed25519, 1, 0);
	want->expires = clock_us() - 1;
	signer_ask(signer, want);
	want_unref(want);
	want = take(inbox);
	assert_non_null(want);
	test_int("error", want->error, WANT_ERR_TIMEOUT);
	test_int("no signature", want->signature.signature_len, 0);
	test_int("counted", stats_get(STAT_SIGN_TIMEOUT) - before, 1);
	want_unref(want);
	want = make(inbox, ed25519, 2, 20 * SECOND);
	signer_ask(signer, want);
	want_unref(want);
	want = take(inbox);
	assert_non_null(want);
	test_int("in time", want->error, WANT_OK);
	want_unref(want);
	signer_free(signer);
	inbox_unref(inbox);
}

/* What nobody waits for any more is dropped, and its reference given back. */
static void
signer_ask_cancelled(void **state)
{
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(1, &signer), 0);
	want = make(inbox, ed25519, 1, 0);
	atomic_store(&want->cancelled, true);
	signer_ask(signer, want);
	signer_free(signer);
	test_int("only ours", atomic_load(&want->refs), 1);
	test_true("no answer", inbox_take(inbox, 0) == NULL);
	test_int("not signed", want->signature.signature_len, 0);
	want_unref(want);
	inbox_unref(inbox);
}

/* The session leaves while jobs wait: answers go nowhere, nothing leaks. */
static void
signer_ask_session_gone(void **state)
{
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(1, &signer), 0);
	for (size_t i = 0; i < 30; i++) {
		want = make(inbox, rsa, i, 0);
		signer_ask(signer, want);
		want_unref(want);
	}
	inbox_close(inbox);
	inbox_unref(inbox);
	signer_free(signer);
	test_int("nothing holds the configuration", atomic_load(&conf.refs),
	    1);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void
slow_task(struct want *want)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	want->answered = clock_us();
	inbox_put(want->inbox, want);
}

static void
signer_task_does_not_block(void **state)
{
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(1, &signer), 0);
	pthread_mutex_lock(&gate);
	for (size_t i = 0; i < 2 * SIGNER_TASK_THREADS; i++) {
		want = make(inbox, ed25519, 1000, 0);
		signer_task(signer, slow_task, want);
		want_unref(want);
	}
	want = make(inbox, ed25519, 7, 0);
	signer_ask(signer, want);
	want_unref(want);
	want = take(inbox);
	assert_non_null(want);
	test_int("the signature comes first", want->id, 7);
	want_unref(want);
	pthread_mutex_unlock(&gate);
	for (size_t i = 0; i < 2 * SIGNER_TASK_THREADS; i++) {
		want = take(inbox);
		assert_non_null(want);
		test_int("then the tasks", want->id, 1000);
		want_unref(want);
	}
	signer_free(signer);
	inbox_unref(inbox);
}

static void
signer_task_full(void **state)
{
	uint64_t before = stats_get(STAT_QUEUE_FULL);
	struct signer *signer;
	struct inbox *inbox;
	struct want *want;
	int full = 0;

	(void)state;
	assert_int_equal(inbox_new(&inbox), 0);
	assert_int_equal(signer_new(1, &signer), 0);
	pthread_mutex_lock(&gate);
	for (int i = 0; i < SIGNER_TASKS_MAX + SIGNER_TASK_THREADS + 5; i++) {
		want = make(inbox, ed25519, 1, 0);
		signer_task(signer, slow_task, want);
		want_unref(want);
	}
	while ((want = inbox_take(inbox, 0)) != NULL) {
		test_int("answered at once", want->error,
		    WANT_ERR_QUEUE_FULL);
		full++;
		want_unref(want);
	}
	test_true("bounded", full >= 5 && full <= 5 + SIGNER_TASK_THREADS);
	test_int("counted", stats_get(STAT_QUEUE_FULL) - before, full);
	pthread_mutex_unlock(&gate);
	signer_free(signer);
	inbox_close(inbox);
	inbox_unref(inbox);
	test_int("nothing holds the configuration", atomic_load(&conf.refs),
	    1);
}

/* A session: asks, waits a little or not at all, leaves. */
static void *
session(void *arg)
{
	struct signer *signer = arg;
	struct inbox *inbox;
	struct want *want, *got;

	for (unsigned i = 0, x = 99; i < 60; i++) {
		x = x * 1103515245 + 12345;
		if (inbox_new(&inbox) != 0)
			return NULL;
		want = make(inbox, x >> 16 & 1 ? rsa : ed25519, i,
		    1 + (x >> 17 & 2047));
		signer_ask(signer, want);
		got = inbox_take(inbox, clock_us() + (x >> 20 & 2047));
		if (got == NULL)
			atomic_store(&want->cancelled, true);
		want_unref(got);
		want_unref(want);
		inbox_close(inbox);
		inbox_unref(inbox);
	}
	return NULL;
}

static void
signer_ask_races(void **state)
{
	struct signer *signer;
	pthread_t thread[4];

	(void)state;
	assert_int_equal(signer_new(2, &signer), 0);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, session, signer);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	signer_free(signer);
	test_int("nothing holds the configuration", atomic_load(&conf.refs),
	    1);
}

static bool
one_run(void *unused)
{
	struct signer *signer;

	(void)unused;
	if (signer_new(1, &signer) != 0)
		return false;
	signer_free(signer);
	return true;
}

static void
signer_no_memory(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(one_run, NULL) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signer_ask_signs),
		cmocka_unit_test(signer_counts_passes),
		cmocka_unit_test(signer_ask_late),
		cmocka_unit_test(signer_ask_cancelled),
		cmocka_unit_test(signer_ask_session_gone),
		cmocka_unit_test(signer_task_does_not_block),
		cmocka_unit_test(signer_task_full),
		cmocka_unit_test(signer_ask_races),
		cmocka_unit_test(signer_no_memory),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
