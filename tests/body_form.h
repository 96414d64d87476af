/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonical forms of bodies said in a second way: line by line, with the whole
 * body in hand. For tests to compare with.
 */
#ifndef TEST_BODY_FORM_H
#define TEST_BODY_FORM_H

/* this room */
#include "tests/test.h"
#include "dkim/canon.h"

/*
 * The form as RFC 6376 s3.4.3 and s3.4.4 say it: lines, cut at CRLF; each
 * changed; the empty ones at the end left out; CRLF behind each.
 *   out      room for twice the body and two octets
 *   result   octets
 */
static inline size_t
body_form(enum dkim_canon alg, const uint8_t *in, size_t n, uint8_t *out)
{
	size_t at = 0, i, used = 0, keep_n = 0;
	bool white = false;

	while (at < n) {
		for (i = at; i < n; i++)
			if (in[i] == '\r' && i + 1 < n && in[i + 1] == '\n')
				break;
		for (white = false; at < i; at++) {
			if (alg == DKIM_RELAXED &&
			    (in[at] == ' ' || in[at] == '\t')) {
				white = true;
				continue;
			}
			if (white)
				out[used++] = ' ';
			white = false;
			out[used++] = in[at];
			keep_n = used + 2;
		}
		out[used++] = '\r';
		out[used++] = '\n';
		at = i + 2;
	}
	if (keep_n == 0 && alg == DKIM_SIMPLE) {
		memcpy(out, "\r\n", 2);
		return 2;
	}
	return keep_n;
}

/*
 * The body with each bare CR and bare LF made CRLF.
 *   out      room for twice the body
 *   result   octets
 */
static inline size_t
body_form_fix(const uint8_t *in, size_t n, uint8_t *out)
{
	size_t i, used = 0;

	for (i = 0; i < n; i++) {
		if (in[i] == '\n' && i > 0 && in[i - 1] == '\r')
			continue;
		if (in[i] != '\r' && in[i] != '\n') {
			out[used++] = in[i];
			continue;
		}
		out[used++] = '\r';
		out[used++] = '\n';
	}
	return used;
}

static inline uint32_t
body_form_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

#endif
