/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs started by dkimbench all; see child.h.
 */

/* system */
#include <sys/wait.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* this room */
#include "child.h"
#include "stopwatch.h"

#define STOP_SECONDS	8.0	/* from SIGTERM to SIGKILL */
#define LOOK_SECONDS	0.1	/* between two looks, without a signal */

static const int asking[] = { SIGHUP, SIGINT, SIGTERM };

#define N_ASKING	(sizeof asking / sizeof asking[0])

void
child_signals_take(struct child_signals *signals)
{
	struct sigaction now;

	signals->got = 0;
	sigemptyset(&signals->taken);
	for (size_t i = 0; i < N_ASKING; i++)
		if (sigaction(asking[i], NULL, &now) == 0 &&
		    now.sa_handler != SIG_IGN)
			sigaddset(&signals->taken, asking[i]);
	/* an ignored one would have children reaped behind our back */
	signal(SIGCHLD, SIG_DFL);
	sigaddset(&signals->taken, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals->taken, &signals->before);
}

void
child_signals_back(const struct child_signals *signals)
{
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	if (signals->got != 0)
		raise(signals->got);
}

#ifdef __linux__

/*
 * Parents that are killed without being asked cannot end their children.
 */
static void
end_with(pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(CHILD_NOT_RUN);
}

#else

static void
end_with(pid_t parent)
{
	(void)parent;
}

#endif

static _Noreturn void
become(const struct child_setup *setup, const struct child_signals *signals,
    pid_t parent)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	end_with(parent);
	(void)setpgid(0, 0);
	if (setup->pin != NULL)
		pin_thread(setup->pin, 0);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(setup->out, STDOUT_FILENO) < 0 ||
	    dup2(setup->err, STDERR_FILENO) < 0 ||
	    (setup->folder >= 0 && fchdir(setup->folder) != 0)) {
		warn("%s", setup->argv[0]);
		_exit(CHILD_NOT_RUN);
	}
	sigprocmask(SIG_SETMASK, &signals->before, NULL);
	execvp(setup->argv[0], setup->argv);
	null = errno;
	warn("%s", setup->argv[0]);
	_exit(null == ENOENT ? CHILD_NOT_FOUND : CHILD_NOT_RUN);
}

int
child_start(const struct child_setup *setup,
    const struct child_signals *signals, pid_t *out)
{
	pid_t parent = getpid(), pid;

	/* what is buffered must not be written twice */
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		become(setup, signals, parent);
	if (pid < 0) {
		warn("%s", setup->argv[0]);
		return EX_OSERR;
	}
	/* both sides do it: neither may come too late */
	(void)setpgid(pid, pid);
	*out = pid;
	return 0;
}

/*
 * Wait for a signal of the set, at most so long.
 */
static void
take_signal(double seconds, struct child_signals *signals)
{
	const struct timespec wait = { .tv_sec = (time_t)seconds,
	    .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9) };
	int got = sigtimedwait(&signals->taken, NULL, &wait);

	if (got > 0 && got != SIGCHLD && signals->got == 0)
		signals->got = got;
}

/*
 * Has it ended? It is not reaped: its group keeps its number.
 */
static bool
has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG |
	    WNOWAIT) != 0 || info.si_pid == pid;
}

static void
reap(pid_t pid, int *status)
{
	int how = 0;

	(void)kill(-pid, SIGKILL);
	while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
		;
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
}

/*
 * Until it ends, or until so much time has gone, or, where asked for, a signal
 * came.
 */
static bool
ends_within(pid_t pid, double seconds, struct child_signals *signals,
    bool heed)
{
	uint64_t end = stopwatch_ns() + (uint64_t)(seconds * 1e9);

	while (!has_ended(pid)) {
		if (stopwatch_ns() >= end || (heed && signals->got != 0))
			return false;
		take_signal(LOOK_SECONDS, signals);
	}
	return true;
}

enum child_end
child_wait(pid_t pid, double seconds, struct child_signals *signals,
    int *status)
{
	if (!ends_within(pid, seconds, signals, true))
		return signals->got != 0 ? CHILD_INTERRUPTED : CHILD_LATE;
	reap(pid, status);
	return CHILD_ENDED;
}

void
child_stop(pid_t pid, struct child_signals *signals)
{
	int status;

	(void)kill(pid, SIGTERM);
	(void)ends_within(pid, STOP_SECONDS, signals, false);
	reap(pid, &status);
}

void
child_pause(double seconds, struct child_signals *signals)
{
	uint64_t end = stopwatch_ns() + (uint64_t)(seconds * 1e9), now;

	while (signals->got == 0 && (now = stopwatch_ns()) < end)
		take_signal((double)(end - now) / 1e9, signals);
}
