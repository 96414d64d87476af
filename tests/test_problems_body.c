/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known problems with bodies (PROBLEMS.tsv, rows 1 to 10), each as a kind.
 */

/* this room */
#include "tests/body_form.h"
#include "tests/problems_made.h"

#define ALL		SIZE_MAX
#define BODY_MAX	140000		/* octets */

static const char header[] = "From: Joe <joe@example.com>\r\nSubject:  a\r\n";

/* the four pairs, as c= and as what they are */
static const struct {
	const char	*c;
	enum dkim_canon	 header, body;
} pairs[] = {
	{ "simple/simple", DKIM_SIMPLE, DKIM_SIMPLE },
	{ "simple/relaxed", DKIM_SIMPLE, DKIM_RELAXED },
	{ "relaxed/simple", DKIM_RELAXED, DKIM_SIMPLE },
	{ "relaxed/relaxed", DKIM_RELAXED, DKIM_RELAXED },
};

/*
 * Sign body under a c= tag (NULL: none) and l= (ALL: none).
 */
static char *
sign(const char *c, enum dkim_canon head, enum dkim_canon alg, size_t length,
    struct slice body)
{
	char text[256], l[32] = "", tag[64] = "";
	const struct problems_field f = { text, "From:Subject", head, alg,
	    length };

	if (length != ALL)
		snprintf(l, sizeof(l), " l=%zu;", length);
	if (c != NULL)
		snprintf(tag, sizeof(tag), " c=%s;", c);
	snprintf(text, sizeof(text), PROBLEMS_TAGS "h=From:Subject;%s%s "
	    "bh=%%H; b=%%B", tag, l);
	return problems_sign(&f, key, header, body);
}

/*
 * Ends of white lines: up to three of them, each of any white space, the last
 * one with a line end or without. Calls run with each.
 */
static void
each_white_end(const char *begin, void (*run)(const char *body, void *arg),
    void *arg)
{
	static const char *const lines[] = {
		"", " ", "\t", "  \t ", "                                   ",
	};
	char body[512];
	size_t count, number, rest, i, n, all;

	for (count = 0, all = 1; count <= 3; count++,
	    all *= TEST_COUNT(lines))
		for (number = 0; number < 2 * all; number++) {
			n = (size_t)sprintf(body, "%s", begin);
			rest = number / 2;
			for (i = 0; i < count; i++) {
				n += (size_t)sprintf(body + n, "%s%s",
				    lines[rest % TEST_COUNT(lines)],
				    i + 1 < count || number % 2 ? "\r\n" : "");
				rest /= TEST_COUNT(lines);
			}
			run(body, arg);
		}
}

struct covered {
	char	*field[8];		/* of l= 0 .. 7 */
	size_t	 runs;
};

static void
verify_lengths(const char *body, void *arg)
{
	struct covered *c = arg;
	size_t l;

	for (l = 0; l <= 7; l++)
		problems_want(body, c->field[l], header, slice_text(body),
		    key_dns, l == 7 ? "permerror: l= is larger than the body" :
		    l == 6 ? "pass: " : "pass: part of the body is not signed");
	c->runs++;
}

/*
 * Row 1: lines of white space at the end are not there, whatever they are made
 * of, and l= counts what is left: signed over "text" CRLF, of which there are
 * six octets.
 */
static void
body_white_ends_every_length(void **state)
{
	struct covered c = { .runs = 0 };
	size_t l;

	(void)state;
	for (l = 0; l <= 7; l++)
		c.field[l] = sign("relaxed/relaxed", DKIM_RELAXED,
		    DKIM_RELAXED, l, slice_text("text\r\n"));
	each_white_end("text\r\n", verify_lengths, &c);
	test_true("many ends", c.runs > 200);
	for (l = 0; l <= 7; l++)
		free(c.field[l]);
}

static void
verify_middle(const char *body, void *arg)
{
	char **fields = arg, *whole;
	size_t lines = 0, i;

	/* the last white line without its end would join the next one */
	if (body[strlen(body) - 1] != '\n')
		return;
	assert_true(asprintf(&whole, "%stest\r\n", body) >= 0);
	for (i = 0; body[i] != '\0'; i++)
		lines += body[i] == '\n';
	for (i = 1; i <= 4; i++)
		problems_want(body, fields[i], header, slice_text(whole),
		    key_dns, i == lines ? "pass" :
		    "fail: body hash did not verify");
	free(whole);
}

/*
 * Row 2: white lines in the middle become empty, and each keeps its line end.
 */
