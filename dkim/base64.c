/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base64 of tag values (RFC 4648 s4, RFC 6376 s2.10); see base64.h.
 */

/* this room */
#include "base64.h"
#include "dkim.h"

#define PAD	64	/* value of "=" */
#define SPACE	65	/* value of white space */
#define BAD	66

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static unsigned
value_of(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26u;
	if (c >= '0' && c <= '9')
		return c - '0' + 52u;
	switch (c) {
	case '+':
		return 62;
	case '/':
		return 63;
	case '=':
		return PAD;
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		return SPACE;
	default:
		return BAD;
	}
}

int
base64_decode(struct slice in, uint8_t *out, size_t *out_len)
{
	uint32_t word = 0;
	unsigned v, digits = 0, pads = 0;
	size_t i, n = 0;

	for (i = 0; i < in.n; i++) {
		v = value_of(in.p[i]);
		if (v == SPACE)
			continue;
		if (v == PAD) {
			pads++;
			continue;
		}
		if (v == BAD || pads != 0)
			return DKIM_ERR_SYNTAX;
		word = word << 6 | v;
		if (++digits < 4)
			continue;
		out[n++] = (uint8_t)(word >> 16);
		out[n++] = (uint8_t)(word >> 8);
		out[n++] = (uint8_t)word;
		digits = 0;
	}
	/* RFC 4648 s3.2: the last group is filled up, and only that */
	if (digits == 1 || pads != (digits == 0 ? 0 : 4 - digits))
		return DKIM_ERR_SYNTAX;
	if (digits == 2)
		out[n++] = (uint8_t)(word >> 4);
	if (digits == 3) {
		out[n++] = (uint8_t)(word >> 10);
		out[n++] = (uint8_t)(word >> 2);
	}
	*out_len = n;
	return 0;
}

void
base64_encode(struct slice in, struct buf *out)
{
	uint8_t group[4];
	uint32_t word;
	size_t i, left;

	for (i = 0; i < in.n; i += 3) {
		left = in.n - i;
		word = (uint32_t)in.p[i] << 16;
		if (left > 1)
			word |= (uint32_t)in.p[i + 1] << 8;
		if (left > 2)
			word |= in.p[i + 2];
		group[0] = (uint8_t)alphabet[word >> 18];
		group[1] = (uint8_t)alphabet[word >> 12 & 63];
		group[2] = left > 1 ? (uint8_t)alphabet[word >> 6 & 63] : '=';
		group[3] = left > 2 ? (uint8_t)alphabet[word & 63] : '=';
		buf_add(out, slice_of(group, sizeof(group)));
	}
}
