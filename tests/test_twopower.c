/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Powers of two modulo public numbers, against BIGNUM.
 */

/* libcrypto */
#include <openssl/bn.h>

/* rsa-backend */
#include "rsa-backend/bn/twopower.h"

/* this room */
#include "tests/test.h"

#define OCTETS_MAX	1024
#define ROUNDS		400

/* Fixed seed; any sequence would do. */
static uint32_t
next(void)
{
	static uint32_t x = 2463534242;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

/* 2^exponent mod m */
static void
want_power(uint8_t *z, const uint8_t *m, size_t len, unsigned exponent)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *n = BN_bin2bn(m, (int)len, NULL), *x = BN_new();

	test_true("BIGNUM", context != NULL && n != NULL && x != NULL &&
	    BN_set_bit(x, (int)exponent) == 1 &&
	    BN_mod(x, x, n, context) == 1 &&
	    BN_bn2binpad(x, z, (int)len) == (int)len);
	BN_free(x);
	BN_free(n);
	BN_CTX_free(context);
}

static void
check_walk(const uint8_t *m, size_t len, const unsigned *steps, size_t count)
{
	uint8_t got[OCTETS_MAX], want[OCTETS_MAX];
	struct twopower t;
	unsigned exponent;

	twopower_init(&t, m, len);
	exponent = t.at;
	for (size_t i = 0; i <= count; i++) {
		twopower_octets(&t, got, len);
		want_power(want, m, len, exponent);
		test_octets("power", got, len, want, len);
		if (i == count)
			break;
		exponent += steps[i];
		twopower_raise(&t, exponent);
		test_int("at", t.at, exponent);
	}
}

/* Steps of all lengths below, at and above a limb, by moduli of all kinds. */
static void
twopower_raise_as_bignum(void **state)
{
	static const size_t lengths[] = {
		1, 2, 7, 8, 9, 15, 16, 17, 64, 128, 129, 256, 512, 1024,
	};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t len = lengths[round % TEST_COUNT(lengths)];
		unsigned steps[4] = { next() % 66, 1 + next() % 2,
		    next() % 130, next() % 3000 };
		uint8_t m[OCTETS_MAX];

		for (size_t i = 0; i < len; i++)
			switch (round / 16 % 4) {
			case 0:
				m[i] = (uint8_t)next();
				break;
			case 1:	/* digits of a quotient that come out high */
				m[i] = next() % 3 != 0 ? 0xff : 0;
				break;
			case 2:
				m[i] = 0;
				break;
			default:
				m[i] = 0xff;
			}
		if (m[0] == 0 || round / 16 % 4 == 2)
			m[0] = (uint8_t)(1U << next() % 8);
		m[len - 1] |= 1;
		if (len == 1)
			m[0] |= 2;
		check_walk(m, len, steps, TEST_COUNT(steps));
	}
}

/* Every odd number of one octet and of two, in short steps. */
static void
twopower_raise_small(void **state)
{
	static const unsigned steps[] = { 1, 7, 8, 63, 64, 65 };

	(void)state;
	for (unsigned m = 3; m < 0x10000; m += m < 256 ? 2 : 254) {
		const uint8_t octets[] = { (uint8_t)(m >> 8), (uint8_t)m };

		check_walk(m < 256 ? &octets[1] : octets, m < 256 ? 1 : 2,
		    steps, TEST_COUNT(steps));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twopower_raise_as_bignum),
		cmocka_unit_test(twopower_raise_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
