/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Public keys as octets: SubjectPublicKeyInfo and RSAPublicKey, both ways,
 * and the limits that an RSA key must keep.
 */
#ifndef SPKI_H
#define SPKI_H

/* this room */
#include "der.h"
#include "rsab.h"

#define SPKI_ED25519_POINT	32	/* octets, RFC 8032 s5.1.5 */

/* An RSA public key; magnitudes within the octets they were read from. */
struct spki_rsa {
	struct der	n, e;
};

/*
 * Read the AlgorithmIdentifier of an RSA key or an Ed25519 key off the front
 * of in. NULL parameters may be left out for RSA (RFC 3279 s2.3.1 asks for
 * them, some writers do not); Ed25519 has none (RFC 8410 s3).
 *   errors   RSAB_ERR_KEY; RSAB_ERR_KEY_TYPE: another algorithm
 */
int spki_read_algorithm(struct der *in, enum rsab_key_type *type) MUSTUSE;

/*
 * Check an RSA key against the limits of rsab.h, by lengths and lowest bits
 * alone: the modulus odd, the exponent odd and at least 3.
 *   errors   RSAB_ERR_KEY_SIZE, RSAB_ERR_KEY
 */
int spki_check_rsa(const struct spki_rsa *rsa) MUSTUSE;

/*
 * Read an RSA public key, with nothing behind it, and check it.
 *   in       SubjectPublicKeyInfo, or RSAPublicKey alone, which RFC 6376
 *            s3.6.1 names and some records really hold
 *   errors   RSAB_ERR_KEY, _KEY_SIZE, _KEY_TYPE
 *   source   RFC 5280 s4.1.2.7, RFC 8017 A.1.1
 */
int spki_parse_rsa(struct der in, struct spki_rsa *out) MUSTUSE;

/*
 * Octets of the SubjectPublicKeyInfo of a key, and its writing.
 *   out      spki_rsa_size(rsa) octets
 *   written  the key, its magnitudes within out
 */
size_t spki_rsa_size(const struct spki_rsa *rsa);
void spki_print_rsa(const struct spki_rsa *rsa, uint8_t *out,
    struct spki_rsa *written);

#define SPKI_ED25519_SIZE	44	/* octets */

/*
 * Write the SubjectPublicKeyInfo of an Ed25519 key; the point is its end.
 *   source   RFC 8410 s4
 */
void spki_print_ed25519(const uint8_t point[SPKI_ED25519_POINT],
    uint8_t out[SPKI_ED25519_SIZE]);

#endif
