/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bringing keys into a token (PKCS #11 v2.40 s5.7, s5.13).
 */

/* system */
#include <assert.h>
#include <string.h>

/* libcrypto */
#include <openssl/evp.h>
#include <openssl/rand.h>

/* this room */
#include "error.h"
#include "pkcs11_make.h"
#include "pkcs8.h"
#include "spki.h"
#include "token_detail.h"
#include "token_wire.h"

#define NEW_ID	8	/* octets of a CKA_ID that the URI does not give */
#define COMMON	8	/* attributes of any private key */
#define OWN_MAX	8	/* and those of its type: RSA has most */

/*
 * The key's name in the token.
 */
static int
id_of(enum rsab_key_type type, const struct pkcs8 *parts, struct der octets,
    uint8_t id[PKCS11_MAKE_ID])
{
	uint8_t spki[TOKEN_WIRE_PUBLIC_MAX];
	struct spki_rsa written;
	size_t n = SPKI_ED25519_SIZE, id_n = PKCS11_MAKE_ID;

	if (type == RSAB_RSA) {
		n = spki_rsa_size(&parts->rsa);
		if (n > sizeof spki)
			return RSAB_ERR_KEY_SIZE;
		spki_print_rsa(&parts->rsa, spki, &written);
	} else {
		spki_print_ed25519(&octets.p[PKCS8_ED25519_SEED], spki);
	}
	if (EVP_Q_digest(NULL, "SHA256", NULL, spki, n, id, &id_n) != 1)
		return error_take(RSAB_ERR_BACKEND);
	return RSAB_OK;
}

/*
 * Is it there already, from an earlier import?
 */
static int
find_imported(const struct pkcs11_at *at, uint8_t id[PKCS11_MAKE_ID],
    CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
{
	CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
	CK_BBOOL no = CK_FALSE;

	return pkcs11_object_find(at, (CK_ATTRIBUTE[]){
		{ CKA_CLASS, &class, sizeof class },
		{ CKA_TOKEN, &no, sizeof no },
		{ CKA_ID, id, PKCS11_MAKE_ID },
	}, 3, false, out, fail);
}

/*
 * C_CreateObject of a session object that signs and never leaves the token.
 *   own      what a private key of this type has besides, n at most OWN_MAX
 */
static CK_RV
create(const struct pkcs11_at *at, CK_KEY_TYPE type, const CK_ATTRIBUTE *own,
    size_t n, uint8_t id[PKCS11_MAKE_ID], CK_OBJECT_HANDLE *out)
{
	CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ATTRIBUTE all[COMMON + OWN_MAX] = {
		{ CKA_CLASS, &class, sizeof class },
		{ CKA_KEY_TYPE, &type, sizeof type },
		{ CKA_TOKEN, &no, sizeof no },
		{ CKA_PRIVATE, &yes, sizeof yes },
		{ CKA_SENSITIVE, &yes, sizeof yes },
		{ CKA_EXTRACTABLE, &no, sizeof no },
		{ CKA_SIGN, &yes, sizeof yes },
		{ CKA_ID, id, PKCS11_MAKE_ID },
	};

	assert(n <= OWN_MAX);
	memcpy(&all[COMMON], own, n * sizeof *own);
	return at->token->module->f->C_CreateObject(at->session.handle, all,
	    COMMON + n, out);
}

static CK_RV
create_rsa(const struct pkcs11_at *at, const struct pkcs8 *key,
    uint8_t id[PKCS11_MAKE_ID], CK_OBJECT_HANDLE *out)
{
	const CK_ATTRIBUTE own[] = {
		pkcs11_object_octets(CKA_MODULUS, key->rsa.n),
		pkcs11_object_octets(CKA_PUBLIC_EXPONENT, key->rsa.e),
		pkcs11_object_octets(CKA_PRIVATE_EXPONENT, key->d),
		pkcs11_object_octets(CKA_PRIME_1, key->p),
		pkcs11_object_octets(CKA_PRIME_2, key->q),
		pkcs11_object_octets(CKA_EXPONENT_1, key->dp),
		pkcs11_object_octets(CKA_EXPONENT_2, key->dq),
		pkcs11_object_octets(CKA_COEFFICIENT, key->qinv),
	};

	return create(at, CKK_RSA, own, sizeof own / sizeof own[0], id, out);
}

static CK_RV
create_ed25519(const struct pkcs11_at *at, struct der octets,
    uint8_t id[PKCS11_MAKE_ID], CK_OBJECT_HANDLE *out)
{
	const CK_ATTRIBUTE own[] = {
		pkcs11_object_octets(CKA_EC_PARAMS, (struct der){
		    pkcs11_object_ed25519, sizeof pkcs11_object_ed25519 }),
		pkcs11_object_octets(CKA_VALUE, (struct der){ octets.p,
		    PKCS8_ED25519_SEED }),
	};

	return create(at, CKK_EC_EDWARDS, own, sizeof own / sizeof own[0], id,
	    out);
}

/*
 * BEHAVIOUR.md 12: what a token says who takes no keys from outside. Session
 * objects may be made in a read-only session (PKCS #11 v2.40 s5.7): one that
 * says no (tpm2-pkcs11) would store them.
 */
static bool
is_refusal(CK_RV rv)
{
	switch (rv) {
	case CKR_ATTRIBUTE_READ_ONLY: case CKR_ATTRIBUTE_SENSITIVE:
	case CKR_ATTRIBUTE_TYPE_INVALID: case CKR_ATTRIBUTE_VALUE_INVALID:
	case CKR_TEMPLATE_INCOMPLETE: case CKR_TEMPLATE_INCONSISTENT:
	case CKR_FUNCTION_NOT_SUPPORTED: case CKR_ACTION_PROHIBITED:
	case CKR_MECHANISM_INVALID: case CKR_KEY_SIZE_RANGE:
	case CKR_CURVE_NOT_SUPPORTED: case CKR_DOMAIN_PARAMS_INVALID:
	case CKR_SESSION_READ_ONLY: case CKR_TOKEN_WRITE_PROTECTED:
		return true;
	default:
		return false;
	}
}

int
pkcs11_make_import(const struct pkcs11_at *at, enum rsab_key_type type,
    struct der octets, uint8_t id[PKCS11_MAKE_ID], struct pkcs11_fail *fail)
{
	struct pkcs8 parts;
	CK_OBJECT_HANDLE handle;
	CK_RV rv;
	int r;

	if (type == RSAB_RSA)
		r = pkcs8_parse(octets, &parts);
	else
		r = octets.n == PKCS8_ED25519_SEED + SPKI_ED25519_POINT ?
		    RSAB_OK : RSAB_ERR_KEY;
	if (r == 0 && type == RSAB_RSA && parts.type != RSAB_RSA)
		r = RSAB_ERR_KEY;
	if (r == 0)
		r = id_of(type, &parts, octets, id);
	if (r != 0)
		return pkcs11_fail_set(fail, r, "key to import: %s",
		    rsab_strerror(r));
	r = find_imported(at, id, &handle, fail);
	if (r != 0 || handle != CK_INVALID_HANDLE)
		return r;
	rv = type == RSAB_RSA ? create_rsa(at, &parts, id, &handle) :
	    create_ed25519(at, octets, id, &handle);
	if (rv == CKR_OK)
		return RSAB_OK;
	if (!is_refusal(rv))
		return pkcs11_fail_rv(fail, at->token->where,
		    "C_CreateObject", rv);
	return pkcs11_fail_set(fail, RSAB_ERR_IMPORT, "%s: this token takes no "
	    "imported keys%s (C_CreateObject: %s, 0x%lx)", at->token->where,
	    type == RSAB_RSA ? "" : " of type Ed25519", pkcs11_fail_name(rv),
	    rv);
}

/*
 * Can the token make such a pair?
 */
static int
check_pair(const struct pkcs11_at *at, enum rsab_key_type type, unsigned bits,
    struct pkcs11_fail *fail)
{
	CK_ULONG least = 0, most = 0;
	bool rsa = type == RSAB_RSA;

	if (!pkcs11_object_mechanism(at->token, at->session.slot, rsa ?
	    CKM_RSA_PKCS_KEY_PAIR_GEN : CKM_EC_EDWARDS_KEY_PAIR_GEN,
	    CKF_GENERATE_KEY_PAIR, &least, &most))
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: makes no "
		    "%s keys", at->token->where, rsa ? "RSA" : "Ed25519");
	if (rsa && (bits < least || (most != 0 && bits > most)))
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: makes "
		    "RSA keys of %lu to %lu bits, not %u", at->token->where,
		    least, most, bits);
	return RSAB_OK;
}

