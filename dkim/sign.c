/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The signer of one message (RFC 6376 s5): several signatures over one pass of
 * its body.
 */

/* system */
#include <stdlib.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "base64.h"
#include "bodyhash.h"
#include "header.h"
#include "select.h"
#include "sigprint.h"
#include "taglist.h"

#define ARENA_MAX	((size_t)16 * DKIM_HEADER_HARD_MAX)	/* octets */
#define ARENA_FIRST	3072	/* octets: two signatures */

static const char field_name[] = "DKIM-Signature";

struct wish {
	struct sigprint	print;
	size_t		body_hash;	/* index in bodyhash */
	struct slice	head;		/* of the field, up to "b="; after
					 * body_end: hashed, then inserted */
	size_t		column;		/* behind it */
};

struct dkim_signer {
	const struct dkim_lib		*lib;
	const struct dkim_header	*header;
	struct arena			 arena;
	struct bodyhash			*bodyhash;
	struct wish			*wishes[DKIM_SIGNATURES_MADE];
	size_t				 n;
	bool				 started;	/* body octets came */
	bool				 ended;
	_Alignas(max_align_t) uint8_t	 memory[];	/* of arena */
};

int
dkim_signer_new(const struct dkim_lib *lib, const struct dkim_header *header,
    bool fix_crlf, struct dkim_signer **out)
{
	struct dkim_signer *signer;
	int r;

	signer = malloc(sizeof(*signer) + ARENA_FIRST);
	if (signer == NULL)
		return DKIM_ERR_NOMEM;
	*signer = (struct dkim_signer){ .lib = lib, .header = header };
	arena_init_on(&signer->arena, ARENA_MAX, signer->memory, ARENA_FIRST);
	r = bodyhash_new(lib, fix_crlf, &signer->bodyhash);
	if (r != 0) {
		dkim_signer_free(signer);
		return r;
	}
	*out = signer;
	return 0;
}

void
dkim_signer_free(struct dkim_signer *signer)
{
	if (signer == NULL)
		return;
	bodyhash_free(signer->bodyhash);
	arena_clear(&signer->arena);
	free(signer);
}

/*
 * RFC 6376 s5.4, s5.4.1: From MUST be signed; s8.15: not more than one of them.
 */
static int
check_from(const struct dkim_header *header)
{
	size_t count = dkim_header_count(header);
	struct slice from = slice_text("From");
	size_t first = dkim_header_find(header, from, 0);

	if (first == count)
		return DKIM_ERR_NO_FROM;
	if (dkim_header_find(header, from, first + 1) != count)
		return DKIM_ERR_MANY_FROM;
	return 0;
}

static int
set_algorithm(const struct rsab_key *key, struct sigprint *out)
{
	/* RFC 6376 s3.3, RFC 8301 s3.1 #1, #3, s1; RFC 8463 s4.1: these two */
	if (rsab_key_type(key) == RSAB_ED25519) {
		out->algorithm = "ed25519-sha256";
		return 0;
	}
	/* RFC 8301 s3.2 #1, RFC 6376 s3.3.3: every RSA key has that many */
	if (rsab_key_bits(key) < DKIM_RSA_BITS_FLOOR)
		return DKIM_ERR_ARGUMENT;
	out->algorithm = "rsa-sha256";
	return 0;
}

static int
copy_text(struct arena *a, const char *text, struct slice *out)
{
	*out = arena_copy(a, slice_text(text));
	return out->p == NULL ? DKIM_ERR_NOMEM : 0;
}

/*
 * d= and s=, domain names, as A-labels (RFC 6376 s3.5 #29, #31, #64).
 */
static int
set_names(struct arena *a, const struct dkim_sign_options *o,
    struct sigprint *out)
{
	char domain[DKIM_NAME_MAX + 1], selector[DKIM_NAME_MAX + 1];
	int r;

	r = dkim_domain_to_ascii(o->domain, domain);
	if (r == 0)
		r = dkim_selector_to_ascii(o->selector, selector);
	if (r != 0)
		return r == DKIM_ERR_NOMEM ? r : DKIM_ERR_ARGUMENT;
	if (strlen(selector) + strlen("._domainkey.") + strlen(domain) >
	    DKIM_NAME_MAX)
		return DKIM_ERR_ARGUMENT;
	r = copy_text(a, domain, &out->domain);
	return r != 0 ? r : copy_text(a, selector, &out->selector);
}

/*
 * i=: within d=, its domain as A-labels (RFC 6376 s3.5 #45, #46); the
 * local-part is dkim-quoted-printable.
 */
