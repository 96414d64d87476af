/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying in a token (PKCS #11 v2.40 s5.12).
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs1.h"
#include "pkcs11_sign.h"
#include "pkcs11_verify.h"

/* 2^e is no encoded message of a key of a size and exponent that we take. */
#define WRONG_SIGNATURE	2

/*
 * C_VerifyInit and C_Verify.
 */
static int
verify(const struct pkcs11_at *at, const struct pkcs11_held_use *key,
    enum rsab_hash hash, const uint8_t *digest, struct der signature,
    struct pkcs11_fail *fail)
{
	CK_FUNCTION_LIST *f = at->token->module->f;
	CK_MECHANISM mechanism = { key->mechanism, NULL, 0 };
	uint8_t data[RSAB_SIGNATURE_MAX];
	size_t n;
	CK_RV rv;

	if (pkcs11_sign_input(key->mechanism, hash, digest, signature.n, data,
	    &n) != 0)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY_SIZE, "%s: the key "
		    "is too short for a signature", at->token->where);
	rv = f->C_VerifyInit(at->session.handle, &mechanism, key->handle);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_VerifyInit",
		    rv);
	/* Cryptoki has no const, but only reads what it is given */
	rv = f->C_Verify(at->session.handle, data, n,
	    (CK_BYTE_PTR)(uintptr_t)signature.p, signature.n);
	if (rv != CKR_OK)
		return pkcs11_fail_rv(fail, at->token->where, "C_Verify", rv);
	return RSAB_OK;
}

/*
 * Does the token call a wrong signature wrong? One that says yes to everything
 * would let strangers write in anybody's name.
 */
static int
try_wrong(const struct pkcs11_at *at, const struct pkcs11_held_use *key,
    size_t n, struct pkcs11_fail *fail)
{
	uint8_t signature[RSAB_SIGNATURE_MAX] = { 0 };
	uint8_t digest[RSAB_DIGEST_MAX] = { 0 };
	int r;

	signature[n - 1] = WRONG_SIGNATURE;
	r = verify(at, key, RSAB_SHA256, digest, (struct der){ signature, n },
	    fail);
	if (r == RSAB_ERR_SIGNATURE)
		return RSAB_OK;
	return r != 0 ? r : pkcs11_fail_set(fail, RSAB_ERR_BACKEND, "%s: "
	    "C_Verify calls a wrong signature right", at->token->where);
}

int
pkcs11_verify(const struct pkcs11_at *at, const struct pkcs11_claim *claim,
    struct pkcs11_fail *fail)
{
	struct pkcs11_held_use key;
	struct spki_rsa rsa;
	bool trusted = false;
	int r;

	if (pkcs1_digest_size(claim->hash) != claim->digest.n)
		return pkcs11_fail_set(fail, RSAB_ERR_ARGUMENT, "a digest of "
		    "%zu octets", claim->digest.n);
	if (spki_parse_rsa(claim->spki, &rsa) != 0 ||
	    rsa.n.n != claim->signature.n)
		return pkcs11_fail_set(fail, RSAB_ERR_KEY, "not the key of "
		    "this signature");
	if ((r = pkcs11_held_take(at, &rsa, &key, fail)) != 0)
		return r;
	if (!key.trusted)
		r = try_wrong(at, &key, rsa.n.n, fail);
	if (r == 0) {
		trusted = true;
		r = verify(at, &key, claim->hash, claim->digest.p,
		    claim->signature, fail);
	}
	pkcs11_held_give(at, &key, trusted);
	return r;
}
