/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The thread that keeps a process of dkimd-token.
 */

/* system */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* this room */
#include "milter/clock.h"
#include "milter/helper_own.h"
#include "milter/helper_spawn.h"
#include "milter/log.h"
#include "milter/stats.h"

#define TICK		500	/* milliseconds between looks: a child of the
				 * module may hold the socket open */
#define GRACE		3000000	/* microseconds to finish with the module */
#define STEP		5000	/* microseconds between looks at its end */

const char *
helper_keep_name(const struct helper *h)
{
	return h->module == NULL ? "p11-kit's modules" : h->module;
}

void
helper_keep_wake(struct helper *h)
{
	char octet = 0;

	/* A full pipe wakes it, too */
	(void)!write(h->wake[1], &octet, 1);
}

void
helper_keep_state(struct helper *h, enum helper_state state)
{
	h->state = state;
	pthread_cond_broadcast(&h->changed);
}

static struct timespec
timespec_of(uint64_t us)
{
	return (struct timespec){
		.tv_sec = (time_t)(us / 1000000),
		.tv_nsec = (long)(us % 1000000) * 1000,
	};
}

void
helper_keep_wait(struct helper *h, uint64_t until)
{
	struct timespec t = timespec_of(until);

	pthread_cond_timedwait(&h->changed, &h->lock, &t);
}

/* ---- life of a process, on the thread, with the lock --------------------- */

/*
 * Collect the child, if it has ended.
 */
static bool
collect(struct helper *h, int *status)
{
	pid_t pid;

	if (h->pid == 0)
		return true;
	do
		pid = waitpid(h->pid, status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	if (pid < 0)
		*status = 0;
	h->pid = 0;
	return true;
}

/*
 * End the child, whatever state it is in.
 *   grace    microseconds that it has; then it is killed
 */
static void
finish(struct helper *h, uint64_t grace, int *status)
{
	uint64_t until = clock_us() + grace;

	/* End of file is the word to leave */
	close(h->control);
	h->control = -1;
	while (!collect(h, status)) {
		if (clock_us() >= until) {
			kill(h->pid, SIGKILL);
			until = UINT64_MAX;
		}
		helper_keep_wait(h, clock_us() + STEP);
	}
}

static void
tell_end(struct helper *h, int status, uint64_t wait)
{
	char how[64];

	if (h->stopping)
		return;
	stats_add(STAT_TOKEN_ENDS, 1);
	if (h->killed)
		snprintf(how, sizeof(how), "was killed");
	else if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "was killed by signal %d",
		    WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "ended with code %d",
		    WEXITSTATUS(status));
	if (h->why.text[0] == '\0')
		snprintf(h->why.text, sizeof(h->why.text),
		    "the token helper %s", how);
	if (h->quiet)
		return;
	log_limited(LOG_ERR, "token helper ended", "token helper of %s %s and "
	    "is started again in %.1f s%s%s", helper_keep_name(h), how,
	    (double)wait / 1e6, WIFSIGNALED(status) ? "" : ": ",
	    WIFSIGNALED(status) ? "" : h->why.text);
}

/*
 * The child is gone or has to go: what follows.
 */
static void
settle(struct helper *h, uint64_t grace)
{
	int status = 0;
	uint64_t wait;

	helper_keep_state(h, STATE_ENDING);
	finish(h, grace, &status);
	wait = backoff_ended(&h->backoff, clock_us() - h->started);
	h->start_at = clock_us() + wait;
	tell_end(h, status, wait);
	helper_keep_state(h, STATE_WAITING);
}

/*
 * Tell the new process what to load; without the lock.
 */
static int
greet(struct helper *h, struct rsab_token_detail *detail)
{
	char identity[RSAB_TOKEN_REFUSED_MAX][RSAB_TOKEN_IDENTITY];
	const char *refused[RSAB_TOKEN_REFUSED_MAX];
	struct rsab_token_setup setup = {
		.module = h->module,
		.init_args = h->init_args,
		.pin = (const uint8_t *)h->pin,
		.pin_n = h->pin == NULL ? 0 : strlen(h->pin),
		.folders = h->folders,
		.sessions = h->sessions,
		.careful = h->careful,
		.refused = refused,
		.refused_n = h->refusals,
	};
	int control = h->control, r;
	size_t i;

	memcpy(identity, h->refused, sizeof(identity));
	for (i = 0; i < h->refusals; i++)
		refused[i] = identity[i];
	pthread_mutex_unlock(&h->lock);
	r = rsab_token_setup_send(control, &setup, h->start_ms, detail);
	pthread_mutex_lock(&h->lock);
	return r;
}

