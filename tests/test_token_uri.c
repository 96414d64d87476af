/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pkcs11: URIs as far as they are understood without a token (RFC 7512; the
 * examples of its s3 are here).
 */

/* rsa-backend */
#include "rsa-backend/rsab.h"
#include "rsa-backend/token_uri.h"

/* this room */
#include "tests/test.h"

/* want: words of the detail; NULL: it may stand there. */
static const struct {
	const char	*uri, *want;
} rows[] = {
	/* RFC 7512 s3 */
	{ "pkcs11:", NULL },
	{ "pkcs11:object=my-pubkey;type=public", NULL },
	{ "pkcs11:token=The%20Software%20PKCS%2311%20Softtoken;"
	    "manufacturer=Snake%20Oil,%20Inc.;model=1.0;"
	    "object=my-certificate;type=cert;"
	    "id=%69%95%3E%5C%F4%BD%EC%91;serial=?pin-source=file:/etc/"
	    "token_pin", NULL },
	{ "pkcs11:slot-description=Sun%20Metaslot", NULL },
	{ "pkcs11:library-manufacturer=Snake%20Oil,%20Inc.;"
	    "library-description=Soft%20Token%20Library;"
	    "library-version=1.23", NULL },
	{ "pkcs11:object=my-sign-key;type=private?pin-value=1234",
	    "configuration file only" },
	{ "pkcs11:token=Software%20PKCS%2311%20softtoken;"
	    "manufacturer=Snake%20Oil,%20Inc.?pin-value=the-pin",
	    "configuration file only" },
	{ "pkcs11:object=k?module-name=mypkcs11&pin-source=/a",
	    "module-name is not allowed" },
	{ "pkcs11:object=k?module-path=/mnt/libmypkcs11.so.1",
	    "module-path is not allowed" },
	{ "pkcs11:token=x;object=my-key;type=private;"
	    "x-muppet=cookie%5E%26%20monster!", "x-muppet: unknown" },
	/* where a PIN may be */
	{ "pkcs11:object=k?pin-source=/etc/pin", NULL },
	{ "pkcs11:object=k?pin-source=file:///etc/pin", NULL },
	{ "pkcs11:object=k?pin-source=%2Fetc%2Fpin", NULL },
	{ "pkcs11:object=k?pin-source=|/bin/cat%20/etc/pin", "a command" },
	{ "pkcs11:object=k?pin-source=%7Ccat", "a command" },
	{ "pkcs11:object=k?pin-source=etc/pin", "full path" },
	{ "pkcs11:object=k?pin-source=file:etc/pin", "full path" },
	{ "pkcs11:object=k?pin-source=http://x/pin", "full path" },
	{ "pkcs11:object=k?pin-source=", "full path" },
	{ "pkcs11:object=k?pin-source=/etc/pin%00x", "NUL" },
	{ "pkcs11:object=k;pin-source=/etc/pin", "before the '?'" },
	{ "pkcs11:token=x?object=k", "behind the '?'" },
	/* syntax */
	{ "pkcs12:object=k", "begins with pkcs11:" },
	{ "PKCS11:object=k", "begins with pkcs11:" },
	{ "", "begins with pkcs11:" },
	{ "pkcs11:object=a b", "%XX" },
	{ "pkcs11:object=a%2", "%XX" },
	{ "pkcs11:object=a%zz", "%XX" },
	{ "pkcs11:object=a\nb", "%XX" },
	{ "pkcs11:object=\xc3\xa4", "%XX" },
	{ "pkcs11:object=a#b", "%XX" },
	{ "pkcs11:object", "no '='" },
	{ "pkcs11:object=a;;id=%01", "no '='" },
	{ "pkcs11:objekt=a", "objekt: unknown" },
	{ "pkcs11:object=a;object=b", "twice" },
	{ "pkcs11:object=a?pin-source=/a&pin-source=/b", "twice" },
};

static void
check_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct rsab_token_detail detail = { "" };
		int r = rsab_token_uri_check(rows[i].uri,
		    strlen(rows[i].uri), false, &detail);

		test_int(rows[i].uri, r, rows[i].want == NULL ? 0 :
		    RSAB_ERR_URI);
		if (rows[i].want != NULL &&
		    strstr(detail.text, rows[i].want) == NULL)
			test_str(rows[i].uri, detail.text, rows[i].want);
	}
}

