/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing: what is signed, how the field is written, that it verifies.
 */

/* this room */
#include "tests/made.h"

static struct replay world;
static struct rsab_key *rsa, *ed25519;
static struct dkim_names *sign_names, *omit_names, *from_twice;

static const char header_text[] =
    "Received: from a by b; Fri, 1 Jan 2027 00:00:00 +0000\r\n"
    "From: Joe <joe@example.com>\r\n"
    "To: a@example.net\r\n"
    "Subject: Is dinner ready?\r\n"
    "\tfolded\r\n"
    "To: b@example.net\r\n"
    "Bcc: c@example.net\r\n"
    "X-Other:  x \r\n";
static const char body_text[] = "Hi.\r\n\r\nWe lost  the game. \r\n\r\n\r\n";

static int
set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	rsa = made_key(&world, "rfc6376.pem");
	ed25519 = made_key(&world, "rfc8463-ed25519.pem");
	sign_names = made_names(DKIM_NAMES_SIGN, NULL);
	omit_names = made_names(DKIM_NAMES_OMIT, NULL);
	from_twice = made_names(DKIM_NAMES_OVERSIGN, "From");
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	dkim_names_free(sign_names);
	dkim_names_free(omit_names);
	dkim_names_free(from_twice);
	rsab_key_unref(rsa);
	rsab_key_unref(ed25519);
	replay_end(&world);
	return 0;
}

static struct dkim_sign_options
plain_options(void)
{
	return (struct dkim_sign_options){
		.domain = slice_text("example.com"),
		.selector = slice_text("sel"),
		.header_canon = DKIM_RELAXED,
		.body_canon = DKIM_RELAXED,
		.sign = sign_names,
		.omit = omit_names,
		.oversign = from_twice,
		.now = MADE_NOW,
		.key = ed25519,
	};
}

/*
 * Sign header_text with o, and want this in the field, its folds taken out.
 */
static void
want_in_field(const char *row, const struct dkim_sign_options *o,
    struct rsab_key *key, const char *want)
{
	struct dkim_header *header = made_header(header_text);
	struct buf field, flat;
	size_t i;

	buf_init(&field, 65536);
	buf_init(&flat, 65536);
	test_int(row, made_sign(&world, header, body_text, o, key, "\r\n",
	    &field), 0);
	for (i = 0; i < field.n; i++)
		if (field.p[i] == '\t' && flat.p[flat.n - 1] == ';')
			buf_add_octet(&flat, ' ');
		else if (field.p[i] != '\r' && field.p[i] != '\n' &&
		    field.p[i] != '\t')
			buf_add_octet(&flat, field.p[i]);
	buf_add_nul(&flat);
	assert_int_equal(buf_end(&flat), 0);
	if (strstr((char *)flat.p, want) == NULL)
		fprintf(stderr, "# %s: got %s, want %s\n", row,
		    (char *)flat.p, want);
	test_true(row, strstr((char *)flat.p, want) != NULL);
	buf_clear(&field);
	buf_clear(&flat);
	dkim_header_free(header);
}

/*
 * RFC 6376 s3.5 #12, #13, #14, #19, #22, #28, #33, #34, #41, #53, #63, s5.4.2:
 * tags in their order, no l=; each instance is in h=.
 */
