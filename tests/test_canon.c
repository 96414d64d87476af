/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/canon.c (RFC 6376 s3.4.3, s3.4.4), and the rows of
 * tests/vectors/canon.tsv for bodies and fields. What they do not reach is
 * compared with a second way to say the same, line by line (body_form.h).
 */

/* this room */
#include "tests/body_form.h"

#define OUT_MAX	65536	/* octets */

/*
 * A sink that keeps all.
 */
struct kept {
	uint8_t	octets[OUT_MAX];
	size_t	n;
	size_t	calls;
};

static void
keep(void *context, struct slice octets)
{
	struct kept *kept = context;

	test_true("sink gets octets", octets.n > 0);
	test_true("sink has room", octets.n <= OUT_MAX - kept->n);
	memcpy(kept->octets + kept->n, octets.p, octets.n);
	kept->n += octets.n;
	kept->calls++;
}

struct body {
	const char	*row;
	enum dkim_canon	 alg;
	bool		 fix_crlf;
	const uint8_t	*in, *want;
	size_t		 in_n, want_n;
};

static struct kept kept;

static struct canon
begin(const struct body *b)
{
	struct canon c;

	canon_init(&c, b->alg, b->fix_crlf);
	kept.n = 0;
	kept.calls = 0;
	return c;
}

static void
end(const struct body *b, struct canon *c)
{
	struct sink sink = { keep, &kept };

	canon_body_end(c, &sink);
	test_octets(b->row, kept.octets, kept.n, b->want, b->want_n);
}

static void
split_at(void *arg, size_t cut)
{
	const struct body *b = arg;
	struct sink sink = { keep, &kept };
	struct canon c = begin(b);

	canon_body(&c, slice_of(b->in, cut), &sink);
	canon_body(&c, slice_of(b->in + cut, b->in_n - cut), &sink);
	end(b, &c);
}

/*
 * In two at every place, one octet a call, and with empty calls between.
 */
static void
check_body(const struct body *b)
{
	struct sink sink = { keep, &kept };
	struct canon c = begin(b);
	size_t i;

	for (i = 0; i < b->in_n; i++) {
		canon_body(&c, slice_of(b->in + i, 1), &sink);
		canon_body(&c, slice_of(NULL, 0), &sink);
	}
	end(b, &c);
	test_every_split(b->in_n, split_at, (void *)(uintptr_t)b);
}

static void
check_text(const char *row, enum dkim_canon alg, const char *in,
    const char *want)
{
	struct body b = {
		.row = row, .alg = alg,
		.in = (const uint8_t *)in, .in_n = strlen(in),
		.want = (const uint8_t *)want, .want_n = strlen(want),
	};

	check_body(&b);
}

static void
check_fixed(const char *row, enum dkim_canon alg, const char *in,
    const char *want)
{
	struct body b = {
		.row = row, .alg = alg, .fix_crlf = true,
		.in = (const uint8_t *)in, .in_n = strlen(in),
		.want = (const uint8_t *)want, .want_n = strlen(want),
	};

	check_body(&b);
}

/* ---- the vectors ------------------------------------------------------- */

static size_t
unescape(const char *text, size_t n, uint8_t *out)
{
	static const char codes[] = "\\\\t\tn\nr\r";
	char hex[3] = { 0 };
	size_t i, at = 0, c;

	for (i = 0; i < n; i++) {
		if (text[i] != '\\') {
			out[at++] = (uint8_t)text[i];
			continue;
		}
		i++;
		if (text[i] == 'x') {
			memcpy(hex, text + i + 1, 2);
			out[at++] = (uint8_t)strtoul(hex, NULL, 16);
			i += 2;
			continue;
		}
		for (c = 0; codes[c] != text[i]; c += 2)
			test_true("known escape", c + 2 < sizeof(codes) - 1);
		out[at++] = (uint8_t)codes[c + 1];
	}
	return at;
}

static void
check_header(const struct body *b)
{
	struct sink sink = { keep, &kept };
	struct slice field = slice_of(b->in, b->in_n - 2);
	size_t colon = slice_find(field, ':');

	kept.n = 0;
	canon_field(b->alg, slice_sub(field, 0, colon),
	    slice_from(field, colon + 1), &sink);
	test_octets(b->row, kept.octets, kept.n, b->want, b->want_n);
	kept.n = 0;
	canon_field_last(b->alg, slice_sub(field, 0, colon),
	    slice_from(field, colon + 1), &sink);
	test_octets(b->row, kept.octets, kept.n, b->want, b->want_n - 2);
}

