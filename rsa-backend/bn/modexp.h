/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exponentiation: with a secret exponent in windows of a fixed length whose
 * table is read whole for each, and with a public one bit by bit.
 */
#ifndef MODEXP_H
#define MODEXP_H

/* this room */
#include "rsa-backend/bn/limb.h"
#include "rsa-backend/bn/mont.h"

/* Limbs of a vector, and of the vectors that a pass over a table selects. */
#define MODEXP_VECTOR	((unsigned)(16 / LIMB_SIZE))
#define MODEXP_CHUNK	(4 * MODEXP_VECTOR)

typedef limb modexp_vector __attribute__((vector_size(16)));
typedef int32_t modexp_mask __attribute__((vector_size(16)));

/*
 * Bits of a window: where 16 entries of a table take less time to make than
 * the multiplications that 32 save.
 */
static inline unsigned
modexp_window(unsigned n)
{
	return n * BN_LIMB_BITS <= 512 ? 4 : 5;
}

/* Limbs of room for modexp_private: a table. */
static inline size_t
modexp_scratch(unsigned n)
{
	return (size_t)n << modexp_window(n);
}

/*
 * The count bits of x from bit at on; those above n limbs are zero.
 *   ct       leaks n, at, count
 */
static inline unsigned
modexp_bits(const limb *x, unsigned n, unsigned at, unsigned count)
{
	unsigned i = at / BN_LIMB_BITS, shift = at % BN_LIMB_BITS;
	wide t = i < n ? x[i] : 0U;

	if (i + 1 < n)
		t |= (wide)x[i + 1] << BN_LIMB_BITS;
	return (unsigned)(t >> shift) & ((1U << count) - 1);
}

/* sum |= x & mask: by reference, for machines without vectors. */
static inline void
modexp_take(modexp_vector *sum, const limb *x, const modexp_vector *mask)
{
	modexp_vector v;

	memcpy(&v, x, sizeof(v));
	*sum |= v & *mask;
}

/*
 * A chunk of modexp_select: MODEXP_CHUNK limbs of each entry.
 *   loops    1: entries
 */
static inline void
modexp_select_chunk(limb *z, const limb *table, unsigned n, unsigned entries,
    unsigned index)
{
	const modexp_vector zero = { 0 };
	modexp_vector a = zero, b = zero, c = zero, d = zero;
	int32_t wanted = (int32_t)index;

	/* As limb_barrier. */
	__asm__("" : "+r"(wanted));
	modexp_mask difference, at = { 0 },
	    index4 = { wanted, wanted, wanted, wanted };

	for (unsigned i = 0; i < entries; i++, table += n) {
		/* Below zero once 1 is taken away: only 0 is. */
		difference = at ^ index4;
		modexp_vector mask = (modexp_vector)((difference - 1) >> 31);

		at += 1;
		modexp_take(&a, table, &mask);
		modexp_take(&b, table + MODEXP_VECTOR, &mask);
		modexp_take(&c, table + 2 * MODEXP_VECTOR, &mask);
		modexp_take(&d, table + 3 * MODEXP_VECTOR, &mask);
	}
	memcpy(z, &a, sizeof(a));
	memcpy(z + MODEXP_VECTOR, &b, sizeof(b));
	memcpy(z + 2 * MODEXP_VECTOR, &c, sizeof(c));
	memcpy(z + 3 * MODEXP_VECTOR, &d, sizeof(d));
}

/*
 * z = table[index].
 *   z        n limbs
 *   table    entries numbers of n limbs each
 *   ct       leaks n and entries only: reads all of the table
 *   loops    3: chunks, with theirs; entries and limbs of a short number
 */
static inline void
modexp_select(limb *z, const limb *table, unsigned n, unsigned entries,
    unsigned index)
{
	unsigned j = 0;

	for (; j + MODEXP_CHUNK <= n; j += MODEXP_CHUNK)
		modexp_select_chunk(z + j, table + j, n, entries, index);
	/* The last chunk lies over the one before. */
	if (j > 0 && j < n) {
		j = n - MODEXP_CHUNK;
		modexp_select_chunk(z + j, table + j, n, entries, index);
		return;
	}
	if (j == n)
		return;
	memset(z, 0, LIMB_SIZE * n);
	for (unsigned i = 0; i < entries; i++, table += n) {
		limb mask = limb_mask_equal(i, index);

		for (j = 0; j < n; j++)
			z[j] |= (limb)(table[j] & mask);
	}
}

/*
 * z = x^d mod m.
 *   x        n limbs, below m: the base times R
 *   one      n limbs, R mod m
 *   d        n limbs, of at most bits bits; bits at least 1
 *   z        n limbs, below m: the result times R; apart from x and one
 *   table    modexp_scratch(n) limbs of room
 *   ct       leaks n and bits only
 *   loops    3: entries of the table, windows, bits of a window
 *   source   Menezes 1996, algorithm 14.109
 */
static inline void
modexp_private(const struct mont *c, limb *z, const limb *x, const limb *one,
    const limb *d, unsigned bits, limb *table)
{
	unsigned n = c->n, window = modexp_window(n), entries = 1U << window;
	unsigned at = window == 4 ? (bits + 3) / 4 * 4 : (bits + 4) / 5 * 5;
	limb *entry = table + 2 * (size_t)n;

	memcpy(table, one, LIMB_SIZE * n);
	memcpy(table + n, x, LIMB_SIZE * n);
	for (unsigned i = 2; i < entries; i += 2, entry += 2 * (size_t)n) {
		mont_square(c, entry, table + (size_t)i / 2 * n);
		mont_multiply(c, entry + n, entry, x);
	}

	at -= window;
	modexp_select(z, table, n, entries, modexp_bits(d, n, at, window));
	while (at > 0) {
		/* Where mont_reduce puts a difference, once this is used. */
		limb *factor = c->t + 2 * (size_t)n;

		at -= window;
		for (unsigned i = 0; i < window; i++)
			mont_square(c, z, z);
		modexp_select(factor, table, n, entries,
		    modexp_bits(d, n, at, window));
		mont_multiply(c, z, z, factor);
	}
}

/*
 * z = x^e mod m.
 *   e        odd, at least 3
 *   x        n limbs, below m
 *   rr       n limbs, R^2 mod m
 *   z        n limbs, below m; may be x
 *   room     2n limbs
 *   ct       leaks n and e
 *   loops    2: the length of e, its bits
 */
static inline void
modexp_public(const struct mont *c, limb *z, const limb *x, const limb *rr,
    uint64_t e, limb *room)
{
	limb *base = room, *power = room + c->n;
	unsigned at = 0;

	while (e >> at > 1)
		at++;
	mont_multiply(c, base, x, rr);
	mont_square(c, power, base);
	while (--at > 0) {
		if ((e >> at & 1) != 0)
			mont_multiply(c, power, power, base);
		mont_square(c, power, power);
	}
	/* Bit 0: the plain x, not base, takes the R out again. */
	mont_multiply(c, z, power, x);
}

#endif
