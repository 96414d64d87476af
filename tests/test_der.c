/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DER reader and writer.
 */

/* rsa-backend */
#include "rsa-backend/der.h"

/* this room */
#include "tests/test.h"

static void
der_read_lengths(void **state)
{
	static const struct {
		const char	*name;
		const uint8_t	*in;
		size_t		 n;
		int		 want;
		size_t		 contents, rest;
	} rows[] = {
		{ "empty", TEST_OCTETS(""), RSAB_ERR_KEY, 0, 0 },
		{ "tag alone", TEST_OCTETS("\x04"), RSAB_ERR_KEY, 0, 0 },
		{ "no contents", TEST_OCTETS("\x04\x00"), 0, 0, 0 },
		{ "another tag", TEST_OCTETS("\x05\x00"), RSAB_ERR_KEY, 0, 0 },
		{ "one octet", TEST_OCTETS("\x04\x01x"), 0, 1, 0 },
		{ "and a rest", TEST_OCTETS("\x04\x01xyz"), 0, 1, 2 },
		{ "one short", TEST_OCTETS("\x04\x02x"), RSAB_ERR_KEY, 0, 0 },
		{ "indefinite", TEST_OCTETS("\x04\x80x\x00\x00"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "long form for 1", TEST_OCTETS("\x04\x81\x01x"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "long form for 127", TEST_OCTETS("\x04\x81\x7fx"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "leading zero", TEST_OCTETS("\x04\x82\x00\x80x"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "long form cut", TEST_OCTETS("\x04\x82\x01"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "128 of 1", TEST_OCTETS("\x04\x81\x80x"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "4 GiB", TEST_OCTETS("\x04\x84\xff\xff\xff\xffx"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "five length octets", TEST_OCTETS(
		    "\x04\x85\x01\x00\x00\x00\x00x"), RSAB_ERR_KEY, 0, 0 },
		{ "127 length octets", TEST_OCTETS("\x04\xff\xff\xff"),
		    RSAB_ERR_KEY, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct der in = { rows[i].in, rows[i].n }, out = { NULL, 0 };

		test_int(rows[i].name, der_read(&in, DER_OCTET_STRING, &out),
		    rows[i].want);
		test_int(rows[i].name, out.n, rows[i].contents);
		test_int(rows[i].name, in.n, rows[i].want == 0 ?
		    rows[i].rest : rows[i].n);
	}
}

/* 127 octets in the long form are all there, and still no DER. */
static void
der_read_shortest_form(void **state)
{
	uint8_t octets[3 + 200] = { DER_OCTET_STRING, 0x81 };

	(void)state;
	for (unsigned n = 0; n <= 200; n++) {
		struct der in = { octets, sizeof octets }, out;

		octets[2] = (uint8_t)n;
		test_int("result", der_read(&in, DER_OCTET_STRING, &out),
		    n < 128 ? RSAB_ERR_KEY : RSAB_OK);
		test_int("rest", in.n, n < 128 ? 203 : 200 - n);
	}
}

static void
der_read_unsigned_forms(void **state)
{
	static const struct {
		const char	*name;
		const uint8_t	*in;
		size_t		 n;
		int		 want;
		size_t		 octets, bits;
	} rows[] = {
		{ "0", TEST_OCTETS("\x02\x01\x00"), 0, 0, 0 },
		{ "1", TEST_OCTETS("\x02\x01\x01"), 0, 1, 1 },
		{ "127", TEST_OCTETS("\x02\x01\x7f"), 0, 1, 7 },
		{ "128", TEST_OCTETS("\x02\x02\x00\x80"), 0, 1, 8 },
		{ "256", TEST_OCTETS("\x02\x02\x01\x00"), 0, 2, 9 },
		{ "no octets", TEST_OCTETS("\x02\x00"), RSAB_ERR_KEY, 0, 0 },
		{ "-1", TEST_OCTETS("\x02\x01\xff"), RSAB_ERR_KEY, 0, 0 },
		{ "-128", TEST_OCTETS("\x02\x01\x80"), RSAB_ERR_KEY, 0, 0 },
		{ "0 in two octets", TEST_OCTETS("\x02\x02\x00\x00"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "127 in two octets", TEST_OCTETS("\x02\x02\x00\x7f"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "128 in three octets", TEST_OCTETS("\x02\x03\x00\x00\x80"),
		    RSAB_ERR_KEY, 0, 0 },
		{ "a string", TEST_OCTETS("\x04\x01\x01"), RSAB_ERR_KEY, 0,
		    0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct der in = { rows[i].in, rows[i].n }, out = { NULL, 0 };

		test_int(rows[i].name, der_read_unsigned(&in, &out),
		    rows[i].want);
		test_int(rows[i].name, out.n, rows[i].octets);
		test_int(rows[i].name, der_bits(out), rows[i].bits);
		test_int(rows[i].name, in.n,
		    rows[i].want == 0 ? 0 : rows[i].n);
	}
}

static void
der_put_header_read_again(void **state)
{
	static const size_t sizes[] = {
		0, 1, 127, 128, 255, 256, 65535, 65536, 70000,
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		size_t n = sizes[i], at, whole = der_element_size(n);
		uint8_t *octets = calloc(1, whole);
		struct der in = { octets, whole }, out;

		at = der_put_header(octets, DER_SEQUENCE, n);
		test_int("size", at + n, whole);
		test_int("read", der_read(&in, DER_SEQUENCE, &out), 0);
		test_int("contents", out.n, n);
		test_int("rest", in.n, 0);
		free(octets);
	}
}

static void
der_put_unsigned_known(void **state)
{
	static const struct {
		const char	*name;
		struct der	 in;
		const uint8_t	*want;
		size_t		 want_n;
	} rows[] = {
		{ "0", { NULL, 0 }, TEST_OCTETS("\x02\x01\x00") },
		{ "127", { TEST_OCTETS("\x7f") }, TEST_OCTETS("\x02\x01\x7f") },
		{ "128", { TEST_OCTETS("\x80") },
		    TEST_OCTETS("\x02\x02\x00\x80") },
		{ "65537", { TEST_OCTETS("\x01\x00\x01") },
		    TEST_OCTETS("\x02\x03\x01\x00\x01") },
	};
	uint8_t out[16];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		size_t n = der_put_unsigned(out, rows[i].in);

		test_octets(rows[i].name, out, n, rows[i].want,
		    rows[i].want_n);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(der_read_lengths),
		cmocka_unit_test(der_read_shortest_form),
		cmocka_unit_test(der_read_unsigned_forms),
		cmocka_unit_test(der_put_header_read_again),
		cmocka_unit_test(der_put_unsigned_known),
	};

	return TEST_RUN(tests);
}
