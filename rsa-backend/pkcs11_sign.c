/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing and verifying in a token (PKCS #11 v2.40 s5.11, s5.12).
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs1.h"
#include "pkcs11_sign.h"
#include "spki.h"

/*
 * What a mechanism is to be given.
 *   size     octets of the signature
 *   out      RSAB_SIGNATURE_MAX octets
 */
static int
input(CK_MECHANISM_TYPE mechanism, enum rsab_hash hash, const uint8_t *digest,
    size_t size, uint8_t *out, size_t *n)
{
	switch (mechanism) {
	case CKM_RSA_PKCS:
		return pkcs1_digest_info(hash, digest, out, n);
	case CKM_RSA_X_509:
		*n = size;
		return pkcs1_encode(hash, digest, out, size);
	default:
		/* RFC 8463 s3: PureEdDSA over the SHA-256 hash */
		*n = pkcs1_digest_size(hash);
		memcpy(out, digest, *n);
		return RSAB_OK;
	}
}

int
pkcs11_sign(const struct pkcs11_at *at, const struct pkcs11_key *key,
    const uint8_t digest[RSAB_DIGEST_MAX], uint8_t *out,
    struct pkcs11_fail *fail)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	CK_MECHANISM mechanism = { key->mechanism, NULL, 0 };
	uint8_t data[RSAB_SIGNATURE_MAX];
	CK_ULONG n = RSAB_SIGNATURE_MAX;
	size_t data_n;
	CK_RV rv;
	int r;

	if (input(key->mechanism, RSAB_SHA256, digest, key->signature_size,
	    data, &data_n) != 0)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: the key "
		    "is too short for a signature", at->token->where);
	rv = f->C_SignInit(at->session.handle, &mechanism, key->handle);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_SignInit", rv);
	if (key->always_authenticate && (r = pkcs11_token_authenticate(
	    at->token, &at->session, at->pins, at->uri, fail)) != 0)
		return r;
	rv = f->C_Sign(at->session.handle, data, data_n, out, &n);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_Sign", rv);
	if (n != key->signature_size)
		return pkcs11_fail_set(fail, RSAB_ERR_BACKEND, "%s: C_Sign "
		    "made a signature of %lu octets, not %zu",
		    at->token->where, n, key->signature_size);
	return RSAB_OK;
}

/*
 * C_VerifyInit and C_Verify.
 */
static int
verify(const struct pkcs11_at *at, const struct pkcs11_claim *claim,
    CK_MECHANISM_TYPE type, CK_OBJECT_HANDLE key, struct pkcs11_fail *fail)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	CK_MECHANISM mechanism = { type, NULL, 0 };
	uint8_t data[RSAB_SIGNATURE_MAX];
	size_t n;
	CK_RV rv;

	if (input(type, claim->hash, claim->digest.p, claim->signature.n, data,
	    &n) != 0)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: the key "
		    "is too short for a signature", at->token->where);
	rv = f->C_VerifyInit(at->session.handle, &mechanism, key);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_VerifyInit",
		    rv);
	rv = f->C_Verify(at->session.handle, data, n,
	    (CK_BYTE_PTR)(uintptr_t)claim->signature.p, claim->signature.n);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_Verify", rv);
	return RSAB_OK;
}

/*
 * Make a public key as a session object.
 *   n        attributes of template
 */
static int
create(const struct pkcs11_at *at, CK_ATTRIBUTE *template, size_t n,
    CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
{
	CK_RV rv = at->token->module->f->C_CreateObject(at->session.handle,
	    template, n, out);

	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where,
		    "C_CreateObject", rv);
	return RSAB_OK;
}

static int
create_rsa(const struct pkcs11_at *at, const struct pkcs11_claim *claim,
    CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
{
	CK_OBJECT_CLASS class = CKO_PUBLIC_KEY;
	CK_KEY_TYPE type = CKK_RSA;
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ULONG least = 0, most = 0;
	struct spki_rsa rsa;
	int r;

	if ((r = spki_parse_rsa(claim->spki, &rsa)) != 0 ||
	    rsa.n.n != claim->signature.n)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY, "not the key of "
		    "this signature");
	if (!pkcs11_object_mechanism(at->token, at->session.slot, CKM_RSA_PKCS,
	    CKF_VERIFY, &least, &most))
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: has no "
		    "CKM_RSA_PKCS for verifying", at->token->where);
	if (der_bits(rsa.n) < least || (most != 0 && der_bits(rsa.n) > most))
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: verifies "
		    "with RSA keys of %lu to %lu bits, not %zu",
		    at->token->where, least, most, der_bits(rsa.n));
	return create(at, (CK_ATTRIBUTE[]){
		{ CKA_CLASS, &class, sizeof class },
		{ CKA_KEY_TYPE, &type, sizeof type },
		{ CKA_TOKEN, &no, sizeof no },
		{ CKA_PRIVATE, &no, sizeof no },
		{ CKA_VERIFY, &yes, sizeof yes },
		pkcs11_object_octets(CKA_MODULUS, rsa.n),
		pkcs11_object_octets(CKA_PUBLIC_EXPONENT, rsa.e),
	}, 7, out, fail);
}

static int
create_ed25519(const struct pkcs11_at *at, const struct pkcs11_claim *claim,
    CK_OBJECT_HANDLE *out, struct pkcs11_fail *fail)
{
	CK_OBJECT_CLASS class = CKO_PUBLIC_KEY;
	CK_KEY_TYPE type = CKK_EC_EDWARDS;
	CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
	CK_ULONG least, most;
	uint8_t point[2 + SPKI_ED25519_POINT] = {
		DER_OCTET_STRING, SPKI_ED25519_POINT,
	};

	if (claim->spki.n != SPKI_ED25519_SIZE)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY, "not an Ed25519 "
		    "key");
	if (!pkcs11_object_mechanism(at->token, at->session.slot, CKM_EDDSA,
	    CKF_VERIFY, &least, &most))
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_TYPE, "%s: has no "
		    "CKM_EDDSA for verifying", at->token->where);
	memcpy(&point[2], &claim->spki.p[claim->spki.n - SPKI_ED25519_POINT],
	    SPKI_ED25519_POINT);
	return create(at, (CK_ATTRIBUTE[]){
		{ CKA_CLASS, &class, sizeof class },
		{ CKA_KEY_TYPE, &type, sizeof type },
		{ CKA_TOKEN, &no, sizeof no },
		{ CKA_PRIVATE, &no, sizeof no },
		{ CKA_VERIFY, &yes, sizeof yes },
		pkcs11_object_octets(CKA_EC_PARAMS, (struct der){
		    pkcs11_object_ed25519, sizeof pkcs11_object_ed25519 }),
		{ CKA_EC_POINT, point, sizeof point },
	}, 7, out, fail);
}

int
pkcs11_sign_verify(const struct pkcs11_at *at,
    const struct pkcs11_claim *claim, struct pkcs11_fail *fail)
{
	bool rsa = claim->type == RSAB_RSA;
	CK_OBJECT_HANDLE key;
	int r;

	if (pkcs1_digest_size(claim->hash) != claim->digest.n)
		return pkcs11_fail_set(fail, RSAB_ERR_ARGUMENT, "a digest of "
		    "%zu octets", claim->digest.n);
	r = rsa ? create_rsa(at, claim, &key, fail) :
	    create_ed25519(at, claim, &key, fail);
	if (r != 0)
		return r;
	r = verify(at, claim, rsa ? CKM_RSA_PKCS : CKM_EDDSA, key, fail);
	(void)at->token->module->f->C_DestroyObject(at->session.handle, key);
	return r;
}
