/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TestPublicKeys files.
 */

#include "tests/test.h"
#include "milter/testkeys.h"

static const char text[] =
    "# a comment\n"
    "\n"
    "s1._domainkey.example.com v=DKIM1; p=AAAA\n"
    "S2._DomainKey.Example.COM\tv=DKIM1; k=rsa; p=BB BB \r\n"
    "  s3._domainkey.example.com.   first  \n"
    "s3._domainkey.example.com second\n"
    "zz._domainkey.example.com last";

static size_t
find(const struct testkeys *keys, const char *name, struct slice *out)
{
	return testkeys_find(keys, slice_text(name), out, 2);
}

static void
testkeys_find_rows(void **state)
{
	static const struct {
		const char	*name;
		size_t		 n;
		const char	*first, *second;
	} rows[] = {
		{ "s1._domainkey.example.com", 1, "v=DKIM1; p=AAAA", NULL },
		{ "s2._domainkey.example.com", 1, "v=DKIM1; k=rsa; p=BB BB",
		    NULL },
		{ "s3._domainkey.example.com", 2, "first", "second" },
		{ "zz._domainkey.example.com", 1, "last", NULL },
		{ "s1._domainkey.example.co", 0, NULL, NULL },
		{ "s1._domainkey.example.comm", 0, NULL, NULL },
		{ "a", 0, NULL, NULL },
		{ "zzz", 0, NULL, NULL },
	};
	struct testkeys *keys;
	struct slice out[2];
	unsigned line;

	(void)state;
	assert_int_equal(testkeys_parse(slice_text(text), &keys, &line), 0);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, find(keys, rows[i].name, out),
		    rows[i].n);
		if (rows[i].first != NULL)
			test_octets(rows[i].name, out[0].p, out[0].n,
			    rows[i].first, strlen(rows[i].first));
		if (rows[i].second != NULL)
			test_octets(rows[i].name, out[1].p, out[1].n,
			    rows[i].second, strlen(rows[i].second));
	}
	test_int("more than there is room for", testkeys_find(keys,
	    slice_text("s3._domainkey.example.com"), out, 1), 2);
	testkeys_free(keys);
}

static void
testkeys_parse_bad(void **state)
{
	static const char bad[] = "a b\n#\nonlyaname\n";
	struct testkeys *keys;
	unsigned line;
	char *big;

	(void)state;
	test_int("no record", testkeys_parse(slice_text(bad), &keys, &line),
	    DKIM_ERR_SYNTAX);
	test_int("its line", line, 3);
	big = malloc(TESTKEYS_LINE_MAX + 2);
	memset(big, 'x', TESTKEYS_LINE_MAX + 2);
	big[1] = ' ';
	test_int("longest line", testkeys_parse(slice_of(big,
	    TESTKEYS_LINE_MAX), &keys, &line), 0);
	testkeys_free(keys);
	test_int("one octet more", testkeys_parse(slice_of(big,
	    TESTKEYS_LINE_MAX + 1), &keys, &line), DKIM_ERR_LIMIT);
	free(big);
	test_int("nothing", testkeys_parse(slice_of(NULL, 0), &keys, &line),
	    0);
	testkeys_free(keys);
}

static bool
one_run(void *unused)
{
	struct testkeys *keys;
	unsigned line;

	(void)unused;
	if (testkeys_parse(slice_text(text), &keys, &line) != 0)
		return false;
	testkeys_free(keys);
	return true;
}

static void
testkeys_no_memory(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(one_run, NULL), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(testkeys_find_rows),
		cmocka_unit_test(testkeys_parse_bad),
		cmocka_unit_test(testkeys_no_memory),
	};
	return TEST_RUN(tests);
}
