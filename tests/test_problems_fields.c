/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known problems with DKIM-Signature fields (PROBLEMS.tsv, rows 33 to 39), each
 * as a kind.
 */

/* this room */
#include "tests/problems_made.h"

#define ALL	SIZE_MAX
#define BODY	"Hi.\r\n"
#define FROM	"From: a@example.com\r\n"
#define MAX	UINT64_MAX
#define L63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

/*
 * Sign a field of this text.
 */
static char *
sign(const char *text)
{
	const struct problems_field f = { text, "From", DKIM_SIMPLE,
	    DKIM_SIMPLE, ALL };

	return problems_sign(&f, key, FROM, slice_text(BODY));
}

#define want(row, text, want_text)					\
	do {								\
		char *field_ = sign(text);				\
		problems_want(row, field_, FROM, slice_text(BODY),	\
		    key_dns, want_text);				\
		free(field_);						\
	} while (0)

/*
 * Row 33: bh= of every length but the right one is a fault of the field, before
 * a key is asked for; b= of every length but the right one fails.
 */
static void
fields_hash_of_any_length(void **state)
{
	static const char *const algorithms[] = { "rsa-sha256",
	    "ed25519-sha256", "rsa-sha1" };
	static const size_t lengths[] = { 32, 32, 20 };
	static const uint8_t octets[100];
	char text[512];
	struct sigfield f;
	struct arena a;
	struct buf b;
	size_t i, n;

	(void)state;
	arena_init(&a, 1 << 20);
	buf_init(&b, 1000);
	for (i = 0; i < TEST_COUNT(algorithms); i++)
		for (n = 1; n < sizeof(octets); n++) {
			buf_reset(&b);
			base64_encode(slice_of(octets, n), &b);
			snprintf(text, sizeof(text), "v=1; a=%s; "
			    "d=example.com; s=sel; h=From; b=YQ==; bh=%.*s",
			    algorithms[i], (int)b.n, (const char *)b.p);
			assert_int_equal(sigfield_parse(slice_text(text), &a,
			    &f), 0);
			test_str(text, f.error, n == lengths[i] ? NULL :
			    "signature syntax error: bh= of wrong length");
		}
	for (n = 1; n < sizeof(octets); n++) {
		buf_reset(&b);
		base64_encode(slice_of(octets, n), &b);
		snprintf(text, sizeof(text), PROBLEMS_TAGS "h=From; bh=%%H; "
		    "b=%.*s", (int)b.n, (const char *)b.p);
		want("b=", text, "fail: signature did not verify");
	}
	buf_clear(&b);
	arena_clear(&a);
	want("bh= missing", PROBLEMS_TAGS "h=From; b=%B",
	    "permerror: signature missing required tag bh=");
	want("bh= empty", PROBLEMS_TAGS "h=From; bh= ; b=%B",
	    "permerror: signature syntax error: empty bh=");
	want("b= empty", PROBLEMS_TAGS "h=From; bh=%H; b=",
	    "permerror: signature syntax error: empty b=");
	want("b= missing", PROBLEMS_TAGS "h=From; bh=%H",
	    "permerror: signature missing required tag b=");
	want("h= without From", PROBLEMS_TAGS "h=To:X-From:Fro; bh=%H; b=%B",
	    "permerror: From field not signed");
}

/*
 * Row 34: words for a= that are near those we know: the octets of the field are
 * what header.a shows, whatever they are, and rsa-sha1 is never a pass.
 */
