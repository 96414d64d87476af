/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sigwait(3) as libmilter finds it in this program.
 *
 * libmilter has a thread that waits by sigwait for SIGHUP, SIGTERM and SIGINT
 * and ends the filter on each, messages in hand or not. A handler elsewhere
 * wins most races against it, but not in a storm (MILTER 1.2: 3 of 3 lost;
 * seen again here with the handler in the main thread). The program's own
 * symbol comes before the C library's, so that thread waits for nothing, and
 * signals.c has them all.
 */

/* system */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

int sigwait(const sigset_t *set, int *number)
    __attribute__((visibility("default")));

static int
is_libmilter(const sigset_t *set)
{
	return sigismember(set, SIGHUP) == 1 &&
	    sigismember(set, SIGTERM) == 1 && sigismember(set, SIGINT) == 1;
}

int
sigwait(const sigset_t *set, int *number)
{
	int got;

	/* It has blocked them in its thread before it came here */
	while (is_libmilter(set))
		pause();
	do
		got = sigwaitinfo(set, NULL);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno;
	*number = got;
	return 0;
}