static void
body_white_middle_keeps_lines(void **state)
{
	static const char *const bodies[] = {
		"", "test\r\ntest\r\n", "test\r\n\r\ntest\r\n",
		"test\r\n\r\n\r\ntest\r\n", "test\r\n\r\n\r\n\r\ntest\r\n",
	};
	char *fields[5];
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++)
		fields[i] = sign("relaxed/relaxed", DKIM_RELAXED,
		    DKIM_RELAXED, ALL, slice_text(bodies[i]));
	each_white_end("test\r\n", verify_middle, fields);
	for (i = 0; i < 5; i++)
		free(fields[i]);
}

/*
 * Row 3: cut in three at every two places, and one octet a piece, by signer and
 * verifier, in each pair of forms.
 */
static void
body_pieces_do_not_matter(void **state)
{
	static const char body[] =
	    "a  b\t\r\n \r\n\r\r\n.\n \r x\r\n\r\n \t\r\n";
	size_t n = sizeof(body) - 1, i, cuts[64], a, b;
	struct replay_message m;
	char *field, *lines;

	(void)state;
	for (i = 0; i < TEST_COUNT(pairs); i++) {
		field = sign(pairs[i].c, pairs[i].header, pairs[i].body, ALL,
		    slice_of(body, n));
		assert_true(asprintf(&lines, "%s%s", field, header) >= 0);
		for (a = 0; a <= n; a++)
			for (b = a; b <= n; b++) {
				cuts[0] = a;
				cuts[1] = b;
				problems_verify(lines, slice_of(body, n), cuts,
				    2, key_dns, &made_plain, &m);
				made_want(pairs[i].c, &m, 0, "pass");
				replay_done(&m);
			}
		for (a = 1; a < n; a++)
			cuts[a - 1] = a;
		problems_verify(lines, slice_of(body, n), cuts, n - 1, key_dns,
		    &made_plain, &m);
		made_want("one octet a piece", &m, 0, "pass");
		replay_done(&m);
		free(lines);
		free(field);
	}
}

/*
 * The field that the signer makes of a body in pieces of so many octets.
 */
static void
sign_in_pieces(size_t pair, struct slice body, size_t piece, bool fix,
    struct buf *out)
{
	struct dkim_names *names = made_names(DKIM_NAMES_SIGN, NULL);
	struct dkim_sign_options o = {
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.header_canon = pairs[pair].header,
		.body_canon = pairs[pair].body,
		.sign = names, .now = MADE_NOW, .key = key,
	};
	struct rsab_job job = { .key = key }, *jobs[] = { &job };
	struct dkim_header *h = made_header(header);
	struct dkim_signer *signer;
	size_t at, index;

	assert_int_equal(dkim_signer_new(world.lib, h, fix, &signer), 0);
	assert_int_equal(dkim_signer_add(signer, &o, &index), 0);
	for (at = 0; at < body.n; at += piece)
		assert_int_equal(dkim_signer_body(signer, slice_sub(body, at,
		    body.n - at < piece ? body.n - at : piece)), 0);
	assert_int_equal(dkim_signer_body_end(signer), 0);
	assert_int_equal(dkim_signer_job(signer, index, &job), 0);
	rsab_run(world.worker, jobs, 1);
	assert_int_equal(job.result, 0);
	buf_reset(out);
	assert_int_equal(dkim_signer_field(signer, index, slice_of(
	    job.signature, job.signature_len), "\r\n", out), 0);
	dkim_signer_free(signer);
	dkim_header_free(h);
	dkim_names_free(names);
}

/*
 * Row 4: bodies without an octet, and of line ends alone: bh= as RFC 6376
 * s3.4.3 and s3.4.4 (erratum 1377) print it, in each pair of forms.
 */
static void
body_empty_each_form(void **state)
{
	static const struct {
		const char	*body;
		bool		 simple;	/* is empty in simple, too */
	} rows[] = {
		{ "", true }, { "\r\n", true }, { "\r\n\r\n\r\n", true },
		{ " ", false }, { "\t\r\n", false }, { "\r\n \r\n\t", false },
	};
	size_t i, k, piece, n;
	struct buf field;
	const char *want;

	(void)state;
	buf_init(&field, 65536);
	for (i = 0; i < TEST_COUNT(rows) * TEST_COUNT(pairs); i++) {
		k = i % TEST_COUNT(pairs);
		want = pairs[k].body == DKIM_RELAXED ?
		    "bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" :
		    "bh=frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=";
		if (pairs[k].body == DKIM_SIMPLE && !rows[i / 4].simple)
			continue;
		n = strlen(rows[i / 4].body);
		for (piece = 1; piece <= n + 1; piece++) {
			sign_in_pieces(k, slice_of(rows[i / 4].body, n), piece,
			    false, &field);
			test_true(pairs[k].c, memmem(field.p, field.n, want,
			    strlen(want)) != NULL);
		}
	}
	buf_clear(&field);
}

/*
 * The hash of a body in two pieces; where they meet it may cross a buffer.
 */
