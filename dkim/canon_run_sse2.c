/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scan of relaxed body canonicalization with SSE2; see canon_run.h.
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
	size_t at = 0;
	__m128i a, b;
	unsigned mask;

	/* a run that is short ends here mostly */
	if (in.n > LANE) {
		mask = (unsigned)_mm_movemask_epi8(events(in, 0));
		if (mask != 0)
			return (unsigned)__builtin_ctz(mask);
		at = LANE;
	}
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
	return canon_run_from(in, at);
}
