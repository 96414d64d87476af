/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bringing keys into a token: imported as session objects, or made there.
 */
#ifndef PKCS11_MAKE_H
#define PKCS11_MAKE_H

/* this room */
#include "pkcs11_object.h"

#define PKCS11_MAKE_ID		32	/* octets of an imported key's CKA_ID */

/*
 * Bring a private key in, as a session object, sensitive and not extractable.
 * A key that is there already is left as it is.
 *   octets   RSAPrivateKey; or seed and point of Ed25519
 *   id       out: its CKA_ID, SHA-256 of the SubjectPublicKeyInfo
 *   errors   RSAB_ERR_IMPORT: the token takes no keys, or none such;
 *            RSAB_ERR_KEY; those of Cryptoki
 */
int pkcs11_make_import(const struct pkcs11_at *at, enum rsab_key_type type,
    struct der octets, uint8_t id[PKCS11_MAKE_ID], struct pkcs11_fail *fail)
    MUSTUSE;

struct pkcs11_pair {
	CK_OBJECT_HANDLE	public, private;
};

/*
 * Make a key pair in the token: sensitive, not extractable, to sign only.
 *   bits     of an RSA modulus
 *   errors   RSAB_ERR_TOKEN_NAME: there is one of that name; RSAB_ERR_KEY_SIZE,
 *            _KEY_TYPE; those of Cryptoki
 */
int pkcs11_make_pair(const struct pkcs11_at *at, enum rsab_key_type type,
    unsigned bits, struct pkcs11_pair *out, struct pkcs11_fail *fail) MUSTUSE;

/*
 * Take away what pkcs11_make_pair made, as good as can be.
 */
void pkcs11_make_undo(const struct pkcs11_at *at,
    const struct pkcs11_pair *pair);

#endif
