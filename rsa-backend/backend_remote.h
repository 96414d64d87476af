/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend of keys in tokens.
 */
#ifndef BACKEND_REMOTE_H
#define BACKEND_REMOTE_H

/* this room */
#include "backend.h"

/* It needs no state in a worker, so it has no place in their table. */
#define BACKEND_REMOTE_INDEX	0x7fff

extern const struct rsab_backend backend_remote;

/*
 * The same, where dkimd-token is built.
 *   errors   RSAB_ERR_UNSUPPORTED: without p11-kit there is none
 */
int backend_pkcs11_find(const struct rsab_backend **out) MUSTUSE;

#endif
