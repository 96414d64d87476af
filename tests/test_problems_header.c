/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known problems with header fields (PROBLEMS.tsv, rows 11 to 20), each as a
 * kind.
 */

/* this room */
#include "tests/problems_made.h"

#define ALL	SIZE_MAX
#define BODY	"Hi.\r\n"
#define FROM	"From: a@example.com\r\n"

static const char *const canon_tags[] = { "simple", "relaxed" };

/*
 * Sign these names of header lines.
 */
static char *
sign(enum dkim_canon alg, const char *names, const char *lines)
{
	struct problems_field f = { NULL, names, alg, DKIM_SIMPLE, ALL };
	char *text, *field;

	assert_true(asprintf(&text, PROBLEMS_TAGS "c=%s; h=%s; bh=%%H; b=%%B",
	    canon_tags[alg], names) >= 0);
	f.text = text;
	field = problems_sign(&f, key, lines, slice_text(BODY));
	free(text);
	return field;
}

static void
want(const char *row, const char *field, const char *lines, bool pass)
{
	problems_want(row, field, lines, slice_text(BODY), key_dns, pass ?
	    "pass" : "fail: signature did not verify");
}

/*
 * Row 11: in simple every blank behind the colon, and an empty value, is part
 * of what is signed; each is told from all others. The fields come as an MTA
 * gives them, line ends of folds as LF.
 */
static void
header_simple_keeps_white_space(void **state)
{
	static const char *const values[] = {
		"", " ", "\t", "  ", " x", "x", "\tx", "x ", " x ", "  x",
		"\n x", " \n x", "\n\tx", " x\n ",
	};
	struct dkim_header *h;
	struct buf got, want_octets;
	struct sink sink = { made_add_to_buf, &got };
	size_t i, k;

	(void)state;
	buf_init(&got, 1000);
	buf_init(&want_octets, 1000);
	for (i = 0; i < TEST_COUNT(values); i++) {
		assert_int_equal(dkim_header_new(0, &h), 0);
		assert_int_equal(dkim_header_add_milter(h,
		    slice_text("Subject"), slice_text(values[i])), 0);
		buf_reset(&got);
		buf_reset(&want_octets);
		buf_add_text(&want_octets, "Subject:");
		for (k = 0; values[i][k] != '\0'; k++) {
			if (values[i][k] == '\n')
				buf_add_octet(&want_octets, '\r');
			buf_add_octet(&want_octets, (uint8_t)values[i][k]);
		}
		buf_add_text(&want_octets, "\r\n");
		canon_field(DKIM_SIMPLE, dkim_header_name(h, 0),
		    dkim_header_value(h, 0), &sink);
		test_octets("simple", got.p, got.n, want_octets.p,
		    want_octets.n);
		dkim_header_free(h);
	}
	buf_clear(&got);
	buf_clear(&want_octets);
}

/*
 * The same, signed and verified: of all pairs of values only equal ones pass.
 */
static void
header_simple_tells_apart(void **state)
{
	static const char *const values[] = {
		"", " ", "\t", " x", "x", "\tx", "x ", "\r\n x", " \r\n x",
	};
	char one[64], other[64], *field;
	size_t i, k;

	(void)state;
	for (i = 0; i < TEST_COUNT(values); i++) {
		snprintf(one, sizeof(one), FROM "Subject:%s\r\n", values[i]);
		field = sign(DKIM_SIMPLE, "From:Subject", one);
		for (k = 0; k < TEST_COUNT(values); k++) {
			snprintf(other, sizeof(other), FROM "Subject:%s\r\n",
			    values[k]);
			want(values[k], field, other, i == k);
		}
		free(field);
	}
}

/*
 * Row 12: folds and white space at any place where some stands, behind the
 * colon and at the end too, are one blank, or none, in relaxed.
 */
