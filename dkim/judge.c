/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verdicts (RFC 6376 s6.1.2, s6.1.3; RFC 8301). Order of judgement behind the
 * field itself: key, body hash, signature; then what turns a pass into policy.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "verify.h"
#include "select.h"
#include "signedset.h"

const char judge_sha1[] = "rsa-sha1 is not accepted";
static const char bad_signature[] = "signature did not verify";

/*
 * RFC 6376 s3.9, s6.1: what has its verdict is not worked on any more.
 */
void
judge_set(struct verify_signature *sig, enum dkim_result result,
    const char *reason)
{
	sig->verdict.result = result;
	sig->verdict.reason = reason;
	sig->judged = true;
}

/*
 * The reason for a temperror, with what the DNS said where that is known.
 */
static const char *
unavailable(const struct dkim_answer *answer)
{
	static const struct {
		const char	*detail;
		const char	*reason;
	} rows[] = {
		{ "SERVFAIL", "key unavailable: SERVFAIL" },
		{ "TIMEOUT", "key unavailable: timeout" },
		{ "BOGUS", "key unavailable: DNSSEC bogus" },
	};
	size_t i;

	if (answer->dnssec == DKIM_DNSSEC_BOGUS)
		return rows[2].reason;
	for (i = 0; answer->detail != NULL &&
	    i < sizeof(rows) / sizeof(rows[0]); i++)
		if (slice_equal_nocase(slice_text(answer->detail),
		    slice_text(rows[i].detail)))
			return rows[i].reason;
	return "key unavailable";
}

static void
show_key(struct verify_signature *sig, const struct keyrec *rec)
{
	sig->verdict.testing = rec->testing;
	if (rec->key == NULL)
		return;
	sig->verdict.key_known = true;
	sig->verdict.key_bits = rsab_key_bits(rec->key);
}

/*
 * Pick the records to try from a set that is not empty; if none is left, say
 * why: revoked, malformed, unfit, in this order.
 */
static void
pick_records(struct verify_signature *sig, const struct dkim_keyset *set)
{
	enum rsab_key_type type = sig->field.alg == SIGFIELD_RSA_SHA256 ?
	    RSAB_RSA : RSAB_ED25519;
	enum keyrec_state state, worst = KEYREC_OVER;
	const struct keyrec *rec, *blame = NULL;
	const char *why, *reason = NULL;
	size_t i, n = dkim_keyset_count(set);

	sig->tries_n = 0;
	for (i = 0; i < n && sig->tries_n < DKIM_TXT_RECORDS_TRIED; i++) {
		rec = keyrec_at(set, i);
		state = rec->state;
		why = rec->error;
		if (state == KEYREC_USABLE) {
			state = KEYREC_UNFIT;
			why = keyrec_misfit(rec, type, sig->field.below);
		}
		if (why == NULL)
			sig->tries[sig->tries_n++].rec = rec;
		else if (blame == NULL || state < worst) {
			blame = rec;
			worst = state;
			reason = why;
		}
	}
	show_key(sig, sig->tries_n > 0 ? sig->tries[0].rec : blame);
	if (sig->tries_n > 0)
		return;
	if (worst == KEYREC_OVER)
		sig->over = reason;	/* a wrong body hash goes before it */
	else
		judge_set(sig, DKIM_PERMERROR, reason);
}

static void
judge_key(struct verify_signature *sig, const struct verify_query *query)
{
	const struct dkim_answer *answer = &query->answer;

	sig->verdict.dnssec = answer->dnssec;
	if (!query->answered || answer->state == DKIM_ANSWER_TEMPERROR ||
	    (answer->state == DKIM_ANSWER_FOUND &&
	    answer->dnssec == DKIM_DNSSEC_BOGUS)) {
		judge_set(sig, DKIM_TEMPERROR, unavailable(answer));
		return;
	}
	/* RFC 8301 s3.1 #4, #5, s1, s3: MUST NOT verify with rsa-sha1 */
	if (sig->field.alg == SIGFIELD_RSA_SHA1) {
		judge_set(sig, DKIM_PERMERROR, judge_sha1);
		return;
	}
	if (answer->state == DKIM_ANSWER_OVER) {
		judge_set(sig, DKIM_PERMERROR, "too many key look-ups");
		return;
	}
	/* RFC 6376 s6.1.2 #8: not there, whatever the body is */
	if (answer->state == DKIM_ANSWER_NO_KEY || answer->keyset == NULL ||
	    dkim_keyset_count(answer->keyset) == 0) {
		sig->verdict.no_key = true;
		judge_set(sig, DKIM_PERMERROR, "no key for signature");
		return;
	}
	pick_records(sig, answer->keyset);
}