static int
set_identity(struct arena *a, struct slice identity, struct sigprint *out)
{
	char domain[DKIM_NAME_MAX + 1];
	size_t at = identity.n;
	struct buf text;
	int r;

	if (identity.n == 0)
		return 0;
	while (at > 0 && identity.p[at - 1] != '@')
		at--;
	if (at == 0 || identity.n > DKIM_ADDRESS_MAX)
		return DKIM_ERR_ARGUMENT;
	r = dkim_domain_to_ascii(slice_from(identity, at), domain);
	if (r != 0)
		return r == DKIM_ERR_NOMEM ? r : DKIM_ERR_ARGUMENT;
	if (!dkim_domain_is_within(slice_text(domain), out->domain))
		return DKIM_ERR_ARGUMENT;
	buf_init(&text, (size_t)3 * DKIM_ADDRESS_MAX + DKIM_NAME_MAX);
	taglist_encode_qp(slice_sub(identity, 0, at - 1), "", &text);
	buf_add_octet(&text, '@');
	buf_add_text(&text, domain);
	r = buf_end(&text);
	if (r == 0) {
		out->identity = arena_copy(a, buf_slice(&text));
		r = out->identity.p == NULL ? DKIM_ERR_NOMEM : 0;
	}
	buf_clear(&text);
	return r;
}

static bool
has_name(const struct dkim_names *names, struct slice name)
{
	return names != NULL && dkim_names_has(names, name);
}

static bool
is_signed(const struct dkim_sign_options *o, struct slice name)
{
	/* A name with ";", which would end h=, is in no list (names.c).
	 * RFC 6376 s5.4, s3.5 #41: From MUST be signed, whatever lists say */
	if (slice_equal_nocase(name, slice_text("From")))
		return true;
	/* Once more than present is only true if the present ones are in */
	if (has_name(o->oversign, name))
		return true;
	return has_name(o->sign, name) && !has_name(o->omit, name);
}

/*
 * h=: each field that is signed, once for each time it is there, then the
 * oversigned names; never the field being made, which is in no header yet
 * (RFC 6376 s3.5 #34, #38, s3.7 #13, s5.4, s5.4.2).
 */
static int
set_signed(struct dkim_signer *signer, const struct dkim_sign_options *o,
    struct sigprint *out)
{
	size_t i, n = 0, count = dkim_header_count(signer->header);
	size_t extra = o->oversign == NULL ? 0 :
	    dkim_names_count(o->oversign);
	size_t most = count < DKIM_SIGNED_NAMES_MAX ? count :
	    DKIM_SIGNED_NAMES_MAX;
	struct slice *names, name;

	names = arena_alloc(&signer->arena, (most + extra) * sizeof(names[0]));
	if (names == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < count; i++) {
		name = header_name(signer->header, i);
		if (!is_signed(o, name))
			continue;
		if (n + extra >= DKIM_SIGNED_NAMES_MAX)
			return DKIM_ERR_LIMIT;
		names[n++] = name;	/* the header outlives us */
	}
	for (i = 0; i < extra; i++) {
		name = dkim_names_at(o->oversign, i);
		if (slice_equal_nocase(name, slice_text(field_name)))
			continue;
		names[n] = arena_copy(&signer->arena, name);
		if (names[n++].p == NULL)
			return DKIM_ERR_NOMEM;
	}
	out->names = names;
	out->names_n = n;
	return 0;
}

/*
 * z=: copies of the signed fields, "|" only between them, no white space (RFC
 * 6376 s3.5 #77, #78).
 */
static int
set_copies(struct dkim_signer *signer, const struct dkim_sign_options *o,
    struct sigprint *out)
{
	size_t i, count = dkim_header_count(signer->header);
	struct slice name;
	struct buf text;
	int r;

	if (!o->copy_fields)
		return 0;
	buf_init(&text, DKIM_FIELD_MAX);
	for (i = 0; i < count; i++) {
		name = header_name(signer->header, i);
		if (!is_signed(o, name))
			continue;
		if (text.n > 0)
			buf_add_octet(&text, '|');
		taglist_encode_qp(name, "|", &text);
		buf_add_octet(&text, ':');
		taglist_encode_qp(dkim_header_value(signer->header, i), "|",
		    &text);
	}
	r = buf_end(&text);
	if (r == 0) {
		out->copies = arena_copy(&signer->arena, buf_slice(&text));
		r = out->copies.p == NULL ? DKIM_ERR_NOMEM : 0;
	}
	buf_clear(&text);
	return r;
}

static int
set_print(struct dkim_signer *signer, const struct dkim_sign_options *o,
    struct sigprint *out)
{
	int r;

	out->header_canon = o->header_canon;
	out->body_canon = o->body_canon;
	/* RFC 6376 s3.5 #66, #71, #74: x= is a time as t= is, and a later
	 * one */
	out->time = o->now;
	if (o->ttl != 0)
		out->expiry = o->ttl > UINT64_MAX - o->now ? UINT64_MAX :
		    o->now + o->ttl;
	r = set_algorithm(o->key, out);
	if (r == 0)
		r = set_names(&signer->arena, o, out);
	if (r == 0)
		r = set_identity(&signer->arena, o->identity, out);
	if (r == 0)
		r = set_signed(signer, o, out);
	if (r == 0)
		r = set_copies(signer, o, out);
	return r;
}

