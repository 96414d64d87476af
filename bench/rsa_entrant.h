/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who is to be measured by dkimbench rsa: the names of --backend, of which
 * pkcs11 stands for each --module.
 */
#ifndef RSA_ENTRANT_H
#define RSA_ENTRANT_H

/* this room */
#include "rsa_options.h"
#include "rsa_token.h"

#define RSA_ENTRANTS_MAX	(OPTIONS_LIST_MAX + RSA_TOKENS_MAX)

/* One of them; reason is not NULL where it cannot run. What its token said to
 * the last key that it does not take. */
struct rsa_entrant {
	const char			*name;
	const struct rsab_backend	*backend;
	const struct rsa_token_place	*place;		/* NULL: no token */
	const char			*reason;
	char				 said[RSA_TOKEN_REASON];
};

struct rsa_entrants {
	struct rsa_entrant	 v[RSA_ENTRANTS_MAX];
	size_t			 n;
};

/*
 * Look the backends up and let each show its known answers.
 *   options  outlives the entrants
 *   returns  0, or an exit status (told): EX_USAGE, no such backend;
 *            EX_UNAVAILABLE, none is here; EX_SOFTWARE, a wrong answer
 */
int rsa_entrant_find(const struct rsa_options *options,
    struct rsa_entrants *out) MUSTUSE;

#endif
