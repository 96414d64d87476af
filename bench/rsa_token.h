/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reference's key in a PKCS#11 token, on the way that dkimd takes: the
 * module in dkimd-token, a session a thread, the key brought in as a session
 * object as RSABackend pkcs11 does.
 */
#ifndef RSA_TOKEN_H
#define RSA_TOKEN_H

/* system */
#include <stdbool.h>

/* this room */
#include "pin.h"
#include "reference.h"

struct tokens;

#define RSA_TOKENS_MAX		8
#define RSA_TOKEN_NAME		32	/* octets of a name, with its NUL */
#define RSA_TOKEN_REASON	160	/* octets of a reason, with its NUL */

/* Where a token is, as the command line says. */
struct rsa_token_place {
	const char	*module;	/* path */
	const char	*init_args;	/* NULL: none */
	const char	*uri;		/* of the token; NULL: any */
	char		 name[RSA_TOKEN_NAME];	/* in tables */
	char		 pin[RSAB_TOKEN_PIN_MAX + 2];	/* "": none */
};

struct rsa_token {
	const struct rsa_token_place *place;
	struct tokens	*tokens;
	struct rsab_key	*key;		/* private */
	size_t		 size;		/* octets of a signature */
	char		 reason[RSA_TOKEN_REASON];
};

/*
 * Read the PIN of a place from a file's first line.
 *   returns  0, or an exit status (told)
 */
int rsa_token_pin(struct rsa_token_place *place, const char *file) MUSTUSE;

/*
 * A place with nothing but its module, which tables call softhsm2 where it is
 * libsofthsm2.so.
 */
void rsa_token_place(struct rsa_token_place *place, const char *module);

/*
 * Start the process, on the first processors of pin, a thread each, and bring
 * the key in. The calling thread may run on them, too, from then on.
 *   threads  sessions
 *   workers  with a queue and workers of its own, as the daemon has it
 *   returns  0, or an exit status: EX_UNAVAILABLE with a reason where this
 *            token takes no such key; else it is told
 */
int rsa_token_open(struct rsa_token *token,
    const struct rsa_token_place *place, const struct pin *pin,
    const struct reference *reference, unsigned threads, bool workers) MUSTUSE;
void rsa_token_close(struct rsa_token *token);

/*
 * The key's public half, to verify in the token.
 *   returns  0, or an exit status (told)
 */
int rsa_token_public(const struct rsa_token *token,
    const struct reference *reference, struct rsab_key **out) MUSTUSE;

/*
 * The run of struct measure_contestant that asks the process, not the module:
 * a request and an answer as long as those of a signature.
 *   arg      a struct rsa_token
 */
int rsa_token_echo(void *arg, unsigned thread, size_t rounds) MUSTUSE;

#endif
