/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying in a token: its process, and when it is asked.
 */

/* system */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "milter/clock.h"
#include "milter/log.h"
#include "milter/stats.h"
#include "milter/tokens_own.h"
#include "milter/verifier.h"

#define END_MS		1000
#define NUMBER		UINT16_MAX	/* of no token that signs */
#define FIRST_WAIT	1000000		/* microseconds, as the next ones */
#define LONGEST_WAIT	300000000

/* Each try of one that hangs costs a message a second. */
static const struct backoff_rule rule = {
	.first = FIRST_WAIT, .cap = LONGEST_WAIT, .good = 2 * LONGEST_WAIT,
};

/* The context of its token, and freed by the token's release. */
struct verifier {
	atomic_uint		 refs;
	struct helper		*helper;
	struct rsab_token	*token;		/* as long as refs */
	struct rsab_backend	*backend;	/* the same */
	unsigned		 sessions;

	pthread_mutex_t		 lock;		/* all below */
	unsigned		 busy;		/* questions on their way */
	bool			 down;		/* it failed, and that was
						 * told */
	struct backoff		 backoff;
	uint64_t		 failed_at, not_before;	/* microseconds */
};

/* ---- of its token -------------------------------------------------------- */

static int
connect_token(void *context, uint64_t *incarnation)
{
	struct verifier *v = context;

	return helper_connect_now(v->helper, incarnation);
}

static void
hung(void *context, uint64_t incarnation)
{
	struct verifier *v = context;

	helper_hung(v->helper, incarnation);
}

/* It has no PIN that could be. */
static void
refused(void *context, const char *identity)
{
	(void)context;
	(void)identity;
}

static void
release(void *context)
{
	struct verifier *v = context;

	helper_unref(v->helper);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

/* ---- when it is asked ---------------------------------------------------- */

static bool
begin(void *context)
{
	struct verifier *v = context;
	bool may = helper_is_up(v->helper);

	pthread_mutex_lock(&v->lock);
	/* Whether it is well again, one at a time finds out */
	may = may && v->busy < (v->down ? 1 : v->sessions) &&
	    clock_us() >= v->not_before;
	if (may)
		v->busy++;
	pthread_mutex_unlock(&v->lock);
	if (!may)
		stats_add(STAT_TOKEN_NOT_VERIFIED, 1);
	return may;
}

/*
 * With the lock: it failed; leave it alone.
 */
static void
fail(struct verifier *v, int error)
{
	uint64_t now = clock_us(), wait;

	/* Others that began before failed with it */
	if (v->down && now < v->not_before)
		return;
	wait = backoff_ended(&v->backoff, now - v->failed_at);
	if (wait < FIRST_WAIT)
		wait = FIRST_WAIT;
	/* One that is wrong is not to be tried often */
	if (error == RSAB_ERR_BACKEND)
		wait = LONGEST_WAIT;
	v->failed_at = now;
	v->not_before = now + wait;
	v->down = true;
}

/*
 * Is it about one key, of which nothing follows for others?
 */
static bool
is_of_key(int error)
{
	return error == RSAB_ERR_KEY || error == RSAB_ERR_KEY_SIZE ||
	    error == RSAB_ERR_KEY_TYPE;
}

/*
 * A stranger's key may be what the token stumbles over: no more than a notice.
 */
static void
tell_down(int error, const struct rsab_token_detail *detail)
{
	char key[LOG_KEY_MAX];

	snprintf(key, sizeof(key), "PKCS11Verify: %s", rsab_strerror(error));
	log_limited(LOG_NOTICE, key, "PKCS11Verify: the token gives no "
	    "verdicts now, libcrypto does: %s: %s", rsab_strerror(error),
	    detail->text);
}

static void
end(void *context, int error, const struct rsab_token_detail *detail)
{
	struct verifier *v = context;
	bool was_down, is_down;

	pthread_mutex_lock(&v->lock);
	v->busy--;
	was_down = v->down;
	if (error == RSAB_OK)
		v->down = false;
	else if (!is_of_key(error))
		fail(v, error);
	is_down = v->down;
	pthread_mutex_unlock(&v->lock);
	stats_add(error == RSAB_OK ? STAT_TOKEN_VERIFIED :
	    STAT_TOKEN_NOT_VERIFIED, 1);
	if (is_down && !was_down)
		tell_down(error, detail);
	else if (was_down && !is_down)
		log_limited(LOG_NOTICE, "PKCS11Verify again", "PKCS11Verify: "
		    "the token verifies again");
}

static const struct rsab_token_watch watch = { begin, end };

/* ---- life ---------------------------------------------------------------- */

static int
make_helper(struct verifier *v, const struct options *o)
{
	struct helper_setup setup = tokens_helper_setup(o, VERIFIER_TIMEOUT);

	setup.sessions = v->sessions;
	return helper_new(&setup, &v->helper);
}

/*
 * The token that keys are loaded into, without the PIN that this takes.
 */
static int
make_backend(struct verifier *v, const struct options *o)
{
	struct buf name;
	int r;

	buf_init(&name, RSAB_TOKEN_URI_MAX);
	tokens_import_name(o, &name);
	r = buf_end(&name) != 0 ? RSAB_ERR_NOMEM : rsab_backend_new_token(
	    v->token, (const char *)name.p, name.n, &watch, &v->backend);
	buf_clear(&name);
	return r;
}

int
verifier_new(const struct options *options, unsigned threads,
    struct verifier **out)
{
	const struct rsab_token_options token_options = {
		.timeout_ms = VERIFIER_TIMEOUT,
		.generate_ms = VERIFIER_TIMEOUT,
		.sessions = tokens_sessions(options, threads),
		.number = NUMBER,
	};
	struct rsab_token_peer peer = {
		.connect = connect_token,
		.hung = hung,
		.refused = refused,
		.release = release,
	};
	struct verifier *v = calloc(1, sizeof(*v));

	if (v == NULL)
		return DKIM_ERR_NOMEM;
	atomic_init(&v->refs, 1);
	v->sessions = token_options.sessions;
	backoff_init(&v->backoff, &rule);
	peer.context = v;
	if (pthread_mutex_init(&v->lock, NULL) != 0)
		goto no_lock;
	if (make_helper(v, options) != 0)
		goto no_helper;
	if (rsab_token_new(&peer, &token_options, &v->token) != 0)
		goto no_token;
	if (make_backend(v, options) != 0) {
		rsab_token_unref(v->token);	/* frees v */
		return DKIM_ERR_NOMEM;
	}
	*out = v;
	return 0;

no_token:
	helper_unref(v->helper);
no_helper:
	pthread_mutex_destroy(&v->lock);
no_lock:
	free(v);
	return DKIM_ERR_NOMEM;
}

struct verifier *
verifier_ref(struct verifier *v)
{
	atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
	return v;
}

void
verifier_unref(struct verifier *v)
{
	if (v == NULL || atomic_fetch_sub_explicit(&v->refs, 1,
	    memory_order_acq_rel) > 1)
		return;
	rsab_backend_free(v->backend);
	/* Keys may hold the token, and with it v, for longer */
	rsab_token_unref(v->token);
}

const struct rsab_backend *
verifier_backend(const struct verifier *v)
{
	return v->backend;
}

void
verifier_end(struct verifier *v)
{
	helper_end(v->helper, END_MS);
}

long
verifier_process(struct verifier *v)
{
	return helper_process(v->helper);
}
