/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes, signs and verifies messages in memory, for the tests of the engine.
 */
#ifndef TEST_MADE_H
#define TEST_MADE_H

#include "tests/replay_run.h"
#include "dkim/base64.h"
#include "dkim/bodyhash.h"

#define MADE_NOW	1798761600	/* 2027-01-01 */

static const struct dkim_verify_options made_plain = {
	.now = MADE_NOW,
	.clock_drift = 300,
	.max_signatures = 8,
	.min_bits = DKIM_RSA_BITS_FLOOR,
};

static inline int
made_no_header(void *context)
{
	(void)context;
	return 0;
}

static inline int
made_no_body(void *context, struct slice octets)
{
	(void)context;
	(void)octets;
	return 0;
}

/*
 * A sink that keeps all, in the buf that is its context.
 */
static inline void
made_add_to_buf(void *context, struct slice octets)
{
	buf_add(context, octets);
}

/*
 * A header out of "Name: value\r\n" lines; no line at all is allowed.
 */
static inline struct dkim_header *
made_header(const char *text)
{
	struct dkim_reader *reader;
	struct dkim_header *header;

	assert_int_equal(dkim_header_new(0, &header), 0);
	if (text[0] == '\0')
		return header;
	assert_int_equal(dkim_reader_new(header, made_no_header, made_no_body,
	    NULL, &reader), 0);
	assert_int_equal(dkim_reader_feed(reader, slice_text(text)), 0);
	assert_int_equal(dkim_reader_end(reader), 0);
	dkim_reader_free(reader);
	return header;
}

/*
 * A key of tests/vectors/messages/keys: "rfc6376.pem", "rfc8463-rsa.pem",
 * "rfc8463-ed25519.pem".
 */
static inline struct rsab_key *
made_key(const struct replay *r, const char *name)
{
	struct rsab_key *key;
	char *pem;
	size_t n;

	pem = replay_file(TESTS_SRCDIR "/vectors/messages/keys", name, &n);
	assert_non_null(pem);
	assert_int_equal(rsab_key_load_private(r->backend,
	    (const uint8_t *)pem, n, &key), 0);
	free(pem);
	return key;
}

/*
 * A row of dns.tsv that publishes the key; the caller frees.
 */
static inline char *
made_dns(const struct rsab_key *key, const char *name)
{
	struct buf b;

	buf_init(&b, 65536);
	buf_add_text(&b, name);
	buf_add_octet(&b, '\t');
	assert_int_equal(dkim_key_record_print(key, false, false, &b), 0);
	buf_add_octet(&b, '\n');
	buf_add_nul(&b);
	assert_int_equal(buf_end(&b), 0);
	return (char *)buf_take(&b);
}

static inline struct dkim_names *
made_names(enum dkim_names_kind kind, const char *text)
{
	struct dkim_names *names;
	struct slice bad;

	assert_int_equal(dkim_names_parse(kind, text == NULL ?
	    slice_of(NULL, 0) : slice_text(text), &names, &bad), 0);
	return names;
}

/*
 * Sign with one key and give the field body; the first failure comes back.
 */
static inline int
made_sign(const struct replay *r, const struct dkim_header *header,
    const char *body, const struct dkim_sign_options *o, struct rsab_key *key,
    const char *line_end, struct buf *out)
{
	struct rsab_job job = { .key = key }, *jobs[] = { &job };
	struct dkim_signer *signer = NULL;
	size_t index;
	int e;

	e = dkim_signer_new(r->lib, header, false, &signer);
	if (e == 0)
		e = dkim_signer_add(signer, o, &index);
	if (e == 0)
		e = dkim_signer_body(signer, slice_text(body));
	if (e == 0)
		e = dkim_signer_body_end(signer);
	if (e == 0)
		e = dkim_signer_job(signer, index, &job);
	if (e == 0) {
		rsab_run(r->worker, jobs, 1);
		e = job.result == RSAB_ERR_NOMEM ? DKIM_ERR_NOMEM :
		    job.result;
	}
	if (e == 0)
		e = dkim_signer_field(signer, index, slice_of(job.signature,
		    job.signature_len), line_end, out);
	dkim_signer_free(signer);
	return e;
}

/*
 * Verify header text and body with fields on top ("" or whole lines).
 */
