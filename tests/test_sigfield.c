/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DKIM-Signature fields taken apart (RFC 6376 s3.5, s6.1.1).
 */

/* this room */
#include "tests/test.h"
#include "dkim/sigfield.h"

#define BH	"bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
#define REST	"a=rsa-sha256; d=example.com; s=sel; h=from; b=YQ==; " BH

/*
 * A label of 63, and with it names at the limits.
 */
#define L63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define L48 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void
want_text(const char *row, struct slice got, const char *want)
{
	test_octets(row, got.p, got.n, want, strlen(want));
}

static void
sigfield_parse_faults(void **state)
{
	static const struct {
		const char	*name, *field, *error;
	} rows[] = {
		{ "good", " v=1; " REST, NULL },
		{ "final semicolon", " v=1; " REST ";", NULL },
		/* RFC 6376 s3.5 #1, s6.1.1 #1, #2, s8.9: nothing odd gets
		 * through */
		{ "junk", " eeee", "signature syntax error: bad tag list" },
		{ "empty", "", "signature syntax error: bad tag list" },
		{ "tag twice", " v=1; v=1; " REST,
		    "signature syntax error: bad tag list" },
		{ "control octet", " v=1; x1=\x01; " REST,
		    "signature syntax error: bad tag list" },
		/* RFC 6376 s6.1.1 #4, s3.5 #13 */
		{ "no v", REST, "signature missing required tag v=" },
		{ "v 2", "v=2; " REST, "incompatible version" },
		{ "v 01", "v=01; " REST, "incompatible version" },
		/* RFC 6376 s6.1.1 #5 */
		{ "no a", "v=1; d=example.com; s=s; h=from; b=YQ==; " BH,
		    "signature missing required tag a=" },
		{ "no b", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; " BH,
		    "signature missing required tag b=" },
		{ "no bh", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; b=YQ==",
		    "signature missing required tag bh=" },
		{ "no d", "v=1; a=rsa-sha256; s=s; h=from; b=YQ==; " BH,
		    "signature missing required tag d=" },
		{ "no h", "v=1; a=rsa-sha256; d=e.com; s=s; b=YQ==; " BH,
		    "signature missing required tag h=" },
		{ "no s", "v=1; a=rsa-sha256; d=e.com; h=from; b=YQ==; " BH,
		    "signature missing required tag s=" },
		/* RFC 6376 s3.2 #13: empty is not absent */
		{ "empty b", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; b= ; "
		    BH, "signature syntax error: empty b=" },
		{ "b not base64", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; "
		    "b=Y*Q=; " BH, "signature syntax error: b= not base64" },
		{ "bh not base64", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; "
		    "b=YQ==; bh=?", "signature syntax error: bh= not base64" },
		{ "bh of 31", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; "
		    "b=YQ==; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuA==",
		    "signature syntax error: bh= of wrong length" },
		{ "bh of 33", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; "
		    "b=YQ==; bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFVV",
		    "signature syntax error: bh= of wrong length" },
		{ "sha1 of 20", "v=1; a=rsa-sha1; d=e.com; s=s; h=from; "
		    "b=YQ==; bh=2jmj7l5rSw0yVb/vlWAYkK/YBwk=", NULL },
		{ "unknown a", "v=1; a=rsa-sha512; d=e.com; s=s; h=from; "
		    "b=YQ==; bh=2jmj7l5rSw0yVb/vlWAYkK/YBwk=", NULL },
		/* RFC 6376 s6.1.1 #9, s5.4, s3.5 #40 */
		{ "h without From", "v=1; a=rsa-sha256; d=e.com; s=s; "
		    "h=to:x-from; b=YQ==; " BH, "From field not signed" },
		{ "h in capitals", "v=1; a=rsa-sha256; d=e.com; s=s; "
		    "h=To : FROM; b=YQ==; " BH, NULL },
		/* RFC 6376 s3.5 #42 */
		{ "h empty name", "v=1; a=rsa-sha256; d=e.com; s=s; "
		    "h=from::to; b=YQ==; " BH,
		    "signature syntax error: bad h=" },
		{ "h blank inside", "v=1; a=rsa-sha256; d=e.com; s=s; "
		    "h=from:t o; b=YQ==; " BH,
		    "signature syntax error: bad h=" },
		/* RFC 6376 s3.4 #4 */
		{ "c unknown", "v=1; c=nofws; " REST,
		    "signature syntax error: unknown canonicalization" },
		{ "c body unknown", "v=1; c=simple/x; " REST,
		    "signature syntax error: unknown canonicalization" },
		/* RFC 6376 s3.5 #58, #59, #60, #61, #62: dns with its option */
		{ "q unknown", "v=1; q=dns/foo; " REST,
		    "signature syntax error: no known query method" },
		{ "q without option", "v=1; q=dns; " REST,
		    "signature syntax error: no known query method" },
		{ "q among others", "v=1; q=x:dns/txt:y; " REST, NULL },
		/* RFC 6376 s3.5 #55 */
		{ "l negative", "v=1; l=-1; " REST,
		    "signature syntax error: bad l=" },
		{ "l empty", "v=1; l=; " REST,
		    "signature syntax error: bad l=" },
		{ "l of 77 digits", "v=1; l=000000000000000000000000000000"
		    "00000000000000000000000000000000000000000000001; " REST,
		    "signature syntax error: bad l=" },
		/* RFC 6376 s3.5 #66, #71, #74 */
		{ "t junk", "v=1; t=1x; " REST,
		    "signature syntax error: bad t=" },
		{ "x junk", "v=1; x= 1 2; " REST,
		    "signature syntax error: bad x=" },
		{ "x before t", "v=1; t=10; x=9; " REST,
		    "signature syntax error: x= not later than t=" },
		{ "x equals t", "v=1; t=10; x=10; " REST,
		    "signature syntax error: x= not later than t=" },
		{ "x after t", "v=1; t=10; x=11; " REST, NULL },
		{ "x without t", "v=1; x=11; " REST, NULL },
		{ "both beyond 64 bits", "v=1; t=99999999999999999999; "
		    "x=99999999999999999999999; " REST,
		    "signature syntax error: x= not later than t=" },
		/* RFC 6376 s6.1.1 #7, #8, s2.6, s3.5 #45, s3.10 */
		{ "i elsewhere", "v=1; i=a@example.org; " REST,
		    "domain mismatch: i= not within d=" },
		{ "i like d", "v=1; i=a@anexample.com; " REST,
		    "domain mismatch: i= not within d=" },
		{ "i parent", "v=1; i=a@com.com; " REST,
		    "domain mismatch: i= not within d=" },
		{ "i below", "v=1; i=a@b.Example.COM; " REST, NULL },
		{ "i without at", "v=1; i=example.com; " REST,
		    "signature syntax error: bad i=" },
		{ "i empty", "v=1; i=; " REST,
		    "signature syntax error: bad i=" },
		{ "i bad code", "v=1; i=a=4@example.com; " REST,
		    "signature syntax error: bad i=" },
		{ "i final dot", "v=1; i=@example.com.; " REST,
		    "signature syntax error: bad i=" },
		/* RFC 6376 s3.5 #44, RFC 5321 s4.1.2; opendkim too */
		{ "i with two at", "v=1; i=a@example.org@example.com; " REST,
		    "signature syntax error: bad i=" },
		{ "i with a coded at", "v=1; i=a=40b@example.com; " REST,
		    "signature syntax error: bad i=" },
		{ "i half quoted", "v=1; i=\"a@b@example.com; " REST,
		    "signature syntax error: bad i=" },
		{ "i quoted", "v=1; i=\"a@b\"@example.com; " REST, NULL },
	};
	struct sigfield f;
	struct arena a;
	size_t i;

	(void)state;
	arena_init(&a, 1 << 20);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, sigfield_parse(slice_text(
		    rows[i].field), &a, &f), 0);
		test_str(rows[i].name, f.error, rows[i].error);
	}
	arena_clear(&a);
}

