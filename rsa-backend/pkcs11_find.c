/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All modules and tokens of the process.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* p11-kit */
#include <p11-kit/p11-kit.h>

/* this room */
#include "pkcs11_find.h"

/* Tokens that match a URI. */
struct matches {
	struct pkcs11_module	*module;
	CK_TOKEN_INFO		 info;
	size_t			 n;
	size_t			 modules_up;
};

static int
adopt_all(struct pkcs11_find *find, struct pkcs11_fail *fail)
{
	const char *why;
	int r;

	find->configured = p11_kit_modules_load(NULL, 0);
	if (find->configured == NULL) {
		why = p11_kit_message();
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "the modules "
		    "that p11-kit is configured for cannot be loaded: %s",
		    why == NULL ? "it does not say why" : why);
	}
	for (size_t i = 0; find->configured[i] != NULL; i++) {
		if (find->modules_n == PKCS11_MODULES_MAX)
			return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "p11-kit "
			    "is configured with more than %d modules; name "
			    "one by PKCS11Module", PKCS11_MODULES_MAX);
		r = pkcs11_module_adopt(find->configured[i],
		    &find->modules[find->modules_n]);
		if (r != 0)
			return pkcs11_fail_set(fail, r, "out of memory");
		find->modules_n++;
	}
	if (find->modules_n == 0)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "p11-kit is "
		    "configured with no module; name one by PKCS11Module");
	return RSAB_OK;
}

int
pkcs11_find_new(const char *path, const char *init_args,
    struct pkcs11_find **out, struct pkcs11_fail *fail)
{
	struct pkcs11_find *find = calloc(1, sizeof *find);
	int r;

	if (find == NULL)
		return pkcs11_fail_set(fail, RSAB_ERR_NOMEM, "out of memory");
	if (pthread_mutex_init(&find->lock, NULL) != 0) {
		free(find);
		return pkcs11_fail_set(fail, RSAB_ERR_NOMEM, "out of memory");
	}
	if (path == NULL) {
		r = adopt_all(find, fail);
	} else {
		r = pkcs11_module_load(path, init_args, &find->modules[0],
		    fail);
		find->modules_n = r == 0;
	}
	if (r != 0)
		pkcs11_find_free(find);
	else
		*out = find;
	return r;
}

void
pkcs11_find_close(struct pkcs11_find *find)
{
	for (size_t i = 0; i < find->modules_n; i++)
		pkcs11_module_close(find->modules[i]);
}

void
pkcs11_find_free(struct pkcs11_find *find)
{
	if (find == NULL)
		return;
	pkcs11_find_close(find);
	for (size_t i = 0; i < find->modules_n; i++) {
		struct pkcs11_module *module = find->modules[i];

		pthread_cond_destroy(&module->out);
		pthread_mutex_destroy(&module->lock);
		free(module->init_args);
		free(module);
	}
	if (find->configured != NULL)
		p11_kit_modules_release(find->configured);
	for (size_t i = 0; i < find->tokens_n; i++)
		pkcs11_token_free(find->tokens[i]);
	pthread_mutex_destroy(&find->lock);
	free(find);
}

/*
 * The slots of a module, inside it.
 */
static int
match_slots(struct pkcs11_module *module, const struct pkcs11_uri *uri,
    struct matches *matches, struct pkcs11_fail *fail)
{
	struct pkcs11_slots slots;
	CK_SLOT_ID slot;
	CK_TOKEN_INFO info;
	CK_INFO about;
	CK_RV rv;
	int r;

	rv = module->f->C_GetInfo(&about);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, module->name, "C_GetInfo", rv);
	if (!pkcs11_uri_has_module(uri, &about))
		return RSAB_OK;
	if ((r = pkcs11_token_slots(module, &slots, fail)) != 0)
		return r;
	while (pkcs11_token_next(module, &slots, &slot, &info)) {
		if ((info.flags & CKF_TOKEN_INITIALIZED) == 0 ||
		    !pkcs11_uri_has_token(uri, &info))
			continue;
		matches->module = module;
		matches->info = info;
		matches->n++;
	}
	return RSAB_OK;
}

/*
 * All modules. One that fails does not keep a token of another from being
 * found.
 */
static void
match_modules(struct pkcs11_find *find, const struct pkcs11_uri *uri,
    uint64_t now, struct matches *matches, struct pkcs11_fail *fail)
{
	uint64_t epoch;

	*matches = (struct matches){ .n = 0 };
	for (size_t i = 0; i < find->modules_n; i++) {
		struct pkcs11_module *module = find->modules[i];
		int r;

		if (pkcs11_module_enter(module, now, &epoch, fail) != 0)
			continue;
		matches->modules_up++;
		r = match_slots(module, uri, matches, fail);
		pkcs11_module_leave(module);
		if (r != 0 && fail->act == PKCS11_INITIALIZE)
			(void)pkcs11_module_again(module, now, epoch);
	}
}

/*
 * A token that was not there may have come since: many modules look for
 * tokens only when they are initialized. A module that holds imported keys is
 * let alone; they would be lost.
 *   returns  whether to look again
 */
