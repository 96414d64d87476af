/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tokens of a configuration.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "milter/helper_spawn.h"
#include "milter/log.h"
#include "milter/stats.h"
#include "milter/tokens_own.h"
#include "milter/tokenuri.h"

#define ANY_TOKEN	"pkcs11:"
#define START_MS	10000	/* to load a module; above PKCS11Timeout */
#define END_MS		3500

/* Of the process: a module that crashes. */
static const struct backoff_rule restart_rule = {
	.first = 100000, .cap = 60000000, .good = 60000000,
};

void
tokens_drop(struct tokens *t)
{
	if (atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) > 1)
		return;
	helper_unref(t->helper);
	pinplaces_clear(&t->pins);
	pthread_mutex_destroy(&t->lock);
	free(t->import);
	free(t);
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
	r = token_make(t, name, out);
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

struct helper_setup
tokens_helper_setup(const struct options *options, int timeout_ms)
{
	return (struct helper_setup){
		.program = helper_spawn_program(),
		.module = options->pkcs11_module,
		.init_args = options->pkcs11_init_args,
		.sessions = RSAB_TOKEN_SESSIONS_MAX,
		.start_ms = START_MS + timeout_ms,
		.backoff = restart_rule,
	};
}

unsigned
tokens_sessions(const struct options *options, unsigned threads)
{
	uint64_t n = options->pkcs11_sessions;

	if (n == 0)
		n = threads == 0 ? 1 : threads;
	return n > RSAB_TOKEN_SESSIONS_MAX ? RSAB_TOKEN_SESSIONS_MAX :
	    (unsigned)n;
}

void
tokens_import_name(const struct options *options, struct buf *out)
{
	tokenuri_token(slice_text(options->pkcs11_token == NULL ? ANY_TOKEN :
	    options->pkcs11_token), out);
}

static int
make_helper(struct tokens *t, const struct options *o, struct tokens *old)
{
	struct helper_setup setup = tokens_helper_setup(o, t->timeout_ms);
	bool failed = false;
	char *folders = join_folders(o->pkcs11_pin_directory, &failed);
	int r;

	setup.pin = o->pkcs11_pin;
	setup.folders = folders;
	setup.quiet = !t->has_workers;
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

/*
 * Can the old ones go on?
 */
static bool
can_stay(const struct tokens *old, const struct tokens *new)
{
	if (strcmp(old->import, new->import) != 0 ||
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
	struct tokens *t;

	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return DKIM_ERR_NOMEM;
	if (pthread_mutex_init(&t->lock, NULL) != 0) {
		free(t);
		return DKIM_ERR_NOMEM;
	}
	if (pinplaces_init(&t->pins) != 0) {
		pthread_mutex_destroy(&t->lock);
		free(t);
		return DKIM_ERR_NOMEM;
	}
	atomic_init(&t->refs, 1);
	atomic_init(&t->users, 1);
	t->sessions = tokens_sessions(o, threads);
	t->has_workers = threads > 0;
	t->timeout_ms = (int)o->pkcs11_timeout * 1000;
	t->import = strdup(o->pkcs11_token == NULL ? ANY_TOKEN :
	    o->pkcs11_token);
	if (t->import == NULL || make_helper(t, o, old) != 0) {
		tokens_drop(t);
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
	tokens_drop(t);
	return true;
}

void
tokens_be_careful(struct tokens *t)
{
	helper_be_careful(t->helper);
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

	/* A command says what is wrong itself */
	if (!token->owner->has_workers)
		return;
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

long
tokens_process(struct tokens *t)
{
	return helper_process(t->helper);
}
