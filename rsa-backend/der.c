/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounded DER reader and writer (X.690).
 */

/* system */
#include <string.h>

/* this room */
#include "der.h"

/* Octets of a long-form length: 2^32 - 1 is more than any limit of ours. */
#define LENGTH_OCTETS_MAX	4

/*
 * Read the length octets behind the tag of in.
 *   header   octets of tag and length together
 */
static int
length_read(struct der in, size_t *header, size_t *length)
{
	size_t count, value = 0;

	if (in.n < 2)
		return RSAB_ERR_KEY;
	if (in.p[1] < 0x80) {
		*header = 2;
		*length = in.p[1];
		return RSAB_OK;
	}
	count = in.p[1] & 0x7f;
	/* X.690 10.1: no indefinite form, no longer than needed */
	if (count == 0 || count > LENGTH_OCTETS_MAX || in.n < 2 + count ||
	    in.p[2] == 0)
		return RSAB_ERR_KEY;
	for (size_t i = 0; i < count; i++)
		value = value << 8 | in.p[2 + i];
	if (value < 0x80)
		return RSAB_ERR_KEY;
	*header = 2 + count;
	*length = value;
	return RSAB_OK;
}

int
der_read(struct der *in, enum der_tag tag, struct der *out)
{
	struct der whole = *in;
	size_t header, length;

	if (whole.n < 1 || whole.p[0] != (uint8_t)tag ||
	    length_read(whole, &header, &length) != 0 ||
	    length > whole.n - header)
		return RSAB_ERR_KEY;
	in->p = &whole.p[header + length];
	in->n = whole.n - header - length;
	out->p = &whole.p[header];
	out->n = length;
	return RSAB_OK;
}

int
der_read_unsigned(struct der *in, struct der *out)
{
	struct der rest = *in, value;
	int r;

	if ((r = der_read(&rest, DER_INTEGER, &value)) != 0)
		return r;
	/* X.690 8.3.2: shortest form; the top bit is the sign */
	if (value.n == 0 || (value.p[0] & 0x80) != 0 ||
	    (value.n > 1 && value.p[0] == 0 && (value.p[1] & 0x80) == 0))
		return RSAB_ERR_KEY;
	if (value.p[0] == 0) {
		value.p = &value.p[1];
		value.n--;
	}
	*in = rest;
	*out = value;
	return RSAB_OK;
}

size_t
der_bits(struct der magnitude)
{
	size_t bits;

	if (magnitude.n == 0)
		return 0;
	bits = 8 * (magnitude.n - 1);
	for (unsigned top = magnitude.p[0]; top != 0; top >>= 1)
		bits++;
	return bits;
}

bool
der_is(struct der in, const uint8_t *p, size_t n)
{
	return in.n == n && (n == 0 || memcmp(in.p, p, n) == 0);
}

/*
 * Octets that a length takes behind the first length octet.
 */
static size_t
length_octets(size_t n)
{
	size_t count = 0;

	if (n < 0x80)
		return 0;
	for (; n != 0; n >>= 8)
		count++;
	return count;
}

size_t
der_element_size(size_t n)
{
	return 2 + length_octets(n) + n;
}

size_t
der_put_header(uint8_t *out, enum der_tag tag, size_t n)
{
	size_t count = length_octets(n);

	out[0] = (uint8_t)tag;
	if (count == 0) {
		out[1] = (uint8_t)n;
		return 2;
	}
	out[1] = (uint8_t)(0x80 | count);
	for (size_t i = 0; i < count; i++)
		out[2 + i] = (uint8_t)(n >> (8 * (count - 1 - i)));
	return 2 + count;
}

size_t
der_unsigned_size(struct der magnitude)
{
	/* Zero is one octet; a set top bit needs a zero before it. */
	if (magnitude.n == 0)
		return 1;
	return magnitude.n + (magnitude.p[0] >> 7);
}

size_t
der_put_unsigned(uint8_t *out, struct der magnitude)
{
	size_t size = der_unsigned_size(magnitude);
	size_t at = der_put_header(out, DER_INTEGER, size);

	if (size > magnitude.n)
		out[at++] = 0;
	if (magnitude.n != 0)
		memcpy(&out[at], magnitude.p, magnitude.n);
	return at + magnitude.n;
}