static bool
look_again(struct pkcs11_find *find, uint64_t now)
{
	bool again = false;
	uint64_t epoch;
	struct pkcs11_fail fail;

	for (size_t i = 0; i < find->modules_n; i++) {
		struct pkcs11_module *module = find->modules[i];

		if (pkcs11_module_enter(module, now, &epoch, &fail) != 0)
			continue;
		pkcs11_module_leave(module);
		if (!pkcs11_module_has_imports(module, epoch))
			again |= pkcs11_module_again(module, now, epoch);
	}
	return again;
}

static bool
was_refused(const struct pkcs11_find *find, const struct pkcs11_token *token)
{
	for (size_t i = 0; i < find->refused_n; i++)
		if (strcmp(find->refused[i], token->identity) == 0)
			return true;
	return false;
}

/*
 * The token of that name, known or new.
 */
static int
intern(struct pkcs11_find *find, const struct matches *matches,
    struct pkcs11_token **out, struct pkcs11_fail *fail)
{
	struct pkcs11_token *token = NULL;
	int r = RSAB_OK;

	pthread_mutex_lock(&find->lock);
	for (size_t i = 0; i < find->tokens_n && token == NULL; i++)
		if (pkcs11_token_is(find->tokens[i], matches->module,
		    &matches->info))
			token = find->tokens[i];
	if (token == NULL && find->tokens_n == PKCS11_TOKENS_MAX) {
		r = pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "more than %d tokens "
		    "in one process", PKCS11_TOKENS_MAX);
	} else if (token == NULL) {
		r = pkcs11_token_new(matches->module, &matches->info, &token);
		if (r != 0) {
			pkcs11_fail_set(fail, r, "out of memory");
		} else {
			token->refused = was_refused(find, token);
			find->tokens[find->tokens_n++] = token;
		}
	}
	pthread_mutex_unlock(&find->lock);
	if (r == 0)
		*out = token;
	return r;
}

static struct pkcs11_kept *
place(struct pkcs11_find *find, const uint8_t digest[32])
{
	size_t i = (size_t)digest[0] << 8 | digest[1];

	return &find->kept[i % PKCS11_KEPT];
}

static struct pkcs11_token *
kept_token(struct pkcs11_find *find, const uint8_t digest[32])
{
	struct pkcs11_kept *kept = place(find, digest);
	struct pkcs11_token *token = NULL;

	pthread_mutex_lock(&find->lock);
	if (kept->token != NULL && memcmp(kept->uri, digest, 32) == 0)
		token = kept->token;
	pthread_mutex_unlock(&find->lock);
	return token;
}

int
pkcs11_find_token(struct pkcs11_find *find, const struct pkcs11_uri *uri,
    const uint8_t digest[32], uint64_t now, struct pkcs11_token **out,
    struct pkcs11_fail *fail)
{
	struct matches matches;

	if ((*out = kept_token(find, digest)) != NULL)
		return RSAB_OK;
	match_modules(find, uri, now, &matches, fail);
	if (matches.n == 0 && matches.modules_up != 0 && look_again(find, now))
		match_modules(find, uri, now, &matches, fail);
	if (matches.n == 0 && matches.modules_up == 0)
		return fail->error;
	if (matches.n == 0)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN, "%s%s no token "
		    "that the URI names", find->modules[0]->name,
		    find->modules_n > 1 ? " and the other modules have" :
		    " has");
	if (matches.n > 1)
		return pkcs11_fail_set(fail, RSAB_ERR_TOKEN_KEYS, "%zu tokens "
		    "match the URI; add token=, serial= or manufacturer= to it",
		    matches.n);
	return intern(find, &matches, out, fail);
}

bool
pkcs11_find_kept(struct pkcs11_find *find, const uint8_t digest[32],
    const struct pkcs11_at *at, struct pkcs11_key *out)
{
	struct pkcs11_kept *kept = place(find, digest);
	bool good;

	pthread_mutex_lock(&find->lock);
	good = kept->token == at->token &&
	    memcmp(kept->uri, digest, 32) == 0 &&
	    kept->key.module_epoch == at->module_epoch &&
	    kept->key.epoch == at->session.epoch;
	if (good)
		*out = kept->key;
	pthread_mutex_unlock(&find->lock);
	return good;
}

void
pkcs11_find_keep(struct pkcs11_find *find, const uint8_t digest[32],
    const struct pkcs11_key *key)
{
	struct pkcs11_kept *kept = place(find, digest);

	pthread_mutex_lock(&find->lock);
	memcpy(kept->uri, digest, 32);
	kept->token = key->token;
	kept->key = *key;
	pthread_mutex_unlock(&find->lock);
}

void
pkcs11_find_keep_token(struct pkcs11_find *find, const uint8_t digest[32],
    struct pkcs11_token *token)
{
	const struct pkcs11_key none = {
		.token = token,
		.handle = CK_INVALID_HANDLE,
	};

	/* Once is enough; the place may be another URI's by now */
	if (kept_token(find, digest) != token)
		pkcs11_find_keep(find, digest, &none);
}
