/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend "pkcs11": keys in a token, which a process of its own talks to
 * (token.h). A key has the URI that names it there and its public half; both
 * outlive any process at the other end.
 *
 * What comes back is believed as little as anything from outside: rsab_run
 * verifies each signature before anybody else sees it, and asks the token once
 * more if it is wrong.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "backend_remote.h"
#include "key.h"
#include "pem.h"
#include "pkcs1.h"
#include "token.h"
#include "token_detail.h"
#include "token_uri.h"

/* Group ids above those of all other backends (index << 16). */
#define GROUP_TOKEN	0x80000000u

/* key->own: where the key is. */
struct remote {
	struct rsab_token	*token;
	bool			 pin_value;
	size_t			 uri_n;
	char			 uri[];
};

struct place {
	struct rsab_token	*token;
	const char		*uri;
	size_t			 n;
	bool			 pin_value;
};

/*
 * A request that names a place.
 */
static struct token_wire
request_to(enum token_wire_op op, const struct place *place)
{
	return (struct token_wire){
		.op = op,
		.flags = place->pin_value ? TOKEN_WIRE_PIN_VALUE : 0,
		.field[TOKEN_WIRE_URI] = { (const uint8_t *)place->uri,
		    place->n },
	};
}

static struct token_wire
request_of(enum token_wire_op op, const struct remote *remote)
{
	return request_to(op, &(struct place){ remote->token, remote->uri,
	    remote->uri_n, remote->pin_value });
}

static struct rsab_group
remote_group(const struct rsab_key *key, enum rsab_op op)
{
	const struct remote *remote = key->own;

	return (struct rsab_group){
		.id = GROUP_TOKEN | (uint32_t)token_number(remote->token) << 8 |
		    (uint32_t)op,
		.batch = 1,
	};
}

static const char *
remote_path(const struct rsab_key *key, enum rsab_op op, size_t n)
{
	(void)n;
	/* A private key's own signatures are not verified in the token */
	return op == RSAB_OP_VERIFY && key->is_private ? "evp" : "token";
}

/*
 * PEM goes through rsab_key_import_token, which knows the token.
 */
static int
remote_load_private(struct rsab_key *key, const struct pkcs8 *parts)
{
	(void)key;
	(void)parts;
	return RSAB_ERR_ARGUMENT;
}

static int
remote_load_public(struct rsab_key *key)
{
	(void)key;
	return RSAB_ERR_UNSUPPORTED;
}

static void
remote_unload(struct rsab_key *key)
{
	struct remote *remote = key->own;

	rsab_token_unref(remote->token);
	/* the URI may have a PIN */
	rsab_wipe_free(remote, sizeof *remote + remote->uri_n);
}

/*
 * Connections belong to tokens (token.h).
 */
static int
remote_worker_new(void **state)
{
	*state = NULL;
	return RSAB_OK;
}

static void
remote_worker_free(void *state)
{
	(void)state;
}

static int
sign(struct rsab_job *job)
{
	const struct rsab_key *key = job->key;
	const struct remote *remote = key->own;
	struct token_wire request = request_of(TOKEN_WIRE_SIGN, remote);
	struct token_wire answer;
	struct rsab_token_detail detail;
	uint8_t buffer[TOKEN_WIRE_MAX];
	struct der signature;
	int r;

	request.type = key->type;
	request.field[TOKEN_WIRE_DIGEST] =
	    (struct der){ job->digest, RSAB_DIGEST_MAX };
	r = token_ask(remote->token, &request, buffer, &answer, NULL);
	if (r != 0)
		return r;
	signature = answer.field[TOKEN_WIRE_RESULT];
	if (signature.n != key->signature_size) {
		token_detail_set(&detail, "the token made a signature of %zu "
		    "octets, not %zu", signature.n, key->signature_size);
		token_note(remote->token, &detail);
		return RSAB_ERR_BACKEND;
	}
	memcpy(job->signature, signature.p, signature.n);
	job->signature_len = signature.n;
	return RSAB_OK;
}

/*
 * Ask the token about a signature.
 *   returns  RSAB_OK: it is right; else ask libcrypto
 */
