/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where private keys come from: a file, the row itself, a token; and with
 * RSABackend pkcs11 from one of the first two into a token.
 */
#ifndef KEYLOAD_H
#define KEYLOAD_H

#include "keyrequest.h"
#include "storedkey.h"

/*
 * Load the key of a request.
 *   self     whose rights count
 *   out      one reference
 *   errors   DKIM_ERR_SYNTAX: the request's reason is set; _NOMEM
 */
int keyload(const struct keyrequest_form *form, const struct identity *self,
    struct keyrequest *request, struct storedkey **out) MUSTUSE;

/*
 * Do the keys of files and rows go into a token?
 */
bool keyload_imports(const struct keyrequest_form *form);

/*
 * Load it from octets that were read before.
 *   errors   as keyload
 */
int keyload_octets(const struct keyrequest_form *form,
    struct keyrequest *request, struct slice octets,
    struct rsab_key **out) MUSTUSE;

#endif
