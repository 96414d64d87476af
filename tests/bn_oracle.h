/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libcrypto's BIGNUM beside a path: numbers to and from digits, constants of
 * a modulus made by division, and the operands that tests of a path share.
 */
#ifndef BN_ORACLE_H
#define BN_ORACLE_H

/* system */
#include <openssl/bn.h>

/* rsa-backend */
#include "rsa-backend/bn/path.h"

/* this room */
#include "tests/test.h"

#define ORACLE_OCTETS	4096	/* more than any number of these tests */

/* splitmix64: the same numbers in each run. */
static inline uint64_t
oracle_random(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

/* A BIGNUM, or the test ends. */
static inline BIGNUM *
oracle_new(void)
{
	BIGNUM *x = BN_new();

	assert_non_null(x);
	return x;
}

/* below 2^bits */
static inline void
oracle_bits(BIGNUM *x, unsigned bits, uint64_t *state)
{
	uint8_t octets[ORACLE_OCTETS];
	size_t n = (bits + 7) / 8;

	for (size_t i = 0; i < n; i++)
		octets[i] = (uint8_t)oracle_random(state);
	assert_non_null(BN_bin2bn(octets, (int)n, x));
	(void)BN_mask_bits(x, (int)bits);
}

/* below limit */
static inline void
oracle_below(BIGNUM *x, const BIGNUM *limit, uint64_t *state, BN_CTX *ctx)
{
	oracle_bits(x, (unsigned)BN_num_bits(limit) + 64, state);
	assert_true(BN_mod(x, x, limit, ctx));
}

static inline void
oracle_two_power(BIGNUM *x, unsigned exponent)
{
	BN_zero(x);
	assert_true(BN_set_bit(x, (int)exponent));
}

/* n digits for path, in memory of exactly that size; the caller frees. */
static inline void *
oracle_digits(const struct path *path, const BIGNUM *x, unsigned n)
{
	uint8_t octets[ORACLE_OCTETS];
	void *digits = malloc(n * path->digit_size);

	assert_non_null(digits);
	assert_int_equal(BN_bn2binpad(x, octets, sizeof(octets)),
	    sizeof(octets));
	path->from_octets(digits, n, octets, sizeof(octets));
	return digits;
}

/* Fail, naming the row, unless n digits are x. */
#define oracle_equal(row, path, digits, n, x) \
	oracle_equal_at(row, path, digits, n, x, __FILE__, __LINE__)
static inline void
oracle_equal_at(const char *row, const struct path *path, const void *digits,
    unsigned n, const BIGNUM *x, const char *file, int line)
{
	static uint8_t got[ORACLE_OCTETS], want[ORACLE_OCTETS];
	size_t len = (size_t)n * path->width / 8 + 8;

	path->to_octets(got, len, digits, n);
	assert_int_equal(BN_bn2binpad(x, want, (int)len), (int)len);
	if (memcmp(got, want, len) == 0)
		return;
	fprintf(stderr, "# path %s, %u digits\n", path->name, n);
	test_octets_at(row, got, len, want, len, file, line);
}

/* A prime of a key, or any odd modulus, with digits that are its own. */
struct oracle_prime {
	struct path_prime	prime;
	void			*m, *rr, *r3, *d;
};

static inline void
oracle_prime_init(struct oracle_prime *p, const struct path *path, unsigned n,
    const BIGNUM *m, const BIGNUM *d, BN_CTX *ctx)
{
	BIGNUM *x = oracle_new(), *inverse = oracle_new();
	uint8_t octets[8];

	p->m = oracle_digits(path, m, n);
	oracle_two_power(x, 2 * n * path->width);
	assert_true(BN_mod(x, x, m, ctx));
	p->rr = oracle_digits(path, x, n);
	oracle_two_power(x, 3 * n * path->width);
	assert_true(BN_mod(x, x, m, ctx));
	p->r3 = oracle_digits(path, x, n);
	p->d = oracle_digits(path, d, n);

	/* -m^-1 mod 2^width */
	oracle_two_power(x, path->width);
	assert_non_null(BN_mod_inverse(inverse, m, x, ctx));
	assert_true(BN_sub(x, x, inverse));
	assert_int_equal(BN_bn2binpad(x, octets, 8), 8);
	p->prime.modulus.k0 = 0;
	for (size_t i = 0; i < 8; i++)
		p->prime.modulus.k0 = p->prime.modulus.k0 << 8 | octets[i];
	p->prime.modulus.m = p->m;
	p->prime.modulus.rr = p->rr;
	p->prime.r3 = p->r3;
	p->prime.d = p->d;
	BN_free(inverse);
	BN_free(x);
}

static inline void
oracle_prime_clear(struct oracle_prime *p)
{
	free(p->m);
	free(p->rr);
	free(p->r3);
	free(p->d);
}

/* Scratch of exactly the size a path asks for. */
static inline void *
oracle_scratch(size_t size)
{
	void *scratch = NULL;

	assert_int_equal(posix_memalign(&scratch, 64, size), 0);
	memset(scratch, 0xa5, size);
	return scratch;
}

/* Kinds of moduli: where carries run long, and where k0 is 1 or -1. */
enum oracle_kind {
	ORACLE_RANDOM,
	ORACLE_ONES,		/* 2^bits - 1 */
	ORACLE_TOP_ONES,	/* top half ones */
	ORACLE_SPARSE,		/* 2^(bits - 1) + 1: m = 1 mod 2^64 */
	ORACLE_LOW_ONE,		/* m = 1 mod 2^64, k0 = -1 */
	ORACLE_LOW_MINUS,	/* m = -1 mod 2^64, k0 = 1 */
	ORACLE_KINDS
};

static const char *const oracle_kind_names[ORACLE_KINDS] = {
	"random", "all ones", "top ones", "sparse", "low digit 1",
	"low digit -1"
};

/* An odd modulus of exactly that many bits, at least 66. */
static inline void
oracle_modulus(BIGNUM *m, unsigned bits, enum oracle_kind kind,
    uint64_t *state)
{
	oracle_bits(m, bits, state);
	if (kind == ORACLE_SPARSE)
		BN_zero(m);
	for (unsigned i = 0; i < bits; i++) {
		if (kind == ORACLE_ONES ||
		    (kind == ORACLE_TOP_ONES && i >= bits / 2) ||
		    (kind == ORACLE_LOW_MINUS && i < 64))
			BN_set_bit(m, (int)i);
		if (kind == ORACLE_LOW_ONE && i < 64)
			BN_clear_bit(m, (int)i);
	}
	BN_set_bit(m, 0);
	BN_set_bit(m, (int)bits - 1);
}

/*
 * x of n digits of 8 octets, each one at which carries begin or end, or
 * random.
 */
static inline void
oracle_structured(BIGNUM *x, unsigned n, uint64_t *state)
{
	uint8_t octets[ORACLE_OCTETS];

	for (unsigned i = 0; i < n; i++) {
		uint64_t kind = oracle_random(state);
		uint64_t digit = kind % 8 == 0 ? oracle_random(state) :
		    kind % 8 == 1 ? 1 :
		    kind % 8 == 2 ? ~UINT64_C(1) :
		    kind % 8 < 5 ? 0 : ~UINT64_C(0);

		for (unsigned j = 0; j < 8; j++)
			octets[8 * i + j] = (uint8_t)(digit >> 8 * j);
	}
	assert_non_null(BN_bin2bn(octets, (int)(8 * n), x));
}

#endif
