/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digits, private halves and their combination, of the scalar paths
 * against libcrypto's BIGNUM. Numbers lie in memory of just their size, so
 * that AddressSanitizer sees an octet too many.
 */

/* this room */
#include "tests/scalar_paths.h"

/* ---- digits ---- */

static void
digits_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < PATHS; i++) {
		unsigned w = paths[i]->width;

		if (!is_here(paths[i]))
			continue;
		test_int("512", paths[i]->digits_prime(512), 512 / w);
		test_int("513", paths[i]->digits_prime(513), 512 / w + 1);
		test_int("4096", paths[i]->digits_prime(4096), 4096 / w);
		test_int("4097", paths[i]->digits_prime(4097), 0);
		test_int("1023", paths[i]->digits_modulus(1023), 1024 / w);
		test_int("8192", paths[i]->digits_modulus(8192), 8192 / w);
		test_int("8193", paths[i]->digits_modulus(8193), 0);
		test_int("lanes", paths[i]->lanes, 1);
	}
}

/* The digits themselves, not only the way back. */
static void
octets_and_digits(void **state)
{
	static const uint8_t in[] = { 0, 0, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06,
	    0x07, 0x08, 0x09, 0x0a, 0x0b };
	static const uint64_t want64[3] = { UINT64_C(0x0405060708090a0b),
	    0x010203, 0 };
	static const uint32_t want32[5] = { 0x08090a0b, 0x04050607, 0x010203,
	    0, 0 };
	uint8_t out[sizeof(in) + 20];
	void *x = malloc(24);

	(void)state;
	assert_non_null(x);
	for (size_t i = 0; i < PATHS; i++) {
		unsigned n = paths[i]->width == 64 ? 3 : 5;
		size_t size = n * paths[i]->digit_size;

		if (!is_here(paths[i]))
			continue;
		for (size_t skip = 0; skip < 3; skip++) {
			memset(x, 0xff, 24);
			paths[i]->from_octets(x, n, in + skip,
			    sizeof(in) - skip);
			test_octets(paths[i]->name, x, size, n == 3 ?
			    (const void *)want64 : want32, size);
		}
		for (size_t len = 11; len <= sizeof(out); len++) {
			memset(out, 0xff, sizeof(out));
			paths[i]->to_octets(out, len, x, n);
			for (size_t j = 0; j < len - 11; j++)
				test_int("leading zero", out[j], 0);
			test_octets("octets", out + len - 11, 11, in + 2, 11);
		}
		paths[i]->from_octets(x, n, in, 0);
		paths[i]->to_octets(out, 24, x, n);
		for (size_t j = 0; j < 24; j++)
			test_int("no octets are 0", out[j], 0);
	}
	free(x);
}

/* ---- power_private ---- */

static void
check_private(const struct path *path, const char *row, const BIGNUM *m,
    const BIGNUM *d, unsigned bits, const BIGNUM *x)
{
	unsigned n = path->digits_prime((unsigned)BN_num_bits(m));
	void *scratch = oracle_scratch(path->scratch_private(n));
	void *digits = oracle_digits(path, x, 2 * n);
	void *z = oracle_scratch(n * path->digit_size);
	struct oracle_prime prime;
	struct path_half half = { .prime = &prime.prime, .x = digits, .z = z };
	BIGNUM *want = oracle_new(), *base = oracle_new();

	oracle_prime_init(&prime, path, n, m, d, ctx);
	path->power_private(n, bits, &half, 1, scratch);
	assert_true(BN_mod(base, x, m, ctx));
	assert_true(BN_mod_exp_mont(want, base, d, m, ctx, NULL));
	oracle_equal(row, path, z, n, want);
	BN_free(base);
	BN_free(want);
	oracle_prime_clear(&prime);
	free(z);
	free(digits);
	free(scratch);
}

/* Bases at both ends of what a half may be given: 0 to m R - 1. */
static void
check_bases(const struct path *path, const char *row, const BIGNUM *m,
    const BIGNUM *d, unsigned bits, uint64_t *seed)
{
	unsigned n = path->digits_prime((unsigned)BN_num_bits(m));
	BIGNUM *x = oracle_new(), *r = oracle_new();

	oracle_two_power(r, n * path->width);
	BN_zero(x);
	check_private(path, row, m, d, bits, x);		/* 0 */
	BN_one(x);
	check_private(path, row, m, d, bits, x);		/* 1 */
	assert_true(BN_sub(x, m, x));
	check_private(path, row, m, d, bits, x);		/* m - 1 */
	check_private(path, row, m, d, bits, m);		/* m */
	assert_true(BN_add(x, m, x));
	check_private(path, row, m, d, bits, x);		/* 2m - 1 */
	check_private(path, row, m, d, bits, r);		/* R */
	assert_true(BN_sub(x, r, BN_value_one()));
	assert_true(BN_mul(x, x, m, ctx));
	check_private(path, row, m, d, bits, x);		/* m (R - 1) */
	assert_true(BN_add(x, x, m));
	assert_true(BN_sub_word(x, 1));
	check_private(path, row, m, d, bits, x);		/* m R - 1 */
	assert_true(BN_mul(r, r, m, ctx));
	oracle_below(x, r, seed, ctx);
	check_private(path, row, m, d, bits, x);
	BN_free(r);
	BN_free(x);
}

