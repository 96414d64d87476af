/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tokens of a configuration.
 */

/* system */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "milter/clock.h"
#include "milter/helper_spawn.h"
#include "milter/log.h"
#include "milter/pinplace.h"
#include "milter/signer.h"
#include "milter/stats.h"
#include "milter/tokens.h"
#include "milter/tokenuri.h"

#define ANY_TOKEN	"pkcs11:"
#define START_MS	10000	/* to load a module; above PKCS11Timeout */
#define GENERATE_MS	300000	/* RSA 8192 in a slow token */
#define END_MS		3500

/* Of the process: a module that crashes. */
static const struct backoff_rule restart_rule = {
	.first = 100000, .cap = 60000000, .good = 60000000,
};

/* Of one token: it hangs, and each try costs all others a new process. */
static const struct backoff_rule hang_rule = {
	.first = 1000000, .cap = 60000000, .good = 120000000,
};

/* One token; the context of its rsab_token, and freed by its release. */
struct token {
	struct tokens		*owner;		/* a reference */
	struct rsab_token	*token;
	struct signer		*signer;	/* NULL: none */
	char			*name;		/* its URI, for the log, too */
	atomic_bool		 down;		/* and that was told */
	struct backoff		 backoff;	/* under the owner's lock, ... */
	uint64_t		 hung_at, not_before;	/* as these */
};

struct tokens {
	atomic_uint		 refs;		/* of the memory: its users
						 * together, and each token */
	atomic_uint		 users;
	struct helper		*helper;
	char			*import;	/* PKCS11Token */
	int			 timeout_ms;
	unsigned		 sessions;
	bool			 has_workers;
	struct pinplaces	 pins;		/* of refused PINs */

	pthread_mutex_t		 lock;		/* of these; a leaf */
	struct token		*list[TOKENS_MAX]; /* a reference to token
						 * each */
	size_t			 n;
};

/* ---- a token ------------------------------------------------------------- */

static void
drop(struct tokens *t)
{
	if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) > 1)
		return;
	helper_unref(t->helper);
	pinplaces_clear(&t->pins);
	pthread_mutex_destroy(&t->lock);
	free(t->import);
	free(t);
}

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
	drop(token->owner);
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

static int
make_token(struct tokens *t, struct slice name, struct token **out)
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

/*
 * With the lock: a borrowed token.
 *   errors   RSAB_ERR_NOMEM; RSAB_ERR_TOKEN: too many
 */
static int
find_locked(struct tokens *t, struct slice name, struct token **out)
{
	size_t i;
	int r;

	for (i = 0; i < t->n; i++)
		if (slice_is(name, t->list[i]->name)) {
			*out = t->list[i];
			return 0;
		}
	if (t->n == TOKENS_MAX)
		return RSAB_ERR_TOKEN;
	r = make_token(t, name, out);
	if (r == 0)
		t->list[t->n++] = *out;
	return r;
}

/*
 * The token of a URI; borrowed, it lives as long as a user of tokens.
 */
static int
find(struct tokens *t, struct slice uri, struct token **out)
{
	struct buf name;
	int r;

	buf_init(&name, RSAB_TOKEN_URI_MAX);
	tokenuri_token(uri, &name);
	r = buf_end(&name) == 0 ? 0 : RSAB_ERR_NOMEM;
	if (r == 0) {
		pthread_mutex_lock(&t->lock);
		r = find_locked(t, buf_slice(&name), out);
		pthread_mutex_unlock(&t->lock);
	}
	buf_clear(&name);
	return r;
}

/* ---- all ----------------------------------------------------------------- */

/*
 * PKCS11PINDirectory has commas; NULL: no memory, or none is set.
 */