static void
dkim_signer_field_tags(void **state)
{
	struct dkim_sign_options o = plain_options();
	struct dkim_names *two, *other;

	(void)state;
	want_in_field("order", &o, ed25519, " v=1; a=ed25519-sha256; "
	    "c=relaxed/relaxed; d=example.com; s=sel; t=1798761600; bh=");
	want_in_field("each instance, From once more", &o, ed25519,
	    "; h=From:To:Subject:To:From; b=");
	o.key = rsa;
	want_in_field("rsa", &o, rsa, " v=1; a=rsa-sha256; ");
	/* RFC 6376 s3.5 #45, #66, #71, #74 */
	o.ttl = 60;
	o.identity = slice_text("joe.x@mail.example.com");
	want_in_field("x and i", &o, rsa, " t=1798761600; x=1798761660; "
	    "i=joe.x@mail.example.com; bh=");
	o.ttl = UINT64_MAX;
	want_in_field("x saturates", &o, rsa, " x=18446744073709551615; ");
	o.ttl = 0;
	/* RFC 6376 s2.11 #2, #3, #4, s3.5 #10 */
	o.identity = slice_text("a;b=c \xc3\xb8@EXAMPLE.com");
	want_in_field("i is encoded", &o, rsa,
	    " i=a=3Bb=3Dc=20=C3=B8@example.com; ");
	o.identity = slice_text("@example.com");
	want_in_field("i without local-part", &o, rsa, " i=@example.com; ");
	o.header_canon = DKIM_SIMPLE;
	want_in_field("simple", &o, rsa, " c=simple/relaxed; ");
	o.domain = slice_text("b\xc3\xbc" "cher.example");
	o.selector = slice_text("SEL");
	o.identity = slice_text("x@m.b\xc3\xbc" "cher.example");
	/* RFC 6376 s3.5 #31, #46, #64; RFC 8616 s3 */
	want_in_field("U-label", &o, rsa, " d=xn--bcher-kva.example; s=sel; ");
	want_in_field("U-label of i=", &o, rsa,
	    " i=x@m.xn--bcher-kva.example; ");
	o.selector = slice_text("s\xc3\xa9l");
	want_in_field("U-label of s=", &o, rsa, "; s=xn--sl-bja; ");
	o.identity = slice_of(NULL, 0);
	two = made_names(DKIM_NAMES_OVERSIGN, "From,X-Other,Cc,Cc");
	o.oversign = two;
	/* PROBLEMS 15: present but not in SignHeaders is signed too */
	want_in_field("oversigned", &o, rsa,
	    "; h=From:To:Subject:To:X-Other:From:X-Other:Cc:Cc; b=");
	other = made_names(DKIM_NAMES_SIGN, "Subject");
	o.sign = other;
	o.oversign = NULL;
	o.omit = NULL;
	/* RFC 6376 s5.4, s5.4.1: From MUST be signed */
	want_in_field("From always", &o, rsa, "; h=From:Subject; b=");
	dkim_names_free(two);
	dkim_names_free(other);
}

/*
 * RFC 6376 s5.4, s3.5 #38, s3.7 #13: DKIM-Signature is in h= for those that are
 * there, and never once more: that would be the field being made.
 */
static void
dkim_signer_field_of_signatures(void **state)
{
	static const char lines[] = "From: a@example.com\r\n"
	    "DKIM-Signature: v=1\r\n";
	struct dkim_names *sign = made_names(DKIM_NAMES_SIGN,
	    "From,DKIM-Signature");
	struct dkim_names *oversign = made_names(DKIM_NAMES_OVERSIGN,
	    "dkim-signature,From");
	size_t i, k, n;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct dkim_sign_options o = plain_options();
		struct dkim_header *header = made_header(i & 1 ? lines :
		    "From: a@example.com\r\n");
		struct buf field;
		const char *want = i == 0 ? "h=From;" : i == 1 ?
		    "h=From:DKIM-Signature;" : i == 2 ? "h=From:From;" :
		    "h=From:DKIM-Signature:From;";

		o.sign = sign;
		o.omit = NULL;
		o.oversign = i < 2 ? NULL : oversign;
		buf_init(&field, 65536);
		test_int(want, made_sign(&world, header, "", &o, ed25519, "",
		    &field), 0);
		for (k = n = 0; k < field.n; k++)
			if (field.p[k] != '\t')
				field.p[n++] = field.p[k];
		field.n = n;
		buf_add_nul(&field);
		test_true(want, strstr((char *)field.p, want) != NULL);
		buf_clear(&field);
		dkim_header_free(header);
	}
	dkim_names_free(sign);
	dkim_names_free(oversign);
}

/*
 * RFC 6376 s3.5 #77, #78, s2.11 #4: "|" inside a copy and all white space are
 * encoded.
 */