static void
header_folds_anywhere(void **state)
{
	static const char *const white[] = {
		" ", "\t", "\r\n ", " \r\n\t", "  ", "\r\n \r\n ",
	};
	static const char *const edges[] = { "", " ", "\r\n ", "\t\r\n\t " };
	char lines[256], *relaxed, *simple;
	size_t a, b, c, d;

	(void)state;
	snprintf(lines, sizeof(lines), FROM "Subject: one two three\r\n");
	relaxed = sign(DKIM_RELAXED, "From:Subject", lines);
	simple = sign(DKIM_SIMPLE, "From:Subject", lines);
	for (a = 0; a < TEST_COUNT(edges); a++)
	for (b = 0; b < TEST_COUNT(white); b++)
	for (c = 0; c < TEST_COUNT(white); c++)
	for (d = 0; d < TEST_COUNT(edges); d++) {
		snprintf(lines, sizeof(lines), FROM
		    "SUBJECT \t:%sone%stwo%sthree%s\r\n", edges[a], white[b],
		    white[c], edges[d]);
		want("folded", relaxed, lines, true);
		want("folded, simple", simple, lines, false);
	}
	/* but no blank where there was none, nor the other way */
	want("parted", relaxed, FROM "Subject: one t wo three\r\n", false);
	want("joined", relaxed, FROM "Subject: onetwo three\r\n", false);
	free(relaxed);
	free(simple);
}

/*
 * Row 13: signatures of all fates on one message, in any order: each gets the
 * verdict that it gets alone.
 */
