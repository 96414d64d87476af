/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Powers of eight lanes by fixed windows (RFC 8017 s5.1.2 needs two a
 * signature). Every lane has its own modulus, base and exponent; the sequence
 * of operations and of addresses is that of `bits` and n alone: a window is
 * looked up by reading the whole table and keeping one entry a lane.
 */
#ifndef EXP52_H
#define EXP52_H

/* this room */
#include "rsa-backend/bn/mont52.h"

/*
 * w = 6 loses everywhere: what it saves in products the lookups take. So does
 * w = 5 up to 20 digits: the table and what is worked on, 50 KB, are more than
 * the first-level cache holds.
 */
#define EXP52_SMALL		20	/* digits up to which w is 4 */
#define EXP52_WINDOW(n)		((n) <= EXP52_SMALL ? 4U : 5U)
#define EXP52_STEPS		30	/* digits from which steps win */

/* Eight powers in the making: a stream. */
struct exp52 {
	struct mont52	 f;
	uint64_t	*e;		/* e[n]: exponents, digits as numbers */
	uint64_t	*table;		/* table[2^w][n] */
	uint64_t	*index;		/* index[1]: the window of each lane */
	uint64_t	*entry;		/* entry[n]: what was looked up */
	uint64_t	*z;		/* z[n] */
};

/*
 * The w bits of each lane's exponent from bit `from` on; zeros above digit n.
 */
static inline v52
exp52_window(const struct exp52 *s, unsigned from, unsigned w)
{
	unsigned i = from / V52_WIDTH;
	unsigned have = V52_WIDTH - from % V52_WIDTH;
	v52 z = v52_shr(v52_load(MONT52_AT(s->e, i)), from % V52_WIDTH);

	for (i++; have < w && i < s->f.n; i++, have += V52_WIDTH)
		z = v52_or(z, v52_shl(v52_load(MONT52_AT(s->e, i)), have));
	return v52_and(z, v52_set((UINT64_C(1) << w) - 1));
}

/*
 * Look up the window from bit `from` on, or begin to.
 */
static inline void
exp52_lookup(struct exp52 *s, unsigned from, unsigned w)
{
	const v52 window = exp52_window(s, from, w);

	if (s->f.n < EXP52_STEPS) {
		lookup52_at_once(s->entry, s->table, window, 1U << w, s->f.n);
		return;
	}
	v52_store(s->index, window);
	lookup52_start(s->f.lookup, s->entry, s->table, s->index, 1U << w,
	    s->f.n);
}

/*
 * Fill the table with x^0 R ... x^(2^w - 1) R. table[0] and table[1] are there.
 */
static inline void
exp52_fill(struct exp52 *s, unsigned streams, unsigned w)
{
	const size_t size = (size_t)s->f.n * V52_LANES;

	for (unsigned j = 2; j < 1U << w; j += 2) {
		for (unsigned k = 0; k < streams; k++)
			mont52_square(s[k].table + j * size,
			    s[k].table + j / 2 * size, &s[k].f);
		for (unsigned k = 0; k < streams; k++)
			mont52_multiply(s[k].table + (j + 1) * size,
			    s[k].table + j * size, s[k].table + size,
			    &s[k].f);
	}
}

/*
 * z = x^e R mod m of each lane of streams: z below 2 m.
 *   in       s->table[0] is R, s->table[1] is x R, each mod m and below 2 m
 *   bits     no exponent has more; at most width n
 *   ct       leaks n, bits and streams only
 */
static V52_NOINLINE void
exp52_power(struct exp52 *s, unsigned streams, unsigned bits)
{
	const unsigned n = s->f.n, w = EXP52_WINDOW(n);
	unsigned from = w == 4 ? (bits - 1) / 4 * 4 : (bits - 1) / 5 * 5;

	exp52_fill(s, streams, w);
	for (unsigned k = 0; k < streams; k++) {
		exp52_lookup(&s[k], from, w);
		lookup52_finish(s[k].f.lookup);
		memcpy(s[k].z, s[k].entry, n * V52_LANES * sizeof *s[k].z);
	}
	while (from > 0) {
		from -= w;
		for (unsigned k = 0; k < streams; k++)
			exp52_lookup(&s[k], from, w);
		for (unsigned j = 0; j < w; j++)
			for (unsigned k = 0; k < streams; k++)
				mont52_square(s[k].z, s[k].z, &s[k].f);
		for (unsigned k = 0; k < streams; k++) {
			lookup52_finish(s[k].f.lookup);
			mont52_multiply(s[k].z, s[k].z, s[k].entry, &s[k].f);
		}
	}
}

#endif
