/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the verifier with signatures that are good: tags and message are the
 * fuzzer's, bh= and b= are made to fit. The verdict is what the field alone
 * says; after one change on the way it is fail, if and only if the change
 * reaches what was signed. Input: octets of options, of the kind of change, of
 * its place (two) and its octet; the tags up to a NUL, then the message.
 */

/* this room */
#include "tests/fuzz/signed_change.h"

#define NOW	1798761600
#define DRIFT	300

enum {
	OPTION_RSA = 1,		/* the key is RSA */
	OPTION_OTHER_KEY = 2,	/* the DNS has the other one */
	OPTION_CUT = 4,		/* the body comes octet by octet */
	OPTION_MINIMUM = 8,	/* all of the body is to be signed */
};

static struct signed_site site;

/* ---- what the verdict is, and what it should be ------------------------- */

static struct dkim_verifier *
judge(const struct signed_message *m, uint8_t options)
{
	struct dkim_verify_options how = { .now = NOW, .clock_drift = DRIFT,
	    .max_signatures = 1000 };
	struct dkim_answer answer = { .state = DKIM_ANSWER_FOUND };
	size_t which = ((options & OPTION_RSA) != 0) ^
	    ((options & OPTION_OTHER_KEY) != 0), i, step;
	struct slice body = buf_slice(&m->body);
	struct dkim_verifier *v;

	if ((options & OPTION_MINIMUM) != 0)
		how.minimum = (struct dkim_minimum){ DKIM_MINIMUM_PERCENT,
		    100 };
	FUZZ_WANT(dkim_verifier_new(site.lib, m->header, &how, &v) == 0);
	for (i = 0; i < dkim_verifier_queries(v); i++) {
		answer.keyset = dkim_keyset_ref(site.sets[which]);
		dkim_verifier_answer(v, i, answer);
	}
	step = (options & OPTION_CUT) != 0 ? 1 : body.n;
	for (i = 0; i < body.n; i += step)
		FUZZ_WANT(dkim_verifier_body(v, slice_sub(body, i,
		    step)) == 0);
	FUZZ_WANT(dkim_verifier_body_end(v) == 0);
	FUZZ_WANT(dkim_verifier_finish(v, site.worker) == 0);
	return v;
}

static size_t
count(const struct dkim_header *header, const char *name)
{
	size_t i, n = 0, fields = dkim_header_count(header);

	for (i = dkim_header_find(header, slice_text(name), 0); i < fields;
	    i = dkim_header_find(header, slice_text(name), i + 1))
		n++;
	return n;
}

/*
 * The verdict on field 0 where nothing was changed (BEHAVIOUR 6, in its
 * order).
 */
static enum dkim_result
expected(const struct signed_message *m, uint8_t options,
    const struct sigfield *f)
{
	bool rsa = ((options & OPTION_RSA) != 0) ^
	    ((options & OPTION_OTHER_KEY) != 0);
	uint8_t hash[DIGEST_SIZE];
	uint64_t total;

	if (f->error != NULL || count(m->header, "From") == 0 ||
	    f->alg == SIGFIELD_UNKNOWN || (f->has_expiry && f->expiry < NOW) ||
	    f->alg == SIGFIELD_RSA_SHA1)
		return DKIM_PERMERROR;
	if ((f->alg == SIGFIELD_RSA_SHA256) != rsa)
		return DKIM_PERMERROR;
	signed_body(&site, f, buf_slice(&m->body), hash, &total);
	if (f->has_length && f->length > total)
		return DKIM_PERMERROR;
	if (memcmp(hash, f->body_hash, sizeof(hash)) != 0 ||
	    (options & OPTION_OTHER_KEY) != 0)
		return DKIM_FAIL;
	if ((f->has_time && f->time > NOW + DRIFT) ||
	    count(m->header, "From") > 1 ||
	    ((options & OPTION_MINIMUM) != 0 && f->has_length &&
	    f->length < total))
		return DKIM_POLICY;
	return DKIM_PASS;
}

static enum dkim_result
verdict(const struct signed_message *m, uint8_t options)
{
	struct dkim_verifier *v = judge(m, options);
	const struct dkim_verdict *got = dkim_verifier_verdict(v, 0);
	enum dkim_result result = got->result;
	struct dkim_authres ar = { .authserv_id = slice_text("mx.a.b"),
	    .line_end = "\r\n" };
	struct buf b;

	FUZZ_WANT(dkim_verifier_count(v) == count(m->header,
	    "DKIM-Signature"));
	FUZZ_WANT(got->evaluated && got->covered <= got->body);
	FUZZ_WANT((got->reason[0] == '\0') == (result == DKIM_PASS &&
	    got->covered == got->body));
	buf_init(&b, 16 * SIGNED_MAX);
	FUZZ_WANT(dkim_authres_print(&ar, v, NULL, &b) == 0);
	FUZZ_WANT(dkim_authres_claims(buf_slice(&b), &ar.authserv_id,
	    1) == DKIM_AUTHRES_OURS_DKIM);
	buf_clear(&b);
	dkim_verifier_free(v);
	return result;
}

static void
check(struct signed_message *m, const struct signed_recipe *r)
{
	struct buf before, after;
	struct sink one = { signed_add, &before }, two = { signed_add,
	    &after };
	enum dkim_result want;
	struct sigfield f;
	struct arena a;

	arena_init(&a, 16 * SIGNED_MAX);
	buf_init(&before, 16 * SIGNED_MAX);
	buf_init(&after, 16 * SIGNED_MAX);
	FUZZ_WANT(sigfield_parse(dkim_header_value(m->header, 0), &a, &f) ==
	    0);
	FUZZ_WANT(verdict(m, r->options) == expected(m, r->options, &f));
	if (f.error == NULL)
		signed_put(m->header, &f, &one);
	if (signed_change(m, r)) {
		FUZZ_WANT(sigfield_parse(dkim_header_value(m->header, 0), &a,
		    &f) == 0);
		if (f.error == NULL)
			signed_put(m->header, &f, &two);
		want = expected(m, r->options, &f);
		if ((want == DKIM_PASS || want == DKIM_POLICY) &&
		    !slice_equal(buf_slice(&before), buf_slice(&after)))
			want = DKIM_FAIL;
		FUZZ_WANT(verdict(m, r->options) == want);
	}
	buf_clear(&before);
	buf_clear(&after);
	arena_clear(&a);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct signed_message m;
	struct signed_recipe r;

	if (!signed_take(slice_of(p, n), &r))
		return 0;
	if (site.lib == NULL)
		signed_open(&site);
	if (!signed_read(r.message, &m))
		return 0;
	if (signed_make(&site, r.tags,
	    site.keys[(r.options & OPTION_RSA) != 0], &m))
		check(&m, &r);
	signed_clear(&m);
	return 0;
}