/*
 * BEHAVIOUR 6, PROBLEMS 38: labels of d= and s=, length of the whole name; RFC
 * 6376 s3.1, s3.5 #29, #30, #32, s3.6, s3.6.2.1, s6.1.2 #6; RFC 8616 s3 #4, s5
 * #5.
 */
static void
sigfield_parse_names(void **state)
{
	static const struct {
		const char	*name, *d, *s, *query;	/* NULL: refused */
	} rows[] = {
		{ "plain", "example.com", "sel",
		    "sel._domainkey.example.com" },
		{ "case", "Example.COM", "S-1_x.Y",
		    "s-1_x.y._domainkey.example.com" },
		{ "U-label", "b\xc3\xbc" "cher.example", "s\xc3\xa9l",
		    "xn--sl-bja._domainkey.xn--bcher-kva.example" },
		{ "one label", "com", "s", NULL },
		{ "parenthesis", "example.net(.x.org", "s", NULL },
		{ "empty label", "example..com", "s", NULL },
		{ "leading dot", ".example.com", "s", NULL },
		{ "final dot", "example.com.", "s", NULL },
		{ "selector final dot", "example.com", "s.", NULL },
		{ "selector empty label", "example.com", "a..b", NULL },
		{ "quote", "exa\"mple.com", "s", NULL },
		{ "blank", "exa mple.com", "s", NULL },
		{ "star", "*.com", "s", NULL },
		{ "label of 63", L63 ".com", "s",
		    "s._domainkey." L63 ".com" },
		{ "label of 64", L63 "a.com", "s", NULL },
		{ "name of 255", L63 "." L63 "." L48 ".com", L63 "",
		    L63 "._domainkey." L63 "." L63 "." L48 ".com" },
		{ "name of 256", L63 "." L63 "." L48 "a.com", L63 "", NULL },
		{ "not UTF-8", "\xff\xfe.com", "s", NULL },
	};
	char field[2048];
	struct sigfield f;
	struct arena a;
	size_t i;

	(void)state;
	arena_init(&a, 1 << 20);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(field, sizeof(field), "v=1; a=rsa-sha256; d=%s; "
		    "s=%s; h=from; b=YQ==; " BH, rows[i].d, rows[i].s);
		test_int(rows[i].name, sigfield_parse(slice_text(field), &a,
		    &f), 0);
		test_int(rows[i].name, f.error == NULL,
		    rows[i].query != NULL);
		if (rows[i].query == NULL)
			continue;
		test_str(rows[i].name, (const char *)f.query.p,
		    rows[i].query);
		test_octets(rows[i].name, f.domain.p, f.domain.n, rows[i].d,
		    strlen(rows[i].d));
	}
	arena_clear(&a);
}

