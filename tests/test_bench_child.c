/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that dkimbench all starts: what they get, how they end, and that
 * nothing of them is left.
 */

/* system */
#include <sys/wait.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* bench */
#include "bench/child.h"

/* this room */
#include "tests/test.h"

#define SOON	20.0	/* s: what must happen has happened long before */

static char sh[] = "/bin/sh", option[] = "-c";

/*
 * Start a line of shell.
 *   from     read end of its standard output
 */
static pid_t
start(const char *line, int folder, const struct child_signals *signals,
    int *from)
{
	char copy[200];
	char *argv[] = { sh, option, copy, NULL };
	struct child_setup setup = { .argv = argv, .folder = folder,
	    .err = STDERR_FILENO };
	int ends[2];
	pid_t pid = 0;

	snprintf(copy, sizeof copy, "%s", line);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	setup.out = ends[1];
	test_int(line, child_start(&setup, signals, &pid), 0);
	close(ends[1]);
	*from = ends[0];
	return pid;
}

/*
 * What comes until all writers are gone; "(open)" where they do not go.
 */
static const char *
all_of(int from)
{
	static char text[200];
	struct pollfd look = { .fd = from, .events = POLLIN };
	size_t used = 0;
	ssize_t n = 1;

	while (n > 0 && used < sizeof text - 1) {
		if (poll(&look, 1, (int)(1000 * SOON)) != 1) {
			strcpy(text, "(open)");
			break;
		}
		n = read(from, text + used, sizeof text - 1 - used);
		if (n > 0)
			used += (size_t)n;
		text[used] = '\0';
	}
	close(from);
	return text;
}

static void
child_wait_status(void **state)
{
	static const struct {
		const char	*line, *out;
		int		 status;
	} rows[] = {
		{ "echo a; exit 0", "a\n", 0 },
		{ "exit 3", "", 3 },
		{ "cat; echo end", "end\n", 0 },
		{ "kill -9 $$", "", 128 + SIGKILL },
		/* it has the signals that we took */
		{ "kill -TERM $$; echo alive", "", 128 + SIGTERM },
	};
	struct child_signals signals;
	int status, from;
	pid_t pid;

	(void)state;
	child_signals_take(&signals);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		status = -1;
		pid = start(rows[i].line, -1, &signals, &from);
		test_int(rows[i].line, child_wait(pid, SOON, &signals,
		    &status), CHILD_ENDED);
		test_int(rows[i].line, status, rows[i].status);
		test_str(rows[i].line, all_of(from), rows[i].out);
		test_int("reaped", waitpid(pid, &status, WNOHANG), -1);
	}
	test_int("no signal to us", signals.got, 0);
	child_signals_back(&signals);
}

static void
child_start_what_is_not_there(void **state)
{
	static char nowhere[] = "/nonexistent/program", folder[] = "/dev";
	char *argv[] = { nowhere, NULL };
	struct child_setup setup = { .argv = argv, .folder = -1,
	    .out = STDOUT_FILENO, .err = STDERR_FILENO };
	struct child_signals signals;
	int status = 0;
	pid_t pid;

	(void)state;
	child_signals_take(&signals);
	test_int("start", child_start(&setup, &signals, &pid), 0);
	test_int("wait", child_wait(pid, SOON, &signals, &status),
	    CHILD_ENDED);
	test_int("not there", status, CHILD_NOT_FOUND);
	argv[0] = folder;
	test_int("start", child_start(&setup, &signals, &pid), 0);
	test_int("wait", child_wait(pid, SOON, &signals, &status),
	    CHILD_ENDED);
	test_int("not a program", status, CHILD_NOT_RUN);
	child_signals_back(&signals);
}

static void
child_start_folder(void **state)
{
	struct child_signals signals;
	int folder = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int from, status;
	pid_t pid;

	(void)state;
	child_signals_take(&signals);
	pid = start("pwd", folder, &signals, &from);
	test_int("wait", child_wait(pid, SOON, &signals, &status),
	    CHILD_ENDED);
	test_str("there", all_of(from), "/dev\n");
	close(folder);
	child_signals_back(&signals);
}