int
dkim_signer_add(struct dkim_signer *signer,
    const struct dkim_sign_options *options, size_t *index)
{
	struct wish *wish;
	int r;

	if (signer->started || signer->ended)
		return DKIM_ERR_STATE;
	if (signer->n == DKIM_SIGNATURES_MADE)
		return DKIM_ERR_LIMIT;
	r = check_from(signer->header);
	if (r != 0)
		return r;
	wish = arena_alloc(&signer->arena, sizeof(*wish));
	if (wish == NULL)
		return DKIM_ERR_NOMEM;
	memset(wish, 0, sizeof(*wish));
	r = set_print(signer, options, &wish->print);
	if (r == 0)
		/* RFC 6376 s5.3.1, s3.5 #53: the whole body, no l= */
		r = bodyhash_want(signer->bodyhash, options->body_canon,
		    UINT64_MAX, &wish->body_hash);
	if (r != 0)
		return r;
	signer->wishes[signer->n] = wish;
	*index = signer->n++;
	return 0;
}

/*
 * RFC 6376 s3.7 #15, #17, #18, #19, s5.3: octets as they will be sent, whatever
 * MIME makes of them.
 */
int
dkim_signer_body(struct dkim_signer *signer, struct slice in)
{
	if (signer->ended)
		return DKIM_ERR_STATE;
	signer->started = true;
	return bodyhash_add(signer->bodyhash, in);
}

/*
 * The field as far as it is known before its signature.
 */
static int
print_head(struct arena *a, struct wish *wish)
{
	struct sigprint_writer w;
	struct buf value;
	int r;

	buf_init(&value, DKIM_FIELD_MAX);
	w = (struct sigprint_writer){ &value, "\r\n", 0 };
	sigprint_head(&wish->print, &w);
	r = buf_end(&value);
	if (r == 0) {
		wish->column = w.column;
		wish->head = arena_copy(a, buf_slice(&value));
		r = wish->head.p == NULL ? DKIM_ERR_NOMEM : 0;
	}
	buf_clear(&value);
	return r;
}

int
dkim_signer_body_end(struct dkim_signer *signer)
{
	struct wish *wish;
	uint64_t total;
	size_t i;
	int r;

	if (signer->ended)
		return DKIM_ERR_STATE;
	/* RFC 6376 s3.7 #1, #2, #5, s3.5 #25: the body hash stands in the field
	 * that the second hash covers */
	r = bodyhash_end(signer->bodyhash);
	for (i = 0; r == 0 && i < signer->n; i++) {
		wish = signer->wishes[i];
		bodyhash_get(signer->bodyhash, wish->body_hash,
		    wish->print.body_hash, &total);
		r = print_head(&signer->arena, wish);
	}
	if (r == 0)
		signer->ended = true;
	return r;
}

/*
 * The hash that is signed: the fields of h=, then our own with empty b= (RFC
 * 6376 s3.7 #6, #8, #9, #11, #12, s3.5 #5, #6).
 */
static int
hash_header(const struct dkim_signer *signer, const struct wish *wish,
    uint8_t out[DIGEST_SIZE])
{
	const struct sigprint *print = &wish->print;
	struct digest digest = { 0 };
	struct sink sink = { digest_sink, &digest };
	int r;

	r = digest_init(&digest, signer->lib);
	if (r == 0)
		r = select_fields(signer->header, print->names, print->names_n,
		    dkim_header_count(signer->header), print->header_canon,
		    &sink);
	if (r == 0) {
		canon_field_last(print->header_canon, slice_text(field_name),
		    wish->head, &sink);
		r = digest_finish(&digest, out);
	}
	digest_clear(&digest);
	return r;
}

int
dkim_signer_job(struct dkim_signer *signer, size_t index, struct rsab_job *job)
{
	if (!signer->ended || index >= signer->n)
		return DKIM_ERR_STATE;
	job->op = RSAB_OP_SIGN;
	/* RFC 6376 s5.5, s3.3.2; RFC 8463 s3: over the hash as it is */
	job->hash = RSAB_SHA256;
	return hash_header(signer, signer->wishes[index], job->digest);
}

/*
 * The head, as it was hashed (RFC 6376 s5.6 #2), with its folds as the
 * taker has line ends.
 */
static void
put_head(struct slice head, const char *line_end, struct buf *out)
{
	size_t at;

	while ((at = slice_find(head, '\r')) < head.n) {
		buf_add(out, slice_sub(head, 0, at));
		buf_add_text(out, line_end);
		head = slice_from(head, at + 2);	/* CR LF */
	}
	buf_add(out, head);
}

int
dkim_signer_field(const struct dkim_signer *signer, size_t index,
    struct slice signature, const char *line_end, struct buf *out)
{
	struct sigprint_writer w = { out, line_end, 0 };
	uint8_t text[BASE64_SIZE(RSAB_SIGNATURE_MAX)];

	if (!signer->ended || index >= signer->n)
		return DKIM_ERR_STATE;
	if (signature.n == 0 || signature.n > RSAB_SIGNATURE_MAX)
		return DKIM_ERR_ARGUMENT;
	put_head(signer->wishes[index]->head, line_end, out);
	w.column = signer->wishes[index]->column;
	base64_write(signature, text);
	sigprint_signature(slice_of(text, BASE64_SIZE(signature.n)), &w);
	return buf_end(out);
}
