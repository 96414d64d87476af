/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message with a signature that is good whatever its tags are, for
 * fuzz_signed: octets of a fuzzer nearly never make one. The bh= and b= are
 * made here, from the parts of the engine; no line of verify.c or judge.c
 * takes part.
 */
#ifndef SIGNED_MADE_H
#define SIGNED_MADE_H

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "dkim/base64.h"
#include "dkim/bodyhash.h"
#include "dkim/canon.h"
#include "dkim/select.h"
#include "dkim/sigfield.h"
#include "tests/fuzz/fuzz.h"

#define SIGNED_MAX	((size_t)1 << 20)	/* octets of any part */

struct signed_message {
	struct dkim_header	*header;
	struct buf		 body;
	bool			 begun;		/* the header is whole */
};

/*
 * What all inputs share.
 */
struct signed_site {
	struct dkim_lib			*lib;
	const struct rsab_backend	*backend;
	struct rsab_worker		*worker;
	struct rsab_key			*keys[2];	/* Ed25519, RSA */
	struct dkim_keyset		*sets[2];
};

static inline void
signed_add(void *context, struct slice octets)
{
	buf_add(context, octets);
}

static inline void
signed_digest(void *context, struct slice octets)
{
	digest_add(context, octets);
}

/*
 * A key of RFC 8463 A.2, and what the DNS would say of it.
 */
static inline void
signed_load(struct signed_site *site, size_t i, const char *name)
{
	char path[512], pem[4096];
	struct slice record;
	struct buf b;
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/vectors/messages/keys/%s",
	    TESTS_SRCDIR, name);
	f = fopen(path, "rb");
	FUZZ_WANT(f != NULL);
	n = fread(pem, 1, sizeof(pem), f);
	fclose(f);
	FUZZ_WANT(rsab_key_load_private(site->backend, (const uint8_t *)pem, n,
	    &site->keys[i]) == 0);
	buf_init(&b, DKIM_TXT_MAX);
	FUZZ_WANT(dkim_key_record_print(site->keys[i], false, false, &b) == 0);
	record = buf_slice(&b);
	FUZZ_WANT(dkim_keyset_parse(site->backend, &record, 1,
	    &site->sets[i]) == 0);
	buf_clear(&b);
}

static inline void
signed_open(struct signed_site *site)
{
	FUZZ_WANT(dkim_lib_new(&site->lib) == 0);
	FUZZ_WANT(rsab_backend_find("libcrypto", &site->backend) == 0);
	FUZZ_WANT(rsab_worker_new(&site->worker) == 0);
	signed_load(site, 0, "rfc8463-ed25519.pem");
	signed_load(site, 1, "rfc8463-rsa.pem");
}

static inline int
signed_on_header(void *context)
{
	struct signed_message *m = context;

	m->begun = true;
	return 0;
}

static inline int
signed_on_body(void *context, struct slice octets)
{
	struct signed_message *m = context;

	buf_add(&m->body, octets);
	return 0;
}

static inline void
signed_clear(struct signed_message *m)
{
	dkim_header_free(m->header);
	buf_clear(&m->body);
}

/*
 * Read a message; false: it is none.
 */
static inline bool
signed_read(struct slice in, struct signed_message *m)
{
	struct dkim_reader *reader;
	int r;

	*m = (struct signed_message){ 0 };
	buf_init(&m->body, SIGNED_MAX);
	FUZZ_WANT(dkim_header_new(0, &m->header) == 0);
	FUZZ_WANT(dkim_reader_new(m->header, signed_on_header, signed_on_body,
	    m, &reader) == 0);
	r = dkim_reader_feed(reader, in);
	if (r == 0)
		r = dkim_reader_end(reader);
	dkim_reader_free(reader);
	FUZZ_WANT(buf_end(&m->body) == 0);
	if (r != 0)
		signed_clear(m);
	return r == 0;
}

/*
 * The same fields with one more on top; NULL: it may not stand there.
 */
static inline struct dkim_header *
signed_on_top(const struct dkim_header *header, struct slice value)
{
	struct dkim_header *out;
	size_t i;
	int r;

	FUZZ_WANT(dkim_header_new(0, &out) == 0);
	r = dkim_header_add(out, slice_text("DKIM-Signature"), value);
	for (i = 0; r == 0 && i < dkim_header_count(header); i++)
		r = dkim_header_add(out, dkim_header_name(header, i),
		    dkim_header_value(header, i));
	if (r == 0)
		return out;
	dkim_header_free(out);
	return NULL;
}

