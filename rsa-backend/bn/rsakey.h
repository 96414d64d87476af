/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An RSA key made ready for one path: digits, Montgomery constants, CRT
 * numbers. Memory is the caller's; what is secret in it is the caller's to
 * wipe.
 */
#ifndef RSAKEY_H
#define RSAKEY_H

/* system */
#include <stddef.h>
#include <stdint.h>

/* this room */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/twopower.h"

#define RSAKEY_OCTETS_MAX	1024	/* of any number: 8192 bits */
#define RSAKEY_ALIGN		64	/* of scratch */

/* A number as octets, big-endian. */
struct rsakey_octets {
	const uint8_t	*p;
	size_t		 n;
};

struct rsakey_public {
	const struct path	*path;
	unsigned		 n;		/* digits */
	uint64_t		 e;		/* odd, at least 3 */
	struct rsakey_octets	 octets;	/* the modulus, borrowed */
	struct path_modulus	 modulus;
};

struct rsakey_private {
	const struct rsakey_public	*public;	/* 2n digits */
	unsigned			 n;		/* digits of a prime */
	unsigned			 bits;		/* of the larger one */
	struct path_prime		 p, q;
	const void			*qinv;		/* R / q mod p */
};

/* Numbers of RFC 8017 A.1.2; they belong together (rsacheck.h). */
struct rsakey_numbers {
	struct rsakey_octets	p, q, dp, dq, qinv;
};

/*
 * Octets of a number of n digits, padded to the alignment of path.h.
 */
static inline size_t
rsakey_number_size(const struct path *path, unsigned n)
{
	return (n * path->digit_size + 7) / 8 * 8;
}

/*
 * Octets up to the next boundary of scratch.
 */
static inline size_t
rsakey_align(size_t n)
{
	return (n + RSAKEY_ALIGN - 1) / RSAKEY_ALIGN * RSAKEY_ALIGN;
}

/*
 * Bits of a number.
 */
unsigned rsakey_bits(struct rsakey_octets number);

/*
 * Make a public key ready.
 *   n        digits, enough for the modulus; a private key needs twice those
 *            of its larger prime
 *   modulus  odd, without leading zeros; lives as long as the key
 *   memory   rsakey_public_size(path, n) octets, aligned to 8
 */
size_t rsakey_public_size(const struct path *path, unsigned n);
void rsakey_public_init(struct rsakey_public *key, const struct path *path,
    unsigned n, struct rsakey_octets modulus, uint64_t e, void *memory);

/*
 * The same for several paths, by one walk through the powers of two.
 *   t        begun with the modulus; goes on to rsakey_exponent(path, n), so
 *            the path with the least comes first
 */
unsigned rsakey_exponent(const struct path *path, unsigned n);
void rsakey_public_go(struct rsakey_public *key, const struct path *path,
    unsigned n, struct rsakey_octets modulus, uint64_t e, void *memory,
    struct twopower *t);

/*
 * Make a private key ready.
 *   public   of 2n digits, in the same path; lives as long as the key
 *   n        digits of the larger prime
 *   memory   rsakey_private_size(path, n) octets, aligned to 8
 *   scratch  rsakey_private_scratch(path, n) octets, aligned to 64; secret
 *            afterwards
 *   ct       leaks n and the lengths of the numbers
 */
size_t rsakey_private_size(const struct path *path, unsigned n);
size_t rsakey_private_scratch(const struct path *path, unsigned n);
void rsakey_private_init(struct rsakey_private *key,
    const struct rsakey_public *public, unsigned n,
    const struct rsakey_numbers *numbers, void *memory, void *scratch);

#endif
