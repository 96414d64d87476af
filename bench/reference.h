/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key, messages, and the signatures that libcrypto alone makes of them by
 * that key: what every contestant's results are compared with. PKCS#1 v1.5 is
 * deterministic (RFC 8017 s8.2), so all octets must agree.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

/* system */
#include <stddef.h>
#include <stdint.h>

/* rooms below */
#include "rsa-backend/rsab.h"

#define REFERENCE_MESSAGES	32

struct reference {
	unsigned	 bits;
	size_t		 size;		/* octets of a signature */
	char		*pem;		/* PKCS#8, for contestants to load */
	size_t		 pem_len;
	uint8_t		*public;	/* SubjectPublicKeyInfo, DER */
	size_t		 public_len;
	uint8_t		 digest[REFERENCE_MESSAGES][RSAB_DIGEST_MAX];
	uint8_t		 signature[REFERENCE_MESSAGES][RSAB_SIGNATURE_MAX];
};

/*
 * A fresh key of that many bits; or the one in a file, as dkimd reads it ("-":
 * standard input).
 * The messages follow from seed. All signatures are verified, and each with
 * one bit turned is refused.
 *   returns  0, or an exit status (what was wrong is told)
 */
int reference_make(unsigned bits, uint64_t seed, struct reference **out)
    MUSTUSE;
int reference_load(const char *path, uint64_t seed, struct reference **out)
    MUSTUSE;

/*
 * The same for a key that this program brings with it.
 *   pem      NUL-ended
 */
int reference_parse(const char *pem, uint64_t seed, struct reference **out)
    MUSTUSE;

/*
 * Wipe and free; NULL is allowed.
 */
void reference_free(struct reference *reference);

/*
 * Turn one bit of a signature of size octets, another one for each number.
 */
void reference_corrupt(uint8_t *signature, size_t size, size_t number);

#endif
