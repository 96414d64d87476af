/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/header.c.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/dkim.h"
#include "dkim/header.h"

static struct dkim_header *
new_header(size_t max)
{
	struct dkim_header *h;

	test_int("new", dkim_header_new(max, &h), 0);
	return h;
}

static int
add(struct dkim_header *h, const char *name, const char *value)
{
	return dkim_header_add(h, slice_text(name), slice_text(value));
}

static void
test_value(const char *row, const struct dkim_header *h, size_t i,
    const char *want)
{
	struct slice value = dkim_header_value(h, i);

	test_octets(row, value.p, value.n, want, strlen(want));
}

static void
header_add_keeps_octets(void **state)
{
	struct dkim_header *h = new_header(0);
	char name[] = "Subject \t", value[] = "\t a\r\n b\rc\n\xff ";
	struct slice got;

	(void)state;
	test_int("add", add(h, name, value), 0);
	memset(name, 'X', sizeof(name) - 1);
	memset(value, 'X', sizeof(value) - 1);
	test_int("empty value", add(h, "A", ""), 0);
	test_int("count", dkim_header_count(h), 2);
	got = dkim_header_name(h, 0);
	test_octets("name", got.p, got.n, "Subject \t", 9);
	got = header_name(h, 0);
	test_octets("compared", got.p, got.n, "Subject", 7);
	test_value("value", h, 0, "\t a\r\n b\rc\n\xff ");
	test_value("empty value", h, 1, "");
	test_true("no limit passed", dkim_header_over(h) == NULL);
	dkim_header_free(h);
	dkim_header_free(NULL);
}

static void
header_add_milter_folds(void **state)
{
	static const char *const rows[][2] = {
		{ "a\n b\n\tc", "a\r\n b\r\n\tc" },
		{ "a\r\n b", "a\r\n b" },
		{ "\n x", "\r\n x" },
		{ "x\n", "x\r\n" },
		{ "a\r b", "a\r b" },
		{ "\n\n\r\n\n", "\r\n\r\n\r\n\r\n" },
		{ "no fold", "no fold" },
		{ "", "" },
	};
	struct dkim_header *h = new_header(0);
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i][0], dkim_header_add_milter(h, slice_text("A"),
		    slice_text(rows[i][0])), 0);
		test_value(rows[i][0], h, i, rows[i][1]);
	}
	test_int("add leaves LF", add(h, "A", "a\n b"), 0);
	test_value("add leaves LF", h, i, "a\n b");
	dkim_header_free(h);
}

static void
header_add_bad_names(void **state)
{
	static const char *const names[] = {
		"", " ", "\t", " A", "A B", "A:", "A\x01", "A\x7f", "A\xc3\xa4",
		"A\r", "From user Mon Nov 30 10",
	};
	struct dkim_header *h = new_header(0);
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(names); i++)
		test_int(names[i], add(h, names[i], "x"), DKIM_ERR_SYNTAX);
	test_int("NUL", dkim_header_add(h, slice_of("A\0", 2),
	    slice_text("x")), DKIM_ERR_SYNTAX);
	test_int("none was added", dkim_header_count(h), 0);
	test_int("any ftext", add(h, "!#$~;A-_", "x"), 0);
	dkim_header_free(h);
}

/*
 * Each limit: what fits, what does not, what it is called, and that nothing
 * comes in behind it.
 */
