/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private key that an option names.
 */
#ifndef PRIVATE_KEY_H
#define PRIVATE_KEY_H

#include "cmd/token_open.h"

/*
 *   path     PEM or DER file, or a pkcs11: URI
 *   how      of a URI
 *   out      one reference
 *   returns  0, EX_NOINPUT, EX_CONFIG, EX_OSERR, EX_TEMPFAIL (a token that is
 *            not there); told on stderr
 */
int private_key_load(const char *path, const struct token_open *how,
    struct rsab_key **out) MUSTUSE;

#endif
