/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tokens are, for token*.c.
 */
#ifndef TOKENS_OWN_H
#define TOKENS_OWN_H

#include <pthread.h>
#include <stdatomic.h>

#include "pinplace.h"
#include "tokens.h"

/* One token; the context of its rsab_token, and freed by its release. */
struct token {
	struct tokens		*owner;		/* a reference */
	struct rsab_token	*token;
	struct signer		*signer;	/* NULL: none */
	char			*name;		/* its URI, for the log, too */
	atomic_bool		 down;		/* and that was told */
	struct backoff		 backoff;	/* under the owner's lock, */
	uint64_t		 hung_at, not_before;	/* as these */
};

struct tokens {
	atomic_uint		 refs;		/* of the memory: its users
						 * together, and each token */
	atomic_uint		 users;
	struct helper		*helper;
	char			*import;	/* PKCS11Token */
	int			 timeout_ms;
	unsigned		 sessions;
	bool			 has_workers;
	struct pinplaces	 pins;		/* of refused PINs */

	pthread_mutex_t		 lock;		/* of these; a leaf */
	struct token		*list[TOKENS_MAX]; /* a reference to token
						 * each */
	size_t			 n;
};

/*
 * What the options say of any process of dkimd-token; no PIN, no folders.
 *   timeout_ms  of an operation
 */
struct helper_setup tokens_helper_setup(const struct options *options,
    int timeout_ms);

/*
 * Sessions of a token: PKCS11Sessions, else as many as threads.
 */
unsigned tokens_sessions(const struct options *options, unsigned threads);

/*
 * The token of PKCS11Token, by tokenuri_token.
 *   out      appended
 */
void tokens_import_name(const struct options *options, struct buf *out);

/*
 * Give a reference to the memory of tokens back.
 */
void tokens_drop(struct tokens *tokens);

/*
 * A token with its peer, and with workers where its owner has them; under the
 * owner's lock.
 *   name     its URI
 *   out      lives until its rsab_token is gone
 *   errors   RSAB_ERR_NOMEM
 */
int token_make(struct tokens *owner, struct slice name,
    struct token **out) MUSTUSE;

#endif