static char *
join_folders(const char *list, bool *failed)
{
	char *out;
	size_t i, n = 0;

	if (list == NULL)
		return NULL;
	out = strdup(list);
	*failed = *failed || out == NULL;
	if (out == NULL)
		return NULL;
	for (i = 0; list[i] != '\0'; i++)
		if (list[i] == ',')
			out[n++] = ':';
		else if (list[i] != ' ' && list[i] != '\t')
			out[n++] = list[i];
	out[n] = '\0';
	return out;
}

static int
make_helper(struct tokens *t, const struct options *o, struct tokens *old)
{
	struct helper_setup setup = {
		.program = helper_spawn_program(),
		.module = o->pkcs11_module,
		.init_args = o->pkcs11_init_args,
		.pin = o->pkcs11_pin,
		.sessions = RSAB_TOKEN_SESSIONS_MAX,
		.start_ms = START_MS + t->timeout_ms,
		.backoff = restart_rule,
	};
	bool failed = false;
	char *folders = join_folders(o->pkcs11_pin_directory, &failed);
	int r;

	setup.folders = folders;
	r = failed ? RSAB_ERR_NOMEM : helper_new(&setup, &t->helper);
	free(folders);
	/* An attempt a reload would lock a token in the end */
	if (r == 0 && old != NULL && helper_is_same_module(old->helper,
	    t->helper) && helper_is_same_pin(old->helper, t->helper) &&
	    !pinplaces_have_changed(&old->pins)) {
		helper_copy_refusals(old->helper, t->helper);
		r = pinplaces_copy(&old->pins, &t->pins);
	}
	return r;
}

static bool
is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/*
 * Can the old ones go on?
 */
static bool
can_stay(const struct tokens *old, const struct tokens *new)
{
	if (!is_same_text(old->import, new->import) ||
	    old->timeout_ms != new->timeout_ms ||
	    old->sessions != new->sessions ||
	    old->has_workers != new->has_workers ||
	    !helper_is_same(old->helper, new->helper))
		return false;
	return helper_refusals(old->helper) == helper_refusals(new->helper);
}

static int
make(const struct options *o, unsigned threads, struct tokens *old,
    struct tokens **out)
{
	uint64_t sessions = o->pkcs11_sessions;
	struct tokens *t;

	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return DKIM_ERR_NOMEM;
	if (pthread_mutex_init(&t->lock, NULL) != 0) {
		free(t);
		return DKIM_ERR_NOMEM;
	}
	atomic_init(&t->refs, 1);
	atomic_init(&t->users, 1);
	pinplaces_init(&t->pins);
	if (sessions == 0)
		sessions = threads == 0 ? 1 : threads;
	t->sessions = sessions > RSAB_TOKEN_SESSIONS_MAX ?
	    RSAB_TOKEN_SESSIONS_MAX : (unsigned)sessions;
	t->has_workers = threads > 0;
	t->timeout_ms = (int)o->pkcs11_timeout * 1000;
	t->import = strdup(o->pkcs11_token == NULL ? ANY_TOKEN :
	    o->pkcs11_token);
	if (t->import == NULL || make_helper(t, o, old) != 0) {
		drop(t);
		return DKIM_ERR_NOMEM;
	}
	*out = t;
	return 0;
}

int
tokens_new(const struct options *options, unsigned threads,
    struct tokens *old, struct tokens **out)
{
	int r = make(options, threads, old, out);

	if (r == 0 && old != NULL && can_stay(old, *out)) {
		(void)tokens_unref(*out);
		*out = tokens_ref(old);
	}
	return r;
}

struct tokens *
tokens_ref(struct tokens *t)
{
	atomic_fetch_add_explicit(&t->users, 1, memory_order_relaxed);
	return t;
}

bool
tokens_unref(struct tokens *t)
{
	size_t i;

	if (t == NULL || atomic_fetch_sub_explicit(&t->users, 1,
	    memory_order_acq_rel) > 1)
		return false;
	/* Nobody asks for more; those that keys hold stay */
	for (i = 0; i < t->n; i++)
		rsab_token_unref(t->list[i]->token);
	drop(t);
	return true;
}

