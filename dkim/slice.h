/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run of octets that somebody else owns, passed by value. Part of the
 * engine's public header.
 */
#ifndef DKIM_SLICE_H
#define DKIM_SLICE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
	const uint8_t	*p;
	size_t		 n;	/* octets */
};

/*
 * The octets of a NUL-ended string, without the NUL; s outlives the slice.
 */
static inline struct slice
slice_text(const char *s)
{
	return (struct slice){ (const uint8_t *)s, strlen(s) };
}

static inline struct slice
slice_of(const void *p, size_t n)
{
	return (struct slice){ p, n };
}

/*
 * The n octets of s from octet at; both inside s.
 */
static inline struct slice
slice_sub(struct slice s, size_t at, size_t n)
{
	assert(at <= s.n && n <= s.n - at);
	return (struct slice){ s.n == 0 ? s.p : s.p + at, n };
}

/*
 * s from octet at to its end.
 */
static inline struct slice
slice_from(struct slice s, size_t at)
{
	assert(at <= s.n);
	return slice_sub(s, at, s.n - at);
}

static inline bool
slice_equal(struct slice a, struct slice b)
{
	if (a.n != b.n)
		return false;
	/* what differs mostly does so at once, without a call */
	return a.n == 0 || (a.p[0] == b.p[0] && memcmp(a.p, b.p, a.n) == 0);
}

/*
 * Lower case of an ASCII letter, any other octet as it is; no locale.
 */
static inline uint8_t
slice_lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static inline uint8_t
slice_upper(uint8_t c)
{
	return c >= 'a' && c <= 'z' ? (uint8_t)(c - 32) : c;
}

/*
 * slice_lower of eight octets at once.
 */
static inline uint64_t
slice_lower_eight(uint64_t eight)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t low = eight & 0x7f * ones;
	uint64_t from_a = low + (0x80 - 'A') * ones;
	uint64_t above_z = low + (0x80 - 'Z' - 1) * ones;

	return eight | ((from_a & ~above_z & ~eight & 0x80 * ones) >> 2);
}

/*
 * Equal but for the case of ASCII letters.
 */
static inline bool
slice_equal_nocase(struct slice a, struct slice b)
{
	size_t i;

	if (a.n != b.n)
		return false;
	if (a.p == b.p)
		return true;
	for (i = 0; i < a.n; i++)
		if (a.p[i] != b.p[i] &&
		    slice_lower(a.p[i]) != slice_lower(b.p[i]))
			return false;
	return true;
}

static inline bool
slice_is(struct slice a, const char *text)
{
	return slice_equal(a, slice_text(text));
}

/*
 * Index of the first octet c in s, or s.n.
 */
static inline size_t
slice_find(struct slice s, uint8_t c)
{
	const uint8_t *at;

	if (s.n == 0)
		return 0;
	at = memchr(s.p, c, s.n);
	return at == NULL ? s.n : (size_t)(at - s.p);
}

/*
 * SP and HTAB, and CR and LF of folds (RFC 6376 s2.8 #1: WSP, FWS).
 */
static inline bool
slice_is_white(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * s without SP, HTAB, CR and LF at both ends.
 */
static inline struct slice
slice_trim(struct slice s)
{
	size_t a = 0, b = s.n;

	while (a < b && slice_is_white(s.p[a]))
		a++;
	while (b > a && slice_is_white(s.p[b - 1]))
		b--;
	return slice_sub(s, a, b - a);
}

#endif
