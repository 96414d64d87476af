/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PKCS11Verify: when the token is asked, what libcrypto does instead, and that
 * nobody waits. The other process is fake_token.h.
 */

/* system */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>

/* this room */
#include "tests/fake_token.h"
#include "milter/clock.h"
#include "milter/log.h"
#include "milter/stats.h"
#include "milter/verifier.h"

#define SECOND	1000000u

static char base[64], gone[96], report_path[96];
static const struct rsab_backend *libcrypto;
static struct rsab_key *private;
static struct verifier *verifier;
static struct rsab_key *key;		/* its, of private */

/* What was logged since the start of a test. */
static struct {
	int	fd;
	size_t	n;
	char	text[100000];
} logged;

/* A socket in place of the system's log. */
static int
log_here(void)
{
	const struct options options = { .syslog = true,
	    .syslog_facility = (char *)(uintptr_t)"mail",
	    .syslog_name = (char *)(uintptr_t)"test" };
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/log", base);
	logged.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (logged.fd < 0 || bind(logged.fd, (struct sockaddr *)&address,
	    sizeof(address)) != 0)
		return -1;
	log_open_at(&options, false, address.sun_path);
	return 0;
}

/* Lines that were logged with these words. */
static size_t
lines_with(const char *words)
{
	ssize_t n;
	size_t count = 0;

	while ((n = recv(logged.fd, logged.text + logged.n,
	    sizeof(logged.text) - logged.n - 1, MSG_DONTWAIT)) > 0)
		logged.n += (size_t)n;
	logged.text[logged.n] = '\0';
	for (const char *p = logged.text; (p = strstr(p, words)) != NULL; p++)
		count++;
	return count;
}

static int
set_up(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/verifierXXXXXX");
	if (mkdtemp(base) == NULL ||
	    rsab_backend_find("libcrypto", &libcrypto) != 0 ||
	    (private = fake_load("rsa1024")) == NULL)
		return -1;
	snprintf(gone, sizeof(gone), "%s/gone", base);
	snprintf(report_path, sizeof(report_path), "%s/report", base);
	setenv("DKIMD_TOKEN", fake_token_program(), 1);
	setenv("PKCS11_FAKE_GONE", gone, 1);
	setenv("PKCS11_FAKE_REPORT", report_path, 1);
	return log_here();
}

static int
tear_down(void **state)
{
	char command[128];

	(void)state;
	rsab_key_unref(private);
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command) == 0 ? 0 : -1;
}

/* ---- verifying ----------------------------------------------------------- */

static void
start(const char *token)
{
	struct options options = { .pkcs11_token = (char *)(uintptr_t)token,
	    .pkcs11_pin = (char *)(uintptr_t)"1234",
	    .pkcs11_pin_directory = (char *)(uintptr_t)"/pins" };
	uint8_t *spki;
	size_t n;

	unlink(gone);
	unlink(report_path);
	(void)lines_with("no line has this");
	logged.n = 0;
	test_int("new", verifier_new(&options, 2, &verifier), 0);
	test_int("no process before it is wanted",
	    verifier_process(verifier), 0);
	test_int("print", rsab_key_print_public(private, &spki, &n), 0);
	test_int("load", rsab_key_load_public(verifier_backend(verifier),
	    RSAB_RSA, spki, n, &key), 0);
	free(spki);
}

static void
stop(void)
{
	rsab_key_unref(key);
	verifier_end(verifier);
	verifier_unref(verifier);
}

static void
signed_job(struct rsab_job *job)
{
	struct rsab_job *jobs = job;
	struct rsab_worker *worker;

	memset(job, 0, sizeof(*job));
	job->key = private;
	job->op = RSAB_OP_SIGN;
	job->hash = RSAB_SHA256;
	memset(job->digest, 0x42, sizeof(job->digest));
	test_int("worker", rsab_worker_new(&worker), 0);
	rsab_run(worker, &jobs, 1);
	rsab_worker_free(worker);
	test_int("sign", job->result, 0);
}

/*
 * Verify a right signature, or a wrong one: the result has to be so.
 *   returns  whether the verdict was the token's
 */
