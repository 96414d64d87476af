/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts dkimd-token for tests, kills it when it hangs, starts it anew at the
 * next connection. Without back-off: tests do not wait.
 */
#ifndef TOKEN_PROCESS_H
#define TOKEN_PROCESS_H

/* system */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* rsa-backend */
#include "rsa-backend/rsab.h"

struct process {
	const char	*module, *args, *pin, *folders;
	unsigned	 sessions;

	pthread_mutex_t	 lock;
	pid_t		 pid;		/* 0: none */
	int		 control;
	uint64_t	 incarnation;
	unsigned	 starts, hangs, refusals;
	int		 status;	/* of the last that ended */
	char		 refused[RSAB_TOKEN_REFUSED_MAX][RSAB_TOKEN_IDENTITY];
	struct rsab_token_detail detail;	/* of the last start */
};

static inline const char *
process_build(const char *name, char *path, size_t size)
{
	const char *build = getenv("DKIMD_BUILD");

	snprintf(path, size, "%s/%s", build == NULL ? "." : build, name);
	return path;
}

/*
 * With the lock.
 */
static inline void
process_reap(struct process *p, bool kill_it)
{
	if (p->pid == 0)
		return;
	if (kill_it)
		kill(p->pid, SIGKILL);
	close(p->control);
	while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
}

static inline int
process_setup(struct process *p)
{
	const char *refused[RSAB_TOKEN_REFUSED_MAX];
	struct rsab_token_setup setup = {
		.module = p->module,
		.init_args = p->args,
		.pin = (const uint8_t *)p->pin,
		.pin_n = p->pin == NULL ? 0 : strlen(p->pin),
		.folders = p->folders,
		.sessions = p->sessions,
		.refused = refused,
		.refused_n = p->refusals,
	};

	for (size_t i = 0; i < p->refusals; i++)
		refused[i] = p->refused[i];
	return rsab_token_setup_send(p->control, &setup, 20000, &p->detail);
}

/*
 * With the lock.
 *   returns  0, or the error of the set-up
 */
static inline int
process_start(struct process *p)
{
	char path[4096];
	int pair[2], r;

	process_build("cmd/dkimd-token", path, sizeof path);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return RSAB_ERR_TOKEN;
	p->pid = fork();
	if (p->pid == 0) {
		if (pair[1] == 3)
			fcntl(3, F_SETFD, 0);
		else
			dup2(pair[1], 3);
		execl(path, "dkimd-token", (char *)NULL);
		_exit(127);
	}
	close(pair[1]);
	p->control = pair[0];
	p->starts++;
	p->incarnation++;
	if ((r = process_setup(p)) != 0)
		process_reap(p, true);
	return r;
}

static inline int
process_connect(void *context, uint64_t *incarnation)
{
	struct process *p = context;
	int fd = -1;

	pthread_mutex_lock(&p->lock);
	if (p->pid != 0 && rsab_token_connect(p->control, &fd) != 0)
		process_reap(p, false);
	if (p->pid == 0 && process_start(p) == 0 &&
	    rsab_token_connect(p->control, &fd) != 0)
		fd = -1;
	*incarnation = p->incarnation;
	pthread_mutex_unlock(&p->lock);
	return fd;
}

static inline void
process_hung(void *context, uint64_t incarnation)
{
	struct process *p = context;

	pthread_mutex_lock(&p->lock);
	if (incarnation == p->incarnation && p->pid != 0) {
		p->hangs++;
		process_reap(p, true);
	}
	pthread_mutex_unlock(&p->lock);
}

static inline void
process_refused(void *context, const char *identity)
{
	struct process *p = context;
	size_t i = 0;

	pthread_mutex_lock(&p->lock);
	while (i < p->refusals && strcmp(p->refused[i], identity) != 0)
		i++;
	if (i == p->refusals && i < RSAB_TOKEN_REFUSED_MAX)
		snprintf(p->refused[p->refusals++], RSAB_TOKEN_IDENTITY, "%s",
		    identity);
	pthread_mutex_unlock(&p->lock);
}

/*
 * A token whose process is p, with the fields up to sessions set.
 */
static inline int
process_token(struct process *p, int timeout_ms, struct rsab_token **out)
{
	const struct rsab_token_peer peer = {
		.context = p,
		.connect = process_connect,
		.hung = process_hung,
		.refused = process_refused,
	};
	const struct rsab_token_options options = {
		.timeout_ms = timeout_ms,
		.generate_ms = 120000,
		.sessions = p->sessions,
		.number = 7,
	};

	pthread_mutex_init(&p->lock, NULL);
	return rsab_token_new(&peer, &options, out);
}

/*
 * End of the control socket, and of the process.
 *   returns  its wait status
 */
static inline int
process_end(struct process *p)
{
	pthread_mutex_lock(&p->lock);
	process_reap(p, false);
	pthread_mutex_unlock(&p->lock);
	return p->status;
}

#endif
