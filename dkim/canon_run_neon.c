/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scans of body canonicalization with NEON; see canon_run.h.
 */

/* system */
#include <arm_neon.h>

/* this room */
#include "canon_run.h"

#define LANE	16	/* octets of a vector */
#define STEP	64	/* octets a round: one test for four vectors */

/*
 * Octets set where relaxed has something to do, for the 16 from at on; octet
 * at + 16 is read too.
 */
static inline uint8x16_t
events(struct slice in, size_t at)
{
	const uint8x16_t space = vdupq_n_u8(' ');
	const uint8x16_t tab = vdupq_n_u8('\t');
	const uint8x16_t cr = vdupq_n_u8('\r');
	uint8x16_t here = vld1q_u8(&in.p[at]), next = vld1q_u8(&in.p[at + 1]);
	uint8x16_t white;

	white = vorrq_u8(vceqq_u8(next, space), vceqq_u8(next, cr));
	/* SP before HTAB: the SP is the first octet to change */
	white = vorrq_u8(white, vceqq_u8(next, tab));
	white = vandq_u8(white, vceqq_u8(here, space));
	return vorrq_u8(white, vceqq_u8(here, tab));
}

static inline bool
is_any(uint8x16_t v)
{
	uint64x2_t w = vreinterpretq_u64_u8(v);

	return (vgetq_lane_u64(w, 0) | vgetq_lane_u64(w, 1)) != 0;
}

size_t
canon_run(struct slice in)
{
	size_t at = 0;
	uint8x16_t a, b;

	/* a run that is short ends here mostly */
	if (in.n > LANE && is_any(events(in, 0)))
		return canon_run_from(in, 0);
	for (; in.n - at > STEP; at += STEP) {
		a = vorrq_u8(events(in, at), events(in, at + LANE));
		b = vorrq_u8(events(in, at + 2 * LANE),
		    events(in, at + 3 * LANE));
		if (is_any(vorrq_u8(a, b)))
			break;
	}
	for (; in.n - at > LANE; at += LANE)
		if (is_any(events(in, at)))
			break;
	return canon_run_from(in, at);
}

/*
 * Octets set where relaxed drops one of the 16 from at on, which are here;
 * octets at + 16 and at + 17 are read too.
 */
static inline uint8x16_t
drops(struct slice in, size_t at, uint8x16_t here)
{
	const uint8x16_t space = vdupq_n_u8(' ');
	const uint8x16_t tab = vdupq_n_u8('\t');
	uint8x16_t next = vld1q_u8(&in.p[at + 1]);
	uint8x16_t second = vld1q_u8(&in.p[at + 2]), end;

	end = vandq_u8(vceqq_u8(next, vdupq_n_u8('\r')),
	    vceqq_u8(second, vdupq_n_u8('\n')));
	end = vorrq_u8(end, vorrq_u8(vceqq_u8(next, space),
	    vceqq_u8(next, tab)));
	return vandq_u8(end, vorrq_u8(vceqq_u8(here, space),
	    vceqq_u8(here, tab)));
}

size_t
canon_run_pack(struct slice in, size_t n, uint8_t *out)
{
	uint8_t lane[LANE], drop[LANE];
	size_t at = 0, used = 0;
	uint8x16_t here, text, mask;

	for (; n - at >= LANE; at += LANE) {
		here = vld1q_u8(&in.p[at]);
		mask = drops(in, at, here);
		text = vbslq_u8(vceqq_u8(here, vdupq_n_u8('\t')),
		    vdupq_n_u8(' '), here);
		if (!is_any(mask)) {
			vst1q_u8(&out[used], text);
			used += LANE;
			continue;
		}
		vst1q_u8(lane, text);
		vst1q_u8(drop, mask);
		for (unsigned i = 0; i < LANE; i++) {
			out[used] = lane[i];
			used += ~drop[i] & 1;
		}
	}
	return used + canon_run_pack_from(in, at, n, &out[used]);
}

/*
 * Octets set where of the 16 from at on one is a CR and the next no LF, or the
 * next is an LF and that one no CR; octet at + 16 is read too.
 */
static inline uint8x16_t
bares(struct slice in, size_t at)
{
	return veorq_u8(vceqq_u8(vld1q_u8(&in.p[at]), vdupq_n_u8('\r')),
	    vceqq_u8(vld1q_u8(&in.p[at + 1]), vdupq_n_u8('\n')));
}

size_t
canon_run_bare(struct slice in)
{
	size_t at = 0;
	uint8x16_t a, b;

	if (in.n > 0 && in.p[0] == '\n')
		return 0;
	for (; in.n - at > STEP; at += STEP) {
		a = vorrq_u8(bares(in, at), bares(in, at + LANE));
		b = vorrq_u8(bares(in, at + 2 * LANE),
		    bares(in, at + 3 * LANE));
		if (is_any(vorrq_u8(a, b)))
			break;
	}
	/* an LF here has its CR before it: that one is no fault */
	if (at > 0 && at < in.n && in.p[at] == '\n')
		at++;
	return canon_run_bare_from(in, at);
}
