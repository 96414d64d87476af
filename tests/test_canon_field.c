/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/canon_field.c (RFC 6376 s3.4.1, s3.4.2) and of c= (s3.5). The
 * published vectors are read by tests/test_canon.c.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/canon.h"

#define OUT_MAX	4096	/* octets */

static struct {
	uint8_t	octets[OUT_MAX];
	size_t	n;
	size_t	calls;
} kept;

static void
keep(void *context, struct slice octets)
{
	(void)context;
	test_true("sink has room", octets.n <= OUT_MAX - kept.n);
	memcpy(kept.octets + kept.n, octets.p, octets.n);
	kept.n += octets.n;
	kept.calls++;
}

static void
check_field(const char *row, enum dkim_canon alg, const char *name,
    const char *value, const char *want)
{
	struct sink sink = { keep, NULL };

	kept.n = 0;
	canon_field(alg, slice_text(name), slice_text(value), &sink);
	test_octets(row, kept.octets, kept.n, want, strlen(want));
	kept.n = 0;
	canon_field_last(alg, slice_text(name), slice_text(value), &sink);
	test_octets(row, kept.octets, kept.n, want, strlen(want) - 2);
}

/*
 * RFC 6376 s3.4.1, s3.4.2 #1, #2, #3, #4, #5, #6, #7, #8, s3.7 #7, #8; RFC 8616
 * s5 #8.
 */
static void
canon_field_rows(void **state)
{
	(void)state;
	check_field("no space behind the colon (11)", DKIM_SIMPLE, "Subject",
	    "x", "Subject:x\r\n");
	check_field("empty value (11)", DKIM_SIMPLE, "Subject", "",
	    "Subject:\r\n");
	check_field("octet for octet", DKIM_SIMPLE, "SubJect \t",
	    "  a\r\n\tb  \r\n ", "SubJect \t:  a\r\n\tb  \r\n \r\n");
	check_field("empty value, relaxed", DKIM_RELAXED, "Subject", "",
	    "subject:\r\n");
	check_field("white value, relaxed", DKIM_RELAXED, "Subject",
	    " \r\n\t ", "subject:\r\n");
	check_field("fold behind the colon (12)", DKIM_RELAXED, "Subject",
	    "\r\n text", "subject:text\r\n");
	check_field("name", DKIM_RELAXED, "X-[\\]^_`{AZ@ \t", "v",
	    "x-[\\]^_`{az@:v\r\n");
	check_field("letters beyond ASCII", DKIM_RELAXED, "X\xc3\x84Z",
	    "V\xc3\x84", "x\xc3\x84z:V\xc3\x84\r\n");
	check_field("across a fold", DKIM_RELAXED, "A", "b \r\n\t c\r\n d",
	    "a:b c d\r\n");
	check_field("VT is no white space", DKIM_RELAXED, "A", " \v b\f",
	    "a:\v b\f\r\n");
	check_field("bare CR stays", DKIM_RELAXED, "A", "b\rc\r",
	    "a:b\rc\r\r\n");
}

/*
 * Values around the size of the gathering buffer.
 */
static void
canon_field_long_values(void **state)
{
	struct sink sink = { keep, NULL };
	char value[1600], want[1700];
	size_t n;

	(void)state;
	for (n = 0; n < sizeof(value); n++) {
		memset(value, 'v', n);
		value[n] = '\0';
		snprintf(want, sizeof(want), "a:%s\r\n", value);
		check_field("long", DKIM_SIMPLE, "a", value, want);
		check_field("long", DKIM_RELAXED, "A", value, want);
	}
	kept.calls = 0;
	canon_field(DKIM_RELAXED, slice_text("Subject"), slice_text(" x  y "),
	    &sink);
	test_int("a short field is one call", kept.calls, 1);
}

/*
 * RFC 6376 s3.4 #3, s3.5 #27.
 */
static void
canon_parse_rows(void **state)
{
	static const struct {
		const char	*text;
		int		 error;
		enum dkim_canon	 header, body;
	} rows[] = {
		{ "simple/simple", 0, DKIM_SIMPLE, DKIM_SIMPLE },
		{ "simple/relaxed", 0, DKIM_SIMPLE, DKIM_RELAXED },
		{ "relaxed/simple", 0, DKIM_RELAXED, DKIM_SIMPLE },
		{ "relaxed/relaxed", 0, DKIM_RELAXED, DKIM_RELAXED },
		{ "relaxed", 0, DKIM_RELAXED, DKIM_SIMPLE },
		{ "simple", 0, DKIM_SIMPLE, DKIM_SIMPLE },
		{ "Relaxed/SIMPLE", 0, DKIM_RELAXED, DKIM_SIMPLE },
		{ "", DKIM_ERR_SYNTAX, 0, 0 },
		{ "/", DKIM_ERR_SYNTAX, 0, 0 },
		{ "relaxed/", DKIM_ERR_SYNTAX, 0, 0 },
		{ "/relaxed", DKIM_ERR_SYNTAX, 0, 0 },
		{ "relaxed/simple/simple", DKIM_ERR_SYNTAX, 0, 0 },
		{ "nowsp", DKIM_ERR_SYNTAX, 0, 0 },
		{ "relaxed / simple", DKIM_ERR_SYNTAX, 0, 0 },
	};
	enum dkim_canon header, body;
	size_t i;
	int r;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		r = dkim_canon_parse(slice_text(rows[i].text), &header, &body);
		test_int(rows[i].text, r, rows[i].error);
		if (r != 0)
			continue;
		test_int(rows[i].text, header, rows[i].header);
		test_int(rows[i].text, body, rows[i].body);
	}
	test_str("text", dkim_canon_text(DKIM_SIMPLE), "simple");
	test_str("text", dkim_canon_text(DKIM_RELAXED), "relaxed");
}

/*
 * RFC 6376 s3.4.2: every octet at every place of a name that is made lower case
 * by eights and by ones.
 */
static void
canon_field_name_octets(void **state)
{
	char name[21], want[sizeof(name) + 3];
	unsigned c;
	size_t i;

	(void)state;
	for (c = 33; c < 256; c++)
		for (i = 0; i + 1 < sizeof(name); i++) {
			memset(name, 'a', sizeof(name) - 1);
			name[sizeof(name) - 1] = '\0';
			name[i] = (char)c;
			snprintf(want, sizeof(want), "%s:\r\n", name);
			if (c >= 'A' && c <= 'Z')
				want[i] = (char)(c - 'A' + 'a');
			check_field(want, DKIM_RELAXED, name, "", want);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canon_field_rows),
		cmocka_unit_test(canon_field_long_values),
		cmocka_unit_test(canon_field_name_octets),
		cmocka_unit_test(canon_parse_rows),
	};

	return TEST_RUN(tests);
}