static void
check_vector(char *line)
{
	static uint8_t in[OUT_MAX], want[OUT_MAX];
	struct body b = { .row = line, .in = in, .want = want };
	char *column[7], *p = line;
	size_t i;

	for (i = 0; i < TEST_COUNT(column); i++) {
		column[i] = p;
		p += strcspn(p, "\t");
		if (*p != '\0')
			*p++ = '\0';
	}
	b.alg = strcmp(column[1], "simple") == 0 ? DKIM_SIMPLE : DKIM_RELAXED;
	b.in_n = unescape(column[2], strlen(column[2]), in);
	b.want_n = unescape(column[3], strlen(column[3]), want);
	b.row = column[2];
	if (strcmp(column[0], "body") == 0)
		check_body(&b);
	else
		check_header(&b);
}

/*
 * Fields and bodies of other programs: RFC 6376 s3.4.1, s3.4.2 #1, #2, #3, #4,
 * #5, #6, #7, #8.
 */
static void
canon_vectors(void **state)
{
	size_t n, rows = 0;
	char *text, *line, *rest;

	(void)state;
	text = (char *)test_file("vectors/canon.tsv", &n);
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	    line = strtok_r(NULL, "\n", &rest)) {
		if (line[0] == '#')
			continue;
		check_vector(line);
		rows++;
	}
	test_true("vectors were read", rows >= 40);
	free(text);
}

/* ---- bodies ------------------------------------------------------------ */

/*
 * RFC 6376 s3.4.4 #1, #2, #3, #4, #5, #6, #7.
 */
static void
canon_body_relaxed_rows(void **state)
{
	(void)state;
	check_text("blank last lines (PROBLEMS 1)", DKIM_RELAXED,
	    "text\r\n   \r\n \r\n", "text\r\n");
	check_text("blank last lines, tabs, no end", DKIM_RELAXED,
	    "text\r\n\t\t\r\n\r\n \t", "text\r\n");
	check_text("blank line in the middle (2)", DKIM_RELAXED,
	    "test\r\n \r\ntest\r\n", "test\r\n\r\ntest\r\n");
	check_text("only blank lines (4)", DKIM_RELAXED,
	    " \r\n\t\r\n  ", "");
	check_text("leading blank lines stay", DKIM_RELAXED,
	    " \r\n\r\nx\r\n", "\r\n\r\nx\r\n");
	check_text("VT, FF, bare CR stay (6)", DKIM_RELAXED,
	    "a\v\v \f\f\r \r\n", "a\v\v \f\f\r\r\n");
	check_text("bare CR", DKIM_RELAXED, "a \rb\r\r\nc\r",
	    "a \rb\r\r\nc\r\r\n");
	check_text("bare CR behind held white space", DKIM_RELAXED,
	    "a\r\n \t\r \r\n", "a\r\n \r\r\n");
	check_text("bare LF (9)", DKIM_RELAXED, "a \nb  \n", "a \nb \n\r\n");
	check_text("LF CR", DKIM_RELAXED, "a\n\rb", "a\n\rb\r\n");
	check_text("8-bit octets (8)", DKIM_RELAXED,
	    "\xa0\xa0\x85 \xff\x80\r\n", "\xa0\xa0\x85 \xff\x80\r\n");
	check_text("white space first", DKIM_RELAXED, " a\r\n\t b",
	    " a\r\n b\r\n");
	check_text("tab between words", DKIM_RELAXED, "a\tb \tc\t d",
	    "a b c d\r\n");
}

/*
 * RFC 6376 s3.4.3 #1, #2, #3.
 */
static void
canon_body_simple_rows(void **state)
{
	(void)state;
	check_text("white lines stay", DKIM_SIMPLE, "text\r\n  \r\n \r\n\r\n",
	    "text\r\n  \r\n \r\n");
	check_text("white space at the end", DKIM_SIMPLE, "a \t", "a \t\r\n");
	check_text("bare CR at the end", DKIM_SIMPLE, "a\r", "a\r\r\n");
	check_text("bare CR behind line ends", DKIM_SIMPLE,
	    "a\r\n\r\n\r", "a\r\n\r\n\r\r\n");
	check_text("CR CR LF", DKIM_SIMPLE, "a\r\r\n\r\n", "a\r\r\n");
	check_text("bare LF", DKIM_SIMPLE, "a\n\n\n", "a\n\n\n\r\n");
	check_text("LF alone", DKIM_SIMPLE, "\n", "\n\r\n");
	check_text("CR LF LF", DKIM_SIMPLE, "a\r\n\n", "a\r\n\n\r\n");
	check_text("line ends first", DKIM_SIMPLE, "\r\n\r\na",
	    "\r\n\r\na\r\n");
}