/*
 * Is the name of the new pair free?
 */
static int
check_name(const struct pkcs11_at *at, struct pkcs11_fail *fail)
{
	CK_OBJECT_HANDLE handle;
	int r;

	r = pkcs11_object_find_key(at, &handle, fail);
	if (r == RSAB_ERR_TOKEN_KEY)
		return RSAB_OK;
	if (r == 0 || r == RSAB_ERR_TOKEN_KEYS)
		r = pkcs11_fail_set(fail, RSAB_ERR_TOKEN_NAME, "%s: take "
		    "another object= or id=", at->token->where);
	return r;
}

/*
 * C_GenerateKeyPair in a session that may write.
 */
static CK_RV
generate(const struct pkcs11_at *at, CK_SESSION_HANDLE session,
    enum rsab_key_type type, unsigned bits, struct der id,
    struct pkcs11_pair *out)
{
	CK_MECHANISM mechanism = { type == RSAB_RSA ?
	    CKM_RSA_PKCS_KEY_PAIR_GEN : CKM_EC_EDWARDS_KEY_PAIR_GEN, NULL, 0 };
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ULONG modulus_bits = bits;
	uint8_t exponent[] = { 0x01, 0x00, 0x01 };
	CK_ATTRIBUTE label = pkcs11_object_octets(CKA_LABEL, at->uri->label);
	CK_ATTRIBUTE name = pkcs11_object_octets(CKA_ID, id);
	CK_ATTRIBUTE for_public[] = {
		{ CKA_TOKEN, &yes, sizeof yes },
		{ CKA_VERIFY, &yes, sizeof yes },
		name, { 0, NULL, 0 }, { 0, NULL, 0 }, { 0, NULL, 0 },
	};
	CK_ATTRIBUTE for_private[] = {
		{ CKA_TOKEN, &yes, sizeof yes },
		{ CKA_PRIVATE, &yes, sizeof yes },
		{ CKA_SENSITIVE, &yes, sizeof yes },
		{ CKA_EXTRACTABLE, &no, sizeof no },
		{ CKA_SIGN, &yes, sizeof yes },
		name, label,
	};
	CK_ULONG public_n = 3, private_n = label.ulValueLen != 0 ? 7 : 6;

