/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verifier of one message (RFC 6376 s6.1): its fields, its questions, its
 * body; the verdicts are judge.c's.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "verify.h"

#define ARENA_MAX	((size_t)16 * DKIM_HEADER_HARD_MAX)	/* octets */

#define ARENA_FIRST	4096	/* octets: a signature or two */

/* What a usual message takes is one allocation. */
struct whole {
	struct dkim_verifier	verifier;
	_Alignas(max_align_t) uint8_t octets[ARENA_FIRST];
};

static const char field_name[] = "DKIM-Signature";

/*
 * What the field alone decides: syntax, algorithm (RFC 6376 s3.3.4), expiry, in
 * this order.
 */
static void
judge_field(struct verify_signature *sig, const struct dkim_verifier *v,
    size_t from)
{
	const struct sigfield *f = &sig->field;

	if (f->error != NULL)
		judge_set(sig, DKIM_PERMERROR, f->error);
	else if (from == 0)
		judge_set(sig, DKIM_PERMERROR, "no From field in the message");
	else if (f->alg == SIGFIELD_UNKNOWN)
		judge_set(sig, DKIM_PERMERROR, "unknown algorithm");
	else if (f->has_expiry && v->options.now > f->expiry)
		judge_set(sig, DKIM_PERMERROR, f->alg == SIGFIELD_RSA_SHA1 ?
		    judge_sha1 : "signature expired");
}

static void
fill_verdict(struct verify_signature *sig)
{
	const struct sigfield *f = &sig->field;
	struct dkim_verdict *verdict = &sig->verdict;

	verdict->reason = "";
	verdict->evaluated = true;
	/* RFC 6376 s3.9, s3.11: the SDID is told with the result */
	verdict->domain = f->domain;
	verdict->selector = f->selector;
	verdict->identity = f->identity;
	verdict->algorithm = f->algorithm;
	verdict->signature = f->base64;
	verdict->has_length = f->has_length;
}

static size_t
count_fields(const struct dkim_header *header, struct slice name)
{
	size_t i, n = 0, count = dkim_header_count(header);

	for (i = dkim_header_find(header, name, 0); i < count;
	    i = dkim_header_find(header, name, i + 1))
		n++;
	return n;
}

static int
parse_fields(struct dkim_verifier *v)
{
	struct slice name = slice_text(field_name);
	size_t i, at, from, size;
	int r;

	v->n = count_fields(v->header, name);
	if (v->n == 0)
		return 0;
	size = v->n * sizeof(v->signatures[0]);
	v->signatures = arena_alloc(&v->arena, size);
	if (v->signatures == NULL)
		return DKIM_ERR_NOMEM;
	memset(v->signatures, 0, size);
	from = count_fields(v->header, slice_text("From"));
	v->many_from = from > 1;
	at = dkim_header_find(v->header, name, 0);
	for (i = 0; i < v->n; i++) {
		struct verify_signature *sig = &v->signatures[i];

		sig->own = at;
		r = sigfield_parse(dkim_header_value(v->header, at), &v->arena,
		    &sig->field);
		if (r != 0)
			return r;
		fill_verdict(sig);
		judge_field(sig, v, from);
		at = dkim_header_find(v->header, name, at + 1);
	}
	return choose_signatures(v);
}

static int
want_bodies(struct dkim_verifier *v)
{
	size_t i;
	int r;

	if (v->chosen == 0)
		return 0;
	r = bodyhash_new(v->lib, v->options.fix_crlf, &v->bodyhash);
	for (i = 0; r == 0 && i < v->n; i++) {
		struct verify_signature *sig = &v->signatures[i];

		/* RFC 6376 s6.1.3 #1: in the form of c=, up to l= */
		if (!sig->judged && sig->field.alg != SIGFIELD_RSA_SHA1)
			r = bodyhash_want(v->bodyhash, sig->field.body_canon,
			    sig->field.length, &sig->body_hash);
	}
	return r;
}

