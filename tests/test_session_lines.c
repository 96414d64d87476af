/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long lines and 8-bit octets, cut anywhere.
 */

/* this room */
#include "tests/test.h"
#include "milter/session_message.h"

static char text[6000];

/*
 * A line of n octets among short ones, or without line end at the end.
 */
static size_t
fill(size_t n, bool last)
{
	size_t at = 0;

	at += (size_t)sprintf(text, "short\r\n\r\n");
	memset(text + at, 'x', n);
	at += n;
	if (!last)
		at += (size_t)sprintf(text + at, "\r\nshort\r\n");
	text[at] = '\0';
	return at;
}

static void
session_lines_every_cut(void **state)
{
	const struct {
		const char *name;
		size_t n;
		bool last, is_long;
	} rows[] = {
		{ "998", 998, false, false },
		{ "999", 999, false, true },
		{ "998 without line end", 998, true, false },
		{ "999 without line end", 999, true, true },
		{ "2500", 2500, false, true },
	};
	struct lines lines;
	size_t i, n, cut, step;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		n = fill(rows[i].n, rows[i].last);
		for (cut = 0; cut <= n; cut++) {
			memset(&lines, 0, sizeof(lines));
			session_lines_body(&lines, slice_of(text, cut));
			session_lines_body(&lines, slice_of(text + cut,
			    n - cut));
			session_lines_end(&lines);
			test_int(rows[i].name, lines.is_long,
			    rows[i].is_long);
			test_true(rows[i].name, !lines.eight_bit);
		}
		for (step = 1; step < 5; step++) {
			memset(&lines, 0, sizeof(lines));
			for (cut = 0; cut < n; cut += step)
				session_lines_body(&lines, slice_of(text +
				    cut, n - cut < step ? n - cut : step));
			session_lines_end(&lines);
			test_int(rows[i].name, lines.is_long,
			    rows[i].is_long);
		}
	}
}

static void
session_lines_eight_bit(void **state)
{
	struct lines lines;
	size_t n, at;

	(void)state;
	for (n = 1; n < 40; n++)
		for (at = 0; at <= n; at++) {
			memset(text, 'x', n);
			if (at < n)
				text[at] = (char)0x80;
			memset(&lines, 0, sizeof(lines));
			session_lines_body(&lines, slice_of(text, n));
			test_int("8-bit", lines.eight_bit, at < n);
		}
}

static void
session_lines_in_header(void **state)
{
	struct dkim_header *h;
	struct lines lines;
	size_t n;

	(void)state;
	memset(text, 'x', sizeof(text));
	/* "Name:" and the value: 998 octets in all */
	for (n = 993; n <= 994; n++) {
		memset(&lines, 0, sizeof(lines));
		assert_int_equal(dkim_header_new(0, &h), 0);
		assert_int_equal(dkim_header_add(h, slice_text("Name"),
		    slice_of(text, n)), 0);
		session_lines_header(&lines, h);
		test_int("header line", lines.is_long, n > 993);
		test_int("the body begins anew", lines.run, 0);
		test_true("not declared", !session_lines_declared(h));
		assert_int_equal(dkim_header_add(h,
		    slice_text("content-transfer-encoding"),
		    slice_text(" 8BIT ")), 0);
		test_true("declared", session_lines_declared(h));
		dkim_header_free(h);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_lines_every_cut),
		cmocka_unit_test(session_lines_eight_bit),
		cmocka_unit_test(session_lines_in_header),
	};

	return TEST_RUN(tests);
}
