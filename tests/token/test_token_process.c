/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd-token itself, with the fake module: a module that hangs or crashes, a
 * process that is killed, and what the process may have.
 */

/* system */
#include <dirent.h>
#include <sys/stat.h>

/* this room */
#include "tests/test.h"
#include "tests/token/process.h"

#define URI	"pkcs11:token=mail;object=sel"
#define TIMEOUT	1500	/* ms; the machine may be busy */

static struct process process;
static struct rsab_token *token;
static struct rsab_token_detail detail;
static char module[4096], script[] = "/tmp/token-script-XXXXXX";
static const char *lines[4];	/* more of the script, for the next start */

/*
 * The script of the fake module: the token, a key, and lines.
 */
static void
script_write(void)
{
	FILE *f = fopen(script, "w");

	assert_non_null(f);
	fprintf(f, "token mail 0001\nkey sel 01 %s/vectors/rsa/keys/"
	    "rsa1024.pem\n", TESTS_SRCDIR);
	for (size_t i = 0; i < TEST_COUNT(lines) && lines[i] != NULL; i++)
		fprintf(f, "%s\n", lines[i]);
	fclose(f);
}

static int
setup(void **state)
{
	int fd;

	(void)state;
	memset(&process, 0, sizeof process);
	memset(lines, 0, sizeof lines);
	strcpy(script, "/tmp/token-script-XXXXXX");
	fd = mkstemp(script);
	assert_true(fd >= 0);
	close(fd);
	script_write();
	process_build("tests/token/fake_module.so", module, sizeof module);
	process.module = module;
	process.args = script;
	process.pin = "1234";
	process.sessions = 4;
	assert_int_equal(process_token(&process, TIMEOUT, &token), 0);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_token_unref(token);
	process_end(&process);
	unlink(script);
	return 0;
}

static int
load(struct rsab_key **key)
{
	int r = rsab_key_load_token(token, URI, strlen(URI), false, &detail,
	    key);

	if (r != 0)
		print_message("# %s; %s\n", detail.text, process.detail.text);
	return r;
}

static int
sign(struct rsab_key *key)
{
	struct rsab_worker *worker;
	struct rsab_job job = { .key = key, .hash = RSAB_SHA256 },
	    *const jobs[] = { &job };

	assert_int_equal(rsab_worker_new(&worker), 0);
	rsab_run(worker, jobs, 1);
	rsab_worker_free(worker);
	rsab_token_detail(token, &detail);
	if (job.result != 0)
		print_message("# %s; %s\n", detail.text, process.detail.text);
	return job.result;
}

static void
hangs_in_a_signature(void **state)
{
	struct rsab_key *key;

	(void)state;
	lines[0] = "at C_Sign 3 hang";
	script_write();
	test_int("load", load(&key), 0);
	test_int("sign", sign(key), 0);
	test_int("hangs", sign(key), RSAB_ERR_TOKEN);
	test_true("says so", strstr(detail.text, "no answer") != NULL);
	test_int("killed once", process.hangs, 1);
	test_true("by a signal", WIFSIGNALED(process.status) &&
	    WTERMSIG(process.status) == SIGKILL);
	test_int("recovers", sign(key), 0);
	test_int("a second process", process.starts, 2);
	rsab_key_unref(key);
}

/* A module that would hang is not asked. */
static void
echo_leaves_the_module_out(void **state)
{
	struct rsab_key *key;

	(void)state;
	lines[0] = "at C_OpenSession 1 hang";
	script_write();
	for (size_t octets = 1; octets <= RSAB_SIGNATURE_MAX; octets *= 2)
		test_int("echo", rsab_token_echo(token, URI, strlen(URI),
		    octets, &detail), 0);
	test_int("of nothing", rsab_token_echo(token, URI, strlen(URI), 0,
	    &detail), RSAB_ERR_ARGUMENT);
	test_int("of too much", rsab_token_echo(token, URI, strlen(URI),
	    RSAB_SIGNATURE_MAX + 1, &detail), RSAB_ERR_ARGUMENT);
	test_int("of no URI", rsab_token_echo(token, "mail", 4, 128, &detail),
	    RSAB_ERR_URI);
	test_int("never hung", process.hangs, 0);
	test_int("what asks the module", load(&key), RSAB_ERR_TOKEN);
	test_int("hangs", process.hangs, 1);
}

static void
hangs_in_the_start(void **state)
{
	struct rsab_key *key;

	(void)state;
	lines[0] = "at C_OpenSession 1 hang";
	script_write();
	test_int("load", load(&key), RSAB_ERR_TOKEN);
	test_int("killed", process.hangs, 1);
	lines[0] = NULL;
	script_write();
	test_int("repaired", load(&key), 0);
	rsab_key_unref(key);
}

static void
crashes_in_a_signature(void **state)
{
	struct rsab_key *key;

	(void)state;
	lines[0] = "at C_Sign 2+ crash";
	script_write();
	test_int("load", load(&key), 0);
	test_int("crashes, the new one too", sign(key), 0);
	/* The count began anew with the process: its first one is good */
	test_int("a second process", process.starts, 2);
	test_true("SIGABRT", WIFSIGNALED(process.status) &&
	    WTERMSIG(process.status) == SIGABRT);
	lines[0] = "at C_Sign 1+ crash";
	script_write();
	test_int("crashes each time", sign(key), RSAB_ERR_TOKEN);
	test_true("says so", strstr(detail.text, "ended while it worked") !=
	    NULL);
	test_int("never more than one new process a job", process.starts, 3);
	lines[0] = NULL;
	script_write();
	test_int("repaired", sign(key), 0);
	rsab_key_unref(key);
}

