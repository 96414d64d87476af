/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scans of body canonicalization in 64-bit words, for machines
 * without vectors; see canon_run.h. Octet order of the machine does not matter:
 * a word is only asked whether it holds an event, the octets tell where.
 */

/* this room */
#include "canon_run.h"

#define LANE	8	/* octets of a word */
#define STEP	16	/* octets a round: one test for two words */
#define LOW	UINT64_C(0x7f7f7f7f7f7f7f7f)
#define EACH(c)	(UINT64_C(0x0101010101010101) * (c))

static inline uint64_t
load(struct slice in, size_t at)
{
	uint64_t word;

	memcpy(&word, &in.p[at], sizeof(word));
	return word;
}

/*
 * The top bit of an octet is clear where that octet of x is 0.
 */
static inline uint64_t
is_set(uint64_t x)
{
	return ((x & LOW) + LOW) | x;
}

/*
 * Not 0 when one of the 8 octets from at on needs work; octet at + 8 is read
 * too.
 */
static inline uint64_t
events(struct slice in, size_t at)
{
	uint64_t here = load(in, at), next = load(in, at + 1), plain;

	plain = is_set(next ^ EACH(' ')) & is_set(next ^ EACH('\t')) &
	    is_set(next ^ EACH('\r'));
	plain |= is_set(here ^ EACH(' '));
	return ~(plain & is_set(here ^ EACH('\t'))) & ~LOW;
}

size_t
canon_run(struct slice in)
{
	size_t at = 0;

	for (; in.n - at > STEP; at += STEP)
		if ((events(in, at) | events(in, at + LANE)) != 0)
			break;
	return canon_run_from(in, at);
}

static inline uint64_t
is_white(uint64_t word)
{
	return ~(is_set(word ^ EACH(' ')) & is_set(word ^ EACH('\t')));
}

/*
 * The top bit of an octet is set where relaxed drops that of the 8 octets from
 * at on, which are here; octets at + 8 and at + 9 are read too.
 */
static inline uint64_t
drops(struct slice in, size_t at, uint64_t here)
{
	uint64_t next = load(in, at + 1), second = load(in, at + 2), end;

	end = ~(is_set(next ^ EACH('\r')) | is_set(second ^ EACH('\n')));
	return is_white(here) & (is_white(next) | end) & ~LOW;
}

size_t
canon_run_pack(struct slice in, size_t n, uint8_t *out)
{
	uint8_t lane[LANE], drop[LANE];
	size_t at = 0, used = 0;
	uint64_t here, text, mask;

	for (; n - at >= LANE; at += LANE) {
		here = load(in, at);
		mask = drops(in, at, here);
		text = ~is_set(here ^ EACH('\t')) & ~LOW;
		text = here ^ (text >> 7) * ('\t' ^ ' ');
		if (mask == 0) {
			memcpy(&out[used], &text, LANE);
			used += LANE;
			continue;
		}
		memcpy(lane, &text, LANE);
		memcpy(drop, &mask, LANE);
		for (unsigned i = 0; i < LANE; i++) {
			out[used] = lane[i];
			used += drop[i] == 0;
		}
	}
	return used + canon_run_pack_from(in, at, n, &out[used]);
}

/*
 * Not 0 where of the 8 octets from at on one is a CR and the next no LF, or the
 * next is an LF and that one no CR; octet at + 8 is read too.
 */
static inline uint64_t
bares(struct slice in, size_t at)
{
	return (is_set(load(in, at) ^ EACH('\r')) ^
	    is_set(load(in, at + 1) ^ EACH('\n'))) & ~LOW;
}

size_t
canon_run_bare(struct slice in)
{
	size_t at = 0;

	if (in.n > 0 && in.p[0] == '\n')
		return 0;
	for (; in.n - at > STEP; at += STEP)
		if ((bares(in, at) | bares(in, at + LANE)) != 0)
			break;
	/* an LF here has its CR before it: that one is no fault */
	if (at > 0 && at < in.n && in.p[at] == '\n')
		at++;
	return canon_run_bare_from(in, at);
}
