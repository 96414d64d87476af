/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The little of DER (X.690) that keys need: SEQUENCE, INTEGER, and headers of
 * anything else. It reads lengths and gives slices, and decodes nothing, so
 * that a limit can be checked before a number is made.
 *
 * Strict: definite lengths in their shortest form, integers that are not
 * negative in their shortest form.
 */
#ifndef DER_H
#define DER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* this room */
#include "rsab.h"

enum der_tag {
	DER_INTEGER = 0x02,
	DER_BIT_STRING = 0x03,
	DER_OCTET_STRING = 0x04,
	DER_NULL = 0x05,
	DER_OID = 0x06,
	DER_SEQUENCE = 0x30,
	DER_CONTEXT_0 = 0xa0,		/* [0] constructed */
	DER_CONTEXT_1 = 0x81,		/* [1] primitive */
};

/* Octets of the longest header that der_put_header writes. */
#define DER_HEADER_MAX	6

/* Octets within somebody else's buffer. */
struct der {
	const uint8_t	*p;
	size_t		 n;
};

/*
 * Take one element of a tag off the front of in.
 *   out      its contents; may be in itself
 *   errors   RSAB_ERR_KEY: another tag, a length not in DER or past the end;
 *            in is then unchanged
 *   source   X.690 8.1, 10.1
 */
int der_read(struct der *in, enum der_tag tag, struct der *out) MUSTUSE;

/*
 * Take one INTEGER >= 0 off the front of in.
 *   out      its magnitude, big-endian without leading zeros; empty for 0
 *   source   X.690 8.3
 */
int der_read_unsigned(struct der *in, struct der *out) MUSTUSE;

/*
 * Bits of a magnitude.
 */
size_t der_bits(struct der magnitude);

/*
 * Contents are these octets.
 */
bool der_is(struct der in, const uint8_t *p, size_t n);

/*
 * Octets of an element with n octets of contents.
 */
size_t der_element_size(size_t n);

/*
 * Write the header of an element.
 *   n        octets of the contents, below 2^32
 *   out      at least DER_HEADER_MAX octets
 *   returns  octets written
 */
size_t der_put_header(uint8_t *out, enum der_tag tag, size_t n);

/*
 * Octets of an INTEGER's contents, and the whole element written to out.
 *   returns  octets written
 */
size_t der_unsigned_size(struct der magnitude);
size_t der_put_unsigned(uint8_t *out, struct der magnitude);

#endif
