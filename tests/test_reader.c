/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/reader.c: how a file becomes fields and a body.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/dkim.h"

struct row {
	const char	*name;
	const char	*message;
	int		 error;
	bool		 lf;
	const char	*fields;	/* "<name|value>" each */
	const char	*body;
};

static const struct row rows[] = {
	{ "CRLF", "A: b\r\nC:d\r\n e\r\n\r\nbody\r\n", 0, false,
	    "<A| b><C|d\r\n e>", "body\r\n" },
	/* RFC 6376 s5.3: LF for CRLF is local */
	{ "LF", "A: b\nC:d\n e\n\nbody\n\nx", 0, true,
	    "<A| b><C|d\r\n e>", "body\r\n\r\nx" },
	{ "LF, some CRLF", "A: b\nC:d\r\n\te\r\n\r\nbo\r\ndy\n\r\n", 0, true,
	    "<A| b><C|d\r\n\te>", "bo\r\ndy\r\n\r\n" },
	{ "CRLF: bare LF is an octet", "A: b\r\nC:d\ne\r\n\r\nx\ny\r\n", 0,
	    false, "<A| b><C|d\ne>", "x\ny\r\n" },
	{ "CRLF: bare CR is an octet", "A: b\r\rc\r\n\r\n\r\r\n", 0, false,
	    "<A| b\r\rc>", "\r\r\n" },
	{ "LF: bare CR is an octet", "A: b\n\nx\ry\r\r\nz\n\r", 0, true,
	    "<A| b>", "x\ry\r\r\nz\r\n\r" },
	{ "no body", "A: b\r\n\r\n", 0, false, "<A| b>", "" },
	{ "no empty line", "A: b\r\n", 0, false, "<A| b>", "" },
	{ "no line end", "A: b", 0, false, "<A| b>", "" },
	{ "no line end behind a fold", "A: b\n c", 0, true, "<A| b\r\n c>",
	    "" },
	{ "ends in CR", "A: b\r", 0, false, "<A| b\r>", "" },
	{ "white line in the header", "A: b\r\n \r\nC: d\r\n\r\nx", 0, false,
	    "<A| b\r\n ><C| d>", "x" },
	{ "space before the colon", "A \t: b\r\n\r\n", 0, false, "<A \t| b>",
	    "" },
	{ "empty values", "A:\r\nB:\r\n\r\n", 0, false, "<A|><B|>", "" },
	{ "colons in a value", "A::b:\n", 0, true, "<A|:b:>", "" },
	{ "NUL-free 8-bit", "A: \xff\x80\r\n\r\n\xfe", 0, false,
	    "<A| \xff\x80>", "\xfe" },
	{ "body begins with empty lines", "A:\n\n\n\nx", 0, true, "<A|>",
	    "\r\n\r\nx" },
	{ "nothing", "", DKIM_ERR_SYNTAX, false, "", "" },
	{ "begins with CRLF", "\r\nbody\r\n", DKIM_ERR_SYNTAX, false, "", "" },
	{ "begins with LF", "\nbody\n", DKIM_ERR_SYNTAX, true, "", "" },
	{ "first line folded", " A: b\r\n\r\n", DKIM_ERR_SYNTAX, false, "",
	    "" },
	{ "a line without colon", "A: b\r\njunk\r\n\r\nx", DKIM_ERR_SYNTAX,
	    false, "<A| b>", "" },
	{ "a last line without colon", "A: b\r\njunk", DKIM_ERR_SYNTAX, false,
	    "<A| b>", "" },
	{ "mbox", "From a@x.test Mon Nov 30 10:00:00 2026\nA: b\n\nx", 0,
	    true, "<A| b>", "x" },
	{ "mbox, no colon", "From a \r\nA: b\r\n\r\n", 0, false, "<A| b>", "" },
	{ "mbox line twice", "From a\nFrom b\nA: b\n\n", DKIM_ERR_SYNTAX,
	    true, "", "" },
	{ "mbox line below", "A: b\nFrom b\n\n", DKIM_ERR_SYNTAX, true,
	    "<A| b>", "" },
	{ "mbox line only", "From a\n\nx", DKIM_ERR_SYNTAX, true, "", "" },
	{ "mbox line folded", "From a\n b\nA: b\n\nx", DKIM_ERR_SYNTAX, true,
	    "", "" },
	{ "From with a space is a field", "From : a\n\n", 0, true,
	    "<From | a>", "" },
	{ "From with spaces is a field", "From \t: a\n\n", 0, true,
	    "<From \t| a>", "" },
	{ "no name", ": b\r\n\r\n", DKIM_ERR_SYNTAX, false, "", "" },
};

struct seen {
	struct dkim_header	*header;
	struct buf		 body;
	size_t			 headers;	/* calls of on_header */
	size_t			 fields;	/* at that call */
	int			 answer;	/* of both functions */
};

static int
on_header(void *context)
{
	struct seen *seen = context;

	seen->headers++;
	seen->fields = dkim_header_count(seen->header);
	return seen->answer;
}

