/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes details: whatever a module or a helper calls itself, the text stays
 * printable and bounded.
 */
#ifndef TOKEN_DETAIL_H
#define TOKEN_DETAIL_H

/* this room */
#include "rsab.h"

/*
 * Write a detail; what is no printable ASCII becomes '?', what is too long is
 * cut.
 *   detail   NULL: nobody asks
 */
void token_detail_set(struct rsab_token_detail *detail, const char *format,
    ...) __attribute__((format(printf, 2, 3)));

/*
 * Copy n octets of somebody else's text, without trailing blanks and NULs.
 *   out      size octets; NUL-ended
 */
void token_detail_copy(const uint8_t *in, size_t n, char *out, size_t size);

#endif