/*
 * RFC 6376 s3.7 #15, #16, #17, #18, #19: neither transfer encodings nor parts
 * of MIME nor the dots of SMTP mean anything.
 */
static void
canon_body_mime(void **state)
{
	static const char body[] = "--b\r\n"
	    "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
	    "a=3Db=\r\n=41\r\n--b\r\n"
	    "Content-Disposition: attachment; filename=x\r\n"
	    "Content-Transfer-Encoding: base64\r\n\r\nQQ==\r\n--b--\r\n"
	    ".\r\n..\r\n.dot\r\n";

	(void)state;
	check_text("simple", DKIM_SIMPLE, body, body);
	check_text("relaxed", DKIM_RELAXED, body, body);
}

/*
 * RFC 6376 s5.3: what the MTA will make CRLF of is hashed as CRLF.
 */
static void
canon_body_fix_crlf(void **state)
{
	(void)state;
	check_fixed("LF", DKIM_SIMPLE, "a\nb\n\n", "a\r\nb\r\n");
	check_fixed("CR", DKIM_SIMPLE, "a\rb\r\r", "a\r\nb\r\n");
	check_fixed("CRLF stays", DKIM_SIMPLE, "a\r\n\r\nb\r\n",
	    "a\r\n\r\nb\r\n");
	check_fixed("CR CR LF is two", DKIM_SIMPLE, "a\r\r\nb",
	    "a\r\n\r\nb\r\n");
	check_fixed("LF CR is two", DKIM_SIMPLE, "a\n\rb", "a\r\n\r\nb\r\n");
	check_fixed("CR LF LF is two", DKIM_SIMPLE, "a\r\n\nb",
	    "a\r\n\r\nb\r\n");
	check_fixed("relaxed", DKIM_RELAXED, "a \nb\t\r c\n \n\r\n",
	    "a\r\nb\r\n c\r\n");
	check_fixed("empty", DKIM_SIMPLE, "", "\r\n");
	check_fixed("empty, relaxed", DKIM_RELAXED, "\n\r", "");
}

/*
 * Every body of up to 6 octets out of 5, cut everywhere; what FixCRLF makes is
 * compared with the form of the octets it stands for.
 */
static void
canon_body_every_short_body(void **state)
{
	static const char octets[] = "a \t\r\n";
	uint8_t in[6], want[64];
	struct body b = { .row = "short body", .in = in, .want = want };
	unsigned number, rest, all;
	size_t i;

	(void)state;
	for (b.in_n = 0, all = 1; b.in_n <= sizeof(in); b.in_n++, all *= 5)
		for (number = 0; number < all; number++) {
			for (i = 0, rest = number; i < b.in_n; i++, rest /= 5)
				in[i] = (uint8_t)octets[rest % 5];
			for (i = 0; i < 2; i++) {
				b.alg = (enum dkim_canon)i;
				b.want_n = body_form(b.alg, in, b.in_n, want);
				check_body(&b);
			}
		}
}

/*
 * Long bodies of words, white space and line ends, so that runs of all lengths
 * meet the ends of vectors and of pieces.
 */
static void
canon_body_random_bodies(void **state)
{
	static const char *const parts[] = {
		"word", "x", " ", " ", "  ", "\t", "\r\n", "\r\n", " \r\n",
		"\r", "\n", "\r\n\r\n", "\xc3\xa4",
		("a rather long run of octets "
		"without anything to do in it, as text mostly is, and on"),
	};
	static uint8_t in[20000], fixed[40000], want[80000];
	struct body b = { .row = "random body", .in = in, .want = want };
	uint32_t seed = 6376, round;
	size_t n, size, at, chunk;

	(void)state;
	for (round = 0; round < 400; round++) {
		size = body_form_random(&seed) % (round < 390 ? 900 : 19000);
		for (b.in_n = 0; b.in_n < size; b.in_n += n) {
			at = body_form_random(&seed) % TEST_COUNT(parts);
			n = strlen(parts[at]);
			memcpy(in + b.in_n, parts[at], n);
		}
		b.alg = (enum dkim_canon)(round & 1);
		b.fix_crlf = (round & 2) != 0;
		if (b.fix_crlf) {
			n = body_form_fix(in, b.in_n, fixed);
			b.want_n = body_form(b.alg, fixed, n, want);
		} else {
			b.want_n = body_form(b.alg, in, b.in_n, want);
		}
		struct sink sink = { keep, &kept };
		struct canon c = begin(&b);

		for (at = 0; at < b.in_n; at += chunk) {
			chunk = 1 + body_form_random(&seed) % (1 + size / 2);
			if (chunk > b.in_n - at)
				chunk = b.in_n - at;
			canon_body(&c, slice_of(in + at, chunk), &sink);
		}
		end(&b, &c);
		split_at(&b, 0);
	}
}