static int
on_body(void *context, struct slice octets)
{
	struct seen *seen = context;

	test_int("header before body", seen->headers, 1);
	test_true("octets", octets.n > 0);
	buf_add(&seen->body, octets);
	return seen->answer;
}

static void
begin(struct seen *seen, size_t max, struct dkim_reader **reader)
{
	*seen = (struct seen){ 0 };
	test_int("header", dkim_header_new(max, &seen->header), 0);
	buf_init(&seen->body, 1 << 22);
	test_int("reader", dkim_reader_new(seen->header, on_header, on_body,
	    seen, reader), 0);
}

static void
end(struct seen *seen, struct dkim_reader *reader)
{
	dkim_reader_free(reader);
	dkim_header_free(seen->header);
	buf_clear(&seen->body);
}

static void
test_seen(const struct row *row, const struct seen *seen)
{
	struct buf b;
	size_t i;

	buf_init(&b, 1 << 20);
	for (i = 0; i < dkim_header_count(seen->header); i++) {
		buf_add_octet(&b, '<');
		buf_add(&b, dkim_header_name(seen->header, i));
		buf_add_octet(&b, '|');
		buf_add(&b, dkim_header_value(seen->header, i));
		buf_add_octet(&b, '>');
	}
	test_octets(row->name, b.p, b.n, row->fields, strlen(row->fields));
	test_octets(row->name, seen->body.p, seen->body.n, row->body,
	    strlen(row->body));
	test_int(row->name, seen->headers, row->error == 0);
	if (row->error == 0)
		test_int(row->name, seen->fields,
		    dkim_header_count(seen->header));
	buf_clear(&b);
}

static void
split_at(void *arg, size_t cut)
{
	const struct row *row = arg;
	struct slice text = slice_text(row->message);
	struct dkim_reader *reader;
	struct seen seen;
	int r;

	begin(&seen, 0, &reader);
	r = dkim_reader_feed(reader, slice_sub(text, 0, cut));
	if (r == 0)
		r = dkim_reader_feed(reader, slice_from(text, cut));
	if (r == 0)
		r = dkim_reader_end(reader);
	else
		test_int("sticky", dkim_reader_end(reader), r);
	test_int(row->name, r, row->error);
	test_int(row->name, dkim_reader_is_lf(reader), row->lf);
	test_seen(row, &seen);
	end(&seen, reader);
}

static void
reader_feed_rows(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		test_every_split(strlen(rows[i].message), split_at,
		    (void *)(uintptr_t)&rows[i]);
}

static void
reader_feed_octet_by_octet(void **state)
{
	struct dkim_reader *reader;
	struct slice text;
	struct seen seen;
	size_t i, at;
	int r;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		begin(&seen, 0, &reader);
		text = slice_text(rows[i].message);
		for (at = 0, r = 0; r == 0 && at < text.n; at++) {
			r = dkim_reader_feed(reader, slice_sub(text, at, 1));
			if (r == 0)
				r = dkim_reader_feed(reader, slice_text(""));
		}
		if (r == 0)
			r = dkim_reader_end(reader);
		test_int(rows[i].name, r, rows[i].error);
		test_seen(&rows[i], &seen);
		end(&seen, reader);
	}
}

static void
reader_end_once(void **state)
{
	struct dkim_reader *reader;
	struct seen seen;

	(void)state;
	begin(&seen, 0, &reader);
	test_int("feed", dkim_reader_feed(reader, slice_text("A: b\r\n")), 0);
	test_int("end", dkim_reader_end(reader), 0);
	test_int("feed again", dkim_reader_feed(reader, slice_text("x")),
	    DKIM_ERR_STATE);
	test_int("end again", dkim_reader_end(reader), DKIM_ERR_STATE);
	test_int("on_header once", seen.headers, 1);
	end(&seen, reader);
}

static void
reader_feed_answers(void **state)
{
	struct dkim_reader *reader;
	struct seen seen;

	(void)state;
	begin(&seen, 0, &reader);
	seen.answer = -99;
	test_int("on_header", dkim_reader_feed(reader,
	    slice_text("A: b\r\n\r\nx")), -99);
	test_int("no body then", seen.body.n, 0);
	test_int("sticky", dkim_reader_feed(reader, slice_text("x")), -99);
	end(&seen, reader);
	begin(&seen, 0, &reader);
	test_int("header", dkim_reader_feed(reader,
	    slice_text("A: b\n\n")), 0);
	seen.answer = -98;
	test_int("on_body", dkim_reader_feed(reader, slice_text("x")), -98);
	end(&seen, reader);
}

/*
 * A field of n octets, in chunks, with line ends of its kind; as one line or of
 * many.
 */