static void
header_add_limits(void **state)
{
	struct dkim_header *h;
	char *big = malloc(DKIM_FIELD_MAX + 1);
	size_t i;

	(void)state;
	memset(big, 'v', DKIM_FIELD_MAX + 1);

	h = new_header(20);
	test_int("10 of 20", add(h, "abcd", "12345"), 0);
	test_int("20 of 20", add(h, "abcd", "12345"), 0);
	test_int("22 of 20", add(h, "a", ""), DKIM_ERR_LIMIT);
	test_str("header", dkim_header_over(h), "header over 20 octets");
	test_int("not added", dkim_header_count(h), 2);
	dkim_header_free(h);

	h = new_header(20);
	test_int("21 of 20", add(h, "abcd", "1234567890123456"),
	    DKIM_ERR_LIMIT);
	test_int("nothing behind it", add(h, "a", "b"), DKIM_ERR_LIMIT);
	dkim_header_free(h);

	h = new_header(9);
	test_int("a fold counts as CRLF", dkim_header_add_milter(h,
	    slice_text("a"), slice_text("b\n cde")), 0);
	dkim_header_free(h);
	h = new_header(8);
	test_int("a fold counts as CRLF", dkim_header_add_milter(h,
	    slice_text("a"), slice_text("b\n cde")), DKIM_ERR_LIMIT);
	dkim_header_free(h);

	h = new_header(0);
	test_int("field as long as may be", dkim_header_add(h,
	    slice_text("abc"), slice_of(big, DKIM_FIELD_MAX - 4)), 0);
	test_int("field one longer", dkim_header_add(h, slice_text("abc"),
	    slice_of(big, DKIM_FIELD_MAX - 3)), DKIM_ERR_LIMIT);
	test_str("field", dkim_header_over(h),
	    "header field over 262144 octets");
	dkim_header_free(h);

	h = new_header(0);
	test_int("name as long as may be", dkim_header_add(h,
	    slice_of(big, DKIM_FIELD_NAME_MAX), slice_text("")), 0);
	test_int("name one longer", dkim_header_add(h,
	    slice_of(big, DKIM_FIELD_NAME_MAX + 1), slice_text("")),
	    DKIM_ERR_LIMIT);
	test_str("name", dkim_header_over(h), "field name over 998 octets");
	dkim_header_free(h);

	h = new_header(0);
	for (i = 0; i < DKIM_FIELDS_MAX; i++)
		test_int("10000 fields", add(h, "a", "b"), 0);
	test_int("10001 fields", add(h, "a", "b"), DKIM_ERR_LIMIT);
	test_str("fields", dkim_header_over(h), "header over 10000 fields");
	dkim_header_free(h);
	free(big);
}

/*
 * Fields stay what they are when the room for them grows, and the first ones
 * lie elsewhere.
 */
static void
header_add_keeps_all(void **state)
{
	struct dkim_header *h = new_header(0);
	char text[16];
	size_t i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "X-%zu", i);
		test_int(text, add(h, text, text + 1), 0);
	}
	test_int("count", dkim_header_count(h), 1000);
	for (i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "X-%zu", i);
		test_octets(text, dkim_header_name(h, i).p,
		    dkim_header_name(h, i).n, text, strlen(text));
		test_octets(text, dkim_header_value(h, i).p,
		    dkim_header_value(h, i).n, text + 1, strlen(text + 1));
	}
	dkim_header_free(h);
}

static void
header_new_hard_max(void **state)
{
	static const size_t max[] = { 0, SIZE_MAX };
	char *big = calloc(1, 262144);
	struct dkim_header *h;
	size_t i, m;

	(void)state;
	for (m = 0; m < TEST_COUNT(max); m++) {
		h = new_header(max[m]);
		for (i = 0; i < DKIM_HEADER_HARD_MAX / 262144; i++)
			test_int("16 MiB", dkim_header_add(h, slice_text("a"),
			    slice_of(big, 262142)), 0);
		test_int("one more", add(h, "a", ""), DKIM_ERR_LIMIT);
		test_str("hard maximum", dkim_header_over(h),
		    "header over 16777216 octets");
		dkim_header_free(h);
	}
	free(big);
}

static void
header_find_ignores_case(void **state)
{
	struct dkim_header *h = new_header(0);

	(void)state;
	test_int("add", add(h, "From", "1"), 0);
	test_int("add", add(h, "Fro", "2"), 0);
	test_int("add", add(h, "FROM \t", "3"), 0);
	test_int("first", dkim_header_find(h, slice_text("from"), 0), 0);
	test_int("next", dkim_header_find(h, slice_text("from"), 1), 2);
	test_int("none", dkim_header_find(h, slice_text("from"), 3), 3);
	test_int("other", dkim_header_find(h, slice_text("To"), 0), 3);
	dkim_header_free(h);
}

