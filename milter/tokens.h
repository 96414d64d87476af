/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tokens of one set of PKCS11 options: one process of dkimd-token
 * (helper.h), and for each token that URIs name a queue and workers of its
 * own, so that one that is slow or hangs holds up its own keys only (DESIGN
 * "Data flow" 4, "Tokens"). A reload that changes these options makes new
 * ones; the old process goes with the last of its keys.
 */
#ifndef TOKENS_H
#define TOKENS_H

#include "helper.h"
#include "options.h"

#define TOKENS_MAX	32	/* tokens that URIs may name */

struct signer;
struct tokens;

/*
 * Nothing is started before the first key is wanted.
 *   threads  sessions of a token where PKCS11Sessions is 0; 0: no workers are
 *            made (dkimd -n, dkim): who opens keys does so on his own thread
 *   old      those in force until now: taken on if nothing has changed; a PIN
 *            that they saw refused is not tried again unless it has changed;
 *            NULL at start
 *   errors   DKIM_ERR_NOMEM
 */
int tokens_new(const struct options *options, unsigned threads,
    struct tokens *old, struct tokens **out) MUSTUSE;
struct tokens *tokens_ref(struct tokens *tokens);

/*
 *   returns  whether this was the last user: keys of these tokens go on to
 *            sign, but no cache should keep them
 */
bool tokens_unref(struct tokens *tokens);

/*
 * For who may be started again and again (dkimd -n): try no PIN where a token
 * tells of a wrong one since its last login. Before the first key.
 */
void tokens_be_careful(struct tokens *tokens);

/*
 * Is a key's token one of these?
 */
bool tokens_has(const struct tokens *tokens, const struct rsab_token *token);

/*
 * End the process in good order, for the end of the program: keys are of no
 * use afterwards.
 */
void tokens_end(struct tokens *tokens);

/*
 * Open the key that a URI names. Waits for the token, at most PKCS11Timeout
 * and what a restart takes.
 *   pin_value  it stands in the configuration file: pin-value is allowed
 *   detail   out, on errors
 *   errors   RSAB_ERR_*, as rsab_key_load_token
 */
int tokens_open(struct tokens *tokens, struct slice uri, bool pin_value,
    struct rsab_token_detail *detail, struct rsab_key **out) MUSTUSE;

/*
 * Load a key from a file's octets into the token of PKCS11Token.
 *   errors   RSAB_ERR_*, as rsab_key_import_token
 */
int tokens_import(struct tokens *tokens, struct slice octets,
    struct rsab_token_detail *detail, struct rsab_key **out) MUSTUSE;

/*
 * Make a key pair in the token that a URI names.
 *   errors   RSAB_ERR_*, as rsab_key_generate_token
 */
int tokens_generate(struct tokens *tokens, struct slice uri,
    enum rsab_key_type type, unsigned bits, struct rsab_token_detail *detail,
    struct rsab_key **out) MUSTUSE;

/*
 * Whose threads open keys of this URI, or of PKCS11Token where it is empty;
 * lives as long as tokens. NULL: none.
 */
struct signer *tokens_signer(struct tokens *tokens, struct slice uri);

/*
 * Whose threads sign with keys of this token; NULL: none.
 */
struct signer *tokens_signer_of(const struct rsab_token *token);

/*
 * What became of a job or an open: that a token is gone, or back, is logged
 * once.
 */
void tokens_tell(struct rsab_token *token, int error, const char *detail);

/*
 * The process, for tests; 0: none.
 */
long tokens_process(struct tokens *tokens);

#endif
