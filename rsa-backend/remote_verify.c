/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying in a token: a backend for public keys that sits in front of
 * libcrypto. A verdict never depends on the token: whatever it does not call
 * right, in time, libcrypto looks at.
 */

/* system */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "backend_remote.h"
#include "pkcs1.h"
#include "remote.h"
#include "token_detail.h"

/* A backend that loads public keys to one place. */
struct verifier {
	struct rsab_backend	 backend;
	struct rsab_token	*token;
	const struct rsab_token_watch *watch;
	bool			 pin_value;
	size_t			 n;
	char			 uri[];
};

/*
 * Ask the token about a signature.
 *   returns  RSAB_OK: it is right
 */
static int
ask(const struct rsab_job *job, struct rsab_token_detail *detail)
{
	const struct rsab_key *key = job->key;
	const struct remote_key *remote = key->own;
	struct token_wire request = remote_request_of(TOKEN_WIRE_VERIFY,
	    remote);
	struct token_wire answer;
	uint8_t buffer[TOKEN_WIRE_MAX];

	request.type = key->type;
	if (job->hash == RSAB_SHA1)
		request.flags |= TOKEN_WIRE_SHA1;
	request.field[TOKEN_WIRE_KEY] =
	    (struct der){ key->spki, key->spki_size };
	request.field[TOKEN_WIRE_DIGEST] =
	    (struct der){ job->digest, pkcs1_digest_size(job->hash) };
	request.field[TOKEN_WIRE_SIGNATURE] =
	    (struct der){ job->signature, job->signature_len };
	return token_ask(remote->token, &request, buffer, &answer, detail);
}

/*
 * Is this signature for the token to look at? One that is no number below the
 * modulus is wrong (RFC 8017 s5.2.2), but not every token says so.
 */
static bool
is_for_token(const struct rsab_job *job)
{
	const struct rsab_key *key = job->key;
	const struct remote_key *remote = key->own;

	if (key->is_private || key->type != RSAB_RSA ||
	    memcmp(job->signature, key->rsa.n.p, key->rsa.n.n) >= 0 ||
	    atomic_load_explicit(&remote->excluded, memory_order_relaxed))
		return false;
	return remote->watch == NULL ||
	    remote->watch->begin(rsab_token_context(remote->token));
}

/*
 * What the token said of a signature, in the light of libcrypto's verdict.
 *   r        the token's
 */
static void
settle(const struct rsab_job *job, int r, struct rsab_token_detail *detail)
{
	struct remote_key *remote = job->key->own;

	if (r == RSAB_ERR_SIGNATURE && job->result == RSAB_OK) {
		r = RSAB_ERR_BACKEND;
		token_detail_set(detail, "the token called a right signature "
		    "by a key of %u bits wrong", job->key->bits);
	}
	if (r == RSAB_ERR_SIGNATURE)
		r = RSAB_OK;
	if (r == RSAB_ERR_KEY || r == RSAB_ERR_KEY_SIZE ||
	    r == RSAB_ERR_KEY_TYPE)
		atomic_store_explicit(&remote->excluded, true,
		    memory_order_relaxed);
	if (remote->watch != NULL)
		remote->watch->end(rsab_token_context(remote->token), r,
		    detail);
}

void
remote_verify(struct rsab_job *job, backend_em em)
{
	struct rsab_token_detail detail = { "" };
	bool asked = is_for_token(job);
	int r = asked ? ask(job, &detail) : RSAB_ERR_TOKEN;

	job->result = r;
	/* What it calls wrong is looked at again too: that is the rare one */
	if (r != RSAB_OK)
		backend_libcrypto.run(NULL, &job, em, 1);
	if (asked)
		settle(job, r, &detail);
}

static struct verifier *
verifier_of(const struct rsab_backend *backend)
{
	return (struct verifier *)(uintptr_t)((const char *)backend -
	    offsetof(struct verifier, backend));
}

/*
 * From here on the key needs the token only. What verifies beside it,
 * key_attach adds.
 */
static int
verifier_load_public(struct rsab_key *key)
{
	const struct verifier *verifier = verifier_of(key->backend);
	const struct remote_place place = { verifier->token, verifier->uri,
	    verifier->n, verifier->pin_value };
	struct remote_key *remote;
	int r;

	if (key->type != RSAB_RSA)
		return RSAB_ERR_UNSUPPORTED;
	if ((r = remote_put(key, &place, false)) != 0)
		return r;
	remote = key->own;
	remote->watch = verifier->watch;
	return RSAB_OK;
}

static int
verifier_new(const struct remote_place *place,
    const struct rsab_token_watch *watch, struct verifier **out)
{
	struct verifier *verifier;
	struct rsab_token_detail detail;

	if (rsab_token_uri_check(place->uri, place->n, place->pin_value,
	    &detail) != 0)
		return RSAB_ERR_URI;
	if ((verifier = malloc(sizeof *verifier + place->n)) == NULL)
		return RSAB_ERR_NOMEM;
	verifier->backend = backend_remote;
	verifier->backend.load_public = verifier_load_public;
	verifier->token = rsab_token_ref(place->token);
	verifier->watch = watch;
	verifier->pin_value = place->pin_value;
	verifier->n = place->n;
	memcpy(verifier->uri, place->uri, place->n);
	*out = verifier;
	return RSAB_OK;
}

int
rsab_backend_new_token(struct rsab_token *token, const char *uri, size_t n,
    const struct rsab_token_watch *watch, struct rsab_backend **out)
{
	const struct remote_place place = { token, uri, n, false };
	struct verifier *verifier;
	int r;

	if ((r = verifier_new(&place, watch, &verifier)) == 0)
		*out = &verifier->backend;
	return r;
}

void
rsab_backend_free(struct rsab_backend *backend)
{
	struct verifier *verifier;

	if (backend == NULL)
		return;
	assert(backend->load_public == verifier_load_public);
	verifier = verifier_of(backend);
	rsab_token_unref(verifier->token);
	/* the URI may have a PIN */
	rsab_wipe_free(verifier, sizeof *verifier + verifier->n);
}

int
rsab_key_load_public_token(struct rsab_token *token, const char *uri,
    size_t uri_n, bool pin_value, enum rsab_key_type type, const uint8_t *in,
    size_t n, struct rsab_key **out)
{
	const struct remote_place place = { token, uri, uri_n, pin_value };
	struct verifier *verifier;
	int r;

	if ((r = verifier_new(&place, NULL, &verifier)) != 0)
		return r;
	r = rsab_key_load_public(&verifier->backend, type, in, n, out);
	rsab_backend_free(&verifier->backend);
	return r;
}
