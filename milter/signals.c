/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals into a pipe.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "milter/signals.h"

static volatile sig_atomic_t writing_end = -1;

static void
caught(int number)
{
	int saved = errno;
	unsigned char octet = (unsigned char)number;

	/* A full pipe has enough to wake its reader */
	(void)!write(writing_end, &octet, 1);
	errno = saved;
}

int
signals_open(const int *list, size_t n)
{
	struct sigaction action;
	int ends[2];
	size_t i;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	writing_end = ends[1];
	memset(&action, 0, sizeof(action));
	action.sa_handler = caught;
	action.sa_flags = SA_RESTART | SA_NODEFER;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < n; i++)
		sigaction(list[i], &action, NULL);
	return ends[0];
}

int
signals_next(int fd)
{
	unsigned char octet;
	ssize_t n;

	do
		n = read(fd, &octet, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? octet : 0;
}

void
signals_close(int fd, const int *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		signal(list[i], SIG_DFL);
	close(fd);
	close(writing_end);
	writing_end = -1;
}

static void
mask(int how, const int *list, size_t n)
{
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < n; i++)
		sigaddset(&set, list[i]);
	pthread_sigmask(how, &set, NULL);
}

void
signals_block(const int *list, size_t n)
{
	mask(SIG_BLOCK, list, n);
}

void
signals_unblock(const int *list, size_t n)
{
	mask(SIG_UNBLOCK, list, n);
}
