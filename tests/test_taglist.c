/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/taglist.c (RFC 6376 s3.2, s2.11).
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/taglist.h"

struct row {
	const char	*name;
	const char	*list;
	int		 error;
	const char	*got;		/* name=<value>... */
};

static const struct row rows[] = {
	{ "one", "v=1", 0, "v=<1>" },
	{ "trailing ;", "v=1;", 0, "v=<1>" },
	{ "trailing ; and FWS", "v=1; \r\n\t", 0, "v=<1>" },
	{ "FWS everywhere", " v \r\n = 1 2\t;\r\n a= x ", 0, "v=<1 2>a=<x>" },
	{ "empty values", "p=;n= ;x=", 0, "p=<>n=<>x=<>" },
	{ "= in a value", "b=ab==; bh==", 0, "b=<ab==>bh=<=>" },
	/* RFC 6376 s3.2 #3, #6 */
	{ "names with case, digit, _", "B_2=1;b_2=2", 0, "B_2=<1>b_2=<2>" },
	{ "inner fold is kept", "h=from:\r\n to", 0, "h=<from:\r\n to>" },
	{ "UTF-8 (RFC 8616 s5 #2)", "i=m\xc3\xb8x@x", 0, "i=<m\xc3\xb8x@x>" },
	{ "nothing", "", DKIM_ERR_SYNTAX, NULL },
	{ "white space", " \t", DKIM_ERR_SYNTAX, NULL },
	{ "; alone", ";", DKIM_ERR_SYNTAX, NULL },
	{ "no = (eeee)", "eeee", DKIM_ERR_SYNTAX, NULL },
	{ "no name", "=1", DKIM_ERR_SYNTAX, NULL },
	{ "empty spec in the middle", "v=1; ; d=x", DKIM_ERR_SYNTAX, NULL },
	{ "two ; at the end", "v=1;;", DKIM_ERR_SYNTAX, NULL },
	{ "; in front", ";v=1", DKIM_ERR_SYNTAX, NULL },
	{ "no = in the last", "v=1; junk", DKIM_ERR_SYNTAX, NULL },
	{ "name begins with a digit", "1v=1", DKIM_ERR_SYNTAX, NULL },
	{ "name with -", "a-b=1", DKIM_ERR_SYNTAX, NULL },
	{ "name with space", "a b=1", DKIM_ERR_SYNTAX, NULL },
	{ "control octet in a value", "v=1\x01", DKIM_ERR_SYNTAX, NULL },
	{ "VT is no white space", "v=1\v", DKIM_ERR_SYNTAX, NULL },
	{ "DEL", "v=\x7f", DKIM_ERR_SYNTAX, NULL },
	{ "a name twice (p=DKIM1; p=..)", "p=DKIM1; p=MII",
	    DKIM_ERR_SYNTAX, NULL },
	{ "a name twice, unknown one", "z=1;q=2;z=1", DKIM_ERR_SYNTAX, NULL },
};

/*
 * RFC 6376 s3.2 #2, #3, #4, #5, #9, #10, s2.8 #1: tag-list, and what is none.
 */
static void
taglist_parse_rows(void **state)
{
	struct taglist list;
	struct buf b;
	size_t i, t;

	(void)state;
	buf_init(&b, 1000);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, taglist_parse(slice_text(rows[i].list),
		    &list), rows[i].error);
		if (rows[i].error != 0)
			continue;
		buf_reset(&b);
		for (t = 0; t < list.n; t++) {
			buf_add(&b, list.tags[t].name);
			buf_add_text(&b, "=<");
			buf_add(&b, list.tags[t].value);
			buf_add_octet(&b, '>');
		}
		test_octets(rows[i].name, b.p, b.n, rows[i].got,
		    strlen(rows[i].got));
	}
	buf_clear(&b);
}

/*
 * RFC 6376 s3.2: every octet at every place of values of all lengths that are
 * looked at by eights and by ones, between two others.
 */
