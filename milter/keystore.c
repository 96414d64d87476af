/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The key store.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "milter/cache.h"
#include "milter/clock.h"
#include "milter/conf_options.h"
#include "milter/inbox.h"
#include "milter/keycache.h"
#include "milter/keyload.h"
#include "milter/keylook.h"
#include "milter/keyrequest.h"
#include "milter/keystore_own.h"
#include "milter/log.h"
#include "milter/signer.h"
#include "milter/stats.h"
#include "milter/storedkey.h"
#include "milter/tokens.h"

/* RFC 8301 s3.2 sets the floor for RSA. */
static bool
is_long_enough(const struct keystore *store, const struct rsab_key *key)
{
	return rsab_key_type(key) != RSAB_RSA ||
	    rsab_key_bits(key) >= store->min_bits;
}

int
keystore_judge(const struct keystore *store, struct keyrequest *request,
    const struct rsab_key *key)
{
	struct slice algorithm = request->key_row->algorithm;
	bool rsa = rsab_key_type(key) == RSAB_RSA;

	if (algorithm.n > 0 && rsa == slice_is(algorithm, "ed25519-sha256"))
		return keyrequest_fault(request, "the key is %s, but the row "
		    "says %.*s", rsa ? "RSA" : "Ed25519", (int)algorithm.n,
		    (const char *)algorithm.p);
	if (!is_long_enough(store, key))
		return keyrequest_fault(request, "the key has %u bits, "
		    "MinimumKeyBits wants %u", rsab_key_bits(key),
		    store->min_bits);
	return 0;
}

/*
 * A reference; it is in the cache then, too.
 *   spare    but only where it pushes out nothing: a check of a million rows
 *            must not cost those in use their place
 */
static int
load(struct keystore *store, struct keyrequest *request, bool spare,
    struct storedkey **out)
{
	struct cache *cache = store->keys->cache;
	int r;

	r = keyload(&store->form, &store->self, request, out);
	if (r != 0) {
		stats_add(STAT_KEYS_FAILED, 1);
		return r;
	}
	stats_add(STAT_KEYS_LOADED, 1);
	if (spare && !cache_has_room(cache, 2))
		return 0;
	/* What is not kept for want of memory is loaded again */
	(void)!cache_put(cache, buf_slice(&request->name), *out, 1);
	/* By its row only while that is good, to be there when it is not */
	if (keystore_judge(store, request, (*out)->key) == 0)
		(void)!cache_put(cache, buf_slice(&request->alias), *out, 1);
	return 0;
}

/*
 * Is it another file than before; or may the token have another key by now?
 */
static int
compare(struct keystore *store, struct keyrequest *request,
    const struct storedkey *old, bool *same)
{
	*same = false;
	if (old->path == NULL)
		return 0;
	return keylook_compare(&store->self, store->form.safe, request, old,
	    same);
}

/*
 * Look at the file of a cached key, for mail once a second at most, or into
 * its token; what changed and loads takes over.
 *   spare    as in load
 *   stored   its reference may be swapped for that of a newer key
 *   errors   as load: the key of before stays
 */
static int
look(struct keystore *store, struct keyrequest *request, bool spare,
    struct storedkey **stored)
{
	struct storedkey *old = *stored, *new;
	bool same;
	int r;

	r = compare(store, request, old, &same);
	if (r == 0 && !same) {
		r = load(store, request, spare, &new);
		if (r == 0) {
			keylook_tell_change(old, new);
			*stored = new;
		}
	}
	storedkey_looked(old, clock_us());
	if (*stored != old)
		storedkey_unref(old);
	return r;
}

/* The session logs it, as On-InternalError. */
static void
refuse(struct want *want, const struct keyrequest *request, int error)
{
	char where[1024];

	if (error == DKIM_ERR_NOMEM || error == DKIM_ERR_CRYPTO) {
		want->error = WANT_ERR_NOMEM;
		snprintf(want->detail, sizeof(want->detail), "no memory");
		return;
	}
	want->error = WANT_ERR_KEY;
	keyrequest_place(request, where, sizeof(where));
	if ((size_t)snprintf(want->detail, sizeof(want->detail), "%s: %s",
	    where, request->reason) >= sizeof(want->detail))
		memcpy(want->detail + sizeof(want->detail) - 4, "...", 4);
}