int
dkim_verifier_new(const struct dkim_lib *lib, const struct dkim_header *header,
    const struct dkim_verify_options *options, struct dkim_verifier **out)
{
	struct dkim_verifier *v;
	struct whole *whole;
	int r;

	whole = malloc(sizeof(*whole));
	if (whole == NULL)
		return DKIM_ERR_NOMEM;
	v = &whole->verifier;
	*v = (struct dkim_verifier){ .lib = lib, .header = header,
	    .options = *options };
	if (v->options.max_signatures == 0)
		v->options.max_signatures = DKIM_SIGNATURES_DEFAULT;
	if (v->options.min_bits == 0)
		v->options.min_bits = DKIM_RSA_BITS_FLOOR;
	arena_init_on(&v->arena, ARENA_MAX, whole->octets, ARENA_FIRST);
	r = parse_fields(v);
	if (r == 0)
		r = want_bodies(v);
	if (r != 0) {
		dkim_verifier_free(v);
		return r;
	}
	*out = v;
	return 0;
}

void
dkim_verifier_free(struct dkim_verifier *verifier)
{
	size_t i;

	if (verifier == NULL)
		return;
	for (i = 0; i < verifier->queries_n; i++)
		dkim_keyset_unref(verifier->queries[i].answer.keyset);
	bodyhash_free(verifier->bodyhash);
	arena_clear(&verifier->arena);
	/* the first member of a whole */
	free(verifier);
}

size_t
dkim_verifier_queries(const struct dkim_verifier *verifier)
{
	return verifier->queries_n;
}

const char *
dkim_verifier_query(const struct dkim_verifier *verifier, size_t i)
{
	return (const char *)verifier->queries[i].name.p;
}

void
dkim_verifier_answer(struct dkim_verifier *verifier, size_t i,
    struct dkim_answer answer)
{
	struct verify_query *query = &verifier->queries[i];

	dkim_keyset_unref(query->answer.keyset);
	query->answer = answer;		/* keyset: moved */
	query->answered = true;
}

/*
 * RFC 6376 s3.7 #16, #18, #19: octets as they were sent; MIME, with its
 * encodings and parts, is nothing to us.
 */
int
dkim_verifier_body(struct dkim_verifier *verifier, struct slice in)
{
	if (verifier->ended)
		return DKIM_ERR_STATE;
	if (verifier->bodyhash == NULL)
		return 0;
	return bodyhash_add(verifier->bodyhash, in);
}

int
dkim_verifier_body_end(struct dkim_verifier *verifier)
{
	int r;

	if (verifier->ended)
		return DKIM_ERR_STATE;
	if (verifier->bodyhash != NULL) {
		r = bodyhash_end(verifier->bodyhash);
		if (r != 0)
			return r;
	}
	verifier->ended = true;
	return 0;
}

bool
dkim_verifier_wants_body(const struct dkim_verifier *verifier)
{
	return verifier->bodyhash != NULL &&
	    bodyhash_wants(verifier->bodyhash);
}

int
dkim_verifier_finish(struct dkim_verifier *verifier,
    struct rsab_worker *worker)
{
	struct rsab_job *const *jobs;
	size_t n;
	int r;

	r = dkim_verifier_jobs(verifier, &jobs, &n);
	if (r != 0)
		return r;
	judge_run(verifier, worker);
	return dkim_verifier_judge(verifier);
}

int
dkim_verifier_jobs(struct dkim_verifier *verifier,
    struct rsab_job *const **jobs, size_t *n)
{
	int r;

	if (!verifier->ended || verifier->prepared)
		return DKIM_ERR_STATE;
	r = judge_prepare(verifier);
	if (r != 0)
		return r;
	verifier->prepared = true;
	*jobs = verifier->jobs;
	*n = verifier->jobs_n;
	return 0;
}

int
dkim_verifier_judge(struct dkim_verifier *verifier)
{
	int r;

	if (!verifier->prepared || verifier->finished)
		return DKIM_ERR_STATE;
	r = judge_conclude(verifier);
	if (r == 0)
		verifier->finished = true;
	return r;
}

size_t
dkim_verifier_count(const struct dkim_verifier *verifier)
{
	return verifier->n;
}

const struct dkim_verdict *
dkim_verifier_verdict(const struct dkim_verifier *verifier, size_t i)
{
	return &verifier->signatures[i].verdict;
}