static void
field_of(size_t n, bool lf, size_t line, int want, const char *over)
{
	const char *line_end = lf ? "\n" : "\r\n";
	struct dkim_reader *reader;
	struct slice text, rest;
	struct seen seen;
	struct buf b;
	size_t i;
	int r = 0;

	begin(&seen, 0, &reader);
	buf_init(&b, 1 << 21);
	buf_add_text(&b, "X: y");
	buf_add_text(&b, line_end);
	buf_add_text(&b, "A:");
	for (i = 2; i < n; i++) {
		if (i % line == 0 && i + 3 < n) {
			buf_add_text(&b, line_end);
			buf_add_octet(&b, ' ');
			i += 2;
		} else {
			buf_add_octet(&b, 'v');
		}
	}
	buf_add_text(&b, line_end);
	buf_add_text(&b, "B:x");
	buf_add_text(&b, line_end);
	text = buf_slice(&b);
	for (rest = text; r == 0 && rest.n > 0; rest = slice_from(rest, i)) {
		i = rest.n < 10007 ? rest.n : 10007;
		r = dkim_reader_feed(reader, slice_sub(rest, 0, i));
	}
	if (r == 0)
		r = dkim_reader_end(reader);
	test_int("field", r, want);
	test_str("field", dkim_header_over(seen.header), over);
	test_int("fields", dkim_header_count(seen.header), r == 0 ? 3 : 1);
	if (r == 0)
		test_int("octets", dkim_header_value(seen.header, 1).n, n - 2);
	buf_clear(&b);
	end(&seen, reader);
}

static void
reader_feed_long_fields(void **state)
{
	static const char over[] = "header field over 262144 octets";
	size_t lf, line;

	(void)state;
	for (lf = 0; lf < 2; lf++)
		for (line = 1000; line < 1 << 23; line <<= 12) {
			field_of(DKIM_FIELD_MAX - 1, lf, line, 0, NULL);
			field_of(DKIM_FIELD_MAX, lf, line, 0, NULL);
			field_of(DKIM_FIELD_MAX + 1, lf, line, DKIM_ERR_LIMIT,
			    over);
			field_of(DKIM_FIELD_MAX + 2, lf, line, DKIM_ERR_LIMIT,
			    over);
			field_of(DKIM_FIELD_MAX + 3, lf, line, DKIM_ERR_LIMIT,
			    over);
			field_of(DKIM_FIELD_MAX * 3, lf, line, DKIM_ERR_LIMIT,
			    over);
		}
}

static void
reader_feed_header_limit(void **state)
{
	struct dkim_reader *reader;
	struct seen seen;

	(void)state;
	begin(&seen, 10, &reader);
	test_int("over", dkim_reader_feed(reader,
	    slice_text("A: bcd\nE: fghi\n\nx")), DKIM_ERR_LIMIT);
	test_str("over", dkim_header_over(seen.header),
	    "header over 10 octets");
	test_int("on_header is not called", seen.headers, 0);
	end(&seen, reader);
}

/*
 * A body longer than the piece that is converted at once.
 */
static void
reader_feed_long_lf_body(void **state)
{
	struct dkim_reader *reader;
	struct buf in, want;
	struct seen seen;
	size_t i;

	(void)state;
	begin(&seen, 0, &reader);
	buf_init(&in, 1 << 20);
	buf_init(&want, 1 << 20);
	for (i = 0; i < 60000; i++) {
		buf_add_text(&in, i % 7 < 4 ? "\n" : "x");
		buf_add_text(&want, i % 7 < 4 ? "\r\n" : "x");
	}
	test_int("header", dkim_reader_feed(reader, slice_text("A:b\n\n")), 0);
	test_int("body", dkim_reader_feed(reader, buf_slice(&in)), 0);
	test_int("end", dkim_reader_end(reader), 0);
	test_octets("body", seen.body.p, seen.body.n, want.p, want.n);
	buf_clear(&in);
	buf_clear(&want);
	end(&seen, reader);
}

static bool
read_one(void *arg)
{
	struct seen seen = { 0 };
	struct dkim_reader *reader = NULL;
	int r;

	(void)arg;
	buf_init(&seen.body, 1000);
	r = dkim_header_new(0, &seen.header);
	if (r == 0)
		r = dkim_reader_new(seen.header, on_header, on_body, &seen,
		    &reader);
	if (r == 0)
		r = dkim_reader_feed(reader,
		    slice_text("A: b\r\nC: d\r\n\r\n"));
	if (r == 0)
		r = dkim_reader_end(reader);
	test_true("a code", r == 0 || r == DKIM_ERR_NOMEM);
	if (r == 0)
		test_int("fields", dkim_header_count(seen.header), 2);
	end(&seen, reader);
	return r == 0;
}

static void
reader_feed_no_memory(void **state)
{
	(void)state;
	test_every_allocation(read_one, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reader_feed_rows),
		cmocka_unit_test(reader_feed_octet_by_octet),
		cmocka_unit_test(reader_end_once),
		cmocka_unit_test(reader_feed_answers),
		cmocka_unit_test(reader_feed_long_fields),
		cmocka_unit_test(reader_feed_header_limit),
		cmocka_unit_test(reader_feed_long_lf_body),
		cmocka_unit_test(reader_feed_no_memory),
	};

	return TEST_RUN(tests);
}