	if (type == RSAB_RSA) {
		for_public[public_n++] = (CK_ATTRIBUTE){ CKA_MODULUS_BITS,
		    &modulus_bits, sizeof modulus_bits };
		for_public[public_n++] = (CK_ATTRIBUTE){ CKA_PUBLIC_EXPONENT,
		    exponent, sizeof exponent };
	} else {
		for_public[public_n++] = pkcs11_object_octets(CKA_EC_PARAMS,
		    (struct der){ pkcs11_object_ed25519,
		    sizeof pkcs11_object_ed25519 });
	}
	if (label.ulValueLen != 0)
		for_public[public_n++] = label;
	return at->token->module->f->C_GenerateKeyPair(session, &mechanism,
	    for_public, public_n, for_private, private_n, &out->public,
	    &out->private);
}

/*
 * Did the token do as it was told?
 */
static int
check_made(const struct pkcs11_at *at, CK_OBJECT_HANDLE key,
    struct pkcs11_fail *fail)
{
	CK_BBOOL sensitive = CK_FALSE, extractable = CK_TRUE;
	size_t n;
	int r;

	if ((r = pkcs11_object_get(at, key, CKA_SENSITIVE, &sensitive,
	    sizeof sensitive, &n, fail)) != 0 ||
	    (r = pkcs11_object_get(at, key, CKA_EXTRACTABLE, &extractable,
	    sizeof extractable, &n, fail)) != 0)
		return r;
	if (sensitive == CK_FALSE || extractable != CK_FALSE)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY, "%s: made a key "
		    "that can be taken out again, although told not to",
		    at->token->where);
	return RSAB_OK;
}

/*
 * Make the pair, with a session of its own, which may write.
 */
static int
make(const struct pkcs11_at *at, enum rsab_key_type type, unsigned bits,
    struct der id, struct pkcs11_pair *out, struct pkcs11_fail *fail)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	CK_SESSION_HANDLE session;
	struct pkcs11_pair pair;
	CK_RV rv;
	int r;

	rv = f->C_OpenSession(at->session.slot,
	    CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_OpenSession",
		    rv);
	rv = generate(at, session, type, bits, id, &pair);
	(void)f->C_CloseSession(session);
	if (rv != CKR_OK) {
		/* A second try could leave two pairs behind */
		r = pkcs11_fail_rv(fail, at->token->where,
		    "C_GenerateKeyPair", rv);
		fail->act = PKCS11_GIVE_UP;
		return r;
	}
	if ((r = check_made(at, pair.private, fail)) != 0)
		pkcs11_make_undo(at, &pair);
	else
		*out = pair;
	return r;
}

int
pkcs11_make_pair(const struct pkcs11_at *at, enum rsab_key_type type,
    unsigned bits, struct pkcs11_pair *out, struct pkcs11_fail *fail)
{
	uint8_t octets[NEW_ID];
	struct der id = at->uri->id;
	int r;

	if ((r = check_pair(at, type, bits, fail)) != 0 ||
	    (r = check_name(at, fail)) != 0)
		return r;
	if (id.n == 0) {
		if (RAND_bytes(octets, sizeof octets) != 1) {
			r = error_take(RSAB_ERR_BACKEND);
			return pkcs11_fail_set(fail, r, "no random octets");
		}
		id = (struct der){ octets, sizeof octets };
	}
	return make(at, type, bits, id, out, fail);
}

void
pkcs11_make_undo(const struct pkcs11_at *at, const struct pkcs11_pair *pair)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	CK_SESSION_HANDLE session;

	if (f->C_OpenSession(at->session.slot,
	    CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL,
	    &session) != CKR_OK)
		return;
	(void)f->C_DestroyObject(session, pair->private);
	(void)f->C_DestroyObject(session, pair->public);
	(void)f->C_CloseSession(session);
}