static bool
verify(const char *row, bool right)
{
	uint64_t before = stats_get(STAT_TOKEN_VERIFIED);
	struct rsab_job job, *jobs = &job;
	struct rsab_worker *worker;

	signed_job(&job);
	job.signature[5] ^= !right;
	job.key = key;
	job.op = RSAB_OP_VERIFY;
	test_int("worker", rsab_worker_new(&worker), 0);
	rsab_run(worker, &jobs, 1);
	rsab_worker_free(worker);
	test_int(row, job.result, right ? 0 : RSAB_ERR_SIGNATURE);
	return stats_get(STAT_TOKEN_VERIFIED) > before;
}

/*
 * Verify until the token does it.
 */
static void
verify_until(const char *row)
{
	uint64_t until = clock_us() + 20 * SECOND;

	while (!verify(row, true)) {
		test_true(row, clock_us() < until);
		poll(NULL, 0, 20);
	}
}

/* ---- tests --------------------------------------------------------------- */

static void
verifier_nobody_waits_for_the_start(void **state)
{
	uint64_t began;

	(void)state;
	setenv("PKCS11_FAKE", "hang", 1);
	start("pkcs11:token=any");
	began = clock_us();
	for (int i = 0; i < 20; i++)
		test_true("libcrypto", !verify("while it starts", i % 2 == 0));
	test_true("at once", clock_us() - began < SECOND);
	stop();
	unsetenv("PKCS11_FAKE");
}

static void
verifier_works(void **state)
{
	char line[4096];
	FILE *f;

	(void)state;
	start("pkcs11:token=any?pin-source=file:/pins/any");
	verify_until("right");
	test_true("wrong", verify("wrong", false));
	test_true("right", verify("right", true));
	test_int("not logged", lines_with("PKCS11Verify"), 0);
	f = fopen(report_path, "re");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	test_true("no PIN, no folders of PINs",
	    strstr(line, "pin 0; folders ;") != NULL);
	stop();
}

