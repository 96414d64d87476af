/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying in a token with somebody's public RSA key.
 */
#ifndef PKCS11_VERIFY_H
#define PKCS11_VERIFY_H

/* this room */
#include "pkcs11_object.h"

struct pkcs11_claim {
	struct der		spki;
	enum rsab_hash		hash;
	struct der		digest, signature;
};

/*
 * Verify RSASSA-PKCS1-v1_5 in the token, which is believed once it has called
 * a signature by this key wrong that is.
 *   at       its session needs no login
 *   errors   RSAB_ERR_SIGNATURE: it says wrong; RSAB_ERR_BACKEND: it says that
 *            of nothing; RSAB_ERR_KEY, _KEY_SIZE, _KEY_TYPE: not with this
 *            key; those of Cryptoki
 *   source   RFC 8017 s8.2.2
 */
int pkcs11_verify(const struct pkcs11_at *at,
    const struct pkcs11_claim *claim, struct pkcs11_fail *fail) MUSTUSE;

#endif