static void
taglist_parse_value_octets(void **state)
{
	char list[2 + 26], row[64];
	struct taglist tags;

	(void)state;
	for (size_t n = 3; n <= sizeof(list) - 2; n++)
		for (size_t i = 1; i + 1 < n; i++)
			for (unsigned c = 0; c < 256; c++) {
				bool good = c > 0x20 && c != 0x7f && c != ';';

				memset(list, '!', sizeof(list));
				memcpy(list, "b=", 2);
				list[2 + i] = (char)c;
				good = good || c == ' ' || c == '\t' ||
				    c == '\r' || c == '\n';
				snprintf(row, sizeof(row),
				    "octet %02x at %zu of %zu", c, i, n);
				test_int(row, taglist_parse(slice_of(list,
				    2 + n), &tags), good ? 0 :
				    DKIM_ERR_SYNTAX);
			}
}

/*
 * value_at and value_raw cut out what is emptied for the b= tag; RFC 6376 s3.2
 * #6: B= is another one.
 */
static void
taglist_parse_raw_value(void **state)
{
	static const char *const lists[] = {
		"a=1; b=xx; c=2", "b=", "b = ", "a=1;b=\r\n x \r\n y ;bb=3",
		"xb=1; b =2;b_=3",
	};
	static const char *const want[] = {
		"xx", "", " ", "\r\n x \r\n y ", "2",
	};
	struct taglist list;
	const struct tag *b;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(lists); i++) {
		test_int(lists[i], taglist_parse(slice_text(lists[i]), &list),
		    0);
		b = taglist_find(&list, "b");
		assert_non_null(b);
		test_octets(lists[i], lists[i] + b->value_at, b->value_raw,
		    want[i], strlen(want[i]));
	}
	test_true("find is exact", taglist_find(&list, "B") == NULL);
}

static void
taglist_parse_limit(void **state)
{
	struct taglist list;
	struct buf b;
	unsigned i;

	(void)state;
	buf_init(&b, 10000);
	for (i = 0; i < DKIM_TAGS_MAX; i++)
		buf_add_format(&b, "%sx%u=%u", i == 0 ? "" : ";", i, i);
	test_int("64 tags", taglist_parse(buf_slice(&b), &list), 0);
	test_int("64 tags", list.n, DKIM_TAGS_MAX);
	buf_add_text(&b, ";");
	test_int("64 tags and ;", taglist_parse(buf_slice(&b), &list), 0);
	buf_add_text(&b, "y=1");
	test_int("65 tags", taglist_parse(buf_slice(&b), &list),
	    DKIM_ERR_LIMIT);
	buf_clear(&b);
}

static void
taglist_next_items(void **state)
{
	struct slice rest = slice_text(" from :to:\r\n cc::"), item;
	static const char *const want[] = { "from", "to", "cc", "", "" };
	size_t n = 0;

	(void)state;
	while (taglist_next(&rest, ':', &item)) {
		test_true("not too many", n < TEST_COUNT(want));
		test_octets("item", item.p, item.n, want[n], strlen(want[n]));
		n++;
	}
	test_int("items", n, TEST_COUNT(want));
	rest = slice_text("");
	test_true("empty list is an empty item",
	    taglist_next(&rest, ':', &item) && item.n == 0);
	test_true("and ends", !taglist_next(&rest, ':', &item));
}

static const struct row qp_rows[] = {
	{ "plain", "abc", 0, "abc" },
	{ "nothing", "", 0, "" },
	{ "hex", "=40=3d=3D=0A", 0, "@==\n" },
	{ "FWS goes", "a \r\n\tb=20c", 0, "ab c" },
	{ "RFC 6376 s3.5 z=", "Date:July=205,=202005", 0,
	    "Date:July 5, 2005" },
	{ "bare UTF-8", "m\xc3\xb8x", 0, "m\xc3\xb8x" },
	{ "cut short", "a=4", DKIM_ERR_SYNTAX, NULL },
	{ "cut at =", "a=", DKIM_ERR_SYNTAX, NULL },
	{ "no soft line break", "a=\r\n b", DKIM_ERR_SYNTAX, NULL },
	{ "no hex", "=4g", DKIM_ERR_SYNTAX, NULL },
	{ "no hex, first", "=g4", DKIM_ERR_SYNTAX, NULL },
	{ "control", "a\x01", DKIM_ERR_SYNTAX, NULL },
	{ "DEL", "a\x7f", DKIM_ERR_SYNTAX, NULL },
	{ ";", "a;b", DKIM_ERR_SYNTAX, NULL },
};

