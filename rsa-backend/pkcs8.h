/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private keys as DER: PKCS#8 and PKCS#1, taken apart into slices.
 */
#ifndef PKCS8_H
#define PKCS8_H

/* this room */
#include "der.h"
#include "rsab.h"
#include "spki.h"

#define PKCS8_ED25519_SEED	32	/* octets, RFC 8032 s5.1.5 */

/* A private key within the octets it was read from. */
struct pkcs8 {
	enum rsab_key_type	type;

	/* RSAB_RSA */
	struct der		der;	/* the RSAPrivateKey as a whole */
	struct spki_rsa		rsa;
	struct der		d, p, q, dp, dq, qinv;

	/* RSAB_ED25519 */
	struct der		seed;
	struct der		point;	/* n is 0 where the file has none */
};

/*
 * Take a private key apart, by its shape: RSAPrivateKey with two primes,
 * PrivateKeyInfo or OneAsymmetricKey. Limits are checked; whether the
 * numbers belong together is not.
 *   in       with nothing behind it
 *   errors   RSAB_ERR_KEY, _KEY_SIZE, _KEY_TYPE; RSAB_ERR_ENCRYPTED: an
 *            EncryptedPrivateKeyInfo
 *   source   RFC 8017 A.1.2, RFC 5208 s5, RFC 5958 s2, RFC 8410 s7
 */
int pkcs8_parse(struct der in, struct pkcs8 *out) MUSTUSE;

#endif
