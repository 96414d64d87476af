/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the daemon itself wants to know of a pkcs11: URI (RFC 7512); whether it
 * is one is rsab_token_uri_check's to say.
 */
#ifndef TOKENURI_H
#define TOKENURI_H

#include <stdbool.h>

#include "../dkim/dkim.h"

/*
 * Does a text begin with "pkcs11:", in any case (RFC 3986 s3.1)?
 */
bool tokenuri_is(struct slice text);

/*
 * The attributes that name the token, its slot and its library, in the order
 * of their octets, as a URI: URIs with the same one share queue and workers.
 *   out      appended
 */
void tokenuri_token(struct slice uri, struct buf *out);

/*
 * The path of pin-source, decoded, without "file:".
 *   out      appended; nothing where there is none
 */
void tokenuri_pin_source(struct slice uri, struct buf *out);

#endif
