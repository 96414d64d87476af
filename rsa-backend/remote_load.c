/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading keys that are in a token, or are brought or made there, and what
 * else one asks a token. The public half comes back with the answer; whether
 * it belongs to the key is found out by signing and verifying once.
 */

/* system */
#include <string.h>

/* this room */
#include "pem.h"
#include "remote.h"
#include "token_detail.h"

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
key_finish(struct rsab_key *key, const struct remote_place *place,
    struct rsab_token_detail *detail, struct rsab_key **out)
{
	int r;

	r = remote_put(key, place, true);
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
key_ask(struct token_wire *request, const struct remote_place *place,
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
	const struct remote_place place = { token, uri, n, pin_value };
	struct token_wire request = remote_request(TOKEN_WIRE_OPEN, &place);
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
	const struct remote_place place = { token, uri, n, pin_value };
	struct token_wire request = remote_request(TOKEN_WIRE_GENERATE, &place);
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
import(const struct remote_place *place, const struct pkcs8 *parts,
    const struct rsab_key *key, char *uri, size_t *n,
    struct rsab_token_detail *detail)
{
	struct token_wire request = remote_request(TOKEN_WIRE_IMPORT, place);
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
	struct remote_place place = { token, uri, uri_n, pin_value };
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
rsab_token_echo(struct rsab_token *token, const char *uri, size_t n,
    size_t octets, struct rsab_token_detail *detail)
{
	static const uint8_t digest[RSAB_DIGEST_MAX];
	const struct remote_place place = { token, uri, n, true };
	struct token_wire request = remote_request(TOKEN_WIRE_ECHO, &place);
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
	const struct remote_place place = { token, uri, n, pin_value };
	struct token_wire request = remote_request(TOKEN_WIRE_INFORM, &place);
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
