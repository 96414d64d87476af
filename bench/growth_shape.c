/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shapes. A mark in the header, SIGNATURE, stands where the bh= of a body
 * not yet known goes; it is put in once the shape is made.
 */

/* rooms below */
#include "dkim/base64.h"
#include "dkim/bodyhash.h"

/* this room */
#include "growth_shape.h"

#define CASE_MAX	((size_t)1 << 26)	/* octets of any part */
#define SIGNATURE	'\x01'

/* RFC 8463 A.2 */
static const char key_record[] = "v=DKIM1; k=ed25519; "
    "p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
/* 64 octets, as of any Ed25519 signature */
static const char no_signature[] =
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAA==";

static void
put_repeated(struct buf *b, const char *text, size_t times)
{
	while (times-- > 0)
		buf_add_text(b, text);
}

/*
 * n octets of text over and over.
 */
static void
put_octets(struct buf *b, const char *text, size_t n)
{
	size_t size = strlen(text);

	for (; n > size; n -= size)
		buf_add_text(b, text);
	buf_add(b, slice_sub(slice_text(text), 0, n));
}

/*
 * A signature up to its h=, and what comes behind that.
 */
static void
begin_signature(struct buf *b, size_t selector)
{
	buf_add_format(b, "DKIM-Signature: v=1; a=ed25519-sha256; "
	    "c=relaxed/relaxed; d=example.com; s=s%zu; h=from", selector);
}

static void
end_signature(struct buf *b)
{
	buf_add_octet(b, SIGNATURE);
	buf_add_text(b, "\r\n");
}

static void
put_one_signature(struct growth_case *c, const char *names)
{
	begin_signature(&c->header, 0);
	buf_add_text(&c->header, names);
	end_signature(&c->header);
}

static void
put_signatures(struct growth_case *c, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		begin_signature(&c->header, i);
		end_signature(&c->header);
	}
}

static void
put_repeats(struct growth_case *c, size_t n)
{
	while (n-- > 0)
		put_one_signature(c, "");
}

/*
 * Names in h= of 240 octets, whose fields are not there.
 */
static void
put_names(struct growth_case *c, size_t n)
{
	begin_signature(&c->header, 0);
	for (; n > 1; n--) {
		buf_add_format(&c->header, ":x-%04zu-", n);
		put_octets(&c->header, "name", 232);
	}
	end_signature(&c->header);
}

static void
put_fields(struct growth_case *c, size_t n)
{
	size_t i;

	put_one_signature(c, ":subject");
	for (i = 0; i < n; i++)
		buf_add_format(&c->header, "X-%zu: value\r\n", i);
}

/*
 * Fields of one name, as many of them signed as h= may name.
 */
static void
put_same(struct growth_case *c, size_t n)
{
	begin_signature(&c->header, 0);
	put_repeated(&c->header, ":x", n < DKIM_SIGNED_NAMES_MAX ? n :
	    DKIM_SIGNED_NAMES_MAX - 1);
	end_signature(&c->header);
	put_repeated(&c->header, "X: value\r\n", n);
}

static void
put_subject(struct growth_case *c, const char *text, size_t n)
{
	put_one_signature(c, ":subject");
	buf_add_text(&c->header, "Subject: ");
	put_octets(&c->header, text, n);
	buf_add_text(&c->header, "x\r\n");
}

static void
put_field(struct growth_case *c, size_t n)
{
	put_subject(c, "word ", n);
}

static void
put_white(struct growth_case *c, size_t n)
{
	put_subject(c, "\r\n \t ", n / 5 * 5);
}

static void
put_tags(struct growth_case *c, size_t n)
{
	size_t i, share = n / 40;

	begin_signature(&c->header, 0);
	for (i = 0; i < 40; i++) {
		buf_add_format(&c->header, "; x%zu=", i);
		put_octets(&c->header, "some words ", share);
	}
	end_signature(&c->header);
}

static void
put_from(struct growth_case *c, size_t n)
{
	put_one_signature(c, "");
	buf_add_text(&c->header, "From: ");
	put_octets(&c->header, "((\\))) \"q\\\"\" ", n / 12 * 12);
	buf_add_text(&c->header, "<a@example.com>\r\n");
}

static void
put_results(struct growth_case *c, size_t n)
{
	put_one_signature(c, "");
	put_repeated(&c->header, "Authentication-Results: (c) \""
	    GROWTH_ID "\"; dkim=pass header.d=example.com\r\n", n);
}

