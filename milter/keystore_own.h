/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a key store is, for keystore*.c.
 */
#ifndef KEYSTORE_OWN_H
#define KEYSTORE_OWN_H

#include "keyload.h"
#include "keystore.h"

struct keycache;
struct tokens;

struct keystore {
	atomic_uint			 refs;
	struct keycache			*keys;
	struct signer			*signer;
	struct tokens			*tokens; /* a user; NULL: none */
	struct keyrequest_form		 form;
	char				*base;	/* BaseDirectory or NULL */
	bool				 imports; /* files' keys into a token */
	unsigned			 min_bits;
	struct identity			 self;
};

/*
 * Does the key fit its row?
 *   errors   DKIM_ERR_SYNTAX: the request's reason is set
 */
int keystore_judge(const struct keystore *store, struct keyrequest *request,
    const struct rsab_key *key) MUSTUSE;

#endif