/*
 * PROBLEMS 18, RFC 6376 s3.5 #6, s3.7 #9: only the value of b= is emptied.
 */
static void
sigfield_parse_b_position(void **state)
{
	static const struct {
		const char	*name, *before, *value, *after;
	} rows[] = {
		{ "last", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; " BH
		    "; b=", "YWFh", "" },
		{ "blank before =", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; "
		    BH "; b =", "YWFh", ";" },
		{ "blanks round", "v=1; a=rsa-sha256; d=e.com; s=s; h=from; "
		    BH "; b=", " \r\n\tYWFh \r\n YQ== ", "; c=simple" },
		{ "middle", "v=1; b=", "YWFh", "; a=rsa-sha256; d=e.com; s=s; "
		    "h=from; " BH },
		{ "unknown tag that ends in b", "v=1; xb=bbb; b=", "YQ==",
		    "; a=rsa-sha256; d=e.com; s=s; h=from; " BH "; yb=ccc" },
		{ "b in capitals is another", "v=1; B=xx; b=", "YQ==",
		    "; a=rsa-sha256; d=e.com; s=s; h=from; " BH },
	};
	char field[512];
	struct sigfield f;
	struct arena a;
	size_t i;

	(void)state;
	arena_init(&a, 1 << 20);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(field, sizeof(field), "%s%s%s", rows[i].before,
		    rows[i].value, rows[i].after);
		test_int(rows[i].name, sigfield_parse(slice_text(field), &a,
		    &f), 0);
		test_str(rows[i].name, f.error, NULL);
		test_int(rows[i].name, f.b_at, strlen(rows[i].before));
		test_int(rows[i].name, f.b_n, strlen(rows[i].value));
	}
	arena_clear(&a);
}

/*
 * RFC 6376 s3.5 #20, #23, #27, #47: white space goes out of b= and bh=, c= may
 * be one word, i= is decoded.
 */
