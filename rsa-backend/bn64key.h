/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the backend bn64 keeps in a key: the numbers, ready for its paths.
 */
#ifndef BN64KEY_H
#define BN64KEY_H

/* this room */
#include "bn/rsakey.h"
#include "key.h"

/*
 * The secret half, in private pages (mem.h) with the RSAPrivateKey itself,
 * which libcrypto makes a key of where ours fails. In a child after fork the
 * pages are empty and magic is not BN64KEY_MAGIC.
 */
#define BN64KEY_MAGIC	UINT64_C(0x626e3634206b6579)

struct bn64_secret {
	uint64_t		magic;
	struct rsakey_private	key;	/* its path: lanes or scalar */
	uint64_t		numbers[];
};

struct bn64_key {
	/*
	 * The public half for one operation, and for several at once
	 * (path is NULL: no lanes for this key).
	 */
	struct rsakey_public	 scalar, lanes;
	struct bn64_secret	*secret;	/* NULL: a public key */
	size_t			 secret_size;
	uint64_t		 numbers[];
};

/*
 * Make a key ready, for a path with lanes (NULL: none) and one without.
 *   parts    NULL for a public key
 *   key      out: key->own, and key->der of a private key
 *   errors   RSAB_ERR_NOMEM; RSAB_ERR_UNSUPPORTED: Ed25519, and primes of
 *            too unequal length
 */
int bn64key_load(struct rsab_key *key, const struct path *lanes,
    const struct path *scalar, const struct pkcs8 *parts) MUSTUSE;

/*
 * Wipe and free key->own.
 */
void bn64key_unload(struct rsab_key *key);

/*
 * The secret half; NULL: the key has none, or it is gone (fork).
 */
const struct rsakey_private *bn64key_private(const struct rsab_key *key);

#endif