static void
check_hash(enum dkim_canon alg, struct slice in, size_t cut, struct slice form)
{
	uint8_t got[DIGEST_SIZE], want[DIGEST_SIZE];
	struct bodyhash *b;
	struct digest d;
	uint64_t total;
	size_t index;
	char row[64];

	assert_int_equal(bodyhash_new(world.lib, false, &b), 0);
	assert_int_equal(bodyhash_want(b, alg, UINT64_MAX, &index), 0);
	assert_int_equal(bodyhash_add(b, slice_sub(in, 0, cut)), 0);
	assert_int_equal(bodyhash_add(b, slice_from(in, cut)), 0);
	assert_int_equal(bodyhash_end(b), 0);
	bodyhash_get(b, index, got, &total);
	assert_int_equal(digest_init(&d, world.lib), 0);
	digest_add(&d, form);
	assert_int_equal(digest_finish(&d, want), 0);
	digest_clear(&d);
	snprintf(row, sizeof(row), "%s, %zu octets cut at %zu",
	    dkim_canon_text(alg), in.n, cut);
	test_octets(row, got, sizeof(got), want, sizeof(want));
	test_int(row, total, form.n);
	bodyhash_free(b);
}

/*
 * Rows 5 and 8: bodies of lines and of one line, with octets above 127, around
 * every size of a buffer, with the final CRLF and without: the same hash, and
 * that of the form that is made the long way.
 */
static void
body_sizes_around_buffers(void **state)
{
	static const size_t sizes[] = {
		64, 256, 998, 1024, 4096, 8192, 16384, 32768, 65535, 131072,
	};
	static const char *const fills[] = {
		"x", "\x80\xff\xa0\xc3\xa4", "two  words \r\n", "a\r\n\r\n",
		"white \t ",
	};
	static uint8_t in[BODY_MAX], form[2 * BODY_MAX];
	size_t i, k, n, at, form_n, alg;

	(void)state;
	for (i = 0; i < TEST_COUNT(sizes) * TEST_COUNT(fills); i++) {
		const char *fill = fills[i % TEST_COUNT(fills)];

		n = sizes[i / TEST_COUNT(fills)] - 3;
		for (k = 0; k < 7; k++, n++) {
			for (at = 0; at < n; at++)
				in[at] = (uint8_t)fill[at % strlen(fill)];
			/* an end that no form takes away */
			in[n - 1] = '.';
			for (alg = 0; alg < 2; alg++) {
				form_n = body_form((enum dkim_canon)alg, in, n,
				    form);
				check_hash((enum dkim_canon)alg,
				    slice_of(in, n), n - 1,
				    slice_of(form, form_n));
				memcpy(in + n, "\r\n", 2);
				check_hash((enum dkim_canon)alg,
				    slice_of(in, n + 2), n + 1,
				    slice_of(form, form_n));
			}
		}
	}
}

/*
 * Row 6: of all octets only SP and HTAB are white space, in body and header.
 */
static void
body_white_space_every_octet(void **state)
{
	uint8_t in[16], want[16];
	size_t n, want_n;
	struct buf got;
	struct sink sink = { made_add_to_buf, &got };
	struct canon c;
	unsigned octet;
	bool white;
	char row[16];

	(void)state;
	buf_init(&got, 1000);
	for (octet = 0; octet < 256; octet++) {
		snprintf(row, sizeof(row), "octet %02x", octet);
		white = octet == ' ' || octet == '\t';
		n = 0;
		in[n++] = 'a';
		in[n++] = (uint8_t)octet;
		in[n++] = (uint8_t)octet;
		in[n++] = 'b';
		in[n++] = (uint8_t)octet;
		memcpy(in + n, "\r\n", 2);
		want_n = white ? 5 : n + 2;
		memcpy(want, white ? (const uint8_t *)"a b\r\n" : in, want_n);
		canon_init(&c, DKIM_RELAXED, false);
		buf_reset(&got);
		canon_body(&c, slice_of(in, n + 2), &sink);
		canon_body_end(&c, &sink);
		test_octets(row, got.p, got.n, want, want_n);
		if (octet == '\n')
			continue;	/* no field holds one */
		buf_reset(&got);
		canon_field(DKIM_RELAXED, slice_text("S"), slice_of(in, n),
		    &sink);
		test_octets(row, got.p, 2, "s:", 2);
		test_octets(row, got.p + 2, got.n - 2, want, want_n);
	}
	buf_clear(&got);
}

/*
 * Row 7: each way to write c=, and none, against a header and a body of which
 * only relaxed forgives the change.
 */
