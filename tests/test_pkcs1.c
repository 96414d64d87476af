/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * EMSA-PKCS1-v1_5 against encodings that are written out by hand.
 */

/* rsa-backend */
#include "rsa-backend/pkcs1.h"

/* this room */
#include "tests/test.h"

/* SHA-256 of "abc" and SHA-1 of "abc", FIPS 180-2 B.1, A.1 */
#define ABC_SHA256 \
	"\xba\x78\x16\xbf\x8f\x01\xcf\xea\x41\x41\x40\xde\x5d\xae\x22\x23" \
	"\xb0\x03\x61\xa3\x96\x17\x7a\x9c\xb4\x10\xff\x61\xf2\x00\x15\xad"
#define ABC_SHA1 \
	"\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e\x25\x71\x78\x50\xc2\x6c" \
	"\x9c\xd0\xd8\x9d"

/* RFC 8017 s9.2 note 1 */
#define INFO_SHA256 \
	"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05" \
	"\x00\x04\x20"
#define INFO_SHA1 \
	"\x30\x21\x30\x09\x06\x05\x2b\x0e\x03\x02\x1a\x05\x00\x04\x14"

#define FF8	"\xff\xff\xff\xff\xff\xff\xff\xff"

/*
 * RFC 6376 s3.3.2: RSASSA-PKCS1-v1_5, the whole hash in it.
 */
static void
pkcs1_encode_known(void **state)
{
	static const struct {
		const char	*name;
		enum rsab_hash	 hash;
		const char	*digest;
		const uint8_t	*want;
		size_t		 want_n;
	} rows[] = {
		{ "sha256, 512 bits", RSAB_SHA256, ABC_SHA256, TEST_OCTETS(
		    "\0\1" FF8 "\xff\xff\0" INFO_SHA256 ABC_SHA256) },
		{ "sha256, shortest", RSAB_SHA256, ABC_SHA256, TEST_OCTETS(
		    "\0\1" FF8 "\0" INFO_SHA256 ABC_SHA256) },
		{ "sha256, 1024 bits", RSAB_SHA256, ABC_SHA256, TEST_OCTETS(
		    "\0\1" FF8 FF8 FF8 FF8 FF8 FF8 FF8 FF8 FF8 "\xff\xff\0"
		    INFO_SHA256 ABC_SHA256) },
		{ "sha1, shortest", RSAB_SHA1, ABC_SHA1, TEST_OCTETS(
		    "\0\1" FF8 "\0" INFO_SHA1 ABC_SHA1) },
		{ "sha1, 512 bits", RSAB_SHA1, ABC_SHA1, TEST_OCTETS(
		    "\0\1" FF8 FF8 FF8 "\xff\xff\0" INFO_SHA1 ABC_SHA1) },
	};
	uint8_t out[RSAB_SIGNATURE_MAX];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		memset(out, 0xa5, sizeof out);
		test_int(rows[i].name, pkcs1_encode(rows[i].hash,
		    (const uint8_t *)rows[i].digest, out, rows[i].want_n), 0);
		test_octets(rows[i].name, out, rows[i].want_n, rows[i].want,
		    rows[i].want_n);
		test_int(rows[i].name, out[rows[i].want_n], 0xa5);
	}
}

static void
pkcs1_encode_every_size(void **state)
{
	uint8_t out[RSAB_SIGNATURE_MAX + 1];

	(void)state;
	for (size_t n = 0; n <= RSAB_SIGNATURE_MAX; n++) {
		int want = n < 62 ? RSAB_ERR_ARGUMENT : RSAB_OK;

		memset(out, 0xa5, sizeof out);
		test_int("result", pkcs1_encode(RSAB_SHA256,
		    (const uint8_t *)ABC_SHA256, out, n), want);
		test_int("behind", out[n], 0xa5);
		if (want != 0) {
			test_int("untouched", out[0], 0xa5);
			continue;
		}
		test_octets("head", out, 2, "\0\1", 2);
		for (size_t i = 2; i < n - 52; i++)
			test_int("padding", out[i], 0xff);
		test_octets("tail", &out[n - 52], 52,
		    "\0" INFO_SHA256 ABC_SHA256, 52);
	}
}

static void
pkcs1_encode_no_hash(void **state)
{
	uint8_t out[64];

	(void)state;
	test_int("no such hash", pkcs1_encode((enum rsab_hash)9,
	    (const uint8_t *)ABC_SHA256, out, sizeof out), RSAB_ERR_ARGUMENT);
}

static void
pkcs1_digest_size_known(void **state)
{
	(void)state;
	test_int("sha1", pkcs1_digest_size(RSAB_SHA1), 20);
	test_int("sha256", pkcs1_digest_size(RSAB_SHA256), 32);
	test_int("none", pkcs1_digest_size((enum rsab_hash)9), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pkcs1_encode_known),
		cmocka_unit_test(pkcs1_encode_every_size),
		cmocka_unit_test(pkcs1_encode_no_hash),
		cmocka_unit_test(pkcs1_digest_size_known),
	};

	return TEST_RUN(tests);
}