static void
fail_start(struct helper *h)
{
	uint64_t wait = backoff_ended(&h->backoff, 0);

	h->useless = true;
	snprintf(h->why.text, sizeof(h->why.text), "%s cannot be started: %s; "
	    "install dkimd whole, or say in DKIMD_TOKEN where it is",
	    h->program, strerror(errno));
	if (!h->quiet)
		log_limited(LOG_ERR, "token helper start", "token helper of "
		    "%s: %s; tried again in %.1f s", helper_keep_name(h),
		    h->why.text, (double)wait / 1e6);
	h->start_at = clock_us() + wait;
	helper_keep_state(h, STATE_WAITING);
}

static void
start(struct helper *h)
{
	struct rsab_token_detail detail = { "" };

	h->killed = false;
	h->started = clock_us();
	if (helper_spawn(h->program, &h->pid, &h->control) != 0) {
		h->pid = 0;
		fail_start(h);
		return;
	}
	h->incarnation++;
	stats_add(STAT_TOKEN_STARTS, 1);
	helper_keep_state(h, STATE_STARTING);
	h->useless = greet(h, &detail) != 0;
	if (h->useless) {
		h->why = detail;
		/* It was of no use, however long loading took */
		h->started = clock_us();
		settle(h, 0);
		return;
	}
	if (h->incarnation > 1 && !h->quiet)
		log_line(LOG_NOTICE, "token helper of %s is up again, process "
		    "%ld", helper_keep_name(h), (long)h->pid);
	h->why.text[0] = '\0';
	helper_keep_state(h, STATE_UP);
}

/*
 * Wait until the child ends, someone calls or time is up; gives the lock away
 * meanwhile.
 *   ms       -1: for ever
 */
static void
sleep_until_called(struct helper *h, int ms)
{
	struct pollfd p[2] = {
		{ h->wake[0], POLLIN, 0 },
		/* Nothing comes that way but its end */
		{ h->control, 0, 0 },
	};
	char octets[64];

	pthread_mutex_unlock(&h->lock);
	(void)!poll(p, 2, ms);
	while (read(h->wake[0], octets, sizeof(octets)) > 0)
		continue;
	pthread_mutex_lock(&h->lock);
	if (h->state == STATE_UP && (p[1].revents & (POLLHUP | POLLERR)) != 0)
		helper_keep_state(h, STATE_ENDING);
}

/*
 * Is the child of the state UP still there?
 */
static bool
is_alive(const struct helper *h)
{
	siginfo_t info;

	memset(&info, 0, sizeof(info));
	return waitid(P_PID, (id_t)h->pid, &info,
	    WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

static void
step(struct helper *h)
{
	uint64_t now = clock_us();

	switch (h->state) {
	case STATE_WAITING:
		if (now >= h->start_at)
			start(h);
		else
			sleep_until_called(h,
			    (int)((h->start_at - now) / 1000) + 1);
		break;
	case STATE_UP:
		if (is_alive(h))
			sleep_until_called(h, TICK);
		else
			settle(h, 0);
		break;
	case STATE_ENDING:
		settle(h, 0);
		break;
	default:
		sleep_until_called(h, -1);
		break;
	}
}

void
helper_keep_free(struct helper *h)
{
	close(h->wake[0]);
	close(h->wake[1]);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	free(h->program);
	free(h->module);
	free(h->init_args);
	free(h->folders);
	if (h->pin != NULL)
		rsab_wipe_free(h->pin, strlen(h->pin));
	free(h);
}

void *
helper_keep_run(void *arg)
{
	struct helper *h = arg;
	int status = 0;
	bool orphan;

	pthread_mutex_lock(&h->lock);
	while (!h->stopping)
		step(h);
	if (h->pid != 0)
		finish(h, GRACE, &status);
	h->has_thread = false;
	helper_keep_state(h, STATE_DONE);
	orphan = h->orphan;
	pthread_mutex_unlock(&h->lock);
	if (orphan)
		helper_keep_free(h);
	return NULL;
}