static void
header_compare_names_orders(void **state)
{
	(void)state;
	test_int("equal", header_compare_names(slice_text("aB-"),
	    slice_text("Ab-")), 0);
	test_true("shorter", header_compare_names(slice_text("z"),
	    slice_text("aa")) < 0);
	test_true("longer", header_compare_names(slice_text("aa"),
	    slice_text("z")) > 0);
	test_true("less", header_compare_names(slice_text("aA"),
	    slice_text("ab")) < 0);
	test_true("more", header_compare_names(slice_text("ab"),
	    slice_text("aA")) > 0);
}

static void
header_has_signature_rows(void **state)
{
	static const struct {
		const char	*name, *field, *value;
		bool		 has;
	} rows[] = {
		{ "same", "DKIM-Signature", " v=1; d=x.test; s=sel; b=", true },
		{ "case, folds", "dkim-signature ", "d =\r\n X.Test;s=\tSEL;",
		    true },
		{ "other domain", "DKIM-Signature", "d=y.test; s=sel", false },
		{ "sub-domain", "DKIM-Signature", "d=a.x.test; s=sel", false },
		{ "other selector", "DKIM-Signature", "d=x.test; s=se", false },
		{ "no selector", "DKIM-Signature", "d=x.test", false },
		{ "no domain", "DKIM-Signature", "s=sel", false },
		{ "junk", "DKIM-Signature", "eeee", false },
		{ "other field", "X-DKIM-Signature", "d=x.test; s=sel", false },
	};
	struct dkim_header *h, *all = new_header(0);
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		h = new_header(0);
		test_int("add", add(h, rows[i].field, rows[i].value), 0);
		test_int(rows[i].name, dkim_header_has_signature(h,
		    slice_text("x.test"), slice_text("sel")), rows[i].has);
		dkim_header_free(h);
	}
	for (i = TEST_COUNT(rows); i-- > 0;)
		test_int("add", add(all, rows[i].field, rows[i].value), 0);
	test_true("behind others", dkim_header_has_signature(all,
	    slice_text("x.test"), slice_text("sel")));
	test_int("U-label", add(all, "DKIM-Signature",
	    "d=m\xc3\xb8x.example; s=t\xc3\xa9st"), 0);
	test_true("U-label", dkim_header_has_signature(all,
	    slice_text("xn--mx-lka.example"), slice_text("xn--tst-bma")));
	dkim_header_free(all);
}

static bool
fill(void *arg)
{
	struct dkim_header *h;
	int r = 0;
	size_t i;

	(void)arg;
	if (dkim_header_new(0, &h) != 0)
		return false;
	for (i = 0; i < 200 && r == 0; i++)
		r = add(h, "Name", "a value of some length, to fill a block");
	test_true("a code", r == 0 || r == DKIM_ERR_NOMEM);
	test_true("no limit", dkim_header_over(h) == NULL);
	test_int("fields", dkim_header_count(h), r == 0 ? i : i - 1);
	dkim_header_free(h);
	return r == 0;
}

static void
header_add_no_memory(void **state)
{
	(void)state;
	test_every_allocation(fill, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_add_keeps_octets),
		cmocka_unit_test(header_add_milter_folds),
		cmocka_unit_test(header_add_bad_names),
		cmocka_unit_test(header_add_limits),
		cmocka_unit_test(header_add_keeps_all),
		cmocka_unit_test(header_new_hard_max),
		cmocka_unit_test(header_find_ignores_case),
		cmocka_unit_test(header_compare_names_orders),
		cmocka_unit_test(header_has_signature_rows),
		cmocka_unit_test(header_add_no_memory),
	};

	return TEST_RUN(tests);
}
