/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/base64.c. Vectors: RFC 4648 s10, and what verifiers of the
 * field do with the forms it leaves open.
 */

/* system */
#include "tests/test.h"

/* libcrypto */
#include <openssl/evp.h>

/* this room */
#include "dkim/base64.h"
#include "dkim/dkim.h"

struct row {
	const char	*name;
	const char	*text;
	const char	*octets;	/* NULL: a syntax error */
};

static const struct row both[] = {
	{ "rfc 4648 s10: 0", "", "" },
	{ "rfc 4648 s10: 1", "Zg==", "f" },
	{ "rfc 4648 s10: 2", "Zm8=", "fo" },
	{ "rfc 4648 s10: 3", "Zm9v", "foo" },
	{ "rfc 4648 s10: 4", "Zm9vYg==", "foob" },
	{ "rfc 4648 s10: 5", "Zm9vYmE=", "fooba" },
	{ "rfc 4648 s10: 6", "Zm9vYmFy", "foobar" },
	{ "all six bits", "+/+/", "\xfb\xff\xbf" },
};

static const struct row decoded[] = {
	{ "folded", "Zm9v\r\n\tYm Fy\n", "foobar" },
	{ "white space in front", " \t Zg==", "f" },
	{ "white space in the padding", "Zg= \r\n =", "f" },
	{ "fill-up bits set", "Zh==", "f" },
	{ "fill-up bits set, 2", "Zm9=", "fo" },
	{ "no padding (sighdr b-invalid)", "invalid", NULL },
	{ "no padding, 2", "Zg", NULL },
	{ "half of the padding", "Zg=", NULL },
	{ "padding too long", "Zm8==", NULL },
	{ "padding behind a full group", "Zm9v=", NULL },
	{ "padding behind a full group, 4", "Zm9v====", NULL },
	{ "padding alone", "=", NULL },
	{ "a digit behind the padding", "Zg==Zg==", NULL },
	{ "padding in the middle", "Z=g=", NULL },
	{ "one digit", "Z===", NULL },
	{ "one digit, bare", "Zm9vY", NULL },
	{ "url alphabet", "-_-_", NULL },
	{ "8-bit", "Zm9\xc3", NULL },
	{ "vertical tab is no white space", "Zm9v\v", NULL },
	{ "junk (keyrec p-junk)", "abc~*#def", NULL },
};

static void
decode_row(const struct row *row)
{
	uint8_t out[64];
	size_t n = 99;
	int r;

	r = base64_decode(slice_text(row->text), out, &n);
	if (row->octets == NULL) {
		test_int(row->name, r, DKIM_ERR_SYNTAX);
		test_int(row->name, n, 99);
		return;
	}
	test_int(row->name, r, 0);
	test_octets(row->name, out, n, row->octets, strlen(row->octets));
}

/*
 * RFC 6376 s2.10: white space anywhere, one or two "=", only at the end.
 */
static void
base64_decode_rows(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(both); i++)
		decode_row(&both[i]);
	for (i = 0; i < TEST_COUNT(decoded); i++)
		decode_row(&decoded[i]);
}

static void
base64_encode_rows(void **state)
{
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, 100);
	for (i = 0; i < TEST_COUNT(both); i++) {
		buf_reset(&b);
		base64_encode(slice_text(both[i].octets), &b);
		test_int(both[i].name, buf_end(&b), 0);
		test_octets(both[i].name, b.p, b.n, both[i].text,
		    strlen(both[i].text));
		test_int(both[i].name, b.n,
		    BASE64_SIZE(strlen(both[i].octets)));
	}
	buf_clear(&b);
}

/*
 * Another encoder's text of octets of all kinds, at every length that ends
 * otherwise.
 */
static void
base64_encode_as_libcrypto(void **state)
{
	uint8_t in[100], want[2 * sizeof(in)], got[2 * sizeof(in)];
	size_t i, n;

	(void)state;
	for (n = 0; n <= sizeof(in); n++) {
		for (i = 0; i < n; i++)
			in[i] = (uint8_t)(89 * i + 31 * n);
		memset(got, '#', sizeof(got));
		base64_write(slice_of(in, n), got);
		test_octets("text", got, BASE64_SIZE(n), want, (size_t)
		    EVP_EncodeBlock(want, in, (int)n));
		test_int("behind it", got[BASE64_SIZE(n)], '#');
	}
}

/*
 * The room that base64.h asks for is enough, at every length (ASan watches).
 */
static void
base64_decode_room(void **state)
{
	uint8_t in[64], *out;
	struct buf b;
	size_t n, got;

	(void)state;
	memset(in, 0xa5, sizeof(in));
	buf_init(&b, 1000);
	for (n = 0; n <= sizeof(in); n++) {
		buf_reset(&b);
		base64_encode(slice_of(in, n), &b);
		out = malloc(b.n / 4 * 3 + 3);
		test_int("long", base64_decode(buf_slice(&b), out, &got), 0);
		test_octets("long", out, got, in, n);
		free(out);
	}
	buf_clear(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_decode_rows),
		cmocka_unit_test(base64_encode_rows),
		cmocka_unit_test(base64_encode_as_libcrypto),
		cmocka_unit_test(base64_decode_room),
	};

	return TEST_RUN(tests);
}