/*
 * What field 0 signs goes to out (RFC 6376 s3.7).
 */
static inline void
signed_put(const struct dkim_header *header, const struct sigfield *f,
    struct sink *out)
{
	struct slice value = dkim_header_value(header, 0);
	struct slice *names = calloc(f->names_n, sizeof(*names));
	struct buf bare;

	FUZZ_WANT(names != NULL);
	sigfield_names(f, names);
	buf_init(&bare, SIGNED_MAX);
	buf_add(&bare, slice_sub(value, 0, f->b_at));
	buf_add(&bare, slice_from(value, f->b_at + f->b_n));
	FUZZ_WANT(buf_end(&bare) == 0);
	FUZZ_WANT(select_fields(header, names, f->names_n, 0, f->header_canon,
	    out) == 0);
	canon_field_last(f->header_canon, dkim_header_name(header, 0),
	    buf_slice(&bare), out);
	buf_clear(&bare);
	free(names);
}

/*
 * The body's hash and its canonical octets, cut as l= says.
 */
static inline void
signed_body(const struct signed_site *site, const struct sigfield *f,
    struct slice body, uint8_t hash[DIGEST_SIZE], uint64_t *total)
{
	struct bodyhash *b;
	size_t index;

	FUZZ_WANT(bodyhash_new(site->lib, false, &b) == 0);
	FUZZ_WANT(bodyhash_want(b, f->body_canon, f->length, &index) == 0);
	FUZZ_WANT(bodyhash_add(b, body) == 0 && bodyhash_end(b) == 0);
	bodyhash_get(b, index, hash, total);
	bodyhash_free(b);
}

/*
 * b= over the header whose field 0 has any b=.
 */
static inline void
signed_sign(const struct signed_site *site, const struct dkim_header *header,
    const struct sigfield *f, struct rsab_key *key, struct buf *out)
{
	struct rsab_job job = { .key = key, .op = RSAB_OP_SIGN,
	    .hash = RSAB_SHA256 }, *jobs[] = { &job };
	struct digest digest = { 0 };
	struct sink sink = { signed_digest, &digest };

	FUZZ_WANT(digest_init(&digest, site->lib) == 0);
	signed_put(header, f, &sink);
	FUZZ_WANT(digest_finish(&digest, job.digest) == 0);
	digest_clear(&digest);
	rsab_run(site->worker, jobs, 1);
	FUZZ_WANT(job.result == 0);
	base64_encode(slice_of(job.signature, job.signature_len), out);
}

/*
 * Put a signature with these tags on top of m, behind them bh= and b=.
 *   returns  false: such a field may not stand in a header
 */
static inline bool
signed_make(const struct signed_site *site, struct slice tags,
    struct rsab_key *key, struct signed_message *m)
{
	struct dkim_header *draft, *whole = NULL;
	uint8_t hash[DIGEST_SIZE];
	struct sigfield f;
	struct arena a;
	struct buf b;
	uint64_t total;

	arena_init(&a, 16 * SIGNED_MAX);
	buf_init(&b, SIGNED_MAX);
	FUZZ_WANT(sigfield_parse(tags, &a, &f) == 0);
	signed_body(site, &f, buf_slice(&m->body), hash, &total);
	buf_add(&b, tags);
	buf_add_text(&b, ";bh=");
	base64_encode(slice_of(hash, sizeof(hash)), &b);
	buf_add_text(&b, ";b=");
	FUZZ_WANT(buf_end(&b) == 0);
	draft = signed_on_top(m->header, buf_slice(&b));
	if (draft != NULL) {
		/* an empty b= is an error, which is not looked at here */
		FUZZ_WANT(sigfield_parse(dkim_header_value(draft, 0), &a,
		    &f) == 0);
		if (f.names_n > 0 && f.b_at > 0)
			signed_sign(site, draft, &f, key, &b);
		FUZZ_WANT(buf_end(&b) == 0);
		whole = signed_on_top(m->header, buf_slice(&b));
		dkim_header_free(draft);
	}
	if (whole != NULL) {
		dkim_header_free(m->header);
		m->header = whole;
	}
	buf_clear(&b);
	arena_clear(&a);
	return whole != NULL;
}

#endif