/*
 * Bodies with much to do, longer than what is packed at once (4,096 octets):
 * blanks doubled, blanks before each line end, nothing but blanks, tabs, and
 * CRs that end no line; cut everywhere.
 */
static void
canon_body_packed_every_split(void **state)
{
	static const char *const lines[] = {
		"two  blanks  between  words\r\n", "ends in blanks \t \r\n",
		"  ", "\ttabs\tall\tover\t\r\n", "a \r b\r \r\n\r\n",
		"a \r\n\r\n \r\n\t\r\n", "x\r ",
	};
	static uint8_t in[4300], want[2 * sizeof(in)];
	size_t i, n;

	(void)state;
	for (i = 0; i < TEST_COUNT(lines); i++) {
		struct body b = { .row = lines[i], .alg = DKIM_RELAXED,
		    .in = in, .want = want };

		n = strlen(lines[i]);
		in[0] = 'x';
		for (b.in_n = 1; b.in_n + n <= sizeof(in); b.in_n += n)
			memcpy(in + b.in_n, lines[i], n);
		b.want_n = body_form(b.alg, in, b.in_n, want);
		check_body(&b);
	}
}

/*
 * Held line ends are a count: 30,000 of them come back, and cost nothing when
 * they do not.
 */
static void
canon_body_many_blank_lines(void **state)
{
	struct sink sink = { keep, &kept };
	struct canon c;
	size_t i;

	(void)state;
	for (int end_alone = 0; end_alone < 2; end_alone++) {
		canon_init(&c, DKIM_RELAXED, false);
		kept.n = 0;
		kept.calls = 0;
		canon_body(&c, slice_text("x"), &sink);
		for (i = 0; i < 30000; i++)
			canon_body(&c, slice_text("\r\n"), &sink);
		test_int("nothing but x", kept.n, 1);
		if (end_alone == 0) {
			canon_body(&c, slice_text("y"), &sink);
			test_int("all came back", kept.n, 60002);
			test_true("in long runs", kept.calls < 1000);
		}
		canon_body_end(&c, &sink);
		test_int("end", kept.n, end_alone == 0 ? 60004 : 3);
	}
}

/*
 * Text that needs no change goes through where it lies, as one run.
 */
static void
canon_body_long_runs(void **state)
{
	static const char text[] =
	    "Dear all,\r\n\r\nthis is ordinary text of two lines\r\n"
	    "and one word.\r\n";
	struct sink sink = { keep, &kept };
	struct canon c;

	(void)state;
	for (int alg = 0; alg < 2; alg++) {
		canon_init(&c, (enum dkim_canon)alg, false);
		kept.n = 0;
		kept.calls = 0;
		canon_body(&c, slice_text(text), &sink);
		test_int("one run", kept.calls, 1);
		canon_body(&c, slice_text("  trailing  \r\nand more \r\n"),
		    &sink);
		/* relaxed: line end, SP, word; line end with the next line */
		test_true("few runs", kept.calls <= 5);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canon_vectors),
		cmocka_unit_test(canon_body_relaxed_rows),
		cmocka_unit_test(canon_body_simple_rows),
		cmocka_unit_test(canon_body_mime),
		cmocka_unit_test(canon_body_fix_crlf),
		cmocka_unit_test(canon_body_every_short_body),
		cmocka_unit_test(canon_body_random_bodies),
		cmocka_unit_test(canon_body_packed_every_split),
		cmocka_unit_test(canon_body_many_blank_lines),
		cmocka_unit_test(canon_body_long_runs),
	};

	return TEST_RUN(tests);
}