static void
dkim_signer_field_copies(void **state)
{
	struct dkim_sign_options o = plain_options();
	struct dkim_names *names = made_names(DKIM_NAMES_SIGN, "*,X|Y");
	struct dkim_header *header;
	struct buf field, flat;
	size_t i;

	(void)state;
	o.copy_fields = true;
	o.sign = names;
	header = made_header("From: Joe|x <joe@example.com>\r\n"
	    "Subject: a;\r\n b=c\r\nX|Y: z\r\n");
	buf_init(&field, 65536);
	buf_init(&flat, 65536);
	assert_int_equal(made_sign(&world, header, "", &o, ed25519, "\r\n",
	    &field), 0);
	for (i = 0; i < field.n; i++)
		if (field.p[i] != '\r' && field.p[i] != '\n' &&
		    field.p[i] != '\t')
			buf_add_octet(&flat, field.p[i]);
	buf_add_nul(&flat);
	assert_int_equal(buf_end(&flat), 0);
	test_true((char *)flat.p, strstr((char *)flat.p,
	    "z=From:=20Joe=7Cx=20<joe@example.com>|"
	    "Subject:=20a=3B=0D=0A=20b=3Dc|X=7CY:=20z;") != NULL);
	dkim_names_free(names);
	buf_clear(&field);
	buf_clear(&flat);
	dkim_header_free(header);
}

/*
 * RFC 6376 s5.4, s3.5 #29, #45, s2.6: what no signature can be made of.
 */
static void
dkim_signer_add_refusals(void **state)
{
	static const struct {
		const char	*name, *header, *domain, *selector, *identity;
		int		 want;
	} rows[] = {
		{ "good", "From: a@b.c\r\n", "b.c", "s", "", 0 },
		{ "no From", "To: a@b.c\r\n", "b.c", "s", "",
		    DKIM_ERR_NO_FROM },
		{ "two From", "From: a@b.c\r\nfrom: a@b.c\r\n", "b.c", "s", "",
		    DKIM_ERR_MANY_FROM },
		{ "d one label", "From: a@b.c\r\n", "c", "s", "",
		    DKIM_ERR_ARGUMENT },
		{ "d empty label", "From: a@b.c\r\n", "b..c", "s", "",
		    DKIM_ERR_ARGUMENT },
		{ "s empty", "From: a@b.c\r\n", "b.c", "", "",
		    DKIM_ERR_ARGUMENT },
		{ "s slash", "From: a@b.c\r\n", "b.c", "../s", "",
		    DKIM_ERR_ARGUMENT },
		{ "i elsewhere", "From: a@b.c\r\n", "b.c", "s", "a@xb.c",
		    DKIM_ERR_ARGUMENT },
		{ "i without at", "From: a@b.c\r\n", "b.c", "s", "b.c",
		    DKIM_ERR_ARGUMENT },
		{ "i below", "From: a@b.c\r\n", "b.c", "s", "@a.b.c", 0 },
	};
	size_t i, index;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		struct dkim_sign_options o = plain_options();
		struct dkim_header *header = made_header(rows[i].header);
		struct dkim_signer *signer;

		o.domain = slice_text(rows[i].domain);
		o.selector = slice_text(rows[i].selector);
		o.identity = slice_text(rows[i].identity);
		assert_int_equal(dkim_signer_new(world.lib, header, false,
		    &signer), 0);
		test_int(rows[i].name, dkim_signer_add(signer, &o, &index),
		    rows[i].want);
		dkim_signer_free(signer);
		dkim_header_free(header);
	}
}

/*
 * RFC 8301 s3.2 #1, RFC 6376 s3.3.3: no RSA key under 1024 bits signs.
 */
static void
dkim_signer_add_small_key(void **state)
{
	struct dkim_sign_options o = plain_options();
	struct dkim_header *header = made_header(header_text);
	struct dkim_signer *signer;
	struct rsab_key *key;
	size_t index;

	(void)state;
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 768, &key),
	    0);
	o.key = key;
	assert_int_equal(dkim_signer_new(world.lib, header, false, &signer),
	    0);
	test_int("768 bits", dkim_signer_add(signer, &o, &index),
	    DKIM_ERR_ARGUMENT);
	rsab_key_unref(key);
	dkim_signer_free(signer);
	dkim_header_free(header);
}

