/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the verifier with signatures that are good: tags and message are the
 * fuzzer's, bh= and b= are made to fit. The verdict is what the field alone
 * says; after one change on the way it is fail, if and only if the change
 * reaches what was signed. Input: octets of options, of the kind of change, of
 * its place (two) and its octet; the tags up to a NUL, then the message.
 */

/* this room */
#include "tests/fuzz/signed_made.h"

size_t LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max,
    unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *p, size_t n, size_t max)
    __attribute__((weak));	/* of libFuzzer: not there in a replay */

#define NOW	1798761600
#define DRIFT	300
#define HEAD	5		/* octets before the tags */

enum {
	OPTION_RSA = 1,		/* the key is RSA */
	OPTION_OTHER_KEY = 2,	/* the DNS has the other one */
	OPTION_CUT = 4,		/* the body comes octet by octet */
	OPTION_MINIMUM = 8,	/* all of the body is to be signed */
};

enum change {
	CHANGE_BODY_OCTET,
	CHANGE_BODY_INSERT,
	CHANGE_BODY_CUT,
	CHANGE_FIELD_OCTET,
	CHANGE_FIELD_INSERT,
	CHANGE_FIELD_GONE,
	CHANGE_FIELD_TWICE,
	CHANGE_NONE,
	CHANGES,
};

struct recipe {
	uint8_t		options, kind, octet;
	size_t		place;
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

/* ---- a change on the way ------------------------------------------------ */

/*
 * old, with one octet other, one more, or without the rest.
 */
static void
alter(struct slice old, enum change kind, const struct recipe *r,
    struct buf *out)
{
	size_t at = r->place % (old.n + 1);

	buf_add(out, slice_sub(old, 0, at));
	if (kind != CHANGE_BODY_CUT) {
		buf_add_octet(out, r->octet);
		buf_add(out, slice_from(old, at + (kind ==
		    CHANGE_BODY_OCTET && at < old.n)));
	}
	FUZZ_WANT(buf_end(out) == 0);
}

static bool
alter_header(struct signed_message *m, enum change kind,
    const struct recipe *r)
{
	size_t n = dkim_header_count(m->header), i, at;
	struct dkim_header *out;
	struct slice value;
	struct buf b;
	int e = 0;

	if (n < 2)
		return false;
	/* not the signature, which is expected() 's */
	at = 1 + r->octet % (n - 1);
	buf_init(&b, SIGNED_MAX);
	FUZZ_WANT(dkim_header_new(0, &out) == 0);
	for (i = 0; e == 0 && i < n; i++) {
		value = dkim_header_value(m->header, i);
		if (i == at && kind == CHANGE_FIELD_GONE)
			continue;
		if (i == at && kind <= CHANGE_FIELD_INSERT) {
			alter(value, kind == CHANGE_FIELD_OCTET ?
			    CHANGE_BODY_OCTET : CHANGE_BODY_INSERT, r, &b);
			value = buf_slice(&b);
		}
		e = dkim_header_add(out, dkim_header_name(m->header, i),
		    value);
		if (e == 0 && i == at && kind == CHANGE_FIELD_TWICE)
			e = dkim_header_add(out, dkim_header_name(m->header,
			    i), value);
	}
	buf_clear(&b);
	dkim_header_free(e == 0 ? m->header : out);
	if (e == 0)
		m->header = out;
	return e == 0;
}

/*
 * False: that would be no message.
 */
static bool
change(struct signed_message *m, const struct recipe *r)
{
	enum change kind = r->kind % CHANGES;
	struct buf b;

	if (kind == CHANGE_NONE)
		return false;
	if (kind >= CHANGE_FIELD_OCTET)
		return alter_header(m, kind, r);
	buf_init(&b, SIGNED_MAX);
	alter(buf_slice(&m->body), kind, r, &b);
	buf_clear(&m->body);
	m->body = b;		/* moved */
	return true;
}

static void
check(struct signed_message *m, const struct recipe *r)
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
	if (change(m, r)) {
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
	struct recipe r;
	struct slice in, tags;

	if (n < HEAD || n > 65536)
		return 0;
	if (site.lib == NULL)
		signed_open(&site);
	r = (struct recipe){ p[0], p[1], p[4], p[2] | (size_t)p[3] << 8 };
	in = slice_of(p + HEAD, n - HEAD);
	tags = fuzz_until(&in, '\0');
	if (!signed_read(in, &m))
		return 0;
	if (signed_make(&site, tags, site.keys[(r.options & OPTION_RSA) != 0],
	    &m))
		check(&m, &r);
	signed_clear(&m);
	return 0;
}

/* ---- mutations that keep an input a message ----------------------------- */

static const char *const pieces[] = { "v=1;", "a=ed25519-sha256;",
	"a=rsa-sha256;", "c=relaxed/relaxed;", "c=simple/relaxed;",
	"d=example.com;", "s=sel;", "h=From;", "h=from:to:from:x:subject;",
	"l=0;", "l=5;", "l=1000000;", "t=1798761600;", "t=1798762000;",
	"x=1798761599;", "x=1798761601;", "i=@a.example.com;",
	"i=u=40@example.com;", "q=dns/txt;", "z=From:a|To:b;", "\r\n ", "\t",
	"From: a@example.com\r\n", "To: b\r\n", "From: \r\n c@d.example\r\n",
	"X:\r\n", "\r\n\r\n", " \r\n", "DKIM-Signature: v=1; d=a.b\r\n" };

/*
 * Put a piece in, or take a line out, at a random place.
 */
size_t
LLVMFuzzerCustomMutator(uint8_t *p, size_t n, size_t max, unsigned seed)
{
	const char *piece = pieces[(seed >> 2) % (sizeof(pieces) /
	    sizeof(pieces[0]))];
	size_t at, size = strlen(piece), end;

	if (LLVMFuzzerMutate == NULL)
		return n;
	if ((seed & 3) < 2 || n < HEAD + 1)
		return LLVMFuzzerMutate(p, n, max);
	at = HEAD + (seed >> 8) % (n - HEAD);
	if ((seed & 3) == 2) {
		for (end = at; end < n && p[end] != '\n' && p[end] != ';';)
			end++;
		end += end < n;
		memmove(p + at, p + end, n - end);
		return n - (end - at);
	}
	/* behind the end of a tag or a line */
	while (at > HEAD && p[at - 1] != '\n' && p[at - 1] != ';' &&
	    p[at - 1] != '\0')
		at--;
	if (n + size > max)
		return n;
	memmove(p + at + size, p + at, n - at);
	memcpy(p + at, piece, size);
	return n + size;
}
