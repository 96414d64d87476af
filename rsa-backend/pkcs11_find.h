/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All modules and tokens of the process, and which of them a URI names. What a
 * URI led to is kept, so that a signature costs no search.
 *
 * The lock guards the list of tokens and what is kept; it is never held over a
 * call of Cryptoki. A token that was seen stays until the end.
 */
#ifndef PKCS11_FIND_H
#define PKCS11_FIND_H

/* system */
#include <pthread.h>

/* this room */
#include "pkcs11_object.h"

#define PKCS11_TOKENS_MAX	64	/* seen by one process */
#define PKCS11_KEPT		1024	/* URIs */

struct pkcs11_kept {
	uint8_t			uri[32];	/* SHA-256: it may have a PIN */
	struct pkcs11_token	*token;		/* NULL: the place is free */
	struct pkcs11_key	key;		/* handle 0: only the token */
};

struct pkcs11_find {
	struct pkcs11_module	*modules[PKCS11_MODULES_MAX];
	size_t			 modules_n;
	CK_FUNCTION_LIST	**configured;	/* p11-kit's; NULL */
	char			 refused[RSAB_TOKEN_REFUSED_MAX]
	    [RSAB_TOKEN_IDENTITY];
	size_t			 refused_n;

	pthread_mutex_t		 lock;		/* all below */
	struct pkcs11_token	*tokens[PKCS11_TOKENS_MAX];
	size_t			 tokens_n;
	struct pkcs11_kept	 kept[PKCS11_KEPT];
};

/*
 * Load modules.
 *   path     of one; NULL: all that p11-kit is configured with
 *   out      pkcs11_find_free finalizes the modules and frees
 *   errors   RSAB_ERR_TOKEN, with fail; RSAB_ERR_NOMEM
 */
int pkcs11_find_new(const char *path, const char *init_args,
    struct pkcs11_find **out, struct pkcs11_fail *fail) MUSTUSE;
void pkcs11_find_free(struct pkcs11_find *find);

/*
 * Finalize the modules. Threads that use them stay out for ever.
 */
void pkcs11_find_close(struct pkcs11_find *find);

/*
 * Find the one token that a URI names.
 *   digest   SHA-256 of the URI
 *   errors   RSAB_ERR_TOKEN: none now; RSAB_ERR_TOKEN_KEYS: several
 */
int pkcs11_find_token(struct pkcs11_find *find, const struct pkcs11_uri *uri,
    const uint8_t digest[32], uint64_t now, struct pkcs11_token **out,
    struct pkcs11_fail *fail) MUSTUSE;

/*
 * The key that a URI led to, if that is still good for a session; and keeping
 * it.
 */
bool pkcs11_find_kept(struct pkcs11_find *find, const uint8_t digest[32],
    const struct pkcs11_at *at, struct pkcs11_key *out);
void pkcs11_find_keep(struct pkcs11_find *find, const uint8_t digest[32],
    const struct pkcs11_key *key);

/*
 * Keep the token that a URI led to, which names no key.
 */
void pkcs11_find_keep_token(struct pkcs11_find *find,
    const uint8_t digest[32], struct pkcs11_token *token);

#endif