static void
dkim_signer_call_order(void **state)
{
	struct dkim_sign_options o = plain_options();
	struct dkim_header *header = made_header(header_text);
	struct rsab_job job = { .key = ed25519 };
	struct dkim_signer *signer;
	struct buf out;
	size_t i, index;

	(void)state;
	buf_init(&out, 65536);
	assert_int_equal(dkim_signer_new(world.lib, header, false, &signer),
	    0);
	for (i = 0; i < DKIM_SIGNATURES_MADE; i++) {
		test_int("add", dkim_signer_add(signer, &o, &index), 0);
		test_int("index", index, i);
	}
	test_int("one too many", dkim_signer_add(signer, &o, &index),
	    DKIM_ERR_LIMIT);
	test_int("job too early", dkim_signer_job(signer, 0, &job),
	    DKIM_ERR_STATE);
	test_int("field too early", dkim_signer_field(signer, 0,
	    slice_text("b"), "\n", &out), DKIM_ERR_STATE);
	test_int("body", dkim_signer_body(signer, slice_text("x")), 0);
	test_int("add too late", dkim_signer_add(signer, &o, &index),
	    DKIM_ERR_STATE);
	test_int("end", dkim_signer_body_end(signer), 0);
	test_int("end twice", dkim_signer_body_end(signer), DKIM_ERR_STATE);
	test_int("body too late", dkim_signer_body(signer, slice_text("x")),
	    DKIM_ERR_STATE);
	test_int("no such", dkim_signer_job(signer, i, &job), DKIM_ERR_STATE);
	test_int("no such field", dkim_signer_field(signer, i,
	    slice_text("b"), "\n", &out), DKIM_ERR_STATE);
	test_int("no signature", dkim_signer_field(signer, 0,
	    slice_of(NULL, 0), "\n", &out), DKIM_ERR_ARGUMENT);
	buf_clear(&out);
	dkim_signer_free(signer);
	dkim_header_free(header);
}

/*
 * RFC 5322 s3.6.8 lets a name have a ";", which ends a tag (RFC 6376 s3.2):
 * such a field is left unsigned, the signature stands.
 */
static void
dkim_signer_field_semicolon(void **state)
{
	struct dkim_header *header = made_header("X;b=: 1\r\n"
	    "From: a@example.com\r\nX-Y: 2\r\n");
	struct dkim_sign_options o = plain_options();
	struct dkim_names *names = made_names(DKIM_NAMES_SIGN, "From,X-Y");
	struct dkim_names *names_bad;
	struct buf field;
	struct slice bad;

	(void)state;
	test_int("in a list", dkim_names_parse(DKIM_NAMES_SIGN,
	    slice_text("X;b="), &names_bad, &bad), DKIM_ERR_SYNTAX);
	o.sign = names;
	buf_init(&field, 65536);
	test_int("sign", made_sign(&world, header, body_text, &o, ed25519,
	    "\r\n", &field), 0);
	buf_add_nul(&field);
	assert_int_equal(buf_end(&field), 0);
	test_true("the other", strcasestr((char *)field.p, "x-y") != NULL);
	test_true("left out", strcasestr((char *)field.p, "x;") == NULL);
	buf_clear(&field);
	dkim_names_free(names);
	dkim_header_free(header);
}

/*
 * A message of more fields than h= may name is at fault.
 */
static void
dkim_signer_add_many_fields(void **state)
{
	struct dkim_sign_options o = plain_options();
	struct dkim_header *header;
	struct dkim_signer *signer;
	size_t i, index;

	(void)state;
	header = made_header("From: a@example.com\r\n");
	for (i = 0; i < DKIM_SIGNED_NAMES_MAX - 2; i++)
		assert_int_equal(dkim_header_add(header, slice_text("To"),
		    slice_text(" a@b.c")), 0);
	assert_int_equal(dkim_signer_new(world.lib, header, false, &signer),
	    0);
	/* 998, From and From once more */
	test_int("1000 names", dkim_signer_add(signer, &o, &index), 0);
	assert_int_equal(dkim_header_add(header, slice_text("To"),
	    slice_text(" a@b.c")), 0);
	test_int("1001 names", dkim_signer_add(signer, &o, &index),
	    DKIM_ERR_LIMIT);
	dkim_signer_free(signer);
	dkim_header_free(header);
}

/*
 * Lines of 75 columns at most, a TAB as 8; but a piece without a fold may be
 * longer when it stands alone. RFC 6376 s2.8: no line of white space only.
 */