static void
judge_body(struct verify_signature *sig, const struct bodyhash *bodyhash)
{
	const struct sigfield *f = &sig->field;
	uint8_t hash[DIGEST_SIZE];
	uint64_t total;

	bodyhash_get(bodyhash, sig->body_hash, hash, &total);
	sig->verdict.body = total;
	/* RFC 6376 s6.1.3 #8: what is beyond l= nobody vouches for */
	sig->verdict.covered = f->length < total ? f->length : total;
	/* RFC 6376 s3.5 #54: l= MUST NOT exceed the canonicalized body; RFC
	 * 6376 s3.5 #25, s3.7 #5, s6.1.3 #6: without bh= no b= is tried */
	if (f->has_length && f->length > total)
		judge_set(sig, DKIM_PERMERROR, "l= is larger than the body");
	else if (memcmp(hash, f->body_hash, DIGEST_SIZE) != 0)
		judge_set(sig, DKIM_FAIL, "body hash did not verify");
	else if (sig->over != NULL)
		judge_set(sig, DKIM_PERMERROR, sig->over);
}

/*
 * The hash that b= signs: the fields of h=, those of the message and not the
 * copies of z= (RFC 6376 s3.5 #81), then this field with the value of its b=
 * taken out, white space round it included, but all its other tags (RFC 6376
 * s3.5 #6, #7, s3.7 #8, #9, #10).
 */
static int
hash_header(struct dkim_verifier *v, const struct verify_signature *sig,
    uint8_t out[DIGEST_SIZE])
{
	const struct sigfield *f = &sig->field;
	struct digest digest = { 0 };
	struct sink sink = { digest_sink, &digest };
	struct slice *names, bare;
	int r;

	names = arena_alloc(&v->arena, f->names_n * sizeof(names[0]));
	if (names == NULL)
		return DKIM_ERR_NOMEM;
	sigfield_names(f, names);
	r = signedset_bare(dkim_header_value(v->header, sig->own), f,
	    &v->arena, &bare);
	if (r == 0)
		r = digest_init(&digest, v->lib);
	if (r == 0)
		r = select_fields(v->header, names, f->names_n, sig->own,
		    f->header_canon, &sink);
	if (r == 0) {
		/* RFC 6376 s3.5 #5, s3.7 #11, #12: last, in its own form */
		canon_field_last(f->header_canon,
		    dkim_header_name(v->header, sig->own), bare, &sink);
		r = digest_finish(&digest, out);
	}
	digest_clear(&digest);
	return r;
}

/*
 * A job for each record whose signatures have the length of b=.
 */
static int
make_jobs(struct dkim_verifier *v, struct verify_signature *sig)
{
	const struct sigfield *f = &sig->field;
	uint8_t digest[DIGEST_SIZE];
	bool hashed = false;
	struct rsab_job *job;
	size_t i;
	int r;

	for (i = 0; i < sig->tries_n; i++) {
		struct rsab_key *key = sig->tries[i].rec->key;

		if (f->signature_len != rsab_key_signature_size(key))
			continue;
		r = hashed ? 0 : hash_header(v, sig, digest);
		if (r != 0)
			return r;
		hashed = true;
		job = arena_alloc(&v->arena, sizeof(*job));
		if (job == NULL)
			return DKIM_ERR_NOMEM;
		/* whoever runs it must say so */
		job->result = RSAB_ERR_BACKEND;
		job->key = key;		/* v holds the keyset's reference */
		job->op = RSAB_OP_VERIFY;
		/* RFC 6376 s6.1.3 #3, s3.3.2; RFC 8463 s3: the hash, whole and
		 * in octets, is what is verified */
		job->hash = RSAB_SHA256;
		memcpy(job->digest, digest, DIGEST_SIZE);
		memcpy(job->signature, f->signature, f->signature_len);
		job->signature_len = f->signature_len;
		sig->tries[i].job = job;
		v->jobs[v->jobs_n++] = job;
	}
	return 0;
}

static int
compare_groups(const void *a, const void *b)
{
	struct rsab_job *const *x = a, *const *y = b;
	uint32_t gx = rsab_key_group((*x)->key, RSAB_OP_VERIFY).id;
	uint32_t gy = rsab_key_group((*y)->key, RSAB_OP_VERIFY).id;

	return gx < gy ? -1 : gx > gy;
}

void
judge_run(struct dkim_verifier *v, struct rsab_worker *worker)
{
	struct rsab_job **jobs = v->jobs;
	size_t first, end, n = v->jobs_n;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n &&
		    compare_groups(&jobs[first], &jobs[end]) == 0; end++)
			;
		rsab_run(worker, jobs + first, end - first);
	}
}

/*
 * Does l= cover less of the body than Minimum wants?
 */
static bool
covers_too_little(const struct dkim_minimum *minimum,
    const struct dkim_verdict *verdict)
{
	uint64_t covered = verdict->covered, body = verdict->body;
	uint64_t value = minimum->value, want;

	if (!verdict->has_length || covered >= body)
		return false;
	switch (minimum->kind) {
	case DKIM_MINIMUM_NONE:
		return false;
	case DKIM_MINIMUM_OCTETS:
		return covered < value;
	case DKIM_MINIMUM_PERCENT:
		if (value > 100)
			value = 100;
		want = body / 100 * value + (body % 100 * value + 99) / 100;
		return covered < want;
	case DKIM_MINIMUM_UNSIGNED:
		return body - covered > value;
	}
	return false;
}

