/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Products and public powers, of the scalar paths
 * against libcrypto's BIGNUM. Numbers lie in memory of just their size, so
 * that AddressSanitizer sees an octet too many.
 */

/* this room */
#include "tests/scalar_paths.h"

/* ---- product ---- */

enum alias { APART, Z_IS_A, Z_IS_B, ALL_ONE };

static void
check_product(const struct path *path, const char *row, const BIGNUM *m,
    unsigned n, const BIGNUM *a, const BIGNUM *b, enum alias alias)
{
	void *scratch = oracle_scratch(path->scratch_public(n));
	void *room = oracle_scratch(n * path->digit_size);
	void *x = oracle_digits(path, a, n), *y = oracle_digits(path, b, n);
	struct oracle_prime modulus;
	struct path_product product = {
		.modulus = &modulus.prime.modulus,
		.a = x,
		.b = alias == ALL_ONE ? x : y,
		.z = alias == APART ? room : alias == Z_IS_B ? y : x,
	};
	BIGNUM *want = oracle_new(), *r = oracle_new();

	oracle_prime_init(&modulus, path, n, m, BN_value_one(), ctx);
	path->product(n, &product, 1, scratch);
	oracle_two_power(r, n * path->width);
	assert_non_null(BN_mod_inverse(r, r, m, ctx));
	assert_true(BN_mod_mul(want, a, alias == ALL_ONE ? a : b, m, ctx));
	assert_true(BN_mod_mul(want, want, r, m, ctx));
	oracle_equal(row, path, product.z, n, want);
	BN_free(r);
	BN_free(want);
	oracle_prime_clear(&modulus);
	free(y);
	free(x);
	free(room);
	free(scratch);
}

static const unsigned modulus_sizes[] = { 66, 127, 128, 129, 511, 512, 1023,
    1024, 1025, 1148, 1536, 2047, 2048, 2049, 3071, 4095, 4096, 8191, 8192 };

static void
product_sizes(void **state)
{
	BIGNUM *m = oracle_new(), *x[4];
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		x[i] = oracle_new();
	for (size_t i = 0; i < TEST_COUNT(modulus_sizes); i++)
		for (int kind = 0; kind < ORACLE_KINDS; kind++) {
			oracle_modulus(m, modulus_sizes[i],
			    (enum oracle_kind)kind, &seed);
			BN_one(x[1]);
			assert_true(BN_sub(x[2], m, x[1]));
			oracle_below(x[3], m, &seed, ctx);
			for (size_t j = 0; j < 16 * PATHS; j++) {
				const struct path *path = paths[j % PATHS];
				size_t pair = j / PATHS;

				if (!is_here(path))
					continue;
				check_product(path, oracle_kind_names[kind], m,
				    path->digits_modulus(modulus_sizes[i]),
				    x[pair / 4], x[pair % 4],
				    (enum alias)(j % 4));
			}
		}
	for (size_t i = 0; i < 4; i++)
		BN_free(x[i]);
	BN_free(m);
}

/* The result is 0 and the reduction ends at m: which must not be returned. */
static void
product_is_zero(void **state)
{
	BIGNUM *u = oracle_new(), *v = oracle_new(), *m = oracle_new();
	uint64_t seed = 6;

	(void)state;
	for (unsigned bits = 66; bits < 1100; bits += 31)
		for (size_t i = 0; i < PATHS; i++) {
			if (!is_here(paths[i]))
				continue;
			oracle_modulus(u, bits, ORACLE_RANDOM, &seed);
			oracle_modulus(v, bits, ORACLE_TOP_ONES, &seed);
			assert_true(BN_mul(m, u, v, ctx));
			check_product(paths[i], "u v = 0 mod u v", m,
			    paths[i]->digits_modulus(2 * bits), u, v, APART);
			check_product(paths[i], "v u = 0 mod u v", m,
			    paths[i]->digits_modulus(2 * bits), v, u, Z_IS_A);
			assert_true(BN_sqr(m, u, ctx));
			check_product(paths[i], "u^2 = 0 mod u^2", m,
			    paths[i]->digits_modulus(2 * bits), u, u,
			    ALL_ONE);
		}
	BN_free(m);
	BN_free(v);
	BN_free(u);
}

/* ---- power_public ---- */

