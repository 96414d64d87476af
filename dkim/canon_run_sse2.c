/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scans of body canonicalization with SSE2; see canon_run.h.
 */

/* system */
#include <emmintrin.h>

/* this room */
#include "canon_run.h"

#define LANE	16	/* octets of a vector */
#define STEP	64	/* octets a round: one test for four vectors */

static inline __m128i
load(struct slice in, size_t at)
{
	return _mm_loadu_si128((const void *)&in.p[at]);
}

/*
 * Octets set where relaxed has something to do, for the 16 from at on; octet
 * at + 16 is read too.
 */
static inline __m128i
events(struct slice in, size_t at)
{
	const __m128i space = _mm_set1_epi8(' ');
	const __m128i tab = _mm_set1_epi8('\t');
	const __m128i cr = _mm_set1_epi8('\r');
	__m128i here = load(in, at), next = load(in, at + 1), white;

	white = _mm_or_si128(_mm_cmpeq_epi8(next, space),
	    _mm_cmpeq_epi8(next, cr));
	/* SP before HTAB: the SP is the first octet to change */
	white = _mm_or_si128(white, _mm_cmpeq_epi8(next, tab));
	white = _mm_and_si128(white, _mm_cmpeq_epi8(here, space));
	return _mm_or_si128(white, _mm_cmpeq_epi8(here, tab));
}

size_t
canon_run(struct slice in)
{
	size_t at = LANE;
	__m128i a, b;
	unsigned mask;

	if (in.n <= LANE)
		return canon_run_from(in, 0);
	/* a run that is short ends here mostly */
	mask = (unsigned)_mm_movemask_epi8(events(in, 0));
	if (mask != 0)
		return (unsigned)__builtin_ctz(mask);
	for (; in.n - at > STEP; at += STEP) {
		a = _mm_or_si128(events(in, at), events(in, at + LANE));
		b = _mm_or_si128(events(in, at + 2 * LANE),
		    events(in, at + 3 * LANE));
		if (_mm_movemask_epi8(_mm_or_si128(a, b)) != 0)
			break;
	}
	for (; in.n - at > LANE; at += LANE) {
		mask = (unsigned)_mm_movemask_epi8(events(in, at));
		if (mask != 0)
			return at + (unsigned)__builtin_ctz(mask);
	}
	/* the rest but the last one, with some that are done */
	at = in.n - 1 - LANE;
	mask = (unsigned)_mm_movemask_epi8(events(in, at));
	return mask != 0 ? at + (unsigned)__builtin_ctz(mask) :
	    canon_run_from(in, in.n - 1);
}

/*
 * Octets set where relaxed drops one of the 16 from at on, which are here;
 * octets at + 16 and at + 17 are read too.
 */
static inline __m128i
drops(struct slice in, size_t at, __m128i here)
{
	const __m128i space = _mm_set1_epi8(' ');
	const __m128i tab = _mm_set1_epi8('\t');
	__m128i next = load(in, at + 1), second = load(in, at + 2), end;

	end = _mm_and_si128(_mm_cmpeq_epi8(next, _mm_set1_epi8('\r')),
	    _mm_cmpeq_epi8(second, _mm_set1_epi8('\n')));
	end = _mm_or_si128(end, _mm_or_si128(_mm_cmpeq_epi8(next, space),
	    _mm_cmpeq_epi8(next, tab)));
	return _mm_and_si128(end, _mm_or_si128(_mm_cmpeq_epi8(here, space),
	    _mm_cmpeq_epi8(here, tab)));
}

size_t
canon_run_pack(struct slice in, size_t n, uint8_t *out)
{
	const __m128i tab = _mm_set1_epi8('\t');
	const __m128i change = _mm_set1_epi8('\t' ^ ' ');
	uint8_t lane[LANE];
	size_t at = 0, used = 0;
	__m128i here, text;
	unsigned mask;

	for (; n - at >= LANE; at += LANE) {
		here = load(in, at);
		mask = (unsigned)_mm_movemask_epi8(drops(in, at, here));
		text = _mm_xor_si128(here, _mm_and_si128(change,
		    _mm_cmpeq_epi8(here, tab)));
		if (mask == 0) {
			_mm_storeu_si128((void *)&out[used], text);
			used += LANE;
			continue;
		}
		_mm_storeu_si128((void *)lane, text);
#pragma GCC unroll 16
		for (unsigned i = 0; i < LANE; i++) {
			out[used] = lane[i];
			used += ~mask & 1;
			mask >>= 1;
		}
	}
	return used + canon_run_pack_from(in, at, n, &out[used]);
}

/*
 * Octets set where of the 16 from at on one is a CR and the next no LF, or the
 * next is an LF and that one no CR; octet at + 16 is read too.
 */
static inline __m128i
bares(struct slice in, size_t at)
{
	return _mm_xor_si128(
	    _mm_cmpeq_epi8(load(in, at), _mm_set1_epi8('\r')),
	    _mm_cmpeq_epi8(load(in, at + 1), _mm_set1_epi8('\n')));
}

size_t
canon_run_bare(struct slice in)
{
	size_t at = 0;
	__m128i a, b;

	if (in.n > 0 && in.p[0] == '\n')
		return 0;
	for (; in.n - at > STEP; at += STEP) {
		a = _mm_or_si128(bares(in, at), bares(in, at + LANE));
		b = _mm_or_si128(bares(in, at + 2 * LANE),
		    bares(in, at + 3 * LANE));
		if (_mm_movemask_epi8(_mm_or_si128(a, b)) != 0)
			break;
	}
	/* an LF here has its CR before it: that one is no fault */
	if (at > 0 && at < in.n && in.p[at] == '\n')
		at++;
	return canon_run_bare_from(in, at);
}
