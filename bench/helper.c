/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs run by this one; see helper.h.
 */

/* system */
#include <sys/wait.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* made by configure */
#include "config.h"

/* this room */
#include "helper.h"

extern char **environ;

/*
 * Is it in a folder's subfolder?
 */
static bool
is_in(const char *folder, const char *below, const char *name, char *path,
    size_t size)
{
	int length = snprintf(path, size, "%s%s/%s", folder, below, name);

	return length > 0 && (size_t)length < size && access(path, X_OK) == 0;
}

int
helper_find(const char *name, char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	if (slash != NULL)
		*slash = '\0';
	if (slash != NULL && (is_in(self, "", name, path, size) ||
	    is_in(self, "/../cmd", name, path, size) ||
	    is_in(self, "/../sbin", name, path, size)))
		return 0;
	if (is_in(DKIMD_LIBEXECDIR, "", name, path, size))
		return 0;
	warnx("%s is neither beside this program nor in %s", name,
	    DKIMD_LIBEXECDIR);
	return EX_UNAVAILABLE;
}

/*
 * Start it with our ends of two pipes.
 */
static int
start(char *const argv[], int to[2], int from[2], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return ENOMEM;
	error = posix_spawn_file_actions_adddup2(&actions, to[0],
	    STDIN_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, from[1],
		    STDOUT_FILENO);
	if (error == 0)
		error = posix_spawn(pid, argv[0], &actions, NULL, argv,
		    environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/*
 * All that the program writes, and how it ended.
 */
static int
finish(const char *path, pid_t pid, int from, char *out, size_t size)
{
	char rest[256];
	size_t used = 0;
	ssize_t n;
	int status;

	for (;;) {
		size_t room = size - 1 - used;

		n = room > 0 ? read(from, out + used, room) :
		    read(from, rest, sizeof rest);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (room > 0)
			used += (size_t)n;
	}
	out[used] = '\0';
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			warn("%s", path);
			return EX_OSERR;
		}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	warnx("%s: ended by signal %d", path, WTERMSIG(status));
	return EX_OSERR;
}

int
helper_run(char *const argv[], const void *in, size_t n, char *out,
    size_t size)
{
	int to[2], from[2], error;
	pid_t pid = 0;

	if (pipe2(to, O_CLOEXEC) != 0) {
		warn("pipe");
		return EX_OSERR;
	}
	if (pipe2(from, O_CLOEXEC) != 0) {
		warn("pipe");
		close(to[0]);
		close(to[1]);
		return EX_OSERR;
	}
	/* a program that ends early is told by its exit status */
	signal(SIGPIPE, SIG_IGN);
	error = start(argv, to, from, &pid);
	close(to[0]);
	close(from[1]);
	if (error == 0)
		(void)!write(to[1], in, n);
	close(to[1]);
	if (error == 0)
		error = finish(argv[0], pid, from[0], out, size);
	else {
		warnx("%s: %s", argv[0], strerror(error));
		error = EX_OSERR;
	}
	close(from[0]);
	return error;
}
