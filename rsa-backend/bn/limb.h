/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limbs: the digits of the scalar paths, of 64, 32 or 8 bits, and numbers of
 * them, least significant limb first. BN_LIMB_BITS chooses; 8 is for tests
 * that try every operand.
 */
#ifndef LIMB_H
#define LIMB_H

/* system */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef BN_LIMB_BITS
#ifdef __SIZEOF_INT128__
#define BN_LIMB_BITS	64
#else
#define BN_LIMB_BITS	32
#endif
#endif

/*
 * A limb, and what holds a product of two with two more added to it. Types
 * with names of their own, since their width is what changes; a wide is
 * never narrower than int, so that it is not promoted to one with a sign.
 */
#if BN_LIMB_BITS == 64
typedef uint64_t limb;
__extension__ typedef unsigned __int128 wide;
#elif BN_LIMB_BITS == 32
typedef uint32_t limb;
typedef uint64_t wide;
#elif BN_LIMB_BITS == 8
typedef uint8_t limb;
typedef uint32_t wide;
#else
#error "BN_LIMB_BITS is 64, 32 or 8"
#endif

#define LIMB_SIZE	sizeof(limb)

/*
 * Limbs of a number of some bits.
 */
static inline unsigned
limb_count(unsigned bits)
{
	return (bits + BN_LIMB_BITS - 1) / BN_LIMB_BITS;
}

/*
 * Hide a value's origin from the optimizer, so that it cannot turn a mask
 * back into a branch.
 */
static inline limb
limb_barrier(limb x)
{
	__asm__("" : "+r"(x));
	return x;
}

/*
 * All ones where bit is 1, zero where it is 0.
 */
static inline limb
limb_mask(limb bit)
{
	return limb_barrier((limb)((wide)0 - bit));
}

/*
 * All ones where a and b are the same, else zero; both below 2^31.
 */
static inline limb
limb_mask_equal(unsigned a, unsigned b)
{
	unsigned difference = a ^ b;

	return limb_mask((limb)((difference - 1) >> 31));
}

/*
 * z = mask ? a : b, for a mask of ones or zeros.
 *   z, a, b  n limbs
 *   ct       leaks n only
 *   alias    z may be a or b
 * Limb by limb: a vector would wait for the limbs that were just written.
 */
static inline void
limb_select(limb *z, limb mask, const limb *a, const limb *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		z[i] = (limb)(b[i] ^
		    (limb_barrier((limb)(a[i] ^ b[i])) & mask));
}

/*
 * z + carry b = z + x + carry, b = 2^BN_LIMB_BITS.
 *   carry    0 or 1, and so is what is returned
 */
static inline limb
limb_add(limb *z, limb x, limb carry)
{
	wide t = (wide)*z + x + carry;

	*z = (limb)t;
	return (limb)(t >> BN_LIMB_BITS);
}

/*
 * z + carry b^2 = 2 z + x^2 + carry, b = 2^BN_LIMB_BITS.
 *   z        2 limbs
 *   carry    at most 2, and so is what is returned
 */
static inline limb
limb_double_add_square(limb *z, limb x, limb carry)
{
	wide square = (wide)x * x;
	wide t = (wide)z[0] * 2 + (limb)square + carry;

	z[0] = (limb)t;
	t = (wide)z[1] * 2 + (limb)(square >> BN_LIMB_BITS) +
	    (t >> BN_LIMB_BITS);
	z[1] = (limb)t;
	return (limb)(t >> BN_LIMB_BITS);
}

/*
 * Octets (big-endian) to n limbs, and back: path.h's from_octets, to_octets.
 *   ct       leaks n and len only
 */
static inline void
limb_from_octets(limb *z, unsigned n, const uint8_t *in, size_t len)
{
	for (size_t i = 0; i < n; i++) {
		wide x = 0;

		for (size_t j = LIMB_SIZE; j-- > 0;) {
			size_t at = i * LIMB_SIZE + j;

			x = x << 8 | (at < len ? in[len - 1 - at] : 0U);
		}
		z[i] = (limb)x;
	}
}

static inline void
limb_to_octets(uint8_t *out, size_t len, const limb *x, unsigned n)
{
	for (size_t at = 0; at < len; at++) {
		size_t i = at / LIMB_SIZE;
		unsigned shift = (unsigned)(at % LIMB_SIZE * 8);

		limb digit = i < n ? x[i] : 0U;

		out[len - 1 - at] = (uint8_t)(digit >> shift);
	}
}

/*
 * Set n octets to zero although nobody reads them again.
 */
static inline void
limb_wipe(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ volatile("" : : "r"(p) : "memory");
}

#endif