static void
verifier_token_gone_and_back(void **state)
{
	int fd;
	uint64_t began;

	(void)state;
	start("pkcs11:token=gone");
	verify_until("right");
	fd = open(gone, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	began = clock_us();
	for (int i = 0; i < 50; i++)
		test_true("libcrypto", !verify("gone", i % 2 == 0));
	test_true("at once", clock_us() - began < SECOND);
	test_int("told once", lines_with("the token gives no verdicts now"),
	    1);
	unlink(gone);
	verify_until("back");
	test_int("told", lines_with("the token verifies again"), 1);
	stop();
}

/*
 * One second once, then longer and longer nothing.
 */
static void
verifier_token_hangs(void **state)
{
	uint64_t began, first;
	uint64_t kills = stats_get(STAT_TOKEN_KILLS);

	(void)state;
	start("pkcs11:token=hung");
	do {
		began = clock_us();
		test_true("libcrypto", !verify("before it is up", true));
		first = clock_us() - began;
	} while (first < SECOND / 2);
	test_true("a second", first < 3 * SECOND);
	test_int("killed", stats_get(STAT_TOKEN_KILLS) - kills, 1);
	began = clock_us();
	for (int i = 0; i < 50; i++)
		test_true("libcrypto", !verify("hangs", i % 2 == 0));
	test_true("at once", clock_us() - began < SECOND);
	stop();
}

static void
verifier_process_is_killed(void **state)
{
	uint64_t until = clock_us() + 20 * SECOND;
	uint64_t ends = stats_get(STAT_TOKEN_ENDS);

	(void)state;
	start("pkcs11:token=killed");
	while (stats_get(STAT_TOKEN_ENDS) == ends) {
		test_true("libcrypto", !verify("killed", true));
		test_true("soon", clock_us() < until);
	}
	test_true("libcrypto", !verify("killed", false));
	stop();

	start("pkcs11:token=any");
	verify_until("right");
	kill((pid_t)verifier_process(verifier), SIGKILL);
	verify("by somebody else", true);
	verify_until("a new process");
	stop();
}

/*
 * One that calls right what is wrong never gets here (dkimd-token sees to it);
 * this one calls wrong what is right.
 */
static void
verifier_token_is_wrong(void **state)
{
	uint64_t until = clock_us() + 20 * SECOND;

	(void)state;
	start("pkcs11:token=false");
	while (lines_with("called a right signature") == 0) {
		test_true("libcrypto", !verify("called wrong", true));
		test_true("soon", clock_us() < until);
		poll(NULL, 0, 5);
	}
	poll(NULL, 0, 1500);
	test_true("not asked again for long", !verify("wrong", false));
	stop();
}

static void
verifier_size_is_not_the_tokens(void **state)
{
	uint64_t until = clock_us() + 20 * SECOND, left;

	(void)state;
	start("pkcs11:token=small");
	/* The question that is asked is the last one that counts */
	do {
		left = stats_get(STAT_TOKEN_NOT_VERIFIED);
		test_true("libcrypto", !verify("small", true));
		test_true("soon", clock_us() < until);
		poll(NULL, 0, 5);
	} while (stats_get(STAT_TOKEN_NOT_VERIFIED) > left);
	test_int("no failure of the token", lines_with("PKCS11Verify"), 0);
	stop();
}

static void *
verify_thread(void *arg)
{
	struct rsab_job job, *jobs = &job;
	struct rsab_worker *worker;
	uint64_t until = clock_us() + 2 * SECOND;
	intptr_t bad = 0;
	bool right = arg != NULL;

	signed_job(&job);
	job.key = key;
	job.op = RSAB_OP_VERIFY;
	job.signature[5] ^= !right;
	if (rsab_worker_new(&worker) != 0)
		return (void *)1;
	while (clock_us() < until) {
		rsab_run(worker, &jobs, 1);
		bad += job.result != (right ? 0 : RSAB_ERR_SIGNATURE);
	}
	rsab_worker_free(worker);
	return (void *)bad;
}

/*
 * More threads than sessions, and the process killed again and again.
 */
static void
verifier_under_threads(void **state)
{
	pthread_t threads[8];
	void *bad;
	long pid;

	(void)state;
	start("pkcs11:token=any");
	verify_until("right");
	for (uintptr_t i = 0; i < 8; i++)
		test_int("thread", pthread_create(&threads[i], NULL,
		    verify_thread, (void *)(i % 2)), 0);
	for (int i = 0; i < 15; i++) {
		poll(NULL, 0, 100);
		pid = verifier_process(verifier);
		if (pid != 0)
			kill((pid_t)pid, SIGKILL);
	}
	for (size_t i = 0; i < 8; i++) {
		pthread_join(threads[i], &bad);
		test_int("wrong verdicts", (intptr_t)bad, 0);
	}
	verify_until("all is well again");
	stop();
}

/*
 * Keys outlive it: a message holds them over a reload.
 */
static void
verifier_keys_outlive_it(void **state)
{
	(void)state;
	start("pkcs11:token=any");
	verify_until("right");
	verifier_unref(verifier);
	test_true("the token, still", verify("right", true));
	test_true("and of wrong ones", verify("wrong", false));
	rsab_key_unref(key);
}

static bool
one_run(void *unused)
{
	struct options options = { .pkcs11_module = (char *)(uintptr_t)"/m" };
	struct verifier *v;

	(void)unused;
	if (verifier_new(&options, 2, &v) != 0)
		return false;
	verifier_unref(verifier_ref(v));
	verifier_unref(v);
	return true;
}

static void
verifier_no_memory(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(one_run, NULL) >= 5);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verifier_nobody_waits_for_the_start),
		cmocka_unit_test(verifier_works),
		cmocka_unit_test(verifier_token_gone_and_back),
		cmocka_unit_test(verifier_token_hangs),
		cmocka_unit_test(verifier_process_is_killed),
		cmocka_unit_test(verifier_token_is_wrong),
		cmocka_unit_test(verifier_size_is_not_the_tokens),
		cmocka_unit_test(verifier_under_threads),
		cmocka_unit_test(verifier_keys_outlive_it),
		cmocka_unit_test(verifier_no_memory),
	};

	(void)argc;
	if (fake_token_is(argv))
		return fake_token_main();
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