static int
verify(const struct rsab_job *job, size_t digest_n)
{
	const struct rsab_key *key = job->key;
	const struct remote *remote = key->own;
	struct token_wire request = request_of(TOKEN_WIRE_VERIFY, remote);
	struct token_wire answer;
	uint8_t buffer[TOKEN_WIRE_MAX];

	request.type = key->type;
	if (job->hash == RSAB_SHA1)
		request.flags |= TOKEN_WIRE_SHA1;
	request.field[TOKEN_WIRE_KEY] =
	    (struct der){ key->spki, key->spki_size };
	request.field[TOKEN_WIRE_DIGEST] =
	    (struct der){ job->digest, digest_n };
	request.field[TOKEN_WIRE_SIGNATURE] =
	    (struct der){ job->signature, job->signature_len };
	return token_ask(remote->token, &request, buffer, &answer, NULL);
}

static void
remote_run(void *state, struct rsab_job *const *jobs, backend_em em, size_t n)
{
	(void)state;
	for (size_t i = 0; i < n; i++) {
		struct rsab_job *job = jobs[i];

		if (job->op == RSAB_OP_SIGN) {
			job->result = sign(job);
			continue;
		}
		job->result = job->key->is_private ? RSAB_ERR_BACKEND :
		    verify(job, pkcs1_digest_size(job->hash));
		/*
		 * BEHAVIOUR.md 12: a verdict never depends on a token. What it
		 * calls wrong is looked at again too: that is the rare answer.
		 */
		if (job->result != 0)
			backend_libcrypto.run(NULL, &job, &em[i], 1);
	}
}

const struct rsab_backend backend_remote = {
	.name = "pkcs11",
	.index = BACKEND_REMOTE_INDEX,
	.checks_itself = false,
	.second = &backend_remote,
	.group = remote_group,
	.path = remote_path,
	.selftest = NULL,
	.load_private = remote_load_private,
	.load_public = remote_load_public,
	.unload = remote_unload,
	.worker_new = remote_worker_new,
	.worker_free = remote_worker_free,
	.run = remote_run,
	.verify = NULL,
};

/*
 * Put a key of libcrypto's, which nobody else has yet, at a place.
 */
static int
key_place(struct rsab_key *key, const struct place *place, bool is_private)
{
	struct remote *remote = malloc(sizeof *remote + place->n);

	if (remote == NULL)
		return RSAB_ERR_NOMEM;
	remote->token = rsab_token_ref(place->token);
	remote->pin_value = place->pin_value;
	remote->uri_n = place->n;
	memcpy(remote->uri, place->uri, place->n);
	key->backend = &backend_remote;
	key->own = remote;
	key->is_private = is_private;
	return RSAB_OK;
}

/*
 * The public half as an answer has it: SubjectPublicKeyInfo of either type.
 */
static int
key_from_answer(const struct token_wire *answer, struct rsab_key **out)
{
	struct der spki = answer->field[TOKEN_WIRE_RESULT];
	uint8_t want[SPKI_ED25519_SIZE];
	const uint8_t *point;

	if (answer->type == RSAB_RSA)
		return rsab_key_load_public(&backend_libcrypto, RSAB_RSA,
		    spki.p, spki.n, out);
	if (spki.n != sizeof want)
		return RSAB_ERR_KEY;
	point = &spki.p[spki.n - SPKI_ED25519_POINT];
	spki_print_ed25519(point, want);
	if (memcmp(spki.p, want, sizeof want) != 0)
		return RSAB_ERR_KEY;
	return rsab_key_load_public(&backend_libcrypto, RSAB_ED25519, point,
	    SPKI_ED25519_POINT, out);
}

/*
 * A private key in the token, whose public half is here: place it and try it.
 */
static int
key_finish(struct rsab_key *key, const struct place *place,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	int r;

	r = key_place(key, place, true);
	if (r == 0 && (r = key_try(key)) != 0)
		rsab_token_detail(place->token, detail);
	if (r == RSAB_ERR_KEY)
		token_detail_set(detail, "the token's signatures do not fit "
		    "the public half that it has for this key");
	if (r != 0)
		rsab_key_unref(key);
	else
		*out = key;
	return r;
}