static void
fields_algorithms(void **state)
{
	static const struct {
		const char	*a, *shown, *want;
	} rows[] = {
		{ "rsa-sha1", "rsa-sha1", "rsa-sha1 is not accepted" },
		{ "RSA-SHA1", "RSA-SHA1", "rsa-sha1 is not accepted" },
		{ "rsa-sha512", "rsa-sha512", "unknown algorithm" },
		{ "rsa", "rsa", "unknown algorithm" },
		{ "rsa-sha2560", "rsa-sha2560", "unknown algorithm" },
		{ "rsa-sha25", "rsa-sha25", "unknown algorithm" },
		{ "ed25519", "ed25519", "unknown algorithm" },
		{ "dsa-sha1 ", "dsa-sha1", "unknown algorithm" },
		{ "a\"b", "\"a\\\"b\"", "unknown algorithm" },
		{ "a(b", "\"a(b\"", "unknown algorithm" },
		{ "\xc3\xa4", "\"=C3=A4\"", "unknown algorithm" },
	};
	struct dkim_authres ar = { .authserv_id = slice_text("mx"),
	    .line_end = "\r\n" };
	char field[512], want_text[128], shown[128];
	struct replay_message m;
	struct buf out;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(field, sizeof(field), "DKIM-Signature: v=1; a=%s; "
		    "d=example.com; s=sel; h=From; b=YQ==; bh=%s\r\n" FROM,
		    rows[i].a, i < 2 ? "2jmj7l5rSw0yVb/vlWAYkK/YBwk=" :
		    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
		problems_verify(field, slice_text(BODY), NULL, 0, key_dns,
		    &made_plain, &m);
		snprintf(want_text, sizeof(want_text), "permerror: %s",
		    rows[i].want);
		made_want(rows[i].a, &m, 0, want_text);
		buf_init(&out, 4096);
		assert_int_equal(dkim_authres_print(&ar, m.verifier, NULL,
		    &out), 0);
		buf_add_nul(&out);
		snprintf(shown, sizeof(shown), "header.a=%s", rows[i].shown);
		test_true(shown, strstr((char *)out.p, shown) != NULL);
		buf_clear(&out);
		replay_done(&m);
	}
}

/*
 * A number with a digit more than 64 bits have, where it is their end.
 */
static void
print_number(uint64_t value, bool beyond, char out[64])
{
	snprintf(out, 64, "%s%llu", beyond ? "1" : "",
	    (unsigned long long)value);
}

/*
 * Row 35: t=, x=, the clock and the drift, each near 0, 2^31, 2^32, 2^63 and
 * 2^64, in all combinations: what is said in numbers without end holds here.
 */
static void
fields_times_saturate(void **state)
{
	static const struct {
		uint64_t	value;
		bool		beyond;
	} times[] = {
		{ 0, false }, { 1, false }, { 0x7fffffff, false },
		{ 0x80000000, false }, { 0xffffffff, false },
		{ 0x100000000, false }, { 0x7fffffffffffffff, false },
		{ 0x8000000000000000, false }, { MAX - 1, false },
		{ MAX, false }, { MAX, true },
	};
	static const uint64_t nows[] = {
		0, 1, 0x80000000, 0x7fffffffffffffff, MAX - 1, MAX,
	};
	static const uint64_t drifts[] = { 0, 300, MAX };
	struct dkim_verify_options options = made_plain;
	const size_t n = TEST_COUNT(times);
	char text[256], t[64], x[64], *field, *lines;
	struct replay_message m;
	size_t i, k, l, d;
	const char *verdict;

	(void)state;
	/* index n: the tag is not there */
	for (i = 0; i <= n; i++)
	for (k = 0; k <= n; k++) {
		if (i < n)
			print_number(times[i].value, times[i].beyond, t);
		if (k < n)
			print_number(times[k].value, times[k].beyond, x);
		snprintf(text, sizeof(text), PROBLEMS_TAGS "h=From; bh=%%H; "
		    "%s%s%s%s%s%sb=%%B", i < n ? "t=" : "", i < n ? t : "",
		    i < n ? "; " : "", k < n ? "x=" : "", k < n ? x : "",
		    k < n ? "; " : "");
		field = sign(text);
		assert_true(asprintf(&lines, "%s" FROM, field) >= 0);
		for (l = 0; l < TEST_COUNT(nows); l++)
		for (d = 0; d < TEST_COUNT(drifts); d++) {
			options.now = nows[l];
			options.clock_drift = drifts[d];
			verdict = "pass";
			if (i < n && times[i].value > nows[l] &&
			    times[i].value - nows[l] > drifts[d])
				verdict = "policy: signature time is in the "
				    "future";
			if (k < n && nows[l] > times[k].value)
				verdict = "permerror: signature expired";
			if (i < n && k < n && times[k].value <=
			    times[i].value)
				verdict = "permerror: signature syntax error: "
				    "x= not later than t=";
			problems_verify(lines, slice_text(BODY), NULL, 0,
			    key_dns, &options, &m);
			made_want(text, &m, 0, verdict);
			replay_done(&m);
		}
		free(lines);
		free(field);
	}
}