static void
crashes_in_the_start(void **state)
{
	struct rsab_key *key;

	(void)state;
	lines[0] = "at C_Initialize 1 crash";
	script_write();
	test_int("load", load(&key), RSAB_ERR_TOKEN);
	test_true("says so", strstr(process.detail.text,
	    "ended while it loaded") != NULL);
}

static void
is_killed_under_load(void **state)
{
	struct rsab_key *key;

	(void)state;
	test_int("load", load(&key), 0);
	for (int i = 0; i < 5; i++) {
		kill(process.pid, SIGKILL);
		test_int("recovers", sign(key), 0);
	}
	test_int("processes", process.starts, 6);
	rsab_key_unref(key);
}

static void
wrong_pin_over_restarts(void **state)
{
	struct rsab_key *key;

	(void)state;
	process.pin = "0000";
	test_int("wrong", load(&key), RSAB_ERR_PIN);
	test_int("remembered", process.refusals, 1);
	kill(process.pid, SIGKILL);
	/* C_Login would now crash */
	lines[0] = "at C_Login 1 crash";
	script_write();
	test_int("not tried by the next process", load(&key), RSAB_ERR_PIN);
	test_int("a second process", process.starts, 2);
	process.refusals = 0;
	process.pin = "1234";
	lines[0] = NULL;
	script_write();
	kill(process.pid, SIGKILL);
	test_int("an operator has acted", load(&key), 0);
	rsab_key_unref(key);
}

static void
module_missing(void **state)
{
	struct rsab_key *key;

	(void)state;
	process.module = "/nowhere/module.so";
	test_int("load", load(&key), RSAB_ERR_TOKEN);
	test_true("says which", strstr(process.detail.text,
	    "/nowhere/module.so") != NULL);
	process.module = module;
	test_int("repaired", load(&key), 0);
	rsab_key_unref(key);
}

static void
signals_do_not_end_it(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT,
	    SIGUSR1, SIGUSR2 };
	struct rsab_key *key;

	(void)state;
	test_int("load", load(&key), 0);
	for (size_t i = 0; i < TEST_COUNT(signals); i++) {
		kill(process.pid, signals[i]);
		test_int("sign", sign(key), 0);
	}
	test_int("the same process", process.starts, 1);
	rsab_key_unref(key);
}

static void
ends_with_its_parent(void **state)
{
	struct rsab_key *key;
	int status;

	(void)state;
	lines[0] = "at C_Finalize 1 hang";
	script_write();
	test_int("load", load(&key), 0);
	rsab_key_unref(key);
	status = process_end(&process);
	test_true("C_Finalize hangs: SIGALRM", WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGALRM);
	lines[0] = NULL;
	script_write();
	test_int("load", load(&key), 0);
	rsab_key_unref(key);
	status = process_end(&process);
	test_true("in good order", WIFEXITED(status) &&
	    WEXITSTATUS(status) == 0);
}

/*
 * Octets of a file of /proc.
 */
static size_t
proc(const char *name, char *out, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)process.pid, name);
	fd = open(path, O_RDONLY);
	test_true(path, fd >= 0);
	n = read(fd, out, size - 1);
	close(fd);
	test_true(path, n >= 0);
	out[n] = '\0';
	return (size_t)n;
}

static void
what_the_process_has(void **state)
{
	struct rsab_key *key;
	char text[16384];
	size_t n;

	(void)state;
	process.pin = "secret-pin-1";
	lines[0] = "pin secret-pin-1";
	script_write();
	test_int("load", load(&key), 0);
	n = proc("cmdline", text, sizeof text);
	test_octets("no arguments", text, n, "dkimd-token", 12);
	n = proc("environ", text, sizeof text);
	test_true("no PIN in the environment",
	    memmem(text, n, "secret-pin", 10) == NULL);
	proc("limits", text, sizeof text);
	test_true("no core", strstr(text,
	    "Max core file size        0                    0 ") != NULL);
	rsab_key_unref(key);
}

static void
started_by_hand(void **state)
{
	char path[4096];
	int status;
	pid_t pid = fork();

	(void)state;
	process_build("cmd/dkimd-token", path, sizeof path);
	if (pid == 0) {
		close(3);
		close(2);
		execl(path, "dkimd-token", (char *)NULL);
		_exit(127);
	}
	test_true("waited", waitpid(pid, &status, 0) == pid);
	test_true("64", WIFEXITED(status) && WEXITSTATUS(status) == 64);
}

/*
 * What a process that lost its mind may send over the control socket.
 */
static void
control_gets_nonsense(void **state)
{
	struct rsab_key *key;

	(void)state;
	test_int("load", load(&key), 0);
	test_true("sent", send(process.control, "nonsense", 8, 0) == 8);
	/* Sooner or later: its threads serve until it is gone */
	for (int i = 0; i < 1000 && process.starts == 1; i++) {
		test_int("signs meanwhile, and anew", sign(key), 0);
		usleep(2000);
	}
	test_int("processes", process.starts, 2);
	rsab_key_unref(key);
}

int
main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		ROW(hangs_in_a_signature),
		ROW(echo_leaves_the_module_out),
		ROW(hangs_in_the_start),
		ROW(crashes_in_a_signature),
		ROW(crashes_in_the_start),
		ROW(is_killed_under_load),
		ROW(wrong_pin_over_restarts),
		ROW(module_missing),
		ROW(signals_do_not_end_it),
		ROW(ends_with_its_parent),
		ROW(what_the_process_has),
		ROW(started_by_hand),
		ROW(control_gets_nonsense),
	};

	return TEST_RUN(tests);
}
