/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of a body undone (RFC 4155 A, RFC 5321 s4.5.2, RFC 2045 s6.7, s6.8),
 * at every split point.
 */

/* this room */
#include "tests/test.h"
#include "dkim/rewrite.h"

struct row {
	const char		*name;
	enum rewrite_kind	 kind;
	const char		*in;
	const char		*want;
};

static void
add_to_buf(void *context, struct slice octets)
{
	buf_add(context, octets);
}

static void
run(void *arg, size_t cut)
{
	const struct row *row = arg;
	struct slice in = slice_text(row->in);
	struct rewrite r;
	struct buf out;
	struct sink sink = { add_to_buf, &out };

	buf_init(&out, 65536);
	rewrite_init(&r, row->kind, &sink);
	rewrite_add(&r, slice_sub(in, 0, cut));
	rewrite_add(&r, slice_from(in, cut));
	rewrite_end(&r);
	assert_int_equal(buf_end(&out), 0);
	test_octets(row->name, out.p, out.n, row->want, strlen(row->want));
	buf_clear(&out);
}

static void
run_rows(const struct row *rows, size_t n)
{
	struct row row;
	size_t i;

	for (i = 0; i < n; i++) {
		row = rows[i];
		test_every_split(strlen(row.in), run, &row);
	}
}

static void
rewrite_add_lines(void **state)
{
	static const struct row rows[] = {
		{ "nothing", REWRITE_NONE, ">From a\r\n..\r\n",
		    ">From a\r\n..\r\n" },
		{ "from", REWRITE_FROM, ">From a\r\n>From b",
		    "From a\r\nFrom b" },
		{ "not from", REWRITE_FROM, ">>From a\r\n >From b\r\n>Fro",
		    ">>From a\r\n >From b\r\n>Fro" },
		{ "half, then whole", REWRITE_FROM, ">Fr\r\n>From \r\n>",
		    ">Fr\r\nFrom \r\n>" },
		{ "within a line", REWRITE_FROM, "a>From b", "a>From b" },
		{ "unstuff", REWRITE_UNSTUFF, "..\r\n...\r\n.a\r\na..\r\n.",
		    ".\r\n..\r\n.a\r\na..\r\n." },
		{ "stuff", REWRITE_STUFF, ".\r\n..\r\na.\r\n",
		    "..\r\n...\r\na.\r\n" },
		{ "dashes", REWRITE_DASHES, "--\r\na--\r\n---\r\n--",
		    "-- \r\na--\r\n---\r\n--" },
		{ "blanks", REWRITE_BLANKS, "a \t\r\n b  c\t\r\n \nd\t",
		    "a\r\n b  c\r\n\nd" },
		{ "short lines stay", REWRITE_JOIN, "a\r\n b\r\n c",
		    "a\r\n b\r\n c" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

/*
 * One octet below the length at which lines count as broken, at it, and the
 * same with what is no break.
 */
static void
rewrite_add_long(void **state)
{
	static const struct {
		const char		*name;
		enum rewrite_kind	 kind;
		size_t			 n;
		const char		*end;
		const char		*want;
	} rows[] = {
		{ "below", REWRITE_JOIN, REWRITE_LONG - 1, "\r\n x\r\n",
		    "\r\n x\r\n" },
		{ "at", REWRITE_JOIN, REWRITE_LONG, "\r\n x\r\n", "x\r\n" },
		{ "once a line", REWRITE_JOIN, REWRITE_LONG,
		    "\r\n x\r\n y", "x\r\n y" },
		{ "no space", REWRITE_JOIN, REWRITE_LONG, "\r\nx\r\n",
		    "\r\nx\r\n" },
		{ "end", REWRITE_JOIN, REWRITE_LONG, "\r\n", "\r\n" },
		{ "bang", REWRITE_JOIN_BANG, REWRITE_LONG, "!\r\n x\r\n",
		    "x\r\n" },
		{ "two bangs", REWRITE_JOIN_BANG, REWRITE_LONG,
		    "!!\r\n x\r\n", "!x\r\n" },
		{ "no bang", REWRITE_JOIN_BANG, REWRITE_LONG, "\r\n x\r\n",
		    "\r\n x\r\n" },
	};
	static char in[REWRITE_LONG + 32], want[REWRITE_LONG + 32];
	struct row row = { .in = in, .want = want };
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		memset(in, 'a', rows[i].n);
		memset(want, 'a', rows[i].n);
		strcpy(&in[rows[i].n], rows[i].end);
		strcpy(&want[rows[i].n], rows[i].want);
		row.name = rows[i].name;
		row.kind = rows[i].kind;
		run_rows(&row, 1);
	}
}

/*
 * White space of the length that is held, and one more.
 */
static void
rewrite_add_white(void **state)
{
	static char in[REWRITE_WHITE + 8];
	struct row row = { "held", REWRITE_BLANKS, in, "a\n" };

	(void)state;
	snprintf(in, sizeof(in), "a%*s\n", REWRITE_WHITE, "");
	run_rows(&row, 1);
	snprintf(in, sizeof(in), "a%*s\n", REWRITE_WHITE + 1, "");
	row = (struct row){ "more", REWRITE_BLANKS, in, in };
	run_rows(&row, 1);
}

static void
rewrite_add_encoded(void **state)
{
	static const struct row rows[] = {
		{ "codes", REWRITE_QP, "a=3D=3db=C3=a4", "a==b\xc3\xa4" },
		{ "soft break", REWRITE_QP, "a=\r\nb=\r\n", "ab" },
		{ "hard break", REWRITE_QP, "a=0D=0A\r\n", "a\r\n\r\n" },
		{ "no code", REWRITE_QP, "=x =3x =\rx ==3D",
		    "=x =3x =\rx ==" },
		{ "at the end", REWRITE_QP, "a=", "a=" },
		{ "half at the end", REWRITE_QP, "a=3", "a=3" },
		/* RFC 4648 s10 */
		{ "f", REWRITE_BASE64, "Zg==", "f" },
		{ "fo", REWRITE_BASE64, "Zm8=", "fo" },
		{ "foo", REWRITE_BASE64, "Zm9v", "foo" },
		{ "foobar", REWRITE_BASE64, "Zm9v\r\nYmFy\r\n", "foobar" },
		{ "slash and plus", REWRITE_BASE64, "+/+/",
		    "\xfb\xff\xbf" },
	};

	(void)state;
	run_rows(rows, TEST_COUNT(rows));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rewrite_add_lines),
		cmocka_unit_test(rewrite_add_long),
		cmocka_unit_test(rewrite_add_white),
		cmocka_unit_test(rewrite_add_encoded),
	};

	return TEST_RUN(tests);
}
