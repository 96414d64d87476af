/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing in a token (PKCS #11 v2.40 s5.11).
 */

/* system */
#include <string.h>

/* this room */
#include "pkcs1.h"
#include "pkcs11_sign.h"

int
pkcs11_sign_input(CK_MECHANISM_TYPE mechanism, enum rsab_hash hash,
    const uint8_t *digest, size_t size, uint8_t *out, size_t *n)
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

	if (pkcs11_sign_input(key->mechanism, RSAB_SHA256, digest,
	    key->signature_size, data, &data_n) != 0)
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
