/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing in a token.
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

/*
 * What a mechanism is given to sign, or to verify: the padding is the token's
 * (CKM_RSA_PKCS) or ours (CKM_RSA_X_509), the DigestInfo always ours.
 *   size     octets of the signature
 *   out      RSAB_SIGNATURE_MAX octets; n: octets written
 *   errors   RSAB_ERR_ARGUMENT: size is too short
 */
int pkcs11_sign_input(CK_MECHANISM_TYPE mechanism, enum rsab_hash hash,
    const uint8_t *digest, size_t size, uint8_t *out, size_t *n) MUSTUSE;

#endif
