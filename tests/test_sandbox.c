/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rights given up, and signals caught: each in a process of its own, as there
 * is no way back.
 */

/* system */
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* this room */
#include "tests/capture.h"
#include "milter/sandbox.h"
#include "milter/signals.h"

/* What a child found out: the number of the first thing that is wrong. */
static int
code_of(int (*run)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(run());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int
dumpable(void)
{
#ifdef PR_GET_DUMPABLE
	return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
#else
	return -1;
#endif
}

static int
privileges(void)
{
#ifdef PR_GET_NO_NEW_PRIVS
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
#else
	return -1;
#endif
}

static int
apply_hides(void)
{
	static struct capture capture;
	struct rlimit limit;

	capture_init(&capture);
	sandbox_apply(false, &capture.report);
	getrlimit(RLIMIT_CORE, &limit);
	if (limit.rlim_cur != 0 || limit.rlim_max != 0)
		return 1;
	if (dumpable() > 0)
		return 2;
	if (privileges() == 0)
		return 3;
	return capture.n == 0 ? 0 : 4;
}

static int
apply_coredumps(void)
{
	static struct capture capture;
	struct rlimit before, after;

	getrlimit(RLIMIT_CORE, &before);
	capture_init(&capture);
	sandbox_apply(true, &capture.report);
	getrlimit(RLIMIT_CORE, &after);
	if (after.rlim_cur != before.rlim_cur ||
	    after.rlim_max != before.rlim_max)
		return 1;
	if (dumpable() == 0)
		return 2;
	if (privileges() == 0)
		return 3;
	if (capture.report.warnings != 1)
		return 4;
	return strstr(capture.text, "private keys") != NULL ? 0 : 5;
}

static int
hide_alone(void)
{
	if (sandbox_hide() != 0)
		return 1;
	if (dumpable() > 0)
		return 2;
	/* the supervisor starts a milter process that changes its user */
	return privileges() > 0 ? 3 : 0;
}

static int
raise_files(void)
{
	struct rlimit limit;
	rlim_t most;

	getrlimit(RLIMIT_NOFILE, &limit);
	most = limit.rlim_max;
	limit.rlim_cur = 32;
	setrlimit(RLIMIT_NOFILE, &limit);
	sandbox_raise_files();
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur == most && limit.rlim_max == most ? 0 : 1;
}

static void
sandbox_apply_hides(void **state)
{
	(void)state;
	test_int("core, dumpable, privileges, quiet", code_of(apply_hides), 0);
}

static void
sandbox_apply_coredumps(void **state)
{
	(void)state;
	test_int("core, dumpable, privileges, one warning",
	    code_of(apply_coredumps), 0);
}

static void
sandbox_hide_alone(void **state)
{
	(void)state;
	test_int("hidden, with its privileges", code_of(hide_alone), 0);
}

static void
sandbox_raise_files_to_hard_limit(void **state)
{
	(void)state;
	test_int("the hard limit", code_of(raise_files), 0);
}

static const int listed[] = { SIGUSR1, SIGUSR2 };

static int
signals_in_order(void)
{
	int fd = signals_open(listed, 2);

	if (fd < 0 || signals_next(fd) != 0)
		return 1;
	raise(SIGUSR2);
	raise(SIGUSR1);
	raise(SIGUSR2);
	if (signals_next(fd) != SIGUSR2 || signals_next(fd) != SIGUSR1 ||
	    signals_next(fd) != SIGUSR2 || signals_next(fd) != 0)
		return 2;
	/* More than the pipe holds: the handler does not wait */
	for (int i = 0; i < 100000; i++)
		raise(SIGUSR1);
	if (signals_next(fd) != SIGUSR1)
		return 3;
	while (signals_next(fd) != 0)
		continue;
	raise(SIGUSR2);
	if (signals_next(fd) != SIGUSR2)
		return 4;
	signals_close(fd, listed, 2);
	raise(SIGUSR1);
	return 5;		/* its default is the end */
}

static int
signals_blocked(void)
{
	int fd = signals_open(listed, 2);

	signals_block(listed, 1);
	raise(SIGUSR1);
	raise(SIGUSR2);
	if (signals_next(fd) != SIGUSR2 || signals_next(fd) != 0)
		return 1;
	signals_unblock(listed, 1);
	return signals_next(fd) == SIGUSR1 ? 0 : 2;
}

static void
signals_next_order(void **state)
{
	(void)state;
	test_int("in order, then the default again",
	    code_of(signals_in_order), -SIGUSR1);
}

static void
signals_block_holds(void **state)
{
	(void)state;
	test_int("held until unblocked", code_of(signals_blocked), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sandbox_apply_hides),
		cmocka_unit_test(sandbox_apply_coredumps),
		cmocka_unit_test(sandbox_hide_alone),
		cmocka_unit_test(sandbox_raise_files_to_hard_limit),
		cmocka_unit_test(signals_next_order),
		cmocka_unit_test(signals_block_holds),
	};

	return TEST_RUN(tests);
}