static void
body_forms_by_tag(void **state)
{
	static const struct {
		const char	*c;
		size_t		 pair;
	} rows[] = {
		{ NULL, 0 }, { "simple", 0 }, { "relaxed", 2 },
		{ "simple/simple", 0 }, { "simple/relaxed", 1 },
		{ "relaxed/simple", 2 }, { "relaxed/relaxed", 3 },
		{ "RELAXED", 2 }, { "Simple/reLaxed", 1 },
	};
	static const char changed[] =
	    "From: Joe <joe@example.com>\r\nSubject:\r\n\ta \r\n";
	const struct slice body = slice_text("two words\r\n");
	const struct slice spoilt = slice_text("two\twords  \r\n");
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		size_t p = rows[i].pair;
		bool head = pairs[p].header == DKIM_RELAXED;
		bool text = pairs[p].body == DKIM_RELAXED;
		const char *row = rows[i].c == NULL ? "none" : rows[i].c;
		char *f = sign(rows[i].c, pairs[p].header, pairs[p].body, ALL,
		    body);

		problems_want(row, f, header, body, key_dns, "pass");
		problems_want(row, f, changed, body, key_dns, head ? "pass" :
		    "fail: signature did not verify");
		problems_want(row, f, header, spoilt, key_dns, text ? "pass" :
		    "fail: body hash did not verify");
		problems_want(row, f, changed, spoilt, key_dns, !text ?
		    "fail: body hash did not verify" : head ? "pass" :
		    "fail: signature did not verify");
		free(f);
	}
}

/*
 * Row 9: bodies with bare CR and LF anywhere. What is signed without FixCRLF is
 * what came; with it, what an MTA makes of that and sends on.
 */
static void
body_bare_ends_travel(void **state)
{
	static const char octets[] = "ab \r\n";
	uint8_t in[24], fixed[2 * sizeof(in)];
	uint32_t seed = 9, round;
	size_t i, n, fixed_n, k;
	struct buf field;
	char *line;

	(void)state;
	buf_init(&field, 65536);
	for (round = 0; round < 400; round++) {
		n = body_form_random(&seed) % sizeof(in);
		for (i = 0; i < n; i++)
			in[i] = (uint8_t)octets[body_form_random(&seed) % 5];
		fixed_n = body_form_fix(in, n, fixed);
		k = round % TEST_COUNT(pairs);
		for (i = 0; i < 2; i++) {
			sign_in_pieces(k, slice_of(in, n), 1 + round % 7,
			    i == 1, &field);
			line = made_field(&field);
			problems_want(i == 0 ? "as it came" : "as it is sent",
			    line, header, i == 0 ? slice_of(in, n) :
			    slice_of(fixed, fixed_n), key_dns, "pass");
			free(line);
		}
	}
	buf_clear(&field);
}

/*
 * Row 10: each l= from none to beyond the end, in both forms: what is covered
 * may not change, what is not covered may, and the verdict tells the share.
 */
static void
body_length_covers(void **state)
{
	static const char body[] = "one  two\r\n\r\nthree\r\n";
	static const char form[2][24] = { "one  two\r\n\r\nthree\r\n",
	    "one two\r\n\r\nthree\r\n" };
	const struct dkim_verdict *v;
	struct replay_message m;
	char *field, *lines, changed[sizeof(body)];
	size_t alg, l, n, at;

	(void)state;
	for (alg = 0; alg < 2; alg++)
		for (n = strlen(form[alg]), l = 0; l <= n + 1; l++) {
			field = sign(pairs[alg].c, DKIM_SIMPLE,
			    (enum dkim_canon)alg, l, slice_text(body));
			assert_true(asprintf(&lines, "%s%s", field, header) >=
			    0);
			problems_verify(lines, slice_text(body), NULL, 0,
			    key_dns, &made_plain, &m);
			made_want("l=", &m, 0, l > n ?
			    "permerror: l= is larger than the body" :
			    l == n ? "pass" :
			    "pass: part of the body is not signed");
			v = dkim_verifier_verdict(m.verifier, 0);
			test_true("l= is there", v->has_length);
			test_int("body", v->body, n);
			test_int("covered", v->covered, l < n ? l : n);
			replay_done(&m);
			/* the letter at: covered or not */
			memcpy(changed, body, sizeof(body));
			at = strcspn(body, "h");
			changed[at] = 'X';
			if (l <= n)
				problems_want("changed", field, header,
				    slice_text(changed), key_dns,
				    l > strcspn(form[alg], "h") ? "fail" :
				    "pass");
			free(lines);
			free(field);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(body_white_ends_every_length),
		cmocka_unit_test(body_white_middle_keeps_lines),
		cmocka_unit_test(body_pieces_do_not_matter),
		cmocka_unit_test(body_empty_each_form),
		cmocka_unit_test(body_sizes_around_buffers),
		cmocka_unit_test(body_white_space_every_octet),
		cmocka_unit_test(body_forms_by_tag),
		cmocka_unit_test(body_bare_ends_travel),
		cmocka_unit_test(body_length_covers),
	};

	return PROBLEMS_RUN(tests);
}
