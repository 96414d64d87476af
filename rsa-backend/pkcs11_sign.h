/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing and verifying in a token.
 */
#ifndef PKCS11_SIGN_H
#define PKCS11_SIGN_H

/* this room */
#include "pkcs11_object.h"

/*
 * Sign a SHA-256 digest: RSASSA-PKCS1-v1_5, or Ed25519 over the digest.
 *   out      RSAB_SIGNATURE_MAX octets; key->signature_size are written
 *   errors   RSAB_ERR_BACKEND: a signature of another length; those of Cryptoki
 *   source   RFC 8017 s8.2.1, RFC 8463 s3
 */
int pkcs11_sign(const struct pkcs11_at *at, const struct pkcs11_key *key,
    const uint8_t digest[RSAB_DIGEST_MAX], uint8_t *out,
    struct pkcs11_fail *fail) MUSTUSE;

/* A signature to verify with somebody's public key. */
struct pkcs11_claim {
	enum rsab_key_type	type;
	struct der		spki;
	enum rsab_hash		hash;
	struct der		digest, signature;
};

/*
 * Verify in the token, with the key as a session object.
 *   errors   RSAB_ERR_SIGNATURE: it says wrong; RSAB_ERR_KEY, _KEY_SIZE,
 *            _KEY_TYPE; those of Cryptoki
 */
int pkcs11_sign_verify(const struct pkcs11_at *at,
    const struct pkcs11_claim *claim, struct pkcs11_fail *fail) MUSTUSE;

#endif