static void
child_wait_late(void **state)
{
	struct child_signals signals;
	int from, status;
	pid_t pid;

	(void)state;
	child_signals_take(&signals);
	pid = start("exec sleep 30", -1, &signals, &from);
	test_int("late", child_wait(pid, 0.05, &signals, &status),
	    CHILD_LATE);
	child_stop(pid, &signals);
	test_str("gone", all_of(from), "");
	test_int("reaped", waitpid(pid, &status, WNOHANG), -1);
	child_signals_back(&signals);
}

/* What a program has started goes with it, whether it ends or is ended. */
static void
child_wait_group(void **state)
{
	struct child_signals signals;
	int from, status;
	pid_t pid;

	(void)state;
	child_signals_take(&signals);
	pid = start("sleep 30 & echo a", -1, &signals, &from);
	test_int("ended", child_wait(pid, SOON, &signals, &status),
	    CHILD_ENDED);
	test_str("nobody holds its output", all_of(from), "a\n");

	pid = start("sleep 30 & wait", -1, &signals, &from);
	test_int("late", child_wait(pid, 0.05, &signals, &status),
	    CHILD_LATE);
	child_stop(pid, &signals);
	test_str("nobody holds its output", all_of(from), "");
	child_signals_back(&signals);
}

static void
child_wait_interrupted(void **state)
{
	static const int asking[] = { SIGHUP, SIGINT, SIGTERM };
	struct child_signals signals, taken;
	struct sigaction before;
	int from, status;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(asking); i++) {
		/* whoever runs this in the background may ignore it */
		signal(asking[i], SIG_DFL);
		child_signals_take(&signals);
		pid = start("exec sleep 30", -1, &signals, &from);
		raise(asking[i]);
		test_int("interrupted", child_wait(pid, SOON, &signals,
		    &status), CHILD_INTERRUPTED);
		test_int("by", signals.got, asking[i]);
		/* from then on nothing is waited for */
		child_pause(SOON, &signals);
		test_int("again", child_wait(pid, SOON, &signals, &status),
		    CHILD_INTERRUPTED);
		child_stop(pid, &signals);
		test_str("gone", all_of(from), "");
		signals.got = 0;
		child_signals_back(&signals);
	}
	/* as nohup has it */
	sigaction(SIGHUP, NULL, &before);
	signal(SIGHUP, SIG_IGN);
	child_signals_take(&taken);
	test_int("ignored before", sigismember(&taken.taken, SIGHUP), 0);
	test_int("not ignored", sigismember(&taken.taken, SIGINT), 1);
	child_signals_back(&taken);
	sigaction(SIGHUP, &before, NULL);
}

/* The signal that came ends the process after all. */
static void
child_signals_back_ends(void **state)
{
	struct child_signals signals;
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		child_signals_take(&signals);
		raise(SIGTERM);
		child_pause(SOON, &signals);
		child_signals_back(&signals);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	test_true("by a signal", WIFSIGNALED(status));
	test_int("by this one", WTERMSIG(status), SIGTERM);
}

#ifdef __linux__

/* A parent that is killed takes its children along. */
static void
child_start_parent_killed(void **state)
{
	struct child_signals signals;
	int from[2], its, status;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		char *argv[] = { sh, option, (char[]){ "echo a; exec sleep "
		    "30" }, NULL };
		struct child_setup setup = { .argv = argv, .folder = -1,
		    .out = from[1], .err = STDERR_FILENO };

		child_signals_take(&signals);
		if (child_start(&setup, &signals, &pid) != 0)
			_exit(1);
		_exit((int)child_wait(pid, SOON, &signals, &its));
	}
	close(from[1]);
	/* once it has said something it runs */
	assert_int_equal(read(from[0], &(char){ 0 }, 1), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	test_str("gone", all_of(from[0]), "\n");
}

#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(child_wait_status),
		cmocka_unit_test(child_start_what_is_not_there),
		cmocka_unit_test(child_start_folder),
		cmocka_unit_test(child_wait_late),
		cmocka_unit_test(child_wait_group),
		cmocka_unit_test(child_wait_interrupted),
		cmocka_unit_test(child_signals_back_ends),
#ifdef __linux__
		cmocka_unit_test(child_start_parent_killed),
#endif
	};

	return TEST_RUN(tests);
}