/*
 * What turns a pass into policy, or NULL.
 */
static const char *
find_policy(const struct dkim_verifier *v, const struct verify_signature *sig,
    const struct rsab_key *key)
{
	const struct sigfield *f = &sig->field;

	/* RFC 8301 s3.2 #6, #7: MUST NOT take a key under 1024 bits as valid */
	if (rsab_key_type(key) == RSAB_RSA &&
	    rsab_key_bits(key) < v->options.min_bits)
		return "key is too small";
	if (covers_too_little(&v->options.minimum, &sig->verdict))
		return "too much of the body is unsigned";
	if (f->has_time && f->time > v->options.now &&
	    f->time - v->options.now > v->options.clock_drift)
		return "signature time is in the future";
	if (v->many_from)
		return "more than one From field";
	return NULL;
}

/*
 * The result of one record.
 *   errors   DKIM_ERR_NOMEM, _CRYPTO: the operation itself failed
 */
static int
judge_try(const struct dkim_verifier *v, const struct verify_signature *sig,
    const struct verify_try *try, enum dkim_result *result,
    const char **reason)
{
	const struct rsab_key *key = try->rec->key;

	*result = DKIM_FAIL;
	*reason = bad_signature;
	if (try->job == NULL) {
		/* Too small a key is the first thing wrong with such a pair */
		if (rsab_key_type(key) == RSAB_RSA &&
		    rsab_key_bits(key) < v->options.min_bits) {
			*result = DKIM_POLICY;
			*reason = "key is too small";
		}
		return 0;
	}
	switch (try->job->result) {
	/* RFC 6376 s6.1.3 #7: nothing was wrong */
	case RSAB_OK:
		*reason = find_policy(v, sig, key);
		*result = *reason == NULL ? DKIM_PASS : DKIM_POLICY;
		if (*reason == NULL)
			*reason = sig->verdict.covered < sig->verdict.body ?
			    "part of the body is not signed" : "";
		return 0;
	case RSAB_ERR_NOMEM:
		return DKIM_ERR_NOMEM;
	case RSAB_ERR_BACKEND:
		return DKIM_ERR_CRYPTO;
	default:
		return 0;
	}
}

/*
 * RFC 6376 s6.1.2 step 4: each record in turn; the best result counts.
 */
static int
judge_tries(const struct dkim_verifier *v, struct verify_signature *sig)
{
	static const int rank[] = {
		[DKIM_FAIL] = 0, [DKIM_POLICY] = 1, [DKIM_PASS] = 2,
	};
	enum dkim_result result;
	const char *reason;
	size_t i;
	int r;

	for (i = 0; i < sig->tries_n; i++) {
		r = judge_try(v, sig, &sig->tries[i], &result, &reason);
		if (r != 0)
			return r;
		if (sig->judged && rank[result] <= rank[sig->verdict.result])
			continue;
		judge_set(sig, result, reason);
		show_key(sig, sig->tries[i].rec);
	}
	return 0;
}

/*
 * RFC 6376 s3.5 #81: z= MUST NOT be used to verify; it only says more.
 */
static int
say_change(struct dkim_verifier *v, struct verify_signature *sig)
{
	const char *reason;
	int r;

	if (sig->verdict.result != DKIM_FAIL || sig->field.copies.n == 0 ||
	    sig->verdict.reason != bad_signature)
		return 0;
	r = change_reason(v, sig, bad_signature, &reason);
	if (r == 0 && reason != NULL)
		sig->verdict.reason = reason;
	return r;
}

/*
 * RFC 6376 s6, s6.1.2 #5: each step as if the ones before it had been done.
 */
int
judge_prepare(struct dkim_verifier *v)
{
	struct verify_signature *sig;
	size_t i;
	int r = 0;

	v->jobs_n = 0;
	v->jobs = arena_alloc(&v->arena,
	    (v->chosen * DKIM_TXT_RECORDS_TRIED + 1) * sizeof(v->jobs[0]));
	if (v->jobs == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; r == 0 && i < v->n; i++) {
		sig = &v->signatures[i];
		if (!sig->judged)
			judge_key(sig, &v->queries[sig->query]);
		if (!sig->judged)
			judge_body(sig, v->bodyhash);
		if (!sig->judged)
			r = make_jobs(v, sig);
	}
	if (r == 0 && v->jobs_n > 1)
		qsort(v->jobs, v->jobs_n, sizeof(v->jobs[0]), compare_groups);
	return r;
}

int
judge_conclude(struct dkim_verifier *v)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < v->n; i++)
		if (!v->signatures[i].judged) {
			r = judge_tries(v, &v->signatures[i]);
			if (r == 0)
				r = say_change(v, &v->signatures[i]);
		}
	return r;
}
