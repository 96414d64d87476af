/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private key that an option names.
 */
#ifndef PRIVATE_KEY_H
#define PRIVATE_KEY_H

#include "rsa-backend/rsab.h"

/*
 *   path     PEM or DER file; pkcs11: URIs are not supported yet
 *   out      one reference
 *   returns  0, EX_NOINPUT, EX_CONFIG, EX_OSERR; told on stderr
 */
int private_key_load(const char *path, struct rsab_key **out) MUSTUSE;

#endif