bool
tokens_has(const struct tokens *t, const struct rsab_token *rsab)
{
	const struct token *token = rsab_token_context(rsab);

	return token->owner == t;
}

void
tokens_end(struct tokens *t)
{
	helper_end(t->helper, END_MS);
}

/* ---- keys ---------------------------------------------------------------- */

static bool
is_gone(int error)
{
	return error == RSAB_ERR_TOKEN || error == RSAB_ERR_PIN;
}

void
tokens_tell(struct rsab_token *rsab, int error, const char *detail)
{
	struct token *token = rsab_token_context(rsab);

	if (is_gone(error) && !atomic_exchange(&token->down, true)) {
		stats_add(STAT_TOKEN_GONE, 1);
		log_line(LOG_ERR, "token %s is of no use now: %s: %s; mail of "
		    "its keys gets what On-InternalError says", token->name,
		    rsab_strerror(error), detail);
	} else if (error == 0 && atomic_load(&token->down) &&
	    atomic_exchange(&token->down, false)) {
		stats_add(STAT_TOKEN_BACK, 1);
		log_line(LOG_NOTICE, "token %s is back", token->name);
	}
}

/*
 * Make the detail of a failure say more, and tell of it.
 */
static void
note(struct token *token, struct slice uri, int error,
    struct rsab_token_detail *detail)
{
	struct tokens *t = token->owner;
	struct rsab_token_detail why;

	if (error == RSAB_ERR_TOKEN) {
		helper_why(t->helper, &why);
		if (why.text[0] != '\0')
			*detail = why;
	}
	if (error == RSAB_ERR_PIN)
		pinplaces_add(&t->pins, uri);
	tokens_tell(token->token, error, detail->text);
}

static int
begin(struct tokens *t, struct slice uri, bool pin_value,
    struct rsab_token_detail *detail, struct token **out)
{
	int r;

	detail->text[0] = '\0';
	r = rsab_token_uri_check((const char *)uri.p, uri.n, pin_value,
	    detail);
	if (r == 0)
		r = find(t, uri, out);
	if (r == RSAB_ERR_TOKEN)
		snprintf(detail->text, sizeof(detail->text),
		    "URIs name more than %d tokens", TOKENS_MAX);
	return r;
}

int
tokens_open(struct tokens *t, struct slice uri, bool pin_value,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	struct token *token;
	int r;

	r = begin(t, uri, pin_value, detail, &token);
	if (r != 0)
		return r;
	r = rsab_key_load_token(token->token, (const char *)uri.p, uri.n,
	    pin_value, detail, out);
	note(token, uri, r, detail);
	return r;
}

int
tokens_import(struct tokens *t, struct slice octets,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	struct slice uri = slice_text(t->import);
	struct token *token;
	int r;

	r = begin(t, uri, true, detail, &token);
	if (r != 0)
		return r;
	r = rsab_key_import_token(token->token, t->import, uri.n, true,
	    octets.p, octets.n, detail, out);
	note(token, uri, r, detail);
	return r;
}

int
tokens_generate(struct tokens *t, struct slice uri, enum rsab_key_type type,
    unsigned bits, struct rsab_token_detail *detail, struct rsab_key **out)
{
	struct token *token;
	int r;

	r = begin(t, uri, false, detail, &token);
	if (r != 0)
		return r;
	r = rsab_key_generate_token(token->token, (const char *)uri.p, uri.n,
	    false, type, bits, detail, out);
	note(token, uri, r, detail);
	return r;
}

struct signer *
tokens_signer(struct tokens *t, struct slice uri)
{
	struct token *token;

	if (!t->has_workers || find(t, uri.n == 0 ? slice_text(t->import) :
	    uri, &token) != 0)
		return NULL;
	return token->signer;
}

struct signer *
tokens_signer_of(const struct rsab_token *rsab)
{
	const struct token *token = rsab_token_context(rsab);

	return token->signer;
}