static void
check_pin_value(void **state)
{
	static const char uri[] = "pkcs11:object=k?pin-value=12%3434";
	struct rsab_token_detail detail;

	(void)state;
	test_int("configuration", rsab_token_uri_check(uri, sizeof uri - 1,
	    true, &detail), 0);
	test_int("table", rsab_token_uri_check(uri, sizeof uri - 1, false,
	    &detail), RSAB_ERR_URI);
	test_true("the PIN is not in the text",
	    strstr(detail.text, "34") == NULL);
}

static void
check_length(void **state)
{
	char uri[RSAB_TOKEN_URI_MAX + 1] = "pkcs11:object=";
	struct rsab_token_detail detail;

	(void)state;
	memset(&uri[14], 'a', sizeof uri - 14);
	test_int("at the limit", rsab_token_uri_check(uri, sizeof uri - 1,
	    false, &detail), 0);
	test_int("over", rsab_token_uri_check(uri, sizeof uri, false,
	    &detail), RSAB_ERR_URI);
}

static void
print_hides_the_pin(void **state)
{
	static const struct { const char *row, *want; } uris[] = {
		{ "pkcs11:object=k", "pkcs11:object=k" },
		{ "pkcs11:object=k?pin-value=1234",
		    "pkcs11:object=k?pin-value=***" },
		{ "pkcs11:object=k?pin-value=12;34&pin-source=/a",
		    "pkcs11:object=k?pin-value=***&pin-source=/a" },
		{ "pkcs11:object=k?pin-source=/a&pin-value=",
		    "pkcs11:object=k?pin-source=/a&pin-value=***" },
		{ "pkcs11:o\n\xff", "pkcs11:o??" },
	};
	char out[128], tight[20];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(uris); i++) {
		rsab_token_uri_print(uris[i].row, strlen(uris[i].row), out,
		    sizeof out);
		test_str(uris[i].row, out, uris[i].want);
	}
	for (size_t size = 1; size <= sizeof tight; size++) {
		memset(tight, '#', sizeof tight);
		rsab_token_uri_print("pkcs11:a?pin-value=1234", 23, tight,
		    size);
		test_true("ends", memchr(tight, '\0', size) != NULL);
		test_true("no PIN", strstr(tight, "12") == NULL);
		for (size_t i = size; i < sizeof tight; i++)
			test_int("within its room", tight[i], '#');
	}
}

static void
with_id_is_added(void **state)
{
	static const uint8_t id[] = { 0x00, 0xaf };
	static const struct { const char *row, *want; } uris[] = {
		{ "pkcs11:token=mail",
		    "pkcs11:token=mail;id=%00%AF;type=private" },
		{ "pkcs11:token=mail?pin-source=/a",
		    "pkcs11:token=mail;id=%00%AF;type=private?pin-source=/a" },
		{ "pkcs11:", "pkcs11:id=%00%AF;type=private" },
		{ "pkcs11:?pin-source=/a",
		    "pkcs11:id=%00%AF;type=private?pin-source=/a" },
	};
	char out[RSAB_TOKEN_URI_MAX], longest[RSAB_TOKEN_URI_MAX];
	struct rsab_token_detail detail;
	size_t n;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(uris); i++) {
		n = token_uri_with_id(uris[i].row, strlen(uris[i].row), id,
		    sizeof id, out);
		test_octets(uris[i].row, out, n, uris[i].want,
		    strlen(uris[i].want));
		test_int(uris[i].row, rsab_token_uri_check(out, n, false,
		    &detail), 0);
	}
	memset(longest, 'a', sizeof longest);
	test_int("no room", token_uri_with_id(longest, sizeof longest - 20, id,
	    sizeof id, out), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_rows),
		cmocka_unit_test(check_pin_value),
		cmocka_unit_test(check_length),
		cmocka_unit_test(print_hides_the_pin),
		cmocka_unit_test(with_id_is_added),
	};

	return TEST_RUN(tests);
}