static void
sigfield_parse_values(void **state)
{
	static const char field[] = " v=1; a=RSA-SHA256; d=Example.com; "
	    "s=sel;\r\n c=relaxed; i=a=3Db@x.example.com; l=007; t=5;\r\n"
	    " x=99999999999999999999999; h=To : From:to; b=Y\r\n WE=;"
	    "bh=47DEQpj8HBSa+/TImW\r\n\t+5JCeuQeRkm5NMpJWZG3hSuFU =";
	struct slice names[3];
	struct sigfield f;
	struct arena a;

	(void)state;
	arena_init(&a, 1 << 20);
	assert_int_equal(sigfield_parse(slice_text(field), &a, &f), 0);
	test_str("error", f.error, NULL);
	test_int("alg", f.alg, SIGFIELD_RSA_SHA256);
	want_text("a", f.algorithm, "RSA-SHA256");
	test_int("header", f.header_canon, DKIM_RELAXED);
	test_int("body", f.body_canon, DKIM_SIMPLE);
	want_text("i", f.identity, "a=b@x.example.com");
	test_true("below", f.below);
	test_true("l", f.has_length && f.length == 7);
	test_true("t", f.has_time && f.time == 5);
	test_true("x", f.has_expiry && f.expiry == UINT64_MAX);
	want_text("b", f.base64, "YWE=");
	want_text("signature", slice_of(f.signature, f.signature_len), "aa");
	test_int("names", f.names_n, 3);
	sigfield_names(&f, names);
	want_text("name 0", names[0], "To");
	want_text("name 1", names[1], "From");
	want_text("name 2", names[2], "to");
	arena_clear(&a);
}

/*
 * RFC 6376 s3.4 #2, s6.1.1 #6: c= absent is simple/simple, i= is "@" and d=.
 */
static void
sigfield_parse_defaults(void **state)
{
	struct sigfield f;
	struct arena a;

	(void)state;
	arena_init(&a, 1 << 20);
	assert_int_equal(sigfield_parse(slice_text("v=1; " REST), &a, &f), 0);
	test_str("error", f.error, NULL);
	test_int("header", f.header_canon, DKIM_SIMPLE);
	test_int("body", f.body_canon, DKIM_SIMPLE);
	test_true("not below d=", !f.below);
	test_true("whole body", !f.has_length && f.length == UINT64_MAX);
	test_true("no times", !f.has_time && !f.has_expiry);
	arena_clear(&a);
}

/*
 * BEHAVIOUR 2: 1,000 names in h=, 64 tags.
 */
static void
sigfield_parse_limits(void **state)
{
	static char field[16384];
	struct sigfield f;
	struct arena a;
	size_t i, n;

	(void)state;
	arena_init(&a, 1 << 20);
	for (n = 999; n <= 1001; n++) {
		strcpy(field, "v=1; a=rsa-sha256; d=e.com; s=s; b=YQ==; " BH
		    "; h=from");
		for (i = 1; i < n; i++)
			strcat(field, ":a");
		assert_int_equal(sigfield_parse(slice_text(field), &a, &f),
		    0);
		test_str("names", f.error, n <= DKIM_SIGNED_NAMES_MAX ? NULL :
		    "signature syntax error: too many names in h=");
	}
	for (n = 64; n <= 65; n++) {
		strcpy(field, "v=1; " REST);
		for (i = 7; i < n; i++)
			sprintf(field + strlen(field), "; x%zu=y", i);
		assert_int_equal(sigfield_parse(slice_text(field), &a, &f),
		    0);
		test_str("tags", f.error, n <= DKIM_TAGS_MAX ? NULL :
		    "signature syntax error: too many tags");
	}
	arena_clear(&a);
}

static bool
parse_once(void *arg)
{
	struct sigfield f;
	struct arena a;
	int e;

	(void)arg;
	arena_init(&a, 1 << 20);
	/* each allocation gets a block of its own */
	e = arena_alloc(&a, 4000) == NULL ? DKIM_ERR_NOMEM :
	    sigfield_parse(slice_text("v=1; i=a@e.com; a=rsa-sha256; "
	    "d=e.com; s=s; h=from; b=YQ==; " BH), &a, &f);
	if (e != 0)
		test_int("error", e, DKIM_ERR_NOMEM);
	arena_clear(&a);
	return e == 0;
}

static void
sigfield_parse_every_allocation(void **state)
{
	(void)state;
	test_every_allocation(parse_once, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sigfield_parse_faults),
		cmocka_unit_test(sigfield_parse_names),
		cmocka_unit_test(sigfield_parse_b_position),
		cmocka_unit_test(sigfield_parse_values),
		cmocka_unit_test(sigfield_parse_defaults),
		cmocka_unit_test(sigfield_parse_limits),
		cmocka_unit_test(sigfield_parse_every_allocation),
	};

	return TEST_RUN(tests);
}
