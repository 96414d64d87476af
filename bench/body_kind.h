/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bodies of mail for dkimbench body: the same octets for the same seed.
 */
#ifndef BODY_KIND_H
#define BODY_KIND_H

/* system */
#include <stddef.h>
#include <stdint.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define BODY_KIND_NAMES	"text,base64,long,trailing,doubled"

/*
 * Fill n octets: lines of words or of base64, each ended by CRLF, the last one
 * cut where n ends, though never within CRLF.
 *   kind     text       words in lines of 72 columns, now and then an empty one
 *            base64     lines of 76 columns (RFC 2045 s6.8)
 *            long       words in lines of 990 columns
 *            trailing   text with a blank in front of each line end
 *            doubled    text with two blanks between words
 *   returns  0, or EX_USAGE: no such kind (told)
 */
int body_kind_fill(const char *kind, uint64_t seed, uint8_t *out, size_t n)
    MUSTUSE;

#endif