/*
 * Row 35: what our signer writes when its clock or x= is near the end.
 */
static void
fields_times_signed(void **state)
{
	static const uint64_t rows[][3] = {	/* now, ttl, x= */
		{ 0, 1, 1 }, { 1, MAX - 1, MAX }, { 1, MAX, MAX },
		{ MAX - 1, 1, MAX }, { MAX - 1, MAX, MAX },
		{ 0xffffffff, 1, 0x100000000 },
	};
	struct dkim_header *h = made_header(FROM);
	char want_text[96], *flat, *at;
	struct buf field;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		struct dkim_sign_options o = {
			.domain = slice_text("example.com"),
			.selector = slice_text("sel"), .key = key,
			.now = rows[i][0], .ttl = rows[i][1],
		};

		buf_init(&field, 65536);
		assert_int_equal(made_sign(&world, h, BODY, &o, key, "\n",
		    &field), 0);
		buf_add_nul(&field);
		flat = (char *)field.p;
		for (at = flat; *at != '\0'; at++)
			if (*at == '\n' || *at == '\t')
				*at = ' ';
		snprintf(want_text, sizeof(want_text), "t=%llu;",
		    (unsigned long long)rows[i][0]);
		test_true(flat, strstr(flat, want_text) != NULL);
		snprintf(want_text, sizeof(want_text), "x=%llu;",
		    (unsigned long long)rows[i][2]);
		test_true(flat, strstr(flat, want_text) != NULL);
		buf_clear(&field);
	}
	dkim_header_free(h);
}

/*
 * Row 36: a good field cut at every octet, and one with an octet changed to
 * junk at every place: each has its clause in the result, none is silence.
 */
static void
fields_junk_is_told(void **state)
{
	struct dkim_authres ar = { .authserv_id = slice_text("mx"),
	    .line_end = "\r\n" };
	char *field = sign(PROBLEMS_TAGS "h=From; bh=%H; b=%B");
	size_t n = strlen(field) - 2, begin = strlen("DKIM-Signature:");
	size_t at, kind, passed = 0;
	struct replay_message m;
	char *lines;
	struct buf out;

	(void)state;
	for (kind = 0; kind < 3; kind++)
	for (at = begin; at < n; at++) {
		assert_true(asprintf(&lines, "%.*s%s%s\r\n" FROM, (int)at,
		    field, kind == 0 ? "" : kind == 1 ? "\x01" : ";;",
		    kind == 0 ? "" : field + at + 1) >= 0);
		if (kind > 0)	/* behind: the CRLF that field ends in */
			strcpy(strstr(lines, "\r\n"), "\r\n" FROM);
		problems_verify(lines, slice_text(BODY), NULL, 0, key_dns,
		    &made_plain, &m);
		test_int(lines, dkim_verifier_count(m.verifier), 1);
		passed += dkim_verifier_verdict(m.verifier, 0)->result ==
		    DKIM_PASS;
		buf_init(&out, 8192);
		assert_int_equal(dkim_authres_print(&ar, m.verifier, NULL,
		    &out), 0);
		buf_add_nul(&out);
		test_true(lines, strstr((char *)out.p, "dkim=permerror") !=
		    NULL || strstr((char *)out.p, "dkim=fail") != NULL);
		buf_clear(&out);
		replay_done(&m);
		free(lines);
	}
	test_int("passed", passed, 0);
	free(field);
}

/*
 * May this octet stand in a label, as it is written?
 */
