/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests of the eight-lane paths: numbers between guard pages, and
 * what libcrypto's BIGNUM says that a result must be. Digits are cut out of a
 * BIGNUM by its own shifts, not by the code under test.
 */
#ifndef TESTS_LANES_ORACLE_H
#define TESTS_LANES_ORACLE_H

/* system */
#include <sys/mman.h>
#include <openssl/bn.h>

/* this room */
#include "tests/test.h"

/* rsa-backend */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/residue.h"
#include "rsa-backend/cpu.h"

#define WIDTH	52
#define DIGIT	((UINT64_C(1) << WIDTH) - 1)
#define ROOM	(1 << 18)	/* octets of a guarded place, at most */
#define PAGE	4096
#define PLACES	1024

static struct {
	const struct path	*path;
	BN_CTX			*ctx;
	uint8_t			*place[PLACES];
	size_t			 size[PLACES], places;
	BIGNUM			*bn[PLACES];
	size_t			 bns;
	uint64_t		 random;
} oracle;

/*
 *   source   Steele, Lea, Flood 2014 (SplitMix64)
 */
static inline uint64_t
oracle_random(void)
{
	uint64_t z = oracle.random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline void
oracle_start(const struct path *path)
{
	oracle.path = path;
	oracle.random = 6376;
	oracle.ctx = BN_CTX_new();
	assert_non_null(oracle.ctx);
}

static inline void
oracle_end(void)
{
	for (size_t i = 0; i < oracle.places; i++)
		munmap(oracle.place[i], oracle.size[i]);
	for (size_t i = 0; i < oracle.bns; i++)
		BN_free(oracle.bn[i]);
	BN_CTX_free(oracle.ctx);
	oracle.places = oracle.bns = 0;
}

/*
 * n octets that end where a page begins that nobody may touch.
 */
static inline void *
oracle_place(size_t n)
{
	const size_t size = (n + PAGE - 1) / PAGE * PAGE;
	uint8_t *p = mmap(NULL, size + 2 * PAGE, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED && oracle.places < PLACES);
	oracle.place[oracle.places] = p;
	oracle.size[oracle.places++] = size + 2 * PAGE;
	assert_int_equal(mprotect(p + PAGE, size, PROT_READ | PROT_WRITE), 0);
	memset(p + PAGE, 0xa5, size);
	return p + PAGE + size - n;
}

static inline void *
oracle_number(unsigned n)
{
	return oracle_place(n * sizeof(uint64_t));
}

/* Freed at the end of the test. */
static inline BIGNUM *
oracle_bn(void)
{
	BIGNUM *x = BN_new();

	assert_true(x != NULL && oracle.bns < PLACES);
	oracle.bn[oracle.bns++] = x;
	return x;
}

static inline BIGNUM *
oracle_word(uint64_t word)
{
	BIGNUM *x = oracle_bn();

	assert_int_equal(BN_set_word(x, word), 1);
	return x;
}

static inline BIGNUM *
oracle_power_of_two(unsigned exponent)
{
	BIGNUM *x = oracle_bn();

	assert_int_equal(BN_set_bit(x, (int)exponent), 1);
	return x;
}

/* x = digits of a kind: evenly random, or those that lose carries. */
static inline BIGNUM *
oracle_digits(unsigned bits, unsigned kind)
{
	static const uint64_t odd[] = { 0, 1, DIGIT, DIGIT - 1 };
	BIGNUM *x = oracle_bn(), *y = oracle_bn();

	for (unsigned i = 0; i <= bits / WIDTH; i++) {
		const uint64_t r = oracle_random();

		assert_int_equal(BN_set_word(y, kind % 3 == 0 ? r & DIGIT :
		    kind % 3 == 1 ? odd[r % 4] : odd[kind / 3 % 4]), 1);
		assert_int_equal(BN_lshift(x, x, WIDTH), 1);
		assert_int_equal(BN_add(x, x, y), 1);
	}
	BN_mask_bits(x, (int)bits);
	return x;
}

/* An odd number of exactly so many bits. */
static inline BIGNUM *
oracle_odd(unsigned bits, unsigned kind)
{
	BIGNUM *x = oracle_digits(bits, kind);

	assert_int_equal(BN_set_bit(x, 0), 1);
	assert_int_equal(BN_set_bit(x, (int)bits - 1), 1);
	return x;
}

static inline BIGNUM *
oracle_mod(const BIGNUM *x, const BIGNUM *m)
{
	BIGNUM *z = oracle_bn();

	assert_int_equal(BN_nnmod(z, x, m, oracle.ctx), 1);
	return z;
}

static inline BIGNUM *
oracle_below(const BIGNUM *m, unsigned kind)
{
	return oracle_mod(oracle_digits((unsigned)BN_num_bits(m) + 1, kind),
	    m);
}

/* z = x + y word, of small words for edges. */
static inline BIGNUM *
oracle_scaled(const BIGNUM *x, uint64_t factor, int64_t plus)
{
	BIGNUM *z = BN_copy(oracle_bn(), x);

	assert_int_equal(BN_mul_word(z, factor), 1);
	assert_int_equal(plus < 0 ? BN_sub_word(z, (BN_ULONG)-plus) :
	    BN_add_word(z, (BN_ULONG)plus), 1);
	return z;
}

/* The digits of x, between guard pages. */
static inline void *
oracle_put(const BIGNUM *x, unsigned n)
{
	uint64_t *z = oracle_number(n);
	BIGNUM *rest = BN_dup(x), *digit = BN_new();

	assert_true(rest != NULL && digit != NULL);
	for (unsigned i = 0; i < n; i++) {
		assert_non_null(BN_copy(digit, rest));
		BN_mask_bits(digit, WIDTH);
		z[i] = BN_get_word(digit);
		assert_int_equal(BN_rshift(rest, rest, WIDTH), 1);
	}
	assert_true(BN_is_zero(rest));
	BN_free(rest);
	BN_free(digit);
	return z;
}

/* Fail unless the n digits at z are those of want. */
static inline void
oracle_want(const char *row, unsigned at, const void *z, const BIGNUM *want,
    unsigned n)
{
	const uint64_t *right = oracle_put(want, n);
	char what[128];

	snprintf(what, sizeof(what), "%s, %u digits, request %u", row, n, at);
	test_octets(what, z, n * sizeof(uint64_t), right, n * sizeof(uint64_t));
	/* One place less: there are many results. */
	oracle.places--;
	munmap(oracle.place[oracle.places], oracle.size[oracle.places]);
}

struct oracle_modulus {
	struct path_modulus	 modulus;
	struct path_prime	 prime;
	const BIGNUM		*m, *d;
	unsigned		 n;
};

/* d may be NULL. */
static inline void
oracle_modulus(struct oracle_modulus *f, const BIGNUM *m, const BIGNUM *d,
    unsigned n)
{
	const BIGNUM *r2 = oracle_mod(oracle_power_of_two(2 * WIDTH * n), m);
	const BIGNUM *r3 = oracle_mod(oracle_power_of_two(3 * WIDTH * n), m);
	const uint64_t *digits = oracle_put(m, n);

	f->m = m;
	f->d = d;
	f->n = n;
	f->modulus.m = digits;
	f->modulus.rr = oracle_put(r2, n);
	f->modulus.k0 = residue_k0(digits[0]) & DIGIT;
	f->prime.modulus = f->modulus;
	f->prime.r3 = oracle_put(r3, n);
	f->prime.d = d == NULL ? NULL : oracle_put(d, n);
}

/* a b / R mod m. */
static inline BIGNUM *
oracle_product(const BIGNUM *a, const BIGNUM *b,
    const struct oracle_modulus *f)
{
	BIGNUM *z = oracle_bn(), *r = oracle_power_of_two(WIDTH * f->n);

	assert_non_null(BN_mod_inverse(r, r, f->m, oracle.ctx));
	assert_int_equal(BN_mod_mul(z, a, b, f->m, oracle.ctx), 1);
	assert_int_equal(BN_mod_mul(z, z, r, f->m, oracle.ctx), 1);
	return z;
}

static inline BIGNUM *
oracle_exp(const BIGNUM *x, const BIGNUM *e, const BIGNUM *m)
{
	BIGNUM *z = oracle_bn();

	assert_int_equal(BN_mod_exp(z, x, e, m, oracle.ctx), 1);
	return z;
}

/* Halves of a pass, and what should come. */
struct oracle_pass {
	struct oracle_modulus	 f[PATH_HALVES];
	struct path_half	 half[PATH_HALVES];
	const BIGNUM		*want[PATH_HALVES];
	unsigned		 n, bits;
	size_t			 count;
};

static inline void
oracle_add(struct oracle_pass *pass, const BIGNUM *m, const BIGNUM *d,
    const BIGNUM *x)
{
	const size_t i = pass->count++;

	oracle_modulus(&pass->f[i], m, d, pass->n);
	pass->half[i].prime = &pass->f[i].prime;
	pass->half[i].x = oracle_put(x, 2 * pass->n);
	pass->half[i].z = oracle_number(pass->n);
	pass->want[i] = oracle_exp(oracle_mod(x, m), d, m);
}

static inline void
oracle_run(const char *row, const struct oracle_pass *pass)
{
	const struct path *path = oracle.path;

	path->power_private(pass->n, pass->bits, pass->half, pass->count,
	    oracle_place(path->scratch_private(pass->n)));
	for (unsigned i = 0; i < pass->count; i++)
		oracle_want(row, i, pass->half[i].z, pass->want[i], pass->n);
}

/*
 * The two test functions of one body: it runs on this machine's path, or is
 * skipped where there is no AVX-512 IFMA.
 */
#define ORACLE_BOTH(test) \
	static void \
	test##_emulated(void **state) \
	{ \
		(void)state; \
		oracle_start(&lanes_emulated); \
		test(); \
		oracle_end(); \
	} \
	static void \
	test##_ifma(void **state) \
	{ \
		(void)state; \
		if ((lanes_ifma.features & ~cpu_features()) != 0) { \
			print_message("no AVX-512 IFMA here\n"); \
			skip(); \
		} \
		oracle_start(&lanes_ifma); \
		test(); \
		oracle_end(); \
	}
#define ORACLE_UNIT(test) \
	cmocka_unit_test(test##_emulated), cmocka_unit_test(test##_ifma)

#endif