static inline int
made_verify(const struct replay *r, const char *fields, const char *header,
    const char *body, const char *dns,
    const struct dkim_verify_options *options, struct replay_message *m)
{
	struct buf b;
	int e;

	buf_init(&b, SIZE_MAX / 2);
	buf_add_text(&b, fields);
	buf_add_text(&b, header);
	buf_add_text(&b, "\r\n");
	buf_add_text(&b, body);
	e = buf_end(&b);
	if (e == 0)
		e = replay_verify(r, buf_slice(&b), 0, dns, options, m);
	else
		memset(m, 0, sizeof(*m));
	buf_clear(&b);
	return e;
}

/*
 * "DKIM-Signature:" + field + CRLF, a C string; the caller frees.
 */
static inline char *
made_field(const struct buf *field)
{
	struct buf b;

	buf_init(&b, SIZE_MAX / 2);
	buf_add_text(&b, "DKIM-Signature:");
	buf_add(&b, buf_slice(field));
	buf_add_text(&b, "\r\n");
	buf_add_nul(&b);
	assert_int_equal(buf_end(&b), 0);
	return (char *)buf_take(&b);
}

/*
 * One verdict as "result: reason", for comparison.
 */
static inline void
made_want(const char *row, const struct replay_message *m, size_t i,
    const char *want)
{
	const struct dkim_verdict *v;
	char got[512];

	test_true(row, i < dkim_verifier_count(m->verifier));
	v = dkim_verifier_verdict(m->verifier, i);
	snprintf(got, sizeof(got), "%s%s%s", dkim_result_text(v->result),
	    v->reason[0] == '\0' ? "" : ": ", v->reason);
	test_str(row, got, want);
}

/*
 * A signature of any tags, also such as our signer never writes.
 *   tags     "v=1; a=..; h=from", without bh= and b=
 *   length   canonical octets of the body under bh=; UINT64_MAX: all
 *   result   the whole line; the caller frees
 */
static inline char *
made_raw(const struct replay *r, struct rsab_key *key, const char *header,
    const char *body, const char *tags, uint64_t length)
{
	struct rsab_job job = { .key = key, .op = RSAB_OP_SIGN,
	    .hash = RSAB_SHA256 }, *jobs[] = { &job };
	struct dkim_header *whole;
	struct bodyhash *bodyhash;
	uint8_t hash[DIGEST_SIZE];
	struct sigfield f;
	struct arena a;
	struct buf b, lines;
	uint64_t total;
	size_t index;

	buf_init(&b, 1 << 20);
	buf_init(&lines, 1 << 20);
	arena_init(&a, 1 << 20);
	assert_int_equal(sigfield_parse(slice_text(tags), &a, &f), 0);
	assert_int_equal(bodyhash_new(r->lib, false, &bodyhash), 0);
	assert_int_equal(bodyhash_want(bodyhash, f.body_canon, length, &index),
	    0);
	assert_int_equal(bodyhash_add(bodyhash, slice_text(body)), 0);
	assert_int_equal(bodyhash_end(bodyhash), 0);
	bodyhash_get(bodyhash, index, hash, &total);
	buf_add_text(&b, "DKIM-Signature: ");
	buf_add_text(&b, tags);
	buf_add_text(&b, "; bh=");
	base64_encode(slice_of(hash, sizeof(hash)), &b);
	buf_add_text(&b, "; b=");
	buf_add(&lines, buf_slice(&b));
	buf_add_text(&lines, "\r\n");
	buf_add_text(&lines, header);
	buf_add_nul(&lines);
	assert_int_equal(buf_end(&lines), 0);
	whole = made_header((const char *)lines.p);
	assert_int_equal(sigfield_parse(dkim_header_value(whole, 0), &a, &f),
	    0);
	replay_hash_field(r, whole, 0, &f, job.digest);
	rsab_run(r->worker, jobs, 1);
	assert_int_equal(job.result, 0);
	base64_encode(slice_of(job.signature, job.signature_len), &b);
	buf_add_text(&b, "\r\n");
	buf_add_nul(&b);
	assert_int_equal(buf_end(&b), 0);
	bodyhash_free(bodyhash);
	dkim_header_free(whole);
	arena_clear(&a);
	buf_clear(&lines);
	return (char *)buf_take(&b);
}

#endif
