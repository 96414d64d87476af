/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/domain.c. A-labels: RFC 8616 and RFC 3492 examples, and the
 * names of the mox test suite (MIT, mjl-/mox:dkim/sig_test.go).
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/dkim.h"
#include "dkim/domain.h"

#define L10	"a123456789"
#define L60	L10 L10 L10 L10 L10 L10
#define L63	L60 "abc"

struct row {
	const char	*name;
	const char	*in;
	const char	*out;		/* NULL: a syntax error */
};

static const struct row domains[] = {
	{ "plain", "example.com", "example.com" },
	{ "upper case", "EXAMPLE.Com", "example.com" },
	{ "digits, -, _", "_a-1.2_.x-", "_a-1.2_.x-" },
	{ "A-label", "XN--MX-LKA.example", "xn--mx-lka.example" },
	{ "U-label (mox)", "m\xc3\xb8x.example", "xn--mx-lka.example" },
	{ "U-label in upper case", "M\xc3\x98X.example",
	    "xn--mx-lka.example" },
	{ "both kinds", "b\xc3\xbc" "cher._x.Example",
	    "xn--bcher-kva._x.example" },
	{ "sharp s stays (IDNA 2008)", "fa\xc3\x9f.de", "xn--fa-hia.de" },
	{ "label of 63", L63 ".com", L63 ".com" },
	{ "label of 64", L63 "x.com", NULL },
	{ "name of 255", L63 "." L63 "." L63 "." L63,
	    L63 "." L63 "." L63 "." L63 },
	{ "name of 257", L63 "." L63 "." L63 "." L63 ".x", NULL },
	{ "one label", "com", NULL },
	{ "nothing", "", NULL },
	{ "dot", ".", NULL },
	{ "trailing dot", "example.com.", NULL },
	{ "leading dot", ".example.com", NULL },
	{ "empty label", "example..com", NULL },
	{ "parenthesis", "example.net(.x.org", NULL },
	{ "space", "exa mple.com", NULL },
	{ "trailing space", "example.com ", NULL },
	{ "slash", "../secret/other", NULL },
	{ "slash in a label", "a/b.com", NULL },
	{ "percent", "%.com", NULL },
	{ "quote", "\"../x\"", NULL },
	{ "literal", "[../x]", NULL },
	{ "address literal", "[192.0.2.1]", NULL },
	{ "control octet", "a\x01.com", NULL },
	{ "at", "a@b.com", NULL },
	{ "wide slash U+FF0F", "a\xef\xbc\x8f" "b.com", NULL },
	{ "wide full stop U+FF0E", "a\xef\xbc\x8e" "b.com", NULL },
	{ "ideographic full stop U+3002", "a\xe3\x80\x82" "b.com", NULL },
	{ "wide letters become ASCII", "\xef\xbd\x85xample.com", NULL },
	{ "soft hyphen vanishes", "exam\xc2\xadple.com", NULL },
	{ "zero width joiner", "a\xe2\x80\x8d" "b.com", NULL },
	{ "no UTF-8", "m\xf8x.example", NULL },
	{ "overlong slash", "a\xc0\xaf" "b.com", NULL },
	{ "cut UTF-8", "a\xc3.com", NULL },
	{ "combining mark first", "\xcc\x88x.com", NULL },
};

/*
 * RFC 6376 s2.9, s3.5 #32; RFC 8616 s3, s5 #5: sub-domains, two at least, in
 * either form; no literal.
 */
static void
domain_to_ascii_rows(void **state)
{
	char out[DKIM_NAME_MAX + 1];
	size_t i;
	int r;

	(void)state;
	for (i = 0; i < TEST_COUNT(domains); i++) {
		memset(out, 'X', sizeof(out));
		r = dkim_domain_to_ascii(slice_text(domains[i].in), out);
		test_int(domains[i].name, r,
		    domains[i].out == NULL ? DKIM_ERR_SYNTAX : 0);
		if (r == 0)
			test_str(domains[i].name, out, domains[i].out);
		else
			test_int(domains[i].name, out[0], 'X');
	}
}

static void
domain_to_ascii_nul(void **state)
{
	char out[DKIM_NAME_MAX + 1];

	(void)state;
	test_int("NUL", dkim_domain_to_ascii(slice_of("a.com\0.org", 10), out),
	    DKIM_ERR_SYNTAX);
	test_int("NUL in a U-label", dkim_domain_to_ascii(
	    slice_of("\xc3\xb8\0.org", 7), out), DKIM_ERR_SYNTAX);
	test_int("NUL at the end", dkim_domain_to_ascii(
	    slice_of("a.\xc3\xb8\0", 5), out), DKIM_ERR_SYNTAX);
}

static void
domain_to_ascii_long_u_label(void **state)
{
	char in[2000], out[DKIM_NAME_MAX + 1];
	size_t n;

	(void)state;
	for (n = 2; n < sizeof(in) - 2; n += 2) {
		memset(in, 0, sizeof(in));
		for (size_t i = 0; i < n; i += 2)
			memcpy(in + i, "\xc3\xb8", 2);
		memcpy(in + n, ".x", 3);
		/* 63 octets: "xn--", then at least one digit a letter */
		if (dkim_domain_to_ascii(slice_text(in), out) == 0)
			test_true("fits", n / 2 <= 59 && strlen(out) <= 65);
		else
			test_true("too long", n / 2 > 40);
	}
}

/*
 * RFC 6376 s3.1 #1.
 */
static void
selector_to_ascii_rows(void **state)
{
	char out[DKIM_NAME_MAX + 1];

	(void)state;
	test_int("one label", dkim_selector_to_ascii(slice_text("S1"), out), 0);
	test_str("one label", out, "s1");
	test_int("dots", dkim_selector_to_ascii(slice_text("a.b"), out), 0);
	test_str("dots", out, "a.b");
	test_int("U-label", dkim_selector_to_ascii(slice_text("t\xc3\xa9st"),
	    out), 0);
	test_str("U-label", out, "xn--tst-bma");
	test_int("empty", dkim_selector_to_ascii(slice_text(""), out),
	    DKIM_ERR_SYNTAX);
	test_int("slash", dkim_selector_to_ascii(slice_text("a/b"), out),
	    DKIM_ERR_SYNTAX);
}

static void
domain_is_within_rows(void **state)
{
	static const struct {
		const char	*name, *domain;
		bool		 within;
	} rows[] = {
		{ "example.com", "example.com", true },
		{ "Example.COM", "example.com", true },
		{ "a.b.example.com", "EXAMPLE.com", true },
		{ "anexample.com", "example.com", false },
		{ "fexample.net", "example.net", false },
		{ "com", "example.com", false },
		{ "example.com", "a.example.com", false },
		{ ".example.com", "example.com", true },
		{ "example.com", "", false },
		{ "", "", false },
		{ "example.com.", "example.com", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, dkim_domain_is_within(
		    slice_text(rows[i].name), slice_text(rows[i].domain)),
		    rows[i].within);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(domain_to_ascii_rows),
		cmocka_unit_test(domain_to_ascii_nul),
		cmocka_unit_test(domain_to_ascii_long_u_label),
		cmocka_unit_test(selector_to_ascii_rows),
		cmocka_unit_test(domain_is_within_rows),
	};

	return TEST_RUN(tests);
}