/*
 * The key loaded before for this row, which is bad now; NULL: none.
 */
static struct storedkey *
find_alias(struct keystore *store, struct keyrequest *request)
{
	struct storedkey *stored;

	if (request->alias.n == 0)
		return NULL;
	stored = cache_get(store->keys->cache, buf_slice(&request->alias));
	if (stored == NULL)
		return NULL;
	if (!is_long_enough(store, stored->key)) {
		storedkey_unref(stored);
		return NULL;
	}
	stats_add(STAT_KEYS_KEPT, 1);
	keylook_tell_stays(request, DKIM_ERR_SYNTAX);
	return stored;
}

/*
 * Set the want's key, if it fits, else that of before; the reference of stored
 * is given back.
 */
static void
settle(struct keystore *store, struct keyrequest *request, struct want *want,
    struct storedkey *stored)
{
	struct storedkey *before;
	int r = keystore_judge(store, request, stored->key);

	if (r != 0) {
		before = find_alias(store, request);
		storedkey_unref(stored);
		stored = before;
	}
	want->error = WANT_OK;
	if (stored != NULL)
		want->private_key.key = rsab_key_ref(stored->key);
	else
		refuse(want, request, r);
	storedkey_unref(stored);
}

static int
request_of(struct keystore *store, const struct want *want,
    struct keyrequest *out)
{
	const char *domain = want->private_key.domain;

	return keyrequest_make(&store->form, &want->private_key.row,
	    &want->private_key.key_row, domain[0] == '\0' ? NULL : domain,
	    out);
}

/*
 * Is a cached key of no use: does its token no longer have it, or is it in one
 * of an earlier configuration?
 */
static bool
is_useless(const struct keystore *store, const struct rsab_key *gone,
    const struct storedkey *stored)
{
	struct rsab_token *token = rsab_key_token(stored->key);

	return stored->key == gone || (token != NULL &&
	    !tokens_has(store->tokens, token));
}

/*
 * The key as it is in the cache, if it is of use; NULL: it is to be loaded.
 *   gone     is known to be of no use; NULL: none
 */
static struct storedkey *
find(struct keystore *store, const struct rsab_key *gone,
    struct keyrequest *request)
{
	struct storedkey *stored;

	stored = cache_get(store->keys->cache, buf_slice(&request->name));
	if (stored == NULL || !is_useless(store, gone, stored))
		return stored;
	storedkey_unref(stored);
	return NULL;
}

static void
load_for(struct keystore *store, struct want *want)
{
	bool look_at_it = want->service != NULL;
	struct storedkey *stored = NULL;
	struct keyrequest *request;
	int error, r;

	want->service = NULL;
	request = malloc(sizeof(*request));
	if (request == NULL) {
		want->error = WANT_ERR_NOMEM;
		return;
	}
	r = request_of(store, want, request);
	if (r == 0) {
		stored = find(store, want->private_key.gone, request);
		if (stored == NULL)
			r = load(store, request, false, &stored);
		else if (look_at_it &&
		    (error = look(store, request, false, &stored)) != 0)
			keylook_tell_stays(request, error);
	}
	if (r == 0) {
		settle(store, request, want, stored);
	} else if ((stored = find_alias(store, request)) != NULL) {
		want->error = WANT_OK;
		want->private_key.key = rsab_key_ref(stored->key);
		storedkey_unref(stored);
	} else
		refuse(want, request, r);
	keyrequest_clear(request);
	free(request);
}

/* On a thread for blocking work. */
static void
run_load(struct want *want)
{
	load_for(want->conf->keystore, want);
	want->answered = clock_us();
	inbox_put(want->inbox, want);
}

/*
 * Whose thread loads it: a token's own where one has to be asked, so that one
 * that hangs keeps no other key waiting.
 */
static struct signer *
signer_of(struct keystore *store, const struct want *want)
{
	const struct key_row *row = &want->private_key.key_row;
	struct slice uri = { NULL, 0 };
	struct signer *signer = NULL;

	if (store->signer == NULL)
		return NULL;
	if (row->source == KEY_SOURCE_URI)
		uri = row->key;
	if (store->tokens != NULL && (uri.n > 0 || store->imports))
		signer = tokens_signer(store->tokens, uri);
	return signer != NULL ? signer : store->signer;
}

