/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scan of relaxed body canonicalization in 64-bit words, for machines
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
