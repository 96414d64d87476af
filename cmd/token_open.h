/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys in tokens, for the command line: --module, --init-args, and the PIN
 * from pin-source or the terminal.
 */
#ifndef TOKEN_OPEN_H
#define TOKEN_OPEN_H

#include "rsa-backend/rsab.h"

/* What its commands say of it; in their lists of options, too. */
#define TOKEN_OPEN_USAGE \
"  --module PATH     PKCS#11 module of a pkcs11: URI; default: p11-kit's\n" \
"  --init-args TEXT  what that module is given at its start\n"

struct token_open {
	const char	*module;	/* NULL: p11-kit's configured ones */
	const char	*init_args;	/* NULL: none */
};

bool token_open_is_uri(const char *text);

/*
 * Open the key that a URI names. A PIN that is wanted and not there is asked
 * for, where there is a terminal.
 *   out      one reference
 *   returns  0, EX_CONFIG, EX_TEMPFAIL (the token is not there), EX_OSERR; told
 *            on stderr
 */
int token_open_key(const struct token_open *how, const char *uri,
    struct rsab_key **out) MUSTUSE;

/*
 * Make a key pair in the token that a URI names.
 *   returns  as token_open_key, or EX_CANTCREAT: there is one of that name
 */
int token_open_generate(const struct token_open *how, const char *uri,
    enum rsab_key_type type, unsigned bits, struct rsab_key **out) MUSTUSE;

/*
 * Why a signature by a key failed, "" where it is in no token.
 */
void token_open_detail(const struct rsab_key *key,
    struct rsab_token_detail *out);

#endif