static void
check_lines(const char *row, struct slice field)
{
	size_t i, column = strlen("DKIM-Signature:"), spaces = 0;

	for (i = 0; i < field.n; i++) {
		uint8_t c = field.p[i];

		if (c == '\n') {
			test_true(row, i + 1 < field.n &&
			    field.p[i + 1] == '\t');
			test_true(row, i + 2 < field.n &&
			    field.p[i + 2] > ' ');
			test_true(row, i > 0 && field.p[i - 1] == '\r');
			test_true(row, column <= 75 || spaces == 0);
			column = spaces = 0;
		} else if (c == '\t')
			column = 8;
		else if (c != '\r') {
			column++;
			spaces += c == ' ';
		}
	}
	test_true(row, column <= 75);
}

/*
 * Sign and verify with these options: PROBLEMS 19.
 */
static void
sign_and_verify(const char *row, const struct dkim_sign_options *o,
    const char *header_lines)
{
	struct dkim_header *header = made_header(header_lines);
	struct buf field, lf, name;
	struct replay_message m;
	char *text, *dns;
	size_t i, n = 0;

	buf_init(&field, 65536);
	buf_init(&lf, 65536);
	buf_init(&name, 1024);
	buf_add(&name, o->selector);
	buf_add_text(&name, "._domainkey.");
	buf_add(&name, o->domain);
	buf_add_nul(&name);
	assert_int_equal(buf_end(&name), 0);
	dns = made_dns(ed25519, (char *)name.p);
	test_int(row, made_sign(&world, header, body_text, o, ed25519, "\r\n",
	    &field), 0);
	test_int(row, made_sign(&world, header, body_text, o, ed25519, "\n",
	    &lf), 0);
	for (i = 0; i < field.n; i++)
		if (field.p[i] != '\r')
			test_int(row, field.p[i], lf.p[n++]);
	test_int(row, n, lf.n);
	check_lines(row, buf_slice(&field));
	text = made_field(&field);
	test_int(row, made_verify(&world, text, header_lines, body_text, dns,
	    &made_plain, &m), 0);
	made_want(row, &m, 0, "pass");
	replay_done(&m);
	free(text);
	free(dns);
	buf_clear(&field);
	buf_clear(&lf);
	buf_clear(&name);
	dkim_header_free(header);
}

/*
 * Labels of up to 63 octets, n octets in all.
 */
static void
fill_domain(char *out, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		out[i] = i % 60 == 58 && i + 1 < n ? '.' : 'd';
	out[n] = '\0';
	if (n > 2)
		out[1] = '.';
}

/*
 * RFC 6376 s3.2 #8, s5.6 #2: whatever is folded where, it is a tag-list and the
 * one that was hashed.
 */
static void
dkim_signer_field_sweep(void **state)
{
	char domain[256], selector[256], identity[512], names[256];
	char header_lines[2048], row[64];
	size_t n, i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct dkim_sign_options o = plain_options();

		o.header_canon = i & 1 ? DKIM_RELAXED : DKIM_SIMPLE;
		o.body_canon = i & 2 ? DKIM_RELAXED : DKIM_SIMPLE;
		for (n = 3; n < 230; n++) {
			snprintf(row, sizeof(row), "d= of %zu", n);
			fill_domain(domain, n);
			o.domain = slice_text(domain);
			sign_and_verify(row, &o, header_text);
		}
		o.domain = slice_text("example.com");
		for (n = 3; n < 230; n++) {
			snprintf(row, sizeof(row), "s= of %zu", n);
			fill_domain(selector, n);
			o.selector = slice_text(selector);
			sign_and_verify(row, &o, header_text);
		}
		o.selector = slice_text("sel");
		for (n = 0; n < 300; n++) {
			snprintf(row, sizeof(row), "i= with %zu", n);
			memset(identity, n % 3 == 0 ? ';' : 'i', n);
			snprintf(identity + n, sizeof(identity) - n,
			    "@m.example.com");
			o.identity = slice_text(identity);
			sign_and_verify(row, &o, header_text);
		}
		o.identity = slice_of(NULL, 0);
		for (n = 1; n < 200; n++) {
			struct dkim_names *sign;

			snprintf(row, sizeof(row), "h= with %zu", n);
			memset(names, 'X', n);
			names[n] = '\0';
			snprintf(header_lines, sizeof(header_lines),
			    "%s: x\r\n%s", names, header_text);
			strcat(names, ",Subject,To");
			sign = made_names(DKIM_NAMES_SIGN, names);
			o.sign = sign;
			o.copy_fields = n % 4 == 0;
			sign_and_verify(row, &o, header_lines);
			dkim_names_free(sign);
		}
	}
}

