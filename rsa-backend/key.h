/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A key, for this room: immutable after load, but for its count and for the
 * idle contexts inside evp.
 */
#ifndef KEY_H
#define KEY_H

/* system */
#include <stdatomic.h>

/* this room */
#include "backend.h"
#include "evpkey.h"
#include "rsab.h"
#include "spki.h"

struct rsab_key {
	atomic_uint			 references;
	const struct rsab_backend	*backend;
	enum rsab_key_type		 type;
	bool				 is_private;
	unsigned			 bits;
	size_t				 signature_size;
	struct spki_rsa			 rsa;	/* within spki */
	struct evpkey			*evp;	/* NULL: not needed */
	void				*own;	/* the backend's */
	struct der			 der;	/* RSAPrivateKey, in own */
	uint8_t				 fingerprint[RSAB_FINGERPRINT_SIZE];
	size_t				 spki_size;
	uint8_t				 spki[];
};

/*
 * The key in libcrypto's form: key->evp, or an object for one use.
 *   made     out: the object to free; NULL: none
 *   errors   RSAB_ERR_NOMEM; RSAB_ERR_BACKEND: a private key's octets are gone,
 *            as in a child after fork
 */
int key_evp(const struct rsab_key *key, bool private, struct evpkey **evp,
    struct evpkey **made) MUSTUSE;

/*
 * Sign and verify once, the way all later jobs of the key will go.
 *   errors   RSAB_ERR_KEY: it comes out wrong; RSAB_ERR_NOMEM; those of tokens
 */
int key_try(struct rsab_key *key) MUSTUSE;

#endif
