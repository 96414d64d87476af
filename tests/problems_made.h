/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the tests of known problems (PROBLEMS.tsv) share: a key and its record,
 * signatures of any text, made without the parser of the fields, and messages
 * whose bodies come in any pieces.
 */
#ifndef PROBLEMS_MADE_H
#define PROBLEMS_MADE_H

/* this room */
#include "tests/made.h"

#define PROBLEMS_NAME	"sel._domainkey.example.com"
#define PROBLEMS_TAGS	" v=1; a=ed25519-sha256; d=example.com; s=sel; "

static struct replay world;
static struct rsab_key *key;		/* Ed25519, of RFC 8463 */
static char *key_dns;			/* its record, under PROBLEMS_NAME */

static inline int
problems_set_up(void **state)
{
	(void)state;
	replay_begin(&world);
	key = made_key(&world, "rfc8463-ed25519.pem");
	key_dns = made_dns(key, PROBLEMS_NAME);
	return 0;
}

static inline int
problems_tear_down(void **state)
{
	(void)state;
	free(key_dns);
	rsab_key_unref(key);
	replay_end(&world);
	return 0;
}

#define PROBLEMS_RUN(tests)						\
	(cmocka_run_group_tests(tests, problems_set_up,			\
	    problems_tear_down) != 0)

/*
 * A field to be signed as it stands.
 */
struct problems_field {
	const char	*text;		/* body of the field; %H stands for
					 * bh=, %B for b= */
	const char	*names;		/* what h= lists, between colons; as
					 * h= has them, without white space */
	enum dkim_canon	 header, body;	/* what c= says */
	size_t		 length;	/* l=; SIZE_MAX: none */
};

/*
 * The text with its parts put in, as the value of a field. RFC 6376 s3.7: where
 * b= has no value, the white space round it is out, too.
 */
static inline void
problems_fill(const char *text, struct slice hash, struct slice b,
    struct buf *out)
{
	for (; *text != '\0'; text++) {
		if (text[0] == '%' && text[1] == 'H') {
			base64_encode(hash, out);
			text++;
		} else if (text[0] == '%' && text[1] == 'B') {
			while (b.n == 0 && out->p[out->n - 1] <= ' ')
				out->n--;
			base64_encode(b, out);
			text += b.n == 0 ? 1 + strspn(text + 2, " \t\r\n") : 1;
		} else
			buf_add_octet(out, (uint8_t)*text);
	}
}

/*
 * RFC 6376 s5.4.2, the long way: for each name the lowest field of it that has
 * not been taken.
 */
static inline void
problems_select(const struct dkim_header *header, const char *names,
    enum dkim_canon alg, struct sink *sink)
{
	size_t count = dkim_header_count(header), i, n;
	bool *taken = calloc(count + 1, sizeof(*taken));
	struct slice field, name;

	for (; *names != '\0'; names += n + (names[n] == ':')) {
		n = strcspn(names, ":");
		name = slice_of(names, n);
		for (i = count; i-- > 0;) {
			field = slice_trim(dkim_header_name(header, i));
			if (!taken[i] && slice_equal_nocase(field, name))
				break;
		}
		if (i == SIZE_MAX)
			continue;
		taken[i] = true;
		canon_field(alg, dkim_header_name(header, i),
		    dkim_header_value(header, i), sink);
	}
	free(taken);
}

/*
 * The hash of a field with nothing in place of %B, and of the fields it names
 * in front of it.
 *   bh       hash of the body
 */
static inline void
problems_hash(const struct problems_field *f, const char *header_lines,
    struct slice bh, uint8_t out[DIGEST_SIZE])
{
	struct dkim_header *header = made_header(header_lines);
	struct digest digest;
	struct sink sink = { replay_add_to_digest, &digest };
	struct buf value;

	buf_init(&value, 1 << 20);
	problems_fill(f->text, bh, slice_of(NULL, 0), &value);
	assert_int_equal(buf_end(&value), 0);
	assert_int_equal(digest_init(&digest, world.lib), 0);
	problems_select(header, f->names, f->header, &sink);
	canon_field_last(f->header, slice_text("DKIM-Signature"),
	    buf_slice(&value), &sink);
	assert_int_equal(digest_finish(&digest, out), 0);
	digest_clear(&digest);
	buf_clear(&value);
	dkim_header_free(header);
}