static void
power_private_sizes(void **state)
{
	static const unsigned sizes[] = { 66, 128, 256, 257, 320, 384, 511,
	    512, 513, 574, 640, 768, 1024, 1025, 1536, 2048 };
	BIGNUM *m = oracle_new(), *d = oracle_new();
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < PATHS * TEST_COUNT(sizes); i++) {
		const struct path *path = paths[i % PATHS];
		unsigned bits = sizes[i / PATHS];

		if (!is_here(path))
			continue;
		for (int kind = 0; kind < ORACLE_KINDS; kind++) {
			const char *row = oracle_kind_names[kind];

			oracle_modulus(m, bits, (enum oracle_kind)kind, &seed);
			oracle_bits(d, 24, &seed);
			check_bases(path, row, m, d, 24, &seed);
			oracle_bits(d, bits, &seed);
			check_private(path, row, m, d, bits, d);
		}
	}
	BN_free(d);
	BN_free(m);
}

/* Leading zeros, and more than m - 1: a fixed number of windows. */
static void
power_private_exponents(void **state)
{
	BIGNUM *m = oracle_new(), *d = oracle_new(), *x = oracle_new();
	uint64_t seed = 2;

	(void)state;
	for (size_t i = 0; i < PATHS; i++) {
		if (!is_here(paths[i]))
			continue;
		for (unsigned bits = 510; bits <= 640; bits += 13) {
			oracle_modulus(m, bits, ORACLE_RANDOM, &seed);
			oracle_below(x, m, &seed, ctx);
			for (unsigned zeros = 0; zeros <= 64; zeros += 7) {
				oracle_bits(d, bits - zeros, &seed);
				check_private(paths[i], "leading zeros", m, d,
				    bits, x);
			}
			BN_zero(d);
			check_private(paths[i], "0", m, d, bits, x);
			BN_one(d);
			check_private(paths[i], "1", m, d, bits, x);
			assert_true(BN_sub(d, m, d));
			check_private(paths[i], "m - 1", m, d, bits, x);
			oracle_two_power(d, bits);
			assert_true(BN_sub_word(d, 1));
			check_private(paths[i], "all ones", m, d, bits, x);
		}
	}
	BN_free(x);
	BN_free(d);
	BN_free(m);
}

/* As many as a call takes, of keys of their own; some digits are zero. */
static void
power_private_of_sixteen(void **state)
{
	struct oracle_prime primes[PATH_HALVES];
	struct path_half halves[PATH_HALVES];
	void *x[PATH_HALVES], *z[PATH_HALVES], *scratch;
	BIGNUM *m = oracle_new(), *d = oracle_new(), *want[PATH_HALVES];
	uint64_t seed = 3;

	(void)state;
	for (size_t i = 0; i < PATHS; i++) {
		unsigned n = is_here(paths[i]) ? paths[i]->digits_prime(513) :
		    0;

		if (n == 0)
			continue;
		scratch = oracle_scratch(paths[i]->scratch_private(n));
		for (unsigned j = 0; j < PATH_HALVES; j++) {
			want[j] = oracle_new();
			oracle_modulus(m, 513 - j, ORACLE_RANDOM, &seed);
			oracle_below(d, m, &seed, ctx);
			oracle_prime_init(&primes[j], paths[i], n, m, d, ctx);
			x[j] = oracle_digits(paths[i], d, 2 * n);
			z[j] = oracle_digits(paths[i], d, n);
			halves[j] = (struct path_half){ &primes[j].prime,
			    x[j], z[j] };
			assert_true(BN_mod_exp_mont(want[j], d, d, m, ctx,
			    NULL));
		}
		paths[i]->power_private(n, 513, halves, PATH_HALVES, scratch);
		for (unsigned j = 0; j < PATH_HALVES; j++) {
			oracle_equal("one of 16", paths[i], z[j], n, want[j]);
			oracle_prime_clear(&primes[j]);
			BN_free(want[j]);
			free(x[j]);
			free(z[j]);
		}
		free(scratch);
	}
	BN_free(d);
	BN_free(m);
}

