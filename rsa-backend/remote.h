/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys in tokens, for remote*.c and backend_remote.c: where a key is, and how
 * one asks about it.
 */
#ifndef REMOTE_H
#define REMOTE_H

/* system */
#include <stdatomic.h>

/* this room */
#include "key.h"
#include "token.h"

struct remote_place {
	struct rsab_token	*token;
	const char		*uri;
	size_t			 n;
	bool			 pin_value;
};

/* key->own */
struct remote_key {
	struct rsab_token	*token;
	const struct rsab_token_watch *watch;	/* NULL: none */
	atomic_bool		 excluded;	/* the token takes no such
						 * public key */
	bool			 pin_value;
	size_t			 uri_n;
	char			 uri[];
};

/*
 * A request that names a place; or that of a key.
 */
struct token_wire remote_request(enum token_wire_op op,
    const struct remote_place *place);
struct token_wire remote_request_of(enum token_wire_op op,
    const struct remote_key *remote);

/*
 * Put a key of libcrypto's, which nobody else has yet, at a place.
 *   errors   RSAB_ERR_NOMEM
 */
int remote_put(struct rsab_key *key, const struct remote_place *place,
    bool is_private) MUSTUSE;

/*
 * Verify by the token or by libcrypto, and set the job's result.
 *   em       the job's encoded message
 */
void remote_verify(struct rsab_job *job, backend_em em);

#endif
