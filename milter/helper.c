/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process of dkimd-token.
 */

/* system */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* this room */
#include "milter/clock.h"
#include "milter/helper.h"
#include "milter/helper_spawn.h"
#include "milter/log.h"
#include "milter/stats.h"

#define TICK		500	/* milliseconds between looks: a child of the
				 * module may hold the socket open */
#define GRACE		3000000	/* microseconds to finish with the module */
#define STEP		5000	/* microseconds between looks at its end */

enum state {
	STATE_IDLE,		/* not wanted yet */
	STATE_STARTING,
	STATE_UP,
	STATE_ENDING,		/* of no use any more, not collected yet */
	STATE_WAITING,		/* until start_at */
	STATE_DONE,
};

struct helper {
	atomic_uint		 refs;
	char			*program, *module, *init_args, *pin, *folders;
	unsigned		 sessions;
	int			 start_ms;

	pthread_mutex_t		 lock;		/* of all below */
	pthread_cond_t		 changed;	/* state */
	int			 wake[2];	/* pipe to the thread */
	bool			 has_thread;
	bool			 stopping;
	bool			 orphan;	/* the thread frees it */
	enum state		 state;
	pid_t			 pid;		/* 0: none; collected under
						 * the lock, so never another's */
	int			 control;	/* -1: none */
	uint64_t		 incarnation;
	bool			 killed;	/* by us */
	bool			 useless;	/* it did not even load its module */
	uint64_t		 started, start_at;	/* monotonic us */
	struct backoff		 backoff;
	struct rsab_token_detail why;
	char	refused[RSAB_TOKEN_REFUSED_MAX][RSAB_TOKEN_IDENTITY];
	size_t			 refusals;
};

static const char *
name_of(const struct helper *h)
{
	return h->module == NULL ? "p11-kit's modules" : h->module;
}

static void
wake_up(struct helper *h)
{
	char octet = 0;

	/* A full pipe wakes it, too */
	(void)!write(h->wake[1], &octet, 1);
}

static void
set_state(struct helper *h, enum state state)
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

/*
 * Wait for a change of state, with the lock.
 *   until    monotonic microseconds
 */
static void
wait_change(struct helper *h, uint64_t until)
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
		wait_change(h, clock_us() + STEP);
	}
}

