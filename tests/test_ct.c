/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare and select without branches.
 */

/* rsa-backend */
#include "rsa-backend/ct.h"

/* this room */
#include "tests/test.h"

static void
ct_equal_every_octet_and_bit(void **state)
{
	uint8_t a[67], b[67];

	(void)state;
	for (size_t i = 0; i < sizeof a; i++)
		a[i] = b[i] = (uint8_t)(i * 37);
	for (size_t n = 0; n <= sizeof a; n++)
		test_int("equal", ct_equal(a, b, n), UINT32_MAX);
	for (size_t i = 0; i < sizeof a; i++) {
		for (int bit = 0; bit < 8; bit++) {
			b[i] = (uint8_t)(b[i] ^ 1 << bit);
			test_int("differs", ct_equal(a, b, sizeof a), 0);
			test_int("before it", ct_equal(a, b, i), UINT32_MAX);
			b[i] = a[i];
		}
	}
}

static void
ct_is_zero_values(void **state)
{
	static const uint32_t others[] = {
		1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fffffff, 0x80000000,
		0x80000001, 0xfffffffe, 0xffffffff,
	};

	(void)state;
	test_int("0", ct_is_zero(0), UINT32_MAX);
	for (size_t i = 0; i < TEST_COUNT(others); i++)
		test_int("not 0", ct_is_zero(others[i]), 0);
}

static void
ct_select_both(void **state)
{
	uint8_t a[5] = "AAAA", b[5] = "BBBB", z[5];

	(void)state;
	test_int("a", ct_select(UINT32_MAX, 0x12345678, 0x9abcdef0),
	    0x12345678);
	test_int("b", ct_select(0, 0x12345678, 0x9abcdef0), 0x9abcdef0);
	ct_select_octets(UINT32_MAX, z, a, b, sizeof z);
	test_octets("a", z, 5, "AAAA", 5);
	ct_select_octets(0, z, a, b, sizeof z);
	test_octets("b", z, 5, "BBBB", 5);
	ct_select_octets(0, a, a, b, sizeof a);
	test_octets("in place", a, 5, "BBBB", 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ct_equal_every_octet_and_bit),
		cmocka_unit_test(ct_is_zero_values),
		cmocka_unit_test(ct_select_both),
	};

	return TEST_RUN(tests);
}