static bool
is_label_octet(unsigned c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/*
 * Row 38: every octet at each kind of place in d= and s=: what no label holds
 * is permerror, and asks for no key.
 */
static void
fields_names_every_octet(void **state)
{
	static const struct {
		const char	*name, *before, *behind;
		bool		 dot;	/* is well there */
	} rows[] = {
		{ "first", "", "b.example", false },
		{ "inside", "a", "b.example", true },
		{ "end of a label", "a", ".example", false },
		{ "begin of a label", "a.", "example", false },
		{ "last", "a.exampl", "", false },
	};
	char field[512];
	struct replay_message m;
	unsigned octet;
	size_t i, tag, n;
	bool good;

	(void)state;
	for (octet = 1; octet < 128; octet++)
	for (i = 0; i < TEST_COUNT(rows); i++)
	for (tag = 0; tag < 2; tag++) {
		/* white space at the ends is no part of a value, and what
		 * stands behind a ";" is another tag; a CR is line end */
		if (strchr(" \t\r\n;", (int)octet) != NULL)
			continue;
		n = (size_t)sprintf(field, "DKIM-Signature: v=1; "
		    "a=rsa-sha256; h=From; b=YQ==; "
		    "bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; %s; "
		    "%s=%s%c%s", tag ? "s=x" : "d=example.com", tag ? "d" :
		    "s", rows[i].before, (char)octet, rows[i].behind);
		sprintf(field + n, "\r\n" FROM);
		problems_verify(field, slice_text(BODY), NULL, 0, "",
		    &made_plain, &m);
		good = is_label_octet(octet) || (octet == '.' && rows[i].dot);
		test_int(field, dkim_verifier_queries(m.verifier), good);
		test_int(field, dkim_verifier_verdict(m.verifier, 0)->result,
		    DKIM_PERMERROR);
		test_int(field, dkim_verifier_verdict(m.verifier, 0)->no_key,
		    good);
		replay_done(&m);
	}
}

/*
 * Row 38: blanks inside, and each length of a label and of a whole name.
 */
static void
fields_names_every_length(void **state)
{
	static const char *const blanks[] = { " ", "\t", "\r\n ", "  " };
	char text[1024], d[512];
	struct sigfield f;
	struct arena a;
	size_t n, i, all;

	(void)state;
	arena_init(&a, 1 << 22);
	for (i = 0; i < TEST_COUNT(blanks); i++) {
		snprintf(text, sizeof(text), PROBLEMS_TAGS "h=From; bh=%%H; "
		    "b=%%B; i=@exam%sple.com", blanks[i]);
		/* but i= may be folded: RFC 6376 s2.11 */
		want("i=", text, "pass");
		snprintf(text, sizeof(text), " v=1; a=ed25519-sha256; "
		    "d=exam%sple.com; s=sel; h=From; bh=%%H; b=%%B",
		    blanks[i]);
		want("d=", text,
		    "permerror: signature syntax error: bad d=");
	}
	for (n = 1; n < 400; n++) {
		/* one label of n; then labels of 63 up to n octets */
		memset(d, 'a', n);
		strcpy(d + n, ".b");
		snprintf(text, sizeof(text), "v=1; a=x; s=s; h=From; bh=YQ==; "
		    "b=YQ==; d=%s", d);
		assert_int_equal(sigfield_parse(slice_text(text), &a, &f), 0);
		test_str("label", f.error, n <= 63 ? NULL :
		    "signature syntax error: bad d=");
		for (i = 0; i < n; i++)
			d[i] = i % 64 == 63 && i + 1 < n ? '.' : 'b';
		if (n > 2)
			d[n - 2] = '.';
		d[n] = '\0';
		if (strstr(d, "..") != NULL || strchr(d, '.') == NULL)
			continue;
		snprintf(text, sizeof(text), "v=1; a=x; s=s; h=From; bh=YQ==; "
		    "b=YQ==; d=%s", d);
		assert_int_equal(sigfield_parse(slice_text(text), &a, &f), 0);
		all = n + strlen("s._domainkey.");
		test_true(d, (f.error == NULL) == (all <= 255));
	}
	arena_clear(&a);
}

/*
 * Row 39: every octet in the local part of i=, as =XX and as it is: what is
 * written has no control octet, no octet above 127, nothing that ends a value.
 */
static void
fields_identity_every_octet(void **state)
{
	struct dkim_authres ar = { .authserv_id = slice_text("mx"),
	    .line_end = "\r\n" };
	char text[256], *field, *lines, *at;
	const struct dkim_verdict *v;
	struct replay_message m;
	unsigned octet, coded;
	struct buf out;
	size_t i;
	bool raw, fine;

	(void)state;
	for (coded = 0; coded < 2; coded++)
	for (octet = 0; octet < 256; octet++) {
		raw = octet > ' ' && octet != 0x7f && octet != ';' &&
		    octet != '=';
		if (!coded && !raw)
			continue;
		snprintf(text, sizeof(text), coded ? PROBLEMS_TAGS
		    "h=From; bh=%%H; b=%%B; i=a=%02Xb@mail.example.com" :
		    PROBLEMS_TAGS "h=From; bh=%%H; b=%%B; "
		    "i=a%cb@mail.example.com", octet);
		field = sign(text);
		assert_true(asprintf(&lines, "%s" FROM, field) >= 0);
		problems_verify(lines, slice_text(BODY), NULL, 0, key_dns,
		    &made_plain, &m);
		v = dkim_verifier_verdict(m.verifier, 0);
		/* RFC 5321 s4.1.2: "@" stands in quotes only */
		if (octet == '@') {
			made_want(text, &m, 0, "permerror: "
			    "signature syntax error: bad i=");
			goto next;
		}
		made_want(text, &m, 0, "pass");
		test_int(text, v->identity.n, 20);
		test_int(text, v->identity.p[1], octet);
		buf_init(&out, 8192);
		assert_int_equal(dkim_authres_print(&ar, m.verifier, NULL,
		    &out), 0);
		buf_add_nul(&out);
		for (i = 0; i + 1 < out.n; i++)
			test_true(text, (out.p[i] >= ' ' && out.p[i] < 127) ||
			    out.p[i] == '\r' || out.p[i] == '\n' ||
			    out.p[i] == '\t');
		at = strstr((char *)out.p, "header.i=");
		assert_non_null(at);
		at += strlen("header.i=");
		fine = *at != '"';
		test_true(text, strstr(at, fine ? "@mail.example.com" :
		    "@mail.example.com\"") != NULL);
		/* bare only what a token of RFC 8601 and an atom may hold */
		if (fine)
			test_true(text, strcspn(at, "()<>,;:\\\"[] \r\n") >=
			    strlen("ab@mail.example.com"));
		buf_clear(&out);
next:
		replay_done(&m);
		free(lines);
		free(field);
	}
}

/*
 * Row 39: i= against d=: equal or below in any case, by whole labels only; an
 * "@" before the last one is in quotes, or somebody takes it for that one.
 */
static void
fields_identity_within_domain(void **state)
{
	static const struct {
		const char	*i;
		bool		 good;
	} rows[] = {
		{ "@example.com", true }, { "a@EXAMPLE.com", true },
		{ "a@b.example.com", true }, { "a@b.c.Example.Com", true },
		{ "a=40example.org@example.com", false },
		{ "a@example.org@example.com", false },
		{ "\"a@example.org\"@example.com", true },
		{ "\"a=5C\"@example.org\"@example.com", true },
		{ "\"a\"@example.org\"b\"@example.com", false },
		{ "\"a@example.org=5C\"@example.com", false },
		{ "\"@example.org@example.com", false },
		{ "\"\"@example.com", true },
		{ "\"a;b\"@example.com", false }, { "a", false },
		{ "=00@example.com", true }, { "a=0D=0Ab@example.com", true },
		{ "a@example.com@example.org", false }, { "a@", false },
		{ "a@xexample.com", false }, { "a@com", false },
		{ "a@example.com.", false }, { "a@.example.com", false },
		{ "a@example.comx", false }, { "example.com", false },
		{ "a@example.org", false }, { "", false },
		{ "a@b..example.com", false }, { "a@b=2Eexample.com", true },
		{ "a=@example.com", false }, { "a=4@example.com", false },
		{ "a=GG@example.com", false }, { "a@=0Aexample.com", false },
		{ "a@b=20.example.com", false }, { "a@" L63 "b.example.com",
		    false }, { "a@" L63 ".example.com", true },
	};
	char text[256];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof(text), PROBLEMS_TAGS "h=From; bh=%%H; "
		    "i=%s; b=%%B", rows[i].i);
		want(text, text, rows[i].good ? "pass" : "permerror");
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_hash_of_any_length),
		cmocka_unit_test(fields_algorithms),
		cmocka_unit_test(fields_times_saturate),
		cmocka_unit_test(fields_times_signed),
		cmocka_unit_test(fields_junk_is_told),
		cmocka_unit_test(fields_names_every_octet),
		cmocka_unit_test(fields_names_every_length),
		cmocka_unit_test(fields_identity_every_octet),
		cmocka_unit_test(fields_identity_within_domain),
	};

	return PROBLEMS_RUN(tests);
}