static void
put_comment(struct growth_case *c, size_t n)
{
	put_one_signature(c, "");
	buf_add_text(&c->header, "Authentication-Results: ");
	put_octets(&c->header, "(", n / 2);
	put_octets(&c->header, ")", n / 2);
	buf_add_text(&c->header, GROWTH_ID "; dkim=pass\r\n");
}

static void
put_record(struct growth_case *c, size_t n)
{
	put_one_signature(c, "");
	buf_add_text(&c->record, "; n=");
	put_octets(&c->record, "note ", n);
	buf_add_text(&c->record, "x");
}

static void
put_body(struct growth_case *c, const char *text, size_t n)
{
	put_one_signature(c, "");
	put_octets(&c->body, text, n / strlen(text) * strlen(text));
	buf_add_text(&c->body, "x\r\n");
}

static void
put_text(struct growth_case *c, size_t n)
{
	put_body(c, "A line of text, as  most of them are. \r\n", n);
}

static void
put_line(struct growth_case *c, size_t n)
{
	put_body(c, "line", n);
}

static void
put_blanks(struct growth_case *c, size_t n)
{
	put_body(c, "\r\n", n);
}

static void
put_spaces(struct growth_case *c, size_t n)
{
	put_body(c, " ", n);
}

const struct growth_shape growth_shapes[] = {
	{ "signatures", "fields", 1000, put_signatures },
	{ "repeats", "fields", 1000, put_repeats },
	{ "names", "names", 125, put_names },
	{ "tags", "octets", 30000, put_tags },
	{ "fields", "fields", 1200, put_fields },
	{ "same", "fields", 1200, put_same },
	{ "field", "octets", 32000, put_field },
	{ "white", "octets", 32000, put_white },
	{ "from", "octets", 32000, put_from },
	{ "results", "fields", 1200, put_results },
	{ "comment", "octets", 32000, put_comment },
	{ "record", "octets", 2000, put_record },
	{ "text", "octets", 262144, put_text },
	{ "line", "octets", 262144, put_line },
	{ "blanks", "octets", 262144, put_blanks },
	{ "spaces", "octets", 262144, put_spaces },
};
const size_t growth_shapes_count = sizeof(growth_shapes) /
    sizeof(growth_shapes[0]);

static int
hash_body(const struct dkim_lib *lib, struct slice body,
    uint8_t out[DIGEST_SIZE])
{
	struct bodyhash *hash = NULL;
	uint64_t total;
	size_t index;
	int r;

	r = bodyhash_new(lib, false, &hash);
	if (r == 0)
		r = bodyhash_want(hash, DKIM_RELAXED, UINT64_MAX, &index);
	if (r == 0)
		r = bodyhash_add(hash, body);
	if (r == 0)
		r = bodyhash_end(hash);
	if (r == 0)
		bodyhash_get(hash, index, out, &total);
	bodyhash_free(hash);
	return r;
}

/*
 * Put bh= and b= in for each mark.
 */
static int
sign_header(struct growth_case *c, const uint8_t hash[DIGEST_SIZE])
{
	struct slice rest = buf_slice(&c->header);
	struct buf b;
	size_t n;

	buf_init(&b, CASE_MAX);
	while ((n = slice_find(rest, SIGNATURE)) < rest.n) {
		buf_add(&b, slice_sub(rest, 0, n));
		buf_add_text(&b, "; bh=");
		base64_encode(slice_of(hash, DIGEST_SIZE), &b);
		buf_add_text(&b, "; b=");
		buf_add_text(&b, no_signature);
		rest = slice_from(rest, n + 1);
	}
	buf_add(&b, rest);
	buf_clear(&c->header);
	c->header = b;		/* moved */
	return buf_end(&c->header);
}

int
growth_case_make(const struct dkim_lib *lib, const struct growth_shape *shape,
    size_t n, struct growth_case *out)
{
	uint8_t hash[DIGEST_SIZE];
	int r;

	buf_init(&out->header, CASE_MAX);
	buf_init(&out->body, CASE_MAX);
	buf_init(&out->record, CASE_MAX);
	buf_add_text(&out->record, key_record);
	shape->put(out, n);
	if (shape->put != put_from)
		buf_add_text(&out->header, "From: a@example.com\r\n");
	r = buf_end(&out->body);
	if (r == 0)
		r = buf_end(&out->record);
	if (r == 0)
		r = hash_body(lib, buf_slice(&out->body), hash);
	if (r == 0)
		r = sign_header(out, hash);
	return r;
}

void
growth_case_clear(struct growth_case *c)
{
	buf_clear(&c->header);
	buf_clear(&c->body);
	buf_clear(&c->record);
}
