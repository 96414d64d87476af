/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers the requests of token_wire.h with Cryptoki. Runs in dkimd-token.
 */
#ifndef BACKEND_PKCS11_H
#define BACKEND_PKCS11_H

/* this room */
#include "token_wire.h"

struct backend_pkcs11;

/*
 * Load what a set-up says, and initialize it.
 *   setup    parsed
 *   out      backend_pkcs11_free ends it
 *   errors   RSAB_ERR_TOKEN, RSAB_ERR_NOMEM, with detail
 */
int backend_pkcs11_new(const struct token_wire *setup,
    const struct rsab_token_host *host, struct backend_pkcs11 **out,
    struct rsab_token_detail *detail) MUSTUSE;
void backend_pkcs11_free(struct backend_pkcs11 *backend);

/*
 * Finalize the modules and wipe the PIN, before the process ends. Threads that
 * are in backend_pkcs11_answer never come back from it, and may go on to use
 * the backend's memory: it is not freed.
 */
void backend_pkcs11_end(struct backend_pkcs11 *backend);

/*
 * Answer a request. Never fails: an error is an answer. For many threads.
 *   request  parsed; neither SETUP nor CONNECT
 *   record   TOKEN_WIRE_MAX octets: the answer; may not overlap the request
 *   returns  octets of the answer
 */
size_t backend_pkcs11_answer(struct backend_pkcs11 *backend,
    const struct token_wire *request, uint8_t *record);

#endif
