/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a token tells of itself.
 */
#ifndef PKCS11_INFO_H
#define PKCS11_INFO_H

/* this room */
#include "pkcs11_token.h"

/*
 * Ask a token, without a session.
 *   errors   RSAB_ERR_TOKEN; those of Cryptoki
 */
int pkcs11_info_read(const struct pkcs11_token *token,
    struct rsab_token_info *out, struct pkcs11_fail *fail) MUSTUSE;

#endif