/* ---- crt ---- */

static void
check_crt(const struct path *path, const char *row, const BIGNUM *p,
    const BIGNUM *q, const BIGNUM *qinv, const BIGNUM *xp, const BIGNUM *xq)
{
	unsigned bits = (unsigned)(BN_cmp(p, q) > 0 ? BN_num_bits(p) :
	    BN_num_bits(q)), n = path->digits_prime(bits);
	BIGNUM *want = oracle_new(), *r = oracle_new();
	void *scratch = oracle_scratch(path->scratch_private(n));
	void *z = oracle_scratch(2 * n * path->digit_size);
	void *digits[4];
	struct oracle_prime prime;
	struct path_crt crt = { .p = &prime.prime, .z = z };

	oracle_prime_init(&prime, path, n, p, BN_value_one(), ctx);
	oracle_two_power(r, n * path->width);
	assert_true(BN_mod_mul(r, r, qinv, p, ctx));
	crt.q = digits[0] = oracle_digits(path, q, n);
	crt.qinv = digits[1] = oracle_digits(path, r, n);
	crt.xp = digits[2] = oracle_digits(path, xp, n);
	crt.xq = digits[3] = oracle_digits(path, xq, n);
	path->crt(n, &crt, 1, scratch);

	assert_true(BN_mod_sub(want, xp, xq, p, ctx));
	assert_true(BN_mod_mul(want, want, qinv, p, ctx));
	assert_true(BN_mul(want, want, q, ctx));
	assert_true(BN_add(want, want, xq));
	oracle_equal(row, path, z, 2 * n, want);
	for (size_t i = 0; i < TEST_COUNT(digits); i++)
		free(digits[i]);
	oracle_prime_clear(&prime);
	free(z);
	free(scratch);
	BN_free(r);
	BN_free(want);
}

/* Halves 0, 1 below the prime, and random ones, in all pairs; equal ones. */
static void
check_halves(const struct path *path, const char *row, const BIGNUM *p,
    const BIGNUM *q, const BIGNUM *qinv, uint64_t *seed)
{
	BIGNUM *xp[3], *xq[3];

	for (size_t i = 0; i < 3; i++) {
		xp[i] = oracle_new();
		xq[i] = oracle_new();
	}
	assert_true(BN_sub(xp[1], p, BN_value_one()));
	assert_true(BN_sub(xq[1], q, BN_value_one()));
	oracle_below(xp[2], p, seed, ctx);
	oracle_below(xq[2], q, seed, ctx);
	for (size_t i = 0; i < 9; i++)
		check_crt(path, row, p, q, qinv, xp[i / 3], xq[i % 3]);
	assert_true(BN_mod(xp[2], xq[2], p, ctx));
	check_crt(path, row, p, q, qinv, xp[2], xq[2]);
	for (size_t i = 0; i < 3; i++) {
		BN_free(xp[i]);
		BN_free(xq[i]);
	}
}

static void
crt_shapes(void **state)
{
	static const struct {
		const char	*name;
		unsigned	 p, q;
	} rows[] = {
		{ "equal lengths", 512, 512 },
		{ "equal lengths, 1024", 1024, 1024 },
		{ "equal lengths, 2048", 2048, 2048 },
		{ "p < q", 511, 513 }, { "p > q", 513, 511 },
		{ "p < q by a digit", 480, 640 },
		{ "p > q by a digit", 640, 480 },
		{ "p far below q", 300, 724 }, { "p far above q", 724, 300 },
		{ "of 1148 bits", 574, 574 }, { "of 512 bits", 256, 256 },
		{ "of 8192 bits", 4096, 4096 },
	};
	BIGNUM *p = oracle_new(), *q = oracle_new(), *qinv = oracle_new();
	uint64_t seed = 4;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows) * ORACLE_KINDS; i++) {
		size_t row = i / ORACLE_KINDS;

		oracle_modulus(p, rows[row].p,
		    (enum oracle_kind)(i % ORACLE_KINDS), &seed);
		do
			oracle_modulus(q, rows[row].q, ORACLE_TOP_ONES, &seed);
		while (BN_mod_inverse(qinv, q, p, ctx) == NULL);
		for (size_t j = 0; j < PATHS; j++)
			if (is_here(paths[j]))
				check_halves(paths[j], rows[row].name, p, q,
				    qinv, &seed);
	}
	BN_free(qinv);
	BN_free(q);
	BN_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_sizes),
		cmocka_unit_test(octets_and_digits),
		cmocka_unit_test(power_private_sizes),
		cmocka_unit_test(power_private_exponents),
		cmocka_unit_test(power_private_of_sixteen),
		cmocka_unit_test(crt_shapes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