static void
tell_end(struct helper *h, int status, uint64_t wait)
{
	char how[64];

	if (h->stopping)
		return;
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
	stats_add(STAT_TOKEN_ENDS, 1);
	log_limited(LOG_ERR, "token helper ended", "token helper of %s %s and "
	    "is started again in %.1f s%s%s", name_of(h), how,
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

	set_state(h, STATE_ENDING);
	finish(h, grace, &status);
	wait = backoff_ended(&h->backoff, clock_us() - h->started);
	h->start_at = clock_us() + wait;
	tell_end(h, status, wait);
	set_state(h, STATE_WAITING);
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
	snprintf(h->why.text, sizeof(h->why.text), "%s cannot be started: %s",
	    h->program, strerror(errno));
	log_limited(LOG_ERR, "token helper start", "token helper of %s: %s; "
	    "tried again in %.1f s", name_of(h), h->why.text,
	    (double)wait / 1e6);
	h->start_at = clock_us() + wait;
	set_state(h, STATE_WAITING);
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
	set_state(h, STATE_STARTING);
	h->useless = greet(h, &detail) != 0;
	if (h->useless) {
		h->why = detail;
		/* It was of no use, however long loading took */
		h->started = clock_us();
		settle(h, 0);
		return;
	}
	log_line(h->incarnation == 1 ? LOG_INFO : LOG_NOTICE,
	    "token helper of %s is up, process %ld", name_of(h), (long)h->pid);
	h->why.text[0] = '\0';
	set_state(h, STATE_UP);
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
		set_state(h, STATE_ENDING);
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

static void
free_helper(struct helper *h)
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

static void *
keep(void *arg)
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
	set_state(h, STATE_DONE);
	orphan = h->orphan;
	pthread_mutex_unlock(&h->lock);
	if (orphan)
		free_helper(h);
	return NULL;
}

/* ---- for others ---------------------------------------------------------- */

static char *
copy(const char *text, bool *failed)
{
	char *out = text == NULL ? NULL : strdup(text);

	*failed = *failed || (text != NULL && out == NULL);
	return out;
}

static int
init_locks(struct helper *h)
{
	pthread_condattr_t attributes;
	int r;

	if (pthread_mutex_init(&h->lock, NULL) != 0)
		return -1;
	r = pthread_condattr_init(&attributes);
	if (r == 0) {
		r = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
		if (r == 0)
			r = pthread_cond_init(&h->changed, &attributes);
		pthread_condattr_destroy(&attributes);
	}
	if (r != 0)
		pthread_mutex_destroy(&h->lock);
	return r == 0 ? 0 : -1;
}

int
helper_new(const struct helper_setup *setup, struct helper **out)
{
	struct helper *h;
	bool failed = false;

	h = calloc(1, sizeof(*h));
	if (h == NULL)
		return RSAB_ERR_NOMEM;
	if (pipe2(h->wake, O_CLOEXEC | O_NONBLOCK) != 0)
		goto no_pipe;
	if (init_locks(h) != 0)
		goto no_locks;
	atomic_init(&h->refs, 1);
	h->program = copy(setup->program, &failed);
	h->module = copy(setup->module, &failed);
	h->init_args = copy(setup->init_args, &failed);
	h->pin = copy(setup->pin, &failed);
	h->folders = copy(setup->folders, &failed);
	h->sessions = setup->sessions;
	h->start_ms = setup->start_ms;
	h->control = -1;
	backoff_init(&h->backoff, &setup->backoff);
	if (failed) {
		free_helper(h);
		return RSAB_ERR_NOMEM;
	}
	*out = h;
	return 0;

no_locks:
	close(h->wake[0]);
	close(h->wake[1]);
no_pipe:
	free(h);
	return RSAB_ERR_NOMEM;
}

struct helper *
helper_ref(struct helper *h)
{
	atomic_fetch_add_explicit(&h->refs, 1, memory_order_relaxed);
	return h;
}

void
helper_unref(struct helper *h)
{
	bool has_thread;

	if (h == NULL ||
	    atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) > 1)
		return;
	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	has_thread = h->orphan = h->has_thread;
	wake_up(h);
	pthread_mutex_unlock(&h->lock);
	if (!has_thread)
		free_helper(h);
}

void
helper_end(struct helper *h, int ms)
{
	uint64_t until = clock_us() + (uint64_t)ms * 1000;

	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	wake_up(h);
	pthread_cond_broadcast(&h->changed);
	while (h->has_thread && clock_us() < until)
		wait_change(h, until);
	/* Nobody is left to do it */
	if (h->pid != 0)
		kill(h->pid, SIGKILL);
	pthread_mutex_unlock(&h->lock);
}

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool
helper_is_same_module(const struct helper *a, const struct helper *b)
{
	return is_same_text(a->module, b->module) &&
	    is_same_text(a->init_args, b->init_args);
}

bool
helper_is_same_pin(const struct helper *a, const struct helper *b)
{
	return is_same_text(a->pin, b->pin);
}

bool
helper_is_same(const struct helper *a, const struct helper *b)
{
	return helper_is_same_module(a, b) && helper_is_same_pin(a, b) &&
	    strcmp(a->program, b->program) == 0 &&
	    is_same_text(a->folders, b->folders) &&
	    a->sessions == b->sessions && a->start_ms == b->start_ms;
}

static int
begin(struct helper *h)
{
	pthread_t thread;

	if (h->has_thread)
		return 0;
	h->state = STATE_WAITING;
	if (pthread_create(&thread, NULL, keep, h) != 0) {
		h->state = STATE_IDLE;
		return -1;
	}
	pthread_detach(thread);
	h->has_thread = true;
	return 0;
}

/*
 * A connection to the process as it is now.
 *   returns  -1: there is none
 */
static int
try_connect(struct helper *h, uint64_t *incarnation)
{
	struct pollfd p = { h->control, 0, 0 };
	int fd;

	if (h->state != STATE_UP)
		return -1;
	if (rsab_token_connect(h->control, &fd) == 0) {
		*incarnation = h->incarnation;
		return fd;
	}
	/* It ended a moment ago; or else a descriptor is wanting here */
	if (poll(&p, 1, 0) == 1) {
		set_state(h, STATE_ENDING);
		wake_up(h);
	}
	return -1;
}