bool
keystore_ask(struct keystore *store, struct want *want)
{
	struct storedkey *stored = NULL;
	struct keyrequest request;
	struct signer *signer;
	bool done = true;
	int r;

	want->service = NULL;
	r = request_of(store, want, &request);
	if (r != 0)
		refuse(want, &request, r);
	else
		stored = find(store, want->private_key.gone, &request);
	if (r == 0 && (stored == NULL ||
	    storedkey_is_due(stored, clock_us()))) {
		/* Any pointer: look at the file, too */
		want->service = stored == NULL ? NULL : store;
		storedkey_unref(stored);
		signer = signer_of(store, want);
		done = signer == NULL;
		if (done)
			load_for(store, want);
		else
			signer_task(signer, run_load, want);
	} else if (r == 0)
		settle(store, &request, want, stored);
	keyrequest_clear(&request);
	if (done)
		want->answered = clock_us();
	return done;
}

int
keystore_new(const struct conf *conf, struct signer *signer,
    struct keystore *old, struct keystore **out)
{
	struct keystore *store;
	uint64_t bits = conf->options.minimum_key_bits;

	store = calloc(1, sizeof(*store));
	if (store == NULL)
		return DKIM_ERR_NOMEM;
	atomic_init(&store->refs, 1);
	store->signer = signer;
	store->form.backend = conf->backend;
	store->imports = keyload_imports(&store->form);
	if (conf->tokens != NULL)
		store->tokens = tokens_ref(conf->tokens);
	store->form.tokens = store->tokens;
	store->form.safe = conf->options.require_safe_keys;
	store->min_bits = bits < DKIM_RSA_BITS_FLOOR ? DKIM_RSA_BITS_FLOOR :
	    bits > RSAB_RSA_BITS_MAX ? RSAB_RSA_BITS_MAX : (unsigned)bits;
	identity_self(&store->self);
	if (conf->options.base_directory != NULL) {
		store->base = strdup(conf->options.base_directory);
		if (store->base == NULL)
			goto no_memory;
		store->form.base = store->base;
	}
	if (keycache_get(old == NULL ? NULL : old->keys,
	    conf->options.key_cache_size, &store->keys) != 0)
		goto no_memory;
	*out = store;
	return 0;

no_memory:
	(void)tokens_unref(store->tokens);
	free(store->base);
	free(store);
	return DKIM_ERR_NOMEM;
}

/* Of struct tokens, which may be gone itself. */
static bool
is_in(const void *value, const void *tokens)
{
	const struct storedkey *stored = value;
	struct rsab_token *token = rsab_key_token(stored->key);

	return token != NULL && tokens_has(tokens, token);
}

struct keystore *
keystore_ref(struct keystore *store)
{
	atomic_fetch_add_explicit(&store->refs, 1, memory_order_relaxed);
	return store;
}

void
keystore_unref(struct keystore *store)
{
	if (store == NULL || atomic_fetch_sub_explicit(&store->refs, 1,
	    memory_order_acq_rel) > 1)
		return;
	/* The old process goes with the last of its keys */
	if (tokens_unref(store->tokens))
		cache_sweep(store->keys->cache, is_in, store->tokens);
	keycache_unref(store->keys);
	free(store->base);
	free(store);
}

int
keystore_load(struct keystore *store, const struct row *row,
    const struct key_row *key_row, const char *domain, struct report *report,
    struct rsab_key **out)
{
	struct storedkey *stored = NULL;
	struct keyrequest request;
	const char *stays = "";
	char where[1024];
	int r;

	r = keyrequest_make(&store->form, row, key_row, domain, &request);
	if (r == 0) {
		stored = find(store, NULL, &request);
		if (stored == NULL)
			r = load(store, &request, true, &stored);
		else if (stored->path != NULL &&
		    (r = look(store, &request, true, &stored)) != 0)
			stays = KEYLOOK_STAYS;
	}
	if (r == 0)
		r = keystore_judge(store, &request, stored->key);
	if (r == 0)
		*out = rsab_key_ref(stored->key);
	if (r == DKIM_ERR_SYNTAX) {
		keyrequest_place(&request, where, sizeof(where));
		report_fault(report, FAULT_ROW, "%s: %s%s", where,
		    request.reason, stays);
		report->temporary += request.temporary;
	}
	storedkey_unref(stored);
	keyrequest_clear(&request);
	return r;
}
