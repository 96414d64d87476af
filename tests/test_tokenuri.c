/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of pkcs11: URIs; examples of RFC 7512 s3 among them.
 */

/* this room */
#include "tests/test.h"
#include "milter/tokenuri.h"

static void
check(const char *row, const char *want, struct buf *b)
{
	test_int(row, buf_end(b), 0);
	test_octets(row, b->p, b->n, want, strlen(want));
	buf_clear(b);
}

static void
tokenuri_is_scheme(void **state)
{
	(void)state;
	test_true("URI", tokenuri_is(slice_text("pkcs11:token=x")));
	test_true("any case", tokenuri_is(slice_text("PKCS11:")));
	test_true("path", !tokenuri_is(slice_text("/etc/pkcs11:x")));
	test_true("short", !tokenuri_is(slice_text("pkcs11")));
	test_true("empty", !tokenuri_is(slice_text("")));
}

static void
tokenuri_token_parts(void **state)
{
	static const struct {
		const char *uri, *want;
	} rows[] = {
		{ "pkcs11:", "pkcs11:" },
		{ "pkcs11:object=my-pubkey;type=public", "pkcs11:" },
		{ "pkcs11:token=mail;object=k", "pkcs11:token=mail" },
		{ "pkcs11:object=k;token=mail?pin-source=/x",
		    "pkcs11:token=mail" },
		{ "pkcs11:token=The%20Software%20PKCS%2311%20Softtoken;"
		  "manufacturer=Snake%20Oil,%20Inc.;model=1.0;"
		  "object=my-certificate;type=cert;"
		  "id=%69%95%3E%5C%F4%BD%EC%91;serial=?pin-source=file:/x",
		    "pkcs11:manufacturer=Snake%20Oil,%20Inc.;model=1.0;serial=;"
		    "token=The%20Software%20PKCS%2311%20Softtoken" },
		{ "pkcs11:slot-id=327;object=k", "pkcs11:slot-id=327" },
		{ "pkcs11:tokens=x;xtoken=y", "pkcs11:" },
		{ "pkcs11:?token=x", "pkcs11:" },
		{ "pkcs", "pkcs11:" },
	};
	struct buf b;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		buf_init(&b, 4096);
		tokenuri_token(slice_text(rows[i].uri), &b);
		check(rows[i].uri, rows[i].want, &b);
	}
}

/* More attributes than there are names: none is written behind the last. */
static void
tokenuri_token_many(void **state)
{
	struct buf uri, b;

	(void)state;
	buf_init(&uri, 4096);
	buf_add_text(&uri, "pkcs11:");
	for (int i = 0; i < 40; i++)
		buf_add_format(&uri, "token=%02d;", 39 - i);
	buf_init(&b, 4096);
	tokenuri_token(buf_slice(&uri), &b);
	test_int("end", buf_end(&b), 0);
	test_true("sorted", memcmp(b.p, "pkcs11:token=23;token=24", 24) == 0);
	buf_clear(&b);
	buf_clear(&uri);
}

static void
tokenuri_pin_source_paths(void **state)
{
	static const struct {
		const char *uri, *want;
	} rows[] = {
		{ "pkcs11:object=k", "" },
		{ "pkcs11:object=k?pin-value=1", "" },
		{ "pkcs11:pin-source=/x", "" },
		{ "pkcs11:object=k?pin-source=/etc/pin", "/etc/pin" },
		{ "pkcs11:object=k?pin-source=file:/etc/token", "/etc/token" },
		{ "pkcs11:object=k?pin-source=file:///etc/token",
		    "/etc/token" },
		{ "pkcs11:object=k?pin-value=1&pin-source=/a%20b%2fc",
		    "/a b/c" },
		{ "pkcs11:object=k?pin-source=/a%2", "/a%2" },
		{ "pkcs11:object=k?pin-source=/a%zz", "/a%zz" },
	};
	struct buf b;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		buf_init(&b, 4096);
		tokenuri_pin_source(slice_text(rows[i].uri), &b);
		check(rows[i].uri, rows[i].want, &b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokenuri_is_scheme),
		cmocka_unit_test(tokenuri_token_parts),
		cmocka_unit_test(tokenuri_token_many),
		cmocka_unit_test(tokenuri_pin_source_paths),
	};

	return TEST_RUN(tests);
}