int
helper_connect(void *context, uint64_t *incarnation)
{
	struct helper *h = context;
	uint64_t until = clock_us() + HELPER_PATIENCE, now;
	int fd = -1;

	pthread_mutex_lock(&h->lock);
	if (!h->stopping && begin(h) == 0) {
		/* The first one waits for it to load, there is none before */
		if (h->incarnation <= 1 && h->state != STATE_UP)
			until += (uint64_t)h->start_ms * 1000;
		while ((fd = try_connect(h, incarnation)) < 0) {
			now = clock_us();
			if (now >= until || h->stopping ||
			    (h->state == STATE_WAITING && (h->useless ||
			    h->start_at > until)))
				break;
			wait_change(h, until);
		}
	}
	pthread_mutex_unlock(&h->lock);
	return fd;
}

void
helper_hung(void *context, uint64_t incarnation)
{
	struct helper *h = context;

	pthread_mutex_lock(&h->lock);
	if (h->incarnation == incarnation && h->pid != 0 && !h->killed) {
		log_limited(LOG_ERR, "token helper hangs", "token helper of "
		    "%s, process %ld, does not answer in time and is killed",
		    name_of(h), (long)h->pid);
		stats_add(STAT_TOKEN_KILLS, 1);
		h->killed = true;
		kill(h->pid, SIGKILL);
		if (h->state == STATE_UP)
			set_state(h, STATE_ENDING);
		wake_up(h);
	}
	pthread_mutex_unlock(&h->lock);
}

static bool
has_refused(const struct helper *h, const char *identity)
{
	size_t i;

	for (i = 0; i < h->refusals; i++)
		if (strcmp(h->refused[i], identity) == 0)
			return true;
	return false;
}

/*
 * Remember it, with the lock.
 *   returns  whether it is new
 */
static bool
refuse(struct helper *h, const char *identity)
{
	size_t n = strnlen(identity, RSAB_TOKEN_IDENTITY);

	if (n == RSAB_TOKEN_IDENTITY || has_refused(h, identity) ||
	    h->refusals == RSAB_TOKEN_REFUSED_MAX)
		return false;
	memcpy(h->refused[h->refusals++], identity, n + 1);
	return true;
}

void
helper_refused(void *context, const char *identity)
{
	struct helper *h = context;
	bool is_new;

	pthread_mutex_lock(&h->lock);
	is_new = refuse(h, identity);
	pthread_mutex_unlock(&h->lock);
	if (is_new) {
		stats_add(STAT_TOKEN_PIN_REFUSED, 1);
		log_line(LOG_CRIT, "token helper of %s: a token refused its "
		    "PIN, which is not tried again: change the PIN or its "
		    "file, then reload", name_of(h));
	}
}

size_t
helper_refusals(struct helper *h)
{
	size_t n;

	pthread_mutex_lock(&h->lock);
	n = h->refusals;
	pthread_mutex_unlock(&h->lock);
	return n;
}

void
helper_copy_refusals(struct helper *from, struct helper *to)
{
	char identity[RSAB_TOKEN_REFUSED_MAX][RSAB_TOKEN_IDENTITY];
	size_t i, n;

	pthread_mutex_lock(&from->lock);
	n = from->refusals;
	memcpy(identity, from->refused, sizeof(identity));
	pthread_mutex_unlock(&from->lock);
	pthread_mutex_lock(&to->lock);
	for (i = 0; i < n; i++)
		refuse(to, identity[i]);
	pthread_mutex_unlock(&to->lock);
}

void
helper_why(struct helper *h, struct rsab_token_detail *out)
{
	pthread_mutex_lock(&h->lock);
	*out = h->why;
	pthread_mutex_unlock(&h->lock);
}

long
helper_process(struct helper *h)
{
	long pid;

	pthread_mutex_lock(&h->lock);
	pid = h->pid;
	pthread_mutex_unlock(&h->lock);
	return pid;
}