/*
 * Ask for a key by OPEN or GENERATE.
 */
static int
key_ask(struct token_wire *request, const struct place *place,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	struct token_wire answer;
	struct rsab_key *key;
	uint8_t buffer[TOKEN_WIRE_MAX];
	int r;

	if ((r = token_ask(place->token, request, buffer, &answer,
	    detail)) != 0)
		return r;
	if ((r = key_from_answer(&answer, &key)) != 0) {
		token_detail_set(detail, "public half of the key: %s",
		    rsab_strerror(r));
		return r;
	}
	return key_finish(key, place, detail, out);
}

int
rsab_key_load_token(struct rsab_token *token, const char *uri, size_t n,
    bool pin_value, struct rsab_token_detail *detail, struct rsab_key **out)
{
	const struct place place = { token, uri, n, pin_value };
	struct token_wire request = request_to(TOKEN_WIRE_OPEN, &place);
	int r;

	detail->text[0] = '\0';
	if ((r = rsab_token_uri_check(uri, n, pin_value, detail)) != 0)
		return r;
	return key_ask(&request, &place, detail, out);
}

int
rsab_key_generate_token(struct rsab_token *token, const char *uri, size_t n,
    bool pin_value, enum rsab_key_type type, unsigned bits,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	const struct place place = { token, uri, n, pin_value };
	struct token_wire request = request_to(TOKEN_WIRE_GENERATE, &place);
	int r;

	detail->text[0] = '\0';
	if (type != RSAB_RSA && type != RSAB_ED25519)
		return RSAB_ERR_KEY_TYPE;
	if (type == RSAB_RSA &&
	    (bits < RSAB_RSA_BITS_MIN || bits > RSAB_RSA_BITS_MAX))
		return RSAB_ERR_KEY_SIZE;
	if ((r = rsab_token_uri_check(uri, n, pin_value, detail)) != 0)
		return r;
	request.type = type;
	request.value = type == RSAB_RSA ? bits : 0;
	return key_ask(&request, &place, detail, out);
}

/*
 * The octets of a private key as IMPORT has them: RSAPrivateKey, or seed and
 * point.
 *   seed     room for the latter
 */
static int
import_octets(const struct pkcs8 *parts, const struct rsab_key *key,
    uint8_t seed[PKCS8_ED25519_SEED + SPKI_ED25519_POINT], struct der *out)
{
	if (parts->type == RSAB_RSA) {
		*out = parts->der;
		return out->n <= TOKEN_WIRE_KEY_MAX ? RSAB_OK :
		    RSAB_ERR_KEY_SIZE;
	}
	memcpy(seed, parts->seed.p, PKCS8_ED25519_SEED);
	memcpy(&seed[PKCS8_ED25519_SEED],
	    &key->spki[key->spki_size - SPKI_ED25519_POINT],
	    SPKI_ED25519_POINT);
	*out = (struct der){ seed, PKCS8_ED25519_SEED + SPKI_ED25519_POINT };
	return RSAB_OK;
}

/*
 * Bring a private key into the token.
 *   key      its public half, checked
 *   uri      out: RSAB_TOKEN_URI_MAX octets, the object's name; n: its length
 */
static int
import(const struct place *place, const struct pkcs8 *parts,
    const struct rsab_key *key, char *uri, size_t *n,
    struct rsab_token_detail *detail)
{
	struct token_wire request = request_to(TOKEN_WIRE_IMPORT, place);
	struct token_wire answer;
	struct der name;
	uint8_t buffer[TOKEN_WIRE_MAX];
	uint8_t seed[PKCS8_ED25519_SEED + SPKI_ED25519_POINT];
	int r;

	request.type = parts->type;
	r = import_octets(parts, key, seed, &request.field[TOKEN_WIRE_KEY]);
	if (r == 0)
		r = token_ask(place->token, &request, buffer, &answer, detail);
	rsab_wipe(seed, sizeof seed);
	if (r != 0)
		return r;
	name = answer.field[TOKEN_WIRE_RESULT];
	memcpy(uri, name.p, name.n);
	*n = name.n;
	return rsab_token_uri_check(uri, *n, place->pin_value, detail);
}

