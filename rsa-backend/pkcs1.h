/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EMSA-PKCS1-v1_5, for every backend. There is no decoder: who verifies
 * builds the whole expected encoding and compares all octets (RFC 8017
 * s8.2.2), so no padding is ever parsed.
 */
#ifndef PKCS1_H
#define PKCS1_H

#include <stddef.h>
#include <stdint.h>

/* this room */
#include "rsab.h"

#define PKCS1_DIGEST_INFO_MAX	51	/* octets: SHA-256 */

/*
 * Octets of a digest; 0 for a value that is no hash.
 */
size_t pkcs1_digest_size(enum rsab_hash hash);

/*
 * Encode a digest.
 *   digest   pkcs1_digest_size(hash) octets
 *   out      n octets, the length of the modulus
 *   errors   RSAB_ERR_ARGUMENT: no such hash, or n too short for it
 *   source   RFC 8017 s9.2 (DigestInfo with the NULL parameters of B.1)
 */
int pkcs1_encode(enum rsab_hash hash, const uint8_t *digest, uint8_t *out,
    size_t n) MUSTUSE;

/*
 * The DigestInfo alone, which a token pads by itself (CKM_RSA_PKCS).
 *   out      PKCS1_DIGEST_INFO_MAX octets
 *   n        out: octets written
 *   errors   RSAB_ERR_ARGUMENT: no such hash
 *   source   RFC 8017 s9.2 step 2
 */
int pkcs1_digest_info(enum rsab_hash hash, const uint8_t *digest, uint8_t *out,
    size_t *n) MUSTUSE;

#endif
