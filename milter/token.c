/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One token: its end, its connections, and how it is left alone when it hangs.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "milter/clock.h"
#include "milter/signer.h"
#include "milter/tokens_own.h"

#define GENERATE_MS	300000	/* RSA 8192 in a slow token */

/* It hangs, and each try costs all others a new process. */
static const struct backoff_rule hang_rule = {
	.first = 1000000, .cap = 60000000, .good = 120000000,
};

static void *
end_signer(void *arg)
{
	signer_free(arg);
	return NULL;
}

/*
 * The token is gone. Its workers may be who gave the last reference back, so
 * another thread waits for their end; without one they wait for ever.
 */
static void
release(void *context)
{
	struct token *token = context;
	pthread_t thread;

	if (token->signer != NULL && pthread_create(&thread, NULL, end_signer,
	    token->signer) == 0)
		pthread_detach(thread);
	tokens_drop(token->owner);
	free(token->name);
	free(token);
}

/* One that hangs again and again is left alone for longer and longer. */
static int
connect_token(void *context, uint64_t *incarnation)
{
	struct token *token = context;
	bool early;

	pthread_mutex_lock(&token->owner->lock);
	early = clock_us() < token->not_before;
	pthread_mutex_unlock(&token->owner->lock);
	return early ? -1 : helper_connect(token->owner->helper, incarnation);
}

static void
hung(void *context, uint64_t incarnation)
{
	struct token *token = context;
	uint64_t now = clock_us(), wait;

	pthread_mutex_lock(&token->owner->lock);
	wait = backoff_ended(&token->backoff, now - token->hung_at);
	token->hung_at = now;
	token->not_before = now + wait;
	pthread_mutex_unlock(&token->owner->lock);
	helper_hung(token->owner->helper, incarnation);
}

static void
refused(void *context, const char *identity)
{
	struct token *token = context;

	helper_refused(token->owner->helper, identity);
}

int
token_make(struct tokens *t, struct slice name, struct token **out)
{
	const struct rsab_token_options options = {
		.timeout_ms = t->timeout_ms,
		.generate_ms = GENERATE_MS,
		.sessions = t->sessions,
		.number = (uint16_t)t->n,
	};
	struct rsab_token_peer peer = {
		.connect = connect_token,
		.hung = hung,
		.refused = refused,
		.release = release,
	};
	struct token *token;

	token = calloc(1, sizeof(*token));
	if (token == NULL)
		return RSAB_ERR_NOMEM;
	token->name = strndup((const char *)name.p, name.n);
	if (token->name == NULL || (t->has_workers &&
	    signer_new(t->sessions, &token->signer) != 0))
		goto fail;
	atomic_init(&token->down, false);
	backoff_init(&token->backoff, &hang_rule);
	token->owner = t;
	peer.context = token;
	if (rsab_token_new(&peer, &options, &token->token) != 0)
		goto fail;
	atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
	*out = token;
	return 0;

fail:
	signer_free(token->signer);
	free(token->name);
	free(token);
	return RSAB_ERR_NOMEM;
}
