/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base64 of tag values (RFC 4648 s4, RFC 6376 s2.10): white space anywhere.
 */
#ifndef DKIM_BASE64_H
#define DKIM_BASE64_H

#include "buf.h"

#define BASE64_SIZE(n)	(((n) + 2) / 3 * 4)	/* octets for n, without NUL */

/*
 * Decode; SP, HTAB, CR and LF are skipped; the last group must be filled up
 * with "=". Bits that fill up are ignored (RFC 4648 s3.5 leaves it open; there
 * are signers that set them, and other verifiers take it).
 *   out      room for in.n / 4 * 3 + 3 octets
 *   out_len  octets written
 *   errors   DKIM_ERR_SYNTAX
 */
int base64_decode(struct slice in, uint8_t *out, size_t *out_len) MUSTUSE;

/*
 * Encode, one line, padded; appended to out. Or to memory that has room for
 * BASE64_SIZE(in.n) octets; as many are written.
 */
void base64_encode(struct slice in, struct buf *out);
void base64_write(struct slice in, uint8_t *out);

#endif
