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

/* w = 6 loses everywhere: what it saves in products the lookups take. */
#define EXP52_SMALL		10	/* digits up to which w is 4 */
#define EXP52_WINDOW(n)		((n) <= EXP52_SMALL ? 4U : 5U)

/* Eight powers in the making: a stream. */
struct exp52 {
	struct mont52	 f;
	uint64_t	*e;		/* e[n]: exponents, digits as numbers */
	uint64_t	*table;		/* table[2^w][n] */
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

#define EXP52_KEEP(i) \
	x[i] = v52_select(mask, v52_load(MONT52_AT(p, i)), x[i]);
#define EXP52_ZERO(i)	x[i] = v52_zero();
#define EXP52_STORE(i)	v52_store(MONT52_AT(z, i), x[i]);
#define EXP52_FIVE(F)	F(0) F(1) F(2) F(3) F(4)

/*
 * z = table[index] in every lane: z[n], five digits at a time.
 *   ct       leaks n and w only
 */
static V52_NOINLINE void
exp52_lookup(uint64_t *z, const uint64_t *table, v52 index, unsigned w,
    unsigned n)
{
	const v52 one = v52_set(1);

	for (unsigned i = 0; i < n; i += 5, z += 5 * V52_LANES) {
		const uint64_t *p = MONT52_AT(table, i);
		v52 x[5], entry = v52_zero();

		EXP52_FIVE(EXP52_ZERO)
		for (unsigned j = 0; j < 1U << w; j++) {
			const v52_mask mask = v52_equal(index, entry);

			EXP52_FIVE(EXP52_KEEP)
			entry = v52_add(entry, one);
			p += n * V52_LANES;
		}
		EXP52_FIVE(EXP52_STORE)
	}
}

#undef EXP52_KEEP
#undef EXP52_ZERO
#undef EXP52_STORE
#undef EXP52_FIVE

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
	unsigned from = (bits - 1) / w * w;

	exp52_fill(s, streams, w);
	for (unsigned k = 0; k < streams; k++)
		exp52_lookup(s[k].z, s[k].table, exp52_window(&s[k], from, w),
		    w, n);
	while (from > 0) {
		from -= w;
		for (unsigned j = 0; j < w; j++)
			for (unsigned k = 0; k < streams; k++)
				mont52_square(s[k].z, s[k].z, &s[k].f);
		for (unsigned k = 0; k < streams; k++)
			exp52_lookup(s[k].entry, s[k].table,
			    exp52_window(&s[k], from, w), w, n);
		for (unsigned k = 0; k < streams; k++)
			mont52_multiply(s[k].z, s[k].z, s[k].entry, &s[k].f);
	}
}

#endif
