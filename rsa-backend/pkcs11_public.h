/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The public half of a private key in a token.
 */
#ifndef PKCS11_PUBLIC_H
#define PKCS11_PUBLIC_H

/* this room */
#include "pkcs11_object.h"
#include "token_wire.h"

/*
 * Read the public half: from the private key itself, else from the public key
 * or the certificate with the same CKA_ID (without one: CKA_LABEL). Whether it
 * belongs to the key is found out by who signs and verifies.
 *   out      TOKEN_WIRE_PUBLIC_MAX octets: SubjectPublicKeyInfo
 *   n        out
 *   errors   RSAB_ERR_KEY: nowhere; RSAB_ERR_KEY_SIZE; those of Cryptoki
 */
int pkcs11_public_read(const struct pkcs11_at *at,
    const struct pkcs11_key *key, uint8_t *out, size_t *n,
    struct pkcs11_fail *fail) MUSTUSE;

#endif