static void
check_public(const struct path *path, const char *row, const BIGNUM *m,
    unsigned n, uint64_t e, const BIGNUM *x, bool alias)
{
	void *scratch = oracle_scratch(path->scratch_public(n));
	void *room = oracle_scratch(n * path->digit_size);
	void *digits = oracle_digits(path, x, n);
	struct oracle_prime modulus;
	struct path_power power = {
		.modulus = &modulus.prime.modulus,
		.e = e,
		.x = digits,
		.z = alias ? digits : room,
	};
	BIGNUM *want = oracle_new(), *exponent = oracle_new();

	oracle_prime_init(&modulus, path, n, m, BN_value_one(), ctx);
	path->power_public(n, &power, 1, scratch);
	assert_true(BN_set_word(exponent, (BN_ULONG)(e >> 32)));
	assert_true(BN_lshift(exponent, exponent, 32));
	assert_true(BN_add_word(exponent, (BN_ULONG)(e & 0xffffffff)));
	assert_true(BN_mod_exp_mont(want, x, exponent, m, ctx, NULL));
	oracle_equal(row, path, power.z, n, want);
	BN_free(exponent);
	BN_free(want);
	oracle_prime_clear(&modulus);
	free(digits);
	free(room);
	free(scratch);
}

static void
power_public_exponents(void **state)
{
	static const struct {
		const char	*name;
		uint64_t	 e;
	} rows[] = {
		{ "3", 3 }, { "5", 5 }, { "7", 7 }, { "17", 17 },
		{ "257", 257 }, { "65537", 65537 },
		{ "2^32 + 1", UINT64_C(0x100000001) },
		{ "2^63 + 29", UINT64_C(0x800000000000001d) },
		{ "2^64 - 1", UINT64_MAX },
	};
	BIGNUM *m = oracle_new(), *x = oracle_new();
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(modulus_sizes) * PATHS; i++) {
		const struct path *path = paths[i % PATHS];
		unsigned bits = modulus_sizes[i / PATHS], n;

		if (!is_here(path))
			continue;
		n = path->digits_modulus(bits);
		for (size_t j = 0; j < TEST_COUNT(rows); j++) {
			oracle_modulus(m, bits,
			    (enum oracle_kind)(j % ORACLE_KINDS), &seed);
			oracle_below(x, m, &seed, ctx);
			check_public(path, rows[j].name, m, n, rows[j].e, x,
			    j % 2 != 0);
		}
	}
	BN_free(x);
	BN_free(m);
}

/* 0, 1, m - 1, and multiples of a factor of m. */
static void
power_public_bases(void **state)
{
	BIGNUM *p = oracle_new(), *q = oracle_new(), *m = oracle_new();
	BIGNUM *x = oracle_new();
	uint64_t seed = 8;

	(void)state;
	for (unsigned bits = 66; bits <= 1024; bits += bits / 2)
		for (size_t i = 0; i < PATHS; i++) {
			const struct path *path = paths[i];
			unsigned n;

			if (!is_here(path))
				continue;
			oracle_modulus(p, bits, ORACLE_RANDOM, &seed);
			oracle_modulus(q, bits, ORACLE_TOP_ONES, &seed);
			assert_true(BN_mul(m, p, q, ctx));
			n = path->digits_modulus((unsigned)BN_num_bits(m));
			BN_zero(x);
			check_public(path, "0", m, n, 65537, x, false);
			BN_one(x);
			check_public(path, "1", m, n, 65537, x, false);
			assert_true(BN_sub(x, m, x));
			check_public(path, "m - 1", m, n, 3, x, false);
			check_public(path, "p", m, n, 65537, p, false);
			assert_true(BN_sub(x, m, q));
			check_public(path, "multiple of q", m, n, 17, x,
			    false);
		}
	BN_free(x);
	BN_free(m);
	BN_free(q);
	BN_free(p);
}

/*
 * Every number of limbs up to 40, each with whole tiles and a rest, and digits
 * at which carries run.
 */
static void
structured_digits(void **state)
{
	BIGNUM *m = oracle_new(), *a = oracle_new(), *b = oracle_new();
	uint64_t seed = 9;

	(void)state;
	for (unsigned n = 1; n <= 40; n++)
		for (size_t i = 0; i < 60 * PATHS; i++) {
			const struct path *path = paths[i % PATHS];
			unsigned digits = n * (64 / path->width);

			if (!is_here(path))
				continue;
			oracle_structured(m, n, &seed);
			BN_set_bit(m, 0);
			BN_set_bit(m, 1);
			/* A sum with the carry of the block below. */
			for (unsigned j = 32 * n; i % 2 != 0 && j < 64 * n;
			    j++)
				BN_set_bit(m, (int)j);
			oracle_structured(a, n, &seed);
			oracle_structured(b, n, &seed);
			assert_true(BN_mod(a, a, m, ctx));
			assert_true(BN_mod(b, b, m, ctx));
			check_product(path, "structured product", m, digits, a,
			    b, APART);
			check_public(path, "structured cube", m, digits, 3, a,
			    false);
			check_public(path, "structured 5th power", m, digits,
			    5, b, false);
		}
	BN_free(b);
	BN_free(a);
	BN_free(m);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(product_sizes),
		cmocka_unit_test(product_is_zero),
		cmocka_unit_test(power_public_exponents),
		cmocka_unit_test(power_public_bases),
		cmocka_unit_test(structured_digits),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
