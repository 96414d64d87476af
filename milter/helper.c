/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process of dkimd-token, for those who want something of it.
 */

/* system */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "milter/clock.h"
#include "milter/helper_own.h"
#include "milter/log.h"
#include "milter/stats.h"

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
	h->quiet = setup->quiet;
	h->control = -1;
	backoff_init(&h->backoff, &setup->backoff);
	if (failed) {
		helper_keep_free(h);
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
	helper_keep_wake(h);
	pthread_mutex_unlock(&h->lock);
	if (!has_thread)
		helper_keep_free(h);
}

void
helper_end(struct helper *h, int ms)
{
	uint64_t until = clock_us() + (uint64_t)ms * 1000;

	pthread_mutex_lock(&h->lock);
	h->stopping = true;
	helper_keep_wake(h);
	pthread_cond_broadcast(&h->changed);
	while (h->has_thread && clock_us() < until)
		helper_keep_wait(h, until);
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

void
helper_be_careful(struct helper *h)
{
	pthread_mutex_lock(&h->lock);
	h->careful = true;
	pthread_mutex_unlock(&h->lock);
}

static int
begin(struct helper *h)
{
	pthread_t thread;

	if (h->has_thread)
		return 0;
	h->state = STATE_WAITING;
	if (pthread_create(&thread, NULL, helper_keep_run, h) != 0) {
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
		helper_keep_state(h, STATE_ENDING);
		helper_keep_wake(h);
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
			helper_keep_wait(h, until);
		}
	}
	pthread_mutex_unlock(&h->lock);
	return fd;
}

bool
helper_is_up(struct helper *h)
{
	bool up;

	pthread_mutex_lock(&h->lock);
	up = !h->stopping && begin(h) == 0 && h->state == STATE_UP;
	pthread_mutex_unlock(&h->lock);
	return up;
}

int
helper_connect_now(void *context, uint64_t *incarnation)
{
	struct helper *h = context;
	int fd = -1;

	pthread_mutex_lock(&h->lock);
	if (!h->stopping && begin(h) == 0)
		fd = try_connect(h, incarnation);
	pthread_mutex_unlock(&h->lock);
	return fd;
}

void
helper_hung(void *context, uint64_t incarnation)
{
	struct helper *h = context;

	pthread_mutex_lock(&h->lock);
	if (h->incarnation == incarnation && h->pid != 0 && !h->killed) {
		if (!h->quiet)
			log_limited(LOG_ERR, "token helper hangs", "token "
			    "helper of %s, process %ld, does not answer in "
			    "time and is killed", helper_keep_name(h),
			    (long)h->pid);
		stats_add(STAT_TOKEN_KILLS, 1);
		h->killed = true;
		kill(h->pid, SIGKILL);
		if (h->state == STATE_UP)
			helper_keep_state(h, STATE_ENDING);
		helper_keep_wake(h);
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
	if (!is_new)
		return;
	stats_add(STAT_TOKEN_PIN_REFUSED, 1);
	if (!h->quiet)
		log_line(LOG_CRIT, "token helper of %s: a token refused its "
		    "PIN, which is not tried again: change the PIN or its "
		    "file, then reload", helper_keep_name(h));
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
