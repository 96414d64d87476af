/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pkcs11: URIs, for this room.
 */
#ifndef TOKEN_URI_H
#define TOKEN_URI_H

/* this room */
#include "rsab.h"

/*
 * A token's URI with an object's id and the type "private" added to its path.
 *   uri      n octets, checked; has neither id nor type
 *   out      RSAB_TOKEN_URI_MAX octets, no NUL
 *   returns  octets written; 0: it would be too long
 */
size_t token_uri_with_id(const char *uri, size_t n, const uint8_t *id,
    size_t id_n, char *out);

/*
 * Octets of a decoded pin-source in front of its path: "file:", and the "//"
 * of an empty host (RFC 8089 s2).
 */
size_t token_uri_before_path(const char *text, size_t n);

#endif