/*
 * SHA-256 of the canonical body, cut at l=.
 */
static inline void
problems_body_hash(const struct problems_field *f, struct slice body,
    uint8_t out[DIGEST_SIZE])
{
	struct digest digest;
	struct canon c;
	struct buf form;
	struct sink sink = { made_add_to_buf, &form };

	buf_init(&form, SIZE_MAX / 2);
	canon_init(&c, f->body, false);
	canon_body(&c, body, &sink);
	canon_body_end(&c, &sink);
	assert_int_equal(digest_init(&digest, world.lib), 0);
	digest_add(&digest, slice_sub(buf_slice(&form), 0,
	    f->length < form.n ? f->length : form.n));
	assert_int_equal(digest_finish(&digest, out), 0);
	digest_clear(&digest);
	buf_clear(&form);
}

/*
 * Sign, and give the whole line "DKIM-Signature:.."; the caller frees.
 */
static inline char *
problems_sign(const struct problems_field *f, struct rsab_key *with,
    const char *header_lines, struct slice body)
{
	struct rsab_job job = { .key = with, .op = RSAB_OP_SIGN,
	    .hash = RSAB_SHA256 }, *jobs[] = { &job };
	uint8_t hash[DIGEST_SIZE];
	struct buf value;
	char *line;

	problems_body_hash(f, body, hash);
	problems_hash(f, header_lines, slice_of(hash, sizeof(hash)),
	    job.digest);
	rsab_run(world.worker, jobs, 1);
	assert_int_equal(job.result, 0);
	buf_init(&value, 1 << 20);
	problems_fill(f->text, slice_of(hash, sizeof(hash)),
	    slice_of(job.signature, job.signature_len), &value);
	line = made_field(&value);
	buf_clear(&value);
	return line;
}

/*
 * Verify header lines (with their signatures) and a body that comes in pieces.
 *   cuts     n places, in order, where the body is cut
 *   m        replay_done frees
 */
static inline void
problems_verify(const char *lines, struct slice body, const size_t *cuts,
    size_t n, const char *dns, const struct dkim_verify_options *options,
    struct replay_message *m)
{
	size_t i, at = 0, next;

	m->header = made_header(lines);
	assert_int_equal(dkim_verifier_new(world.lib, m->header, options,
	    &m->verifier), 0);
	for (i = 0; i < dkim_verifier_queries(m->verifier); i++)
		dkim_verifier_answer(m->verifier, i, replay_answer(&world, dns,
		    dkim_verifier_query(m->verifier, i)));
	for (i = 0; i <= n; i++) {
		next = i < n ? cuts[i] : body.n;
		assert_int_equal(dkim_verifier_body(m->verifier,
		    slice_sub(body, at, next - at)), 0);
		at = next;
	}
	assert_int_equal(dkim_verifier_body_end(m->verifier), 0);
	assert_int_equal(dkim_verifier_finish(m->verifier, world.worker), 0);
}

/*
 * The same in one piece, with a signature on top, and its verdict wanted.
 *   want     "result" or "result: reason"
 */
#define problems_want(row, field, header, body, dns, want)		\
	problems_want_at(row, field, header, body, dns, want, __FILE__,	\
	    __LINE__)
static inline void
problems_want_at(const char *row, const char *field, const char *header,
    struct slice body, const char *dns, const char *want, const char *file,
    int line)
{
	const struct dkim_verdict *v;
	struct replay_message m;
	char got[512], *lines;

	assert_true(asprintf(&lines, "%s%s", field, header) >= 0);
	problems_verify(lines, body, NULL, 0, dns, &made_plain, &m);
	test_int_at(row, dkim_verifier_count(m.verifier) > 0, 1, file, line);
	v = dkim_verifier_verdict(m.verifier, 0);
	if (strchr(want, ':') == NULL)
		snprintf(got, sizeof(got), "%s",
		    dkim_result_text(v->result));
	else
		snprintf(got, sizeof(got), "%s: %s",
		    dkim_result_text(v->result), v->reason);
	test_str_at(row, got, want, file, line);
	replay_done(&m);
	free(lines);
}

#endif