int
rsab_key_import_token(struct rsab_token *token, const char *uri, size_t uri_n,
    bool pin_value, const uint8_t *in, size_t n,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	struct place place = { token, uri, uri_n, pin_value };
	struct rsab_key *local, *key = NULL;
	struct pkcs8 parts;
	struct pem pem;
	char name[RSAB_TOKEN_URI_MAX];
	int r;

	detail->text[0] = '\0';
	if ((r = rsab_token_uri_check(uri, uri_n, pin_value, detail)) != 0)
		return r;
	/* All checks that a key of a file gets, before a token sees it */
	r = rsab_key_load_private(&backend_libcrypto, in, n, &local);
	if (r != 0)
		return r;
	if ((r = pem_decode((struct der){ in, n }, &pem)) != 0)
		goto out;
	if ((r = pkcs8_parse(pem.der, &parts)) == 0)
		r = import(&place, &parts, local, name, &place.n, detail);
	pem_clear(&pem);
	if (r != 0)
		goto out;
	place.uri = name;
	r = rsab_key_load_public(&backend_libcrypto, local->type,
	    local->type == RSAB_RSA ? local->spki :
	    &local->spki[local->spki_size - SPKI_ED25519_POINT],
	    local->type == RSAB_RSA ? local->spki_size : SPKI_ED25519_POINT,
	    &key);
	if (r == 0)
		r = key_finish(key, &place, detail, out);
out:
	rsab_wipe(name, sizeof name);
	rsab_key_unref(local);
	return r;
}

int
rsab_key_load_public_token(struct rsab_token *token, const char *uri,
    size_t uri_n, bool pin_value, enum rsab_key_type type, const uint8_t *in,
    size_t n, struct rsab_key **out)
{
	const struct place place = { token, uri, uri_n, pin_value };
	struct rsab_key *key;
	int r;

	r = rsab_key_load_public(&backend_libcrypto, type, in, n, &key);
	if (r != 0)
		return r;
	if ((r = key_place(key, &place, false)) != 0)
		rsab_key_unref(key);
	else
		*out = key;
	return r;
}

struct rsab_token *
rsab_key_token(const struct rsab_key *key)
{
	const struct remote *remote = key->own;

	return key->backend == &backend_remote ? remote->token : NULL;
}

int
rsab_token_echo(struct rsab_token *token, const char *uri, size_t n,
    size_t octets, struct rsab_token_detail *detail)
{
	static const uint8_t digest[RSAB_DIGEST_MAX];
	const struct place place = { token, uri, n, true };
	struct token_wire request = request_to(TOKEN_WIRE_ECHO, &place);
	struct token_wire answer;
	uint8_t buffer[TOKEN_WIRE_MAX];
	int r;

	detail->text[0] = '\0';
	if (octets == 0 || octets > RSAB_SIGNATURE_MAX)
		return RSAB_ERR_ARGUMENT;
	request.value = (uint32_t)octets;
	request.field[TOKEN_WIRE_DIGEST] = (struct der){ digest,
	    sizeof digest };
	if ((r = rsab_token_uri_check(uri, n, true, detail)) != 0 ||
	    (r = token_ask(token, &request, buffer, &answer, detail)) != 0)
		return r;
	return answer.field[TOKEN_WIRE_RESULT].n == octets ? RSAB_OK :
	    RSAB_ERR_TOKEN;
}

int
rsab_token_info(struct rsab_token *token, const char *uri, size_t n,
    bool pin_value, struct rsab_token_info *out,
    struct rsab_token_detail *detail)
{
	const struct place place = { token, uri, n, pin_value };
	struct token_wire request = request_to(TOKEN_WIRE_INFORM, &place);
	struct token_wire answer;
	uint8_t buffer[TOKEN_WIRE_MAX];
	int r;

	detail->text[0] = '\0';
	if ((r = rsab_token_uri_check(uri, n, pin_value, detail)) != 0 ||
	    (r = token_ask(token, &request, buffer, &answer, detail)) != 0)
		return r;
	return token_wire_get_info(answer.field[TOKEN_WIRE_RESULT], out) == 0 ?
	    RSAB_OK : RSAB_ERR_TOKEN;
}
