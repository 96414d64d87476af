/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Eight numbers side by side, 64 bits each, as an array: plain C for any
 * machine, for checkers that do not know AVX-512, and for tests with digits of
 * other widths (an even V52_WIDTH, up to 52). v52_avx512.h is the same with
 * zmm registers; a file includes one of the two.
 */
#ifndef V52_H
#define V52_H

/* system */
#include <stdint.h>
#include <string.h>

/* this room */
#include "rsa-backend/bn/wipe.h"

#define V52_INLINE	inline __attribute__((always_inline))
#define V52_NOINLINE	__attribute__((noinline, unused))

#define V52_LANES	8
#ifndef V52_WIDTH
#define V52_WIDTH	52
#endif
#define V52_DIGIT	((UINT64_C(1) << V52_WIDTH) - 1)
#define V52_HALF	(V52_WIDTH / 2)
#define V52_HALF_DIGIT	((UINT64_C(1) << V52_HALF) - 1)

#define V52_EACH(i)	for (unsigned i = 0; i < V52_LANES; i++)

typedef struct {
	uint64_t	lane[V52_LANES];
} v52;

/* Lane i is bit i. */
typedef uint8_t v52_mask;

static inline v52
v52_set(uint64_t x)
{
	v52 z;

	V52_EACH(i)
		z.lane[i] = x;
	return z;
}

static inline v52
v52_zero(void)
{
	return v52_set(0);
}

/* p is aligned to 64 octets. */
static inline v52
v52_load(const uint64_t *p)
{
	v52 z;

	memcpy(&z, p, sizeof z);
	return z;
}

static inline void
v52_store(uint64_t *p, v52 a)
{
	memcpy(p, &a, sizeof a);
}

/*
 * c += the low half of a b, c += the high half of a b: of a and b the low
 * V52_WIDTH bits count, the others are ignored as VPMADD52 does. Calls, not
 * inlined: there are a thousand of them.
 */
static V52_NOINLINE void
v52_madlo(v52 *c, const v52 *a, const v52 *b)
{
	V52_EACH(i)
		c->lane[i] += (a->lane[i] * b->lane[i]) & V52_DIGIT;
}

static V52_NOINLINE void
v52_madhi(v52 *c, const v52 *a, const v52 *b)
{
	V52_EACH(i) {
		uint64_t a0 = a->lane[i] & V52_HALF_DIGIT;
		uint64_t a1 = (a->lane[i] & V52_DIGIT) >> V52_HALF;
		uint64_t b0 = b->lane[i] & V52_HALF_DIGIT;
		uint64_t b1 = (b->lane[i] & V52_DIGIT) >> V52_HALF;
		uint64_t middle = a0 * b1 + a1 * b0 + (a0 * b0 >> V52_HALF);

		c->lane[i] += a1 * b1 + (middle >> V52_HALF);
	}
}

static inline v52
v52_add(v52 a, v52 b)
{
	V52_EACH(i)
		a.lane[i] += b.lane[i];
	return a;
}

static inline v52
v52_sub(v52 a, v52 b)
{
	V52_EACH(i)
		a.lane[i] -= b.lane[i];
	return a;
}

static inline v52
v52_and(v52 a, v52 b)
{
	V52_EACH(i)
		a.lane[i] &= b.lane[i];
	return a;
}

static inline v52
v52_or(v52 a, v52 b)
{
	V52_EACH(i)
		a.lane[i] |= b.lane[i];
	return a;
}

/* Shifts by 0 to 63. */
static inline v52
v52_shr(v52 a, unsigned count)
{
	V52_EACH(i)
		a.lane[i] >>= count;
	return a;
}

static inline v52
v52_shl(v52 a, unsigned count)
{
	V52_EACH(i)
		a.lane[i] <<= count;
	return a;
}

/* Of the lane as a signed number: what comes in is its sign. count > 0. */
static inline v52
v52_sar(v52 a, unsigned count)
{
	V52_EACH(i) {
		uint64_t sign = UINT64_C(0) - (a.lane[i] >> 63);

		a.lane[i] = a.lane[i] >> count | sign << (64 - count);
	}
	return a;
}

static inline v52_mask
v52_equal(v52 a, v52 b)
{
	unsigned mask = 0;

	V52_EACH(i) {
		uint64_t d = a.lane[i] ^ b.lane[i];

		mask |= (unsigned)(~(d | (UINT64_C(0) - d)) >> 63) << i;
	}
	return (v52_mask)mask;
}

/* a in the lanes of mask, b in the others. */
static inline v52
v52_select(v52_mask mask, v52 a, v52 b)
{
	V52_EACH(i) {
		uint64_t all = UINT64_C(0) - ((unsigned)mask >> i & 1);

		b.lane[i] ^= (a.lane[i] ^ b.lane[i]) & all;
	}
	return b;
}

/* Loads and stores stay on their side: else compilers hoist and spill. */
static inline void
v52_barrier(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Registers hold no secret afterwards. */
static inline void
v52_clear(void)
{
	wipe_registers();
}

#endif
