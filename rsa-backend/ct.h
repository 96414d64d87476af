/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare and select without a branch or an index that depends on the values
 * (secrets: lengths are public, contents are not).
 */
#ifndef CT_H
#define CT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Hide a value's origin from the optimizer, so that it cannot turn a mask
 * back into a branch.
 */
static inline uint32_t
ct_barrier(uint32_t x)
{
	__asm__("" : "+r"(x));
	return x;
}

/*
 * All ones where x is zero, else zero.
 */
static inline uint32_t
ct_is_zero(uint32_t x)
{
	x = ct_barrier(x);
	return (uint32_t)0 - (((x | ((uint32_t)0 - x)) >> 31) ^ 1);
}

/*
 * All ones where n octets are the same, else zero. ct: leaks n only.
 */
static inline uint32_t
ct_equal(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint32_t difference = 0;
	uint64_t folded = 0, x, y;

	for (; n >= sizeof x; n -= sizeof x, a += sizeof x, b += sizeof x) {
		memcpy(&x, a, sizeof x);
		memcpy(&y, b, sizeof y);
		folded |= x ^ y;
	}
	for (size_t i = 0; i < n; i++)
		difference |= (uint32_t)(a[i] ^ b[i]);
	return ct_is_zero(difference | (uint32_t)folded |
	    (uint32_t)(folded >> 32));
}

/*
 * a where mask is all ones, b where it is zero.
 */
static inline uint32_t
ct_select(uint32_t mask, uint32_t a, uint32_t b)
{
	mask = ct_barrier(mask);
	return (a & mask) | (b & ~mask);
}

/*
 * Set z to a where mask is all ones, to b where it is zero. ct: leaks n
 * only; alias: z may be a or b.
 */
static inline void
ct_select_octets(uint32_t mask, uint8_t *z, const uint8_t *a, const uint8_t *b,
    size_t n)
{
	for (size_t i = 0; i < n; i++)
		z[i] = (uint8_t)ct_select(mask, a[i], b[i]);
}

#endif