/*
 * RFC 6376 s2.11 #6, #8, #9.
 */
static void
taglist_decode_qp_rows(void **state)
{
	struct arena a;
	struct slice out;
	size_t i;

	(void)state;
	arena_init(&a, 10000);
	for (i = 0; i < TEST_COUNT(qp_rows); i++) {
		test_int(qp_rows[i].name, taglist_decode_qp(
		    slice_text(qp_rows[i].list), &a, &out),
		    qp_rows[i].error);
		if (qp_rows[i].error != 0)
			test_true(qp_rows[i].name, out.p == NULL);
		else
			test_octets(qp_rows[i].name, out.p, out.n,
			    qp_rows[i].got, strlen(qp_rows[i].got));
	}
	arena_clear(&a);
	arena_init(&a, 2);
	test_int("no room", taglist_decode_qp(slice_text("abc"), &a, &out),
	    DKIM_ERR_NOMEM);
	arena_clear(&a);
}

/*
 * RFC 6376 s2.11 #2, #3, #4, s3.2 #1, s3.5 #10, #77: all octets, encoded.
 */
static void
taglist_encode_qp_back_again(void **state)
{
	struct arena a;
	struct slice out;
	struct buf b;
	uint8_t all[256];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(all); i++)
		all[i] = (uint8_t)i;
	buf_init(&b, 1000);
	arena_init(&a, 1000);
	taglist_encode_qp(slice_of(all, sizeof(all)), "|", &b);
	test_int("encode", buf_end(&b), 0);
	test_int("| is encoded", slice_find(buf_slice(&b), '|'), b.n);
	test_int("; is encoded", slice_find(buf_slice(&b), ';'), b.n);
	for (i = 0; i < b.n; i++)
		test_true("nothing but VCHAR", b.p[i] > ' ' && b.p[i] < 0x7f);
	test_int("decode", taglist_decode_qp(buf_slice(&b), &a, &out), 0);
	test_octets("all octets", out.p, out.n, all, sizeof(all));
	buf_reset(&b);
	taglist_encode_qp(slice_text("a|b=c d"), "", &b);
	test_octets("| need not be", b.p, b.n, "a|b=3Dc=20d", 11);
	buf_clear(&b);
	arena_clear(&a);
}

/*
 * RFC 6376 s3.5 #55: 1 to 76 digits.
 */
static void
taglist_number_rows(void **state)
{
	static const struct {
		const char	*text;
		int		 error;
		uint64_t	 value;
	} numbers[] = {
		{ "0", 0, 0 }, { "0012", 0, 12 },
		{ "18446744073709551614", 0, UINT64_MAX - 1 },
		{ "18446744073709551615", 0, UINT64_MAX },
		{ "18446744073709551616", 0, UINT64_MAX },
		{ "99999999999999999999999999999999999999999999999999"
		    "99999999999999999999999999", 0, UINT64_MAX },
		{ "99999999999999999999999999999999999999999999999999"
		    "999999999999999999999999999", DKIM_ERR_SYNTAX, 0 },
		{ "", DKIM_ERR_SYNTAX, 0 }, { "-1", DKIM_ERR_SYNTAX, 0 },
		{ "+1", DKIM_ERR_SYNTAX, 0 }, { "1 ", DKIM_ERR_SYNTAX, 0 },
		{ "a1234b", DKIM_ERR_SYNTAX, 0 }, { "1:", DKIM_ERR_SYNTAX, 0 },
		{ "0x1", DKIM_ERR_SYNTAX, 0 },
	};
	uint64_t got;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(numbers); i++) {
		got = 0;
		test_int(numbers[i].text, taglist_number(slice_text(
		    numbers[i].text), &got), numbers[i].error);
		test_true(numbers[i].text, got == numbers[i].value);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taglist_parse_rows),
		cmocka_unit_test(taglist_parse_value_octets),
		cmocka_unit_test(taglist_parse_raw_value),
		cmocka_unit_test(taglist_parse_limit),
		cmocka_unit_test(taglist_next_items),
		cmocka_unit_test(taglist_decode_qp_rows),
		cmocka_unit_test(taglist_encode_qp_back_again),
		cmocka_unit_test(taglist_number_rows),
	};

	return TEST_RUN(tests);
}
