/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base64 of tag values (RFC 4648 s4, RFC 6376 s2.10); see base64.h.
 */

/* this room */
#include "base64.h"
#include "dkim.h"

#define BAD	0
#define PAD	65	/* "=" */
#define SPACE	66	/* white space */
#define PART	192	/* octets encoded at once; full groups of 3 */

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* By octet: the value of a digit and 1, or one of those above. */
static const uint8_t values[256] = {
	['A'] = 1, ['B'] = 2, ['C'] = 3, ['D'] = 4, ['E'] = 5, ['F'] = 6,
	['G'] = 7, ['H'] = 8, ['I'] = 9, ['J'] = 10, ['K'] = 11, ['L'] = 12,
	['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16, ['Q'] = 17, ['R'] = 18,
	['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
	['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30,
	['e'] = 31, ['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36,
	['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40, ['o'] = 41, ['p'] = 42,
	['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
	['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54,
	['2'] = 55, ['3'] = 56, ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60,
	['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64,
	['='] = PAD, [' '] = SPACE, ['\t'] = SPACE, ['\r'] = SPACE,
	['\n'] = SPACE,
};

/*
 * Decode full groups of four digits, as long as there are only those.
 *   n        octets written are added
 *   returns  octets of in that were decoded
 */
static size_t
decode_groups(struct slice in, uint8_t *out, size_t *n)
{
	uint32_t a, b, c, d, word;
	size_t i;

	for (i = 0; in.n - i >= 4; i += 4) {
		/* what is no digit becomes 64 or more; BAD wraps */
		a = values[in.p[i]] - 1u;
		b = values[in.p[i + 1]] - 1u;
		c = values[in.p[i + 2]] - 1u;
		d = values[in.p[i + 3]] - 1u;
		if ((a | b | c | d) > 63)
			break;
		word = a << 18 | b << 12 | c << 6 | d;
		out[(*n)++] = (uint8_t)(word >> 16);
		out[(*n)++] = (uint8_t)(word >> 8);
		out[(*n)++] = (uint8_t)word;
	}
	return i;
}

int
base64_decode(struct slice in, uint8_t *out, size_t *out_len)
{
	uint32_t word = 0;
	unsigned v, digits = 0, pads = 0;
	size_t i, n = 0;

	for (i = decode_groups(in, out, &n); i < in.n; i++) {
		v = values[in.p[i]];
		/* RFC 6376 s2.10 #1, s3.6.1 #20: FWS anywhere */
		if (v == SPACE)
			continue;
		if (v == PAD) {
			pads++;
			continue;
		}
		if (v == BAD || pads != 0)
			return DKIM_ERR_SYNTAX;
		word = word << 6 | (v - 1);
		if (++digits < 4)
			continue;
		out[n++] = (uint8_t)(word >> 16);
		out[n++] = (uint8_t)(word >> 8);
		out[n++] = (uint8_t)word;
		digits = 0;
		i += decode_groups(slice_from(in, i + 1), out, &n);
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

/*
 * Eight octets as a number, the first one on top.
 */
static uint64_t
first_eight(const uint8_t *p)
{
	return (uint64_t)p[0] << 56 | (uint64_t)p[1] << 48 |
	    (uint64_t)p[2] << 40 | (uint64_t)p[3] << 32 |
	    (uint64_t)p[4] << 24 | (uint64_t)p[5] << 16 |
	    (uint64_t)p[6] << 8 | p[7];
}

static void
write_group(uint32_t word, uint8_t *out)
{
	out[0] = (uint8_t)alphabet[word >> 18];
	out[1] = (uint8_t)alphabet[word >> 12 & 63];
	out[2] = (uint8_t)alphabet[word >> 6 & 63];
	out[3] = (uint8_t)alphabet[word & 63];
}

void
base64_write(struct slice in, uint8_t *out)
{
	uint64_t eight;
	uint32_t word;
	size_t i;

	/* two groups from eight octets, of which six count */
	for (i = 0; in.n - i >= 8; i += 6, out += 8) {
		eight = first_eight(&in.p[i]);
		write_group((uint32_t)(eight >> 40), out);
		write_group((uint32_t)(eight >> 16) & 0xffffff, out + 4);
	}
	for (; in.n - i >= 3; i += 3, out += 4) {
		word = (uint32_t)in.p[i] << 16 | (uint32_t)in.p[i + 1] << 8 |
		    in.p[i + 2];
		write_group(word, out);
	}
	if (i == in.n)
		return;
	word = (uint32_t)in.p[i] << 16;
	if (in.n - i == 2)
		word |= (uint32_t)in.p[i + 1] << 8;
	write_group(word, out);
	out[3] = '=';
	if (in.n - i == 1)
		out[2] = '=';
}

void
base64_encode(struct slice in, struct buf *out)
{
	uint8_t text[BASE64_SIZE(PART)];
	size_t at, n;

	for (at = 0; at < in.n; at += n) {
		n = in.n - at < PART ? in.n - at : PART;
		base64_write(slice_sub(in, at, n), text);
		buf_add(out, slice_of(text, BASE64_SIZE(n)));
	}
}