/*
 * Several signatures over one pass, by keys of both types, each with its own
 * key: RFC 6376 s5.6 #3, s3.3, s3.7 #2; RFC 8301 s3.1 #1; RFC 8463 s4.1.
 */
static void
dkim_signer_job_several(void **state)
{
	struct dkim_header *header = made_header(header_text);
	struct rsab_key *const keys[] = { rsa, ed25519, rsa };
	struct dkim_signer *signer;
	struct replay_message m;
	struct buf fields, dns;
	size_t i, index;

	(void)state;
	buf_init(&fields, 65536);
	buf_init(&dns, 65536);
	assert_int_equal(dkim_signer_new(world.lib, header, false, &signer),
	    0);
	for (i = 0; i < TEST_COUNT(keys); i++) {
		struct dkim_sign_options o = plain_options();
		char *row, selector[] = "s0";

		selector[1] = (char)('0' + i);
		o.selector = slice_text(selector);
		o.key = keys[i];
		o.body_canon = i == 1 ? DKIM_SIMPLE : DKIM_RELAXED;
		o.header_canon = i == 2 ? DKIM_SIMPLE : DKIM_RELAXED;
		test_int("add", dkim_signer_add(signer, &o, &index), 0);
		row = made_dns(keys[i], i == 0 ? "s0._domainkey.example.com" :
		    i == 1 ? "s1._domainkey.example.com" :
		    "s2._domainkey.example.com");
		buf_add_text(&dns, row);
		free(row);
	}
	buf_add_nul(&dns);
	for (i = 0; body_text[i] != '\0'; i++)
		assert_int_equal(dkim_signer_body(signer,
		    slice_of(body_text + i, 1)), 0);
	assert_int_equal(dkim_signer_body_end(signer), 0);
	for (i = 0; i < TEST_COUNT(keys); i++) {
		struct rsab_job job = { .key = keys[i] }, *jobs[] = { &job };

		assert_int_equal(dkim_signer_job(signer, i, &job), 0);
		rsab_run(world.worker, jobs, 1);
		buf_add_text(&fields, "DKIM-Signature:");
		assert_int_equal(dkim_signer_field(signer, i, slice_of(
		    job.signature, job.signature_len), "\r\n", &fields), 0);
		buf_add_text(&fields, "\r\n");
	}
	buf_add_nul(&fields);
	assert_int_equal(made_verify(&world, (char *)fields.p, header_text,
	    body_text, (char *)dns.p, &made_plain, &m), 0);
	for (i = 0; i < TEST_COUNT(keys); i++)
		made_want("several", &m, i, "pass");
	replay_done(&m);
	buf_clear(&fields);
	buf_clear(&dns);
	dkim_signer_free(signer);
	dkim_header_free(header);
}

static bool
sign_once(void *arg)
{
	struct dkim_sign_options o = plain_options();
	struct buf field;
	int e;

	o.copy_fields = true;
	o.identity = slice_text("x@example.com");
	buf_init(&field, 65536);
	e = made_sign(&world, arg, body_text, &o, ed25519, "\r\n", &field);
	if (e != 0)
		test_int("error", e, DKIM_ERR_NOMEM);
	buf_clear(&field);
	return e == 0;
}

static void
dkim_signer_every_allocation(void **state)
{
	struct dkim_header *header = made_header(header_text);

	(void)state;
	test_every_allocation(sign_once, header);
	dkim_header_free(header);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dkim_signer_field_tags),
		cmocka_unit_test(dkim_signer_field_of_signatures),
		cmocka_unit_test(dkim_signer_field_copies),
		cmocka_unit_test(dkim_signer_add_refusals),
		cmocka_unit_test(dkim_signer_add_small_key),
		cmocka_unit_test(dkim_signer_call_order),
		cmocka_unit_test(dkim_signer_field_semicolon),
		cmocka_unit_test(dkim_signer_add_many_fields),
		cmocka_unit_test(dkim_signer_field_sweep),
		cmocka_unit_test(dkim_signer_job_several),
		cmocka_unit_test(dkim_signer_every_allocation),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
