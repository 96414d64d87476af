/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Powers of two modulo any odd number, against libcrypto's BIGNUM.
 */

/* rsa-backend */
#include "rsa-backend/bn/residue.h"

/* this room */
#include "tests/bn_oracle.h"

static void
check_power(const char *row, const BIGNUM *m, size_t len, unsigned exponent,
    BN_CTX *ctx)
{
	uint8_t *octets = malloc(len), *got = malloc(len), *want = malloc(len);
	BIGNUM *x = oracle_new();

	assert_non_null(octets);
	assert_non_null(got);
	assert_non_null(want);
	assert_int_equal(BN_bn2binpad(m, octets, (int)len), (int)len);
	memset(got, 0xff, len);
	residue_of_two_power(got, octets, len, exponent);
	oracle_two_power(x, exponent);
	assert_true(BN_mod(x, x, m, ctx));
	assert_int_equal(BN_bn2binpad(x, want, (int)len), (int)len);
	if (memcmp(got, want, len) != 0)
		fprintf(stderr, "# modulus of %d bits, 2^%u\n",
		    BN_num_bits(m), exponent);
	test_octets(row, got, len, want, len);
	BN_free(x);
	free(want);
	free(got);
	free(octets);
}

/* Around the length of m and of its limbs, R^2 and R^3 of 52 and 64 bits. */
static void
check_exponents(const char *row, const BIGNUM *m, BN_CTX *ctx)
{
	unsigned bits = (unsigned)BN_num_bits(m);
	unsigned limbs = (bits + 63) / 64 * 64, digits = (bits + 51) / 52 * 52;
	const unsigned exponents[] = { 0, 1, bits - 1, bits, bits + 1,
	    limbs - 1, limbs, limbs + 1, limbs + 32, limbs + 33, 2 * limbs,
	    3 * limbs, 2 * digits, 3 * digits, 2 * limbs + 7, 30011 };
	size_t len = (bits + 7) / 8;

	for (size_t i = 0; i < TEST_COUNT(exponents); i++)
		check_power(row, m, len + i % 3, exponents[i], ctx);
}

static void
residue_of_two_power_sizes(void **state)
{
	static const unsigned sizes[] = { 66, 72, 73, 127, 128, 129, 256, 511,
	    512, 513, 574, 1023, 1024, 1025, 1148, 2047, 2048, 2049, 3071,
	    4095, 4096, 8191, 8192 };
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *m = oracle_new();
	uint64_t seed = 1;

	(void)state;
	assert_non_null(ctx);
	for (size_t i = 0; i < TEST_COUNT(sizes); i++)
		for (int kind = 0; kind < ORACLE_KINDS; kind++) {
			oracle_modulus(m, sizes[i], (enum oracle_kind)kind,
			    &seed);
			check_exponents(oracle_kind_names[kind], m, ctx);
		}
	BN_free(m);
	BN_CTX_free(ctx);
}

static void
residue_of_two_power_small(void **state)
{
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *m = oracle_new();

	(void)state;
	assert_non_null(ctx);
	for (unsigned i = 3; i < 600; i += 2) {
		assert_true(BN_set_word(m, i));
		check_exponents("small", m, ctx);
		assert_true(BN_lshift(m, m, 55));
		assert_true(BN_sub_word(m, 1));
		check_exponents("about a limb", m, ctx);
	}
	BN_free(m);
	BN_CTX_free(ctx);
}

static void
residue_k0_inverts(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (uint64_t m = 1; m < 0x10000; m += 2) {
		assert_true(m * residue_k0(m) == UINT64_MAX);
		assert_true((0 - m) * residue_k0(0 - m) == UINT64_MAX);
	}
	for (int i = 0; i < 100000; i++) {
		uint64_t m = oracle_random(&seed) | 1;

		assert_true(m * residue_k0(m) == UINT64_MAX);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(residue_of_two_power_sizes),
		cmocka_unit_test(residue_of_two_power_small),
		cmocka_unit_test(residue_k0_inverts),
	};

	return TEST_RUN(tests);
}