static void
header_signatures_alone(void **state)
{
	static const struct {
		const char	*text;		/* NULL: signed by sign() */
		const char	*want;
	} rows[] = {
		{ NULL, "pass" },
		{ " eeee", "permerror: signature syntax error: bad tag list" },
		{ PROBLEMS_TAGS "h=From; bh=%H; b=YQ==",
		    "fail: signature did not verify" },
		{ PROBLEMS_TAGS "h=From; b=YQ==; "
		    "bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		    "fail: body hash did not verify" },
		{ PROBLEMS_TAGS "h=From; x=1; bh=%H; b=%B",
		    "permerror: signature expired" },
		{ " v=1; a=ed25519-sha256; d=example.com; s=none; h=From; "
		    "bh=%H; b=%B", "permerror: no key for signature" },
	};
	const size_t n = TEST_COUNT(rows);
	char *fields[TEST_COUNT(rows)];
	struct replay_message m;
	size_t i, turn, step;
	struct buf lines;

	(void)state;
	for (i = 0; i < n; i++) {
		const struct problems_field f = { rows[i].text, "From",
		    DKIM_SIMPLE, DKIM_SIMPLE, ALL };

		fields[i] = rows[i].text == NULL ?
		    sign(DKIM_RELAXED, "From", FROM) :
		    problems_sign(&f, key, FROM, slice_text(BODY));
		problems_want("alone", fields[i], FROM, slice_text(BODY),
		    key_dns, strchr(rows[i].want, ':') == NULL ? "pass" :
		    rows[i].want);
	}
	buf_init(&lines, 65536);
	for (turn = 0; turn < n; turn++)
		for (step = 1; step < n; step += 4) {	/* 1 and 5: both ways */
			buf_reset(&lines);
			for (i = 0; i < n; i++)
				buf_add_text(&lines,
				    fields[(turn + i * step) % n]);
			buf_add_text(&lines, FROM);
			buf_add_nul(&lines);
			problems_verify((char *)lines.p, slice_text(BODY),
			    NULL, 0, key_dns, &made_plain, &m);
			test_int("count", dkim_verifier_count(m.verifier), n);
			for (i = 0; i < n; i++)
				made_want("among others", &m, i,
				    rows[(turn + i * step) % n].want);
			replay_done(&m);
		}
	buf_clear(&lines);
	for (i = 0; i < n; i++)
		free(fields[i]);
}

/*
 * Row 14: three fields of one name, and h= that names it k times in all kinds
 * of capitals: the k lowest are signed, each once.
 */
static void
header_same_name_bottom_up(void **state)
{
	static const char *const names[] = { "From", "From:To", "From:to:TO",
	    "to:From:To:tO", "To:to:From:TO:to" };
	char lines[256], *field;
	size_t k, i, alg;

	(void)state;
	for (alg = 0; alg < 2; alg++)
	for (k = 0; k < TEST_COUNT(names); k++) {
		field = sign((enum dkim_canon)alg, names[k],
		    "To: 3\r\n" FROM "To: 2\r\nTo: 1\r\n");
		for (i = 1; i <= 3; i++) {
			snprintf(lines, sizeof(lines), "To: 3%s\r\n" FROM
			    "To: 2%s\r\nTo: 1%s\r\n", i == 3 ? "x" : "",
			    i == 2 ? "x" : "", i == 1 ? "x" : "");
			want("changed", field, lines, i > k);
		}
		want("one more on top", field, "To: 4\r\nTo: 3\r\n" FROM
		    "To: 2\r\nTo: 1\r\n", k < 4);
		want("two changed places", field, "To: 3\r\n" FROM
		    "To: 1\r\nTo: 2\r\n", k == 0);
		free(field);
	}
}

/*
 * What our signer writes behind h=, white space out; the caller frees.
 */
static char *
signed_names(const char *lines, const struct dkim_sign_options *o)
{
	struct dkim_header *h = made_header(lines);
	struct buf field, flat;
	size_t i;
	char *at;

	buf_init(&field, 1 << 20);
	buf_init(&flat, 1 << 20);
	assert_int_equal(made_sign(&world, h, BODY, o, key, "\r\n", &field),
	    0);
	for (i = 0; i < field.n; i++)
		if (field.p[i] > ' ')
			buf_add_octet(&flat, field.p[i]);
	buf_add_nul(&flat);
	at = strstr((char *)flat.p, ";h=");
	assert_non_null(at);
	at = strndup(at + 3, strcspn(at + 3, ";"));
	buf_clear(&field);
	buf_clear(&flat);
	dkim_header_free(h);
	return at;
}

static size_t
count_name(const char *names, const char *name)
{
	size_t n, count = 0;

	for (; *names != '\0'; names += n + (names[n] == ':')) {
		n = strcspn(names, ":");
		count += n == strlen(name) && strncmp(names, name, n) == 0;
	}
	return count;
}

/*
 * Row 15: so many fields of a name there, so many times more wanted, in
 * SignHeaders or not: h= has each once and the extra names exactly.
 */
static void
header_oversigned_exactly(void **state)
{
	struct dkim_sign_options o = {
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.now = MADE_NOW, .key = key,
	};
	char lines[256], list[64];
	struct dkim_names *sign_names, *over;
	size_t there, more, in, i;
	char *names;

	(void)state;
	for (in = 0; in < 2; in++)
	for (there = 0; there < 4; there++)
	for (more = 0; more < 4; more++) {
		strcpy(lines, FROM);
		strcpy(list, "From");
		for (i = 0; i < there; i++)
			strcat(lines, "X-Mine: x\r\n");
		for (i = 0; i < more; i++)
			strcat(list, ",X-Mine");
		sign_names = made_names(DKIM_NAMES_SIGN, in ?
		    "From,X-Mine,To" : "From,To");
		over = made_names(DKIM_NAMES_OVERSIGN, list);
		o.sign = sign_names;
		o.oversign = over;
		names = signed_names(lines, &o);
		test_int(names, count_name(names, "X-Mine"),
		    (in || more > 0 ? there : 0) + more);
		test_int(names, count_name(names, "From"), 2);
		test_int(names, count_name(names, "To"), 0);
		free(names);
		dkim_names_free(sign_names);
		dkim_names_free(over);
	}
}

/*
 * A list of n names, the first one From; the caller frees.
 */
static char *
many_names(const char *name, size_t n)
{
	char *list = malloc(8 + n * (strlen(name) + 1)), *at = list;

	at += sprintf(at, "From");
	while (--n > 0)
		at += sprintf(at, ":%s", name);
	return list;
}

/*
 * Row 16: good signatures with h= of far more names than there are fields, up
 * to the limit; own field never among them, though it is named.
 */
static void
header_names_beyond_fields(void **state)
{
	static const char *const repeated[] = {
		"From", "Subject", "DKIM-Signature", "X-None",
	};
	static const size_t counts[] = { 2, 63, 64, 65, 100, 1000, 1001 };
	char *names, *first, *second, *both;
	size_t i, k;

	(void)state;
	for (i = 0; i < TEST_COUNT(repeated); i++)
	for (k = 0; k < TEST_COUNT(counts); k++) {
		names = many_names(repeated[i], counts[k]);
		first = sign(DKIM_RELAXED, names, FROM "Subject: x\r\n");
		if (counts[k] > DKIM_SIGNED_NAMES_MAX) {
			problems_want("over", first, FROM "Subject: x\r\n",
			    slice_text(BODY), key_dns, "permerror: signature "
			    "syntax error: too many names in h=");
			free(first);
			free(names);
			continue;
		}
		want("alone", first, FROM "Subject: x\r\n", true);
		/* one on top signs the one below, where it is named */
		assert_true(asprintf(&both, "%s" FROM "Subject: x\r\n", first)
		    >= 0);
		second = sign(DKIM_SIMPLE, names, both);
		want("on top", second, both, true);
		strstr(both, "v=1")[2] = '2';
		want("below it changed", second, both, i != 2);
		free(second);
		free(both);
		free(first);
		free(names);
	}
}

/*
 * Row 17: h= beyond 4,095 characters, and fields up to the limit: signed by us
 * and verified whole; one octet more is refused, never cut.
 */
static void
header_long_lists_and_fields(void **state)
{
	static const size_t sizes[] = {
		4096, 32768, 65535, 65536, 65537, 200000, DKIM_FIELD_MAX,
	};
	struct dkim_names *sign_names;
	struct dkim_sign_options o = {
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.header_canon = DKIM_RELAXED, .now = MADE_NOW, .key = key,
	};
	struct dkim_header *h;
	struct buf lines, field;
	char *text;
	size_t i, at;

	(void)state;
	sign_names = made_names(DKIM_NAMES_SIGN, "From,X-Long,To");
	o.sign = sign_names;
	buf_init(&lines, 1 << 20);
	buf_init(&field, 1 << 20);
	for (i = 0; i <= TEST_COUNT(sizes); i++) {
		buf_reset(&lines);
		buf_reset(&field);
		buf_add_text(&lines, FROM);
		if (i < TEST_COUNT(sizes)) {
			buf_add_text(&lines, "X-Long: ");
			for (at = 8; at < sizes[i]; at++)
				buf_add_octet(&lines, 'y');
			buf_add_text(&lines, "\r\n");
		}
		for (at = 0; at < 900; at++)	/* X-Long and To: 6,000 */
			buf_add_text(&lines, at % 2 ? "To: x\r\n" :
			    "X-Long: y\r\n");
		buf_add_nul(&lines);
		h = made_header((char *)lines.p);
		test_int("sign", made_sign(&world, h, BODY, &o, key, "\r\n",
		    &field), 0);
		test_true("h= is long", field.n > 4095);
		text = made_field(&field);
		want("long", text, (char *)lines.p, true);
		free(text);
		dkim_header_free(h);
	}
	text = calloc(1, DKIM_FIELD_MAX);
	memset(text, 'y', DKIM_FIELD_MAX);
	assert_int_equal(dkim_header_new(0, &h), 0);
	test_int("one more", dkim_header_add(h, slice_text("X"), slice_of(text,
	    DKIM_FIELD_MAX - 1)), DKIM_ERR_LIMIT);
	test_str("one more", dkim_header_over(h),
	    "header field over 262144 octets");
	dkim_header_free(h);
	free(text);
	buf_clear(&lines);
	buf_clear(&field);
	dkim_names_free(sign_names);
}

/*
 * Row 18: b= at each place among the other tags, with white space and folds
 * round it and inside, beside tags that look like it: only its value is out of
 * what is signed.
 */
static void
header_b_anywhere(void **state)
{
	static const char *const tags[] = {
		" v=1", " a=ed25519-sha256", " d=example.com", " s=sel",
		" h=From", " bh=%H", " xb=b=b", "\r\n\tb1=%b=",
	};
	static const char *const forms[] = {
		"b=%B", " b =%B", "\tb=\r\n\t%B\r\n ", " b\r\n = %B ", "b= %B",
	};
	struct problems_field f = { NULL, "From", DKIM_SIMPLE, DKIM_SIMPLE,
	    ALL };
	char text[512], *field;
	size_t place, form, alg, i, end;

	(void)state;
	for (alg = 0; alg < 2; alg++)
	for (form = 0; form < TEST_COUNT(forms); form++)
	for (place = 0; place <= TEST_COUNT(tags); place++)
	for (end = 0; end < 2; end++) {
		sprintf(text, " c=%s", canon_tags[alg]);
		for (i = 0; i <= TEST_COUNT(tags); i++) {
			if (i == place)
				sprintf(text + strlen(text), ";%s",
				    forms[form]);
			if (i < TEST_COUNT(tags))
				sprintf(text + strlen(text), ";%s", tags[i]);
		}
		if (end)
			strcat(text, ";");
		f.text = text;
		f.header = (enum dkim_canon)alg;
		field = problems_sign(&f, key, FROM, slice_text(BODY));
		want(text, field, FROM, true);
		free(field);
	}
}

/*
 * Row 20: several From fields, however they are spelt and wherever they stand:
 * never signed, and a pass becomes policy. None: neither signed nor verified.
 */
static void
header_several_from(void **state)
{
	static const char *const others[] = {
		"From: b@example.org\r\n", "FROM: b@example.org\r\n",
		"from \t: b@example.org\r\n", "From:\r\n",
		"fROM:a\r\nFrom: b\r\n",
	};
	struct dkim_sign_options o = {
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"), .now = MADE_NOW, .key = key,
	};
	char lines[256], *field;
	struct dkim_header *h;
	struct buf out;
	size_t i;

	(void)state;
	field = sign(DKIM_RELAXED, "From", FROM);
	buf_init(&out, 65536);
	for (i = 0; i < TEST_COUNT(others); i++) {
		snprintf(lines, sizeof(lines), "%sSubject: x\r\n" FROM,
		    others[i]);
		problems_want(others[i], field, lines, slice_text(BODY),
		    key_dns, "policy: more than one From field");
		h = made_header(lines);
		test_int(others[i], made_sign(&world, h, BODY, &o, key, "\r\n",
		    &out), DKIM_ERR_MANY_FROM);
		dkim_header_free(h);
		/* the other one below: it is what was not signed */
		snprintf(lines, sizeof(lines), FROM "%s", others[i]);
		want(others[i], field, lines, false);
	}
	h = made_header("Subject: x\r\nX-From: y\r\n");
	test_int("none", made_sign(&world, h, BODY, &o, key, "\r\n", &out),
	    DKIM_ERR_NO_FROM);
	problems_want("none", field, "Subject: x\r\nX-From: y\r\n",
	    slice_text(BODY), key_dns,
	    "permerror: no From field in the message");
	dkim_header_free(h);
	buf_clear(&out);
	free(field);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_simple_keeps_white_space),
		cmocka_unit_test(header_simple_tells_apart),
		cmocka_unit_test(header_folds_anywhere),
		cmocka_unit_test(header_signatures_alone),
		cmocka_unit_test(header_same_name_bottom_up),
		cmocka_unit_test(header_oversigned_exactly),
		cmocka_unit_test(header_names_beyond_fields),
		cmocka_unit_test(header_long_lists_and_fields),
		cmocka_unit_test(header_b_anywhere),
		cmocka_unit_test(header_several_from),
	};

	return PROBLEMS_RUN(tests);
}
