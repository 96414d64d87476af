/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why a signature did not pass; see explain.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "explain_copies.h"
#include "explain_record.h"
#include "explain_text.h"
#include "headguess.h"
#include "taglist.h"

#define ARENA_MAX	((size_t)16 * DKIM_HEADER_HARD_MAX)	/* octets */
#define NO_BODY		SIZE_MAX	/* its hash is not looked for */

struct dkim_explainer {
	const struct dkim_verifier	*verifier;
	struct bodysearch		*bodies;
	size_t				*body;	/* by signature: index */
	bool				 ended;
};

/*
 * What a key says about a signature.
 */
enum key_state {
	KEY_LENGTH,		/* a signature of this key is longer, shorter */
	KEY_OTHER,		/* another key made it */
	KEY_OTHER_HASH,		/* this key made it, over another hash */
	KEY_UNKNOWN,		/* Ed25519 does not tell */
	KEY_FITS,		/* this key made it */
};

/*
 * One signature being explained.
 */
struct explained {
	struct dkim_explainer		*explainer;
	const struct verify_signature	*sig;
	struct rsab_worker		*worker;
	struct arena			 arena;
	struct buf			*out;
	enum key_state			 state;
	struct rsab_key			*key;	/* the one that fits best */
	uint8_t				 digest[DIGEST_SIZE]; /* KEY_FITS */
	bool				 is_right;	/* b= verifies */
};

/*
 * Is there a body hash to look for?
 */
static bool
has_body(const struct verify_signature *sig)
{
	const struct sigfield *f = &sig->field;

	return sig->verdict.evaluated && f->error == NULL &&
	    (f->alg == SIGFIELD_RSA_SHA256 ||
	    f->alg == SIGFIELD_ED25519_SHA256);
}

static int
want_bodies(struct dkim_explainer *e)
{
	const struct dkim_verifier *v = e->verifier;
	const struct sigfield *f;
	size_t i;
	int r;

	for (i = 0; i < v->n; i++) {
		e->body[i] = NO_BODY;
		if (!has_body(&v->signatures[i]))
			continue;
		f = &v->signatures[i].field;
		r = bodysearch_want(e->bodies, f->body_hash, f->body_canon,
		    f->length, &e->body[i]);
		if (r == DKIM_ERR_LIMIT)
			e->body[i] = NO_BODY;
		else if (r != 0)
			return r;
	}
	return 0;
}

int
dkim_explainer_new(const struct dkim_verifier *verifier,
    struct dkim_explainer **out)
{
	struct dkim_explainer *e;
	int r;

	if (verifier->ended)
		return DKIM_ERR_STATE;
	if ((e = calloc(1, sizeof(*e))) == NULL)
		return DKIM_ERR_NOMEM;
	e->verifier = verifier;
	e->body = calloc(verifier->n + 1, sizeof(e->body[0]));
	r = e->body == NULL ? DKIM_ERR_NOMEM : bodysearch_new(verifier->lib,
	    verifier->options.fix_crlf, &e->bodies);
	if (r == 0)
		r = want_bodies(e);
	if (r != 0)
		dkim_explainer_free(e);
	else
		*out = e;
	return r;
}

void
dkim_explainer_free(struct dkim_explainer *explainer)
{
	if (explainer == NULL)
		return;
	bodysearch_free(explainer->bodies);
	free(explainer->body);
	free(explainer);
}

int
dkim_explainer_body(struct dkim_explainer *explainer, struct slice in)
{
	return bodysearch_add(explainer->bodies, in);
}

int
dkim_explainer_body_end(struct dkim_explainer *explainer)
{
	int r = bodysearch_end(explainer->bodies);

	if (r == 0)
		explainer->ended = true;
	return r;
}

static void
say(struct explained *x, const char *line)
{
	buf_add_text(x->out, line);
	buf_add_octet(x->out, '\n');
}

/*
 * Did this key make the signature?
 */
static int
look_at_key(struct explained *x, struct rsab_key *key, enum key_state *state,
    uint8_t digest[DIGEST_SIZE])
{
	const struct sigfield *f = &x->sig->field;
	uint8_t recovered[RSAB_DIGEST_MAX];
	enum rsab_hash hash;

	if (f->signature_len != rsab_key_signature_size(key)) {
		*state = KEY_LENGTH;
		return 0;
	}
	if (rsab_key_type(key) != RSAB_RSA) {
		*state = KEY_UNKNOWN;
		return 0;
	}
	switch (rsab_recover(key, f->signature, f->signature_len, &hash,
	    recovered)) {
	case RSAB_OK:
		*state = hash == RSAB_SHA256 ? KEY_FITS : KEY_OTHER_HASH;
		if (hash == RSAB_SHA256)
			memcpy(digest, recovered, DIGEST_SIZE);
		return 0;
	case RSAB_ERR_UNSUPPORTED:
		*state = KEY_OTHER_HASH;
		return 0;
	case RSAB_ERR_NOMEM:
		return DKIM_ERR_NOMEM;
	case RSAB_ERR_BACKEND:
		return DKIM_ERR_CRYPTO;
	default:
		*state = KEY_OTHER;
		return 0;
	}
}

/*
 * The best of the records that were tried.
 */
static int
look_at_keys(struct explained *x)
{
	uint8_t digest[DIGEST_SIZE] = { 0 };
	enum key_state state;
	size_t i;
	int r;

	x->state = KEY_LENGTH;
	for (i = 0; i < x->sig->tries_n; i++) {
		r = look_at_key(x, x->sig->tries[i].rec->key, &state, digest);
		if (r != 0)
			return r;
		if (x->key != NULL && state <= x->state)
			continue;
		x->key = x->sig->tries[i].rec->key;
		x->state = state;
		memcpy(x->digest, digest, DIGEST_SIZE);
	}
	return 0;
}

/*
 * Is the header as signed, and if not, what would make it so?
 */
static int
search_header(struct explained *x, struct headsearch *s)
{
	const struct dkim_verifier *v = x->explainer->verifier;
	uint64_t total;
	int r;

	*s = (struct headsearch){
		.lib = v->lib,
		.header = v->header,
		.arena = &x->arena,
		.field = &x->sig->field,
		.own = x->sig->own,
		.worker = x->worker,
		.key = x->key,
		.known = x->state == KEY_FITS,
	};
	memcpy(s->digest, x->digest, DIGEST_SIZE);
	bodyhash_get(v->bodyhash, x->sig->body_hash, s->body_hash, &total);
	if ((r = headsearch_begin(s)) != 0)
		return r;
	x->is_right = headsearch_try(s);
	if (!x->is_right && s->error == 0)
		(void)headguess_run(s);
	/* guesses that fill the arena are too many guesses */
	if (s->error == DKIM_ERR_NOMEM && arena_is_full(&x->arena,
	    HEADSEARCH_VALUE_MAX)) {
		s->error = 0;
		s->spent = true;
	}
	return s->error;
}

static void
say_key(struct explained *x, bool found)
{
	const struct sigfield *f = &x->sig->field;

	switch (x->state) {
	case KEY_LENGTH:
		buf_add_text(x->out, "key: b= has ");
		buf_add_number(x->out, f->signature_len);
		buf_add_text(x->out, " octets, a signature of the published "
		    "key has ");
		buf_add_number(x->out, rsab_key_signature_size(x->key));
		buf_add_text(x->out, ": another key made it; publish that "
		    "key, or sign with the one that is published\n");
		break;
	case KEY_OTHER:
		say(x, "key: the signature was not made with the key that is "
		    "published, or b= was damaged: publish the signer's key, "
		    "or sign with the one that is published");
		break;
	case KEY_OTHER_HASH:
		say(x, "key: the published key made the signature, but over "
		    "another hash than SHA-256, against a=; the signer is at "
		    "fault");
		break;
	case KEY_UNKNOWN:
		if (x->is_right || found)
			say(x, "key: the published key made the signature");
		else
			say(x, "key: whether the published key made it, over "
			    "another header, cannot be told: Ed25519 does not "
			    "show");
		break;
	case KEY_FITS:
		say(x, "key: the published key made the signature");
		break;
	}
}

static void
say_header(struct explained *x, const struct headsearch *s)
{
	if (x->is_right) {
		say(x, "header: it is as signed");
		return;
	}
	if (s->edits_n > 0) {
		explain_text_edits(s, x->out);
		return;
	}
	buf_add_text(x->out, "header: it differs, and no well-known change "
	    "accounts for it (");
	buf_add_number(x->out, s->tries);
	buf_add_text(x->out, s->spent ? " tries, as many as are made" :
	    " tries");
	say(x, "): signed fields were changed, added or taken out on the "
	    "way");
	explain_text_hints(s, x->out);
}

/*
 * What z= shows, whether it accounts for all of it or not.
 */
static int
say_copies(struct explained *x)
{
	const struct dkim_verifier *v = x->explainer->verifier;
	const struct sigfield *f = &x->sig->field;
	struct copies_difference d[DKIM_EXPLAIN_CHANGES];
	struct signedset set;
	struct copy *copies;
	size_t i, n, found = 0;
	int r;

	if (f->copies.n == 0)
		return 0;
	r = copies_parse(f->copies, &x->arena, &copies, &n);
	if (r == DKIM_ERR_SYNTAX || r == DKIM_ERR_LIMIT) {
		say(x, r == DKIM_ERR_LIMIT ? "z=: more copies than are looked "
		    "at" : "z=: it breaks RFC 6376 s3.5 and tells nothing");
		return 0;
	}
	if (r == 0)
		r = signedset_make(v->header, f, x->sig->own, &x->arena,
		    &set);
	if (r == 0)
		r = copies_compare(copies, n, &set, f->header_canon,
		    &x->arena, d, DKIM_EXPLAIN_CHANGES, &found);
	for (i = 0; r == 0 && i < found; i++)
		explain_copies_difference(&d[i], copies, &set, x->out);
	if (r == 0 && found == 0)
		say(x, "z=: what it has is as signed");
	return r;
}

static void
say_body(struct explained *x)
{
	size_t body = x->explainer->body[x->sig -
	    x->explainer->verifier->signatures];
	struct bodysearch_finding finding;

	if (body == NO_BODY)
		return;
	bodysearch_get(x->explainer->bodies, body, &finding);
	explain_text_body(x->sig, &finding, x->out);
}

/*
 * Where the key is asked for, when it is the key that is at fault.
 */
static void
say_record(struct explained *x)
{
	const struct verify_query *queries = x->explainer->verifier->queries;
	const struct sigfield *f = &x->sig->field;
	const struct dkim_keyset *set;
	size_t i;

	if (f->query.n == 0 || !x->sig->chosen)
		return;
	buf_add_text(x->out, "key: the record is asked for at ");
	buf_add_escaped(x->out, f->query);
	buf_add_octet(x->out, '\n');
	set = queries[x->sig->query].answer.keyset;
	for (i = 0; set != NULL && i < dkim_keyset_count(set) &&
	    i < DKIM_TXT_RECORDS_TRIED; i++)
		explain_record_add(keyrec_at(set, i), x->out);
}

/*
 * The tag that made the tag list a bad one by standing there twice.
 */
static void
say_twice(struct explained *x)
{
	const struct dkim_header *header = x->explainer->verifier->header;
	struct taglist list;

	/* RFC 6376 s3.2 #9 */
	if (taglist_parse(dkim_header_value(header, x->sig->own), &list) !=
	    DKIM_ERR_SYNTAX || list.twice.n == 0)
		return;
	buf_add_text(x->out, "header: the DKIM-Signature field has ");
	buf_add(x->out, list.twice);
	buf_add_text(x->out, "= twice\n");
}

/*
 * A signature that was judged by its field and its key, not by its value.
 */
static int
explain_unjudged(struct explained *x)
{
	say_record(x);
	say_body(x);
	say_twice(x);
	return 0;
}

static int
explain_failed(struct explained *x)
{
	struct headsearch s = { .tries = 0 };
	bool search;
	int r;

	if ((r = look_at_keys(x)) != 0)
		return r;
	search = x->state == KEY_FITS || x->state == KEY_UNKNOWN;
	if (search && (r = search_header(x, &s)) != 0)
		return r;
	say_key(x, s.edits_n > 0);
	if (!search)
		say_record(x);
	if (s.edits_n > 0 && s.edits[0].kind == HEADSEARCH_BODY_HASH)
		say(x, "body: it is as signed: bh= in the signature field was "
		    "changed, not the body");
	else
		say_body(x);
	if (search)
		say_header(x, &s);
	return search && !x->is_right ? say_copies(x) : 0;
}

int
dkim_explainer_print(struct dkim_explainer *explainer,
    struct rsab_worker *worker, size_t i, struct buf *out)
{
	const struct dkim_verifier *v = explainer->verifier;
	struct explained x = { .explainer = explainer, .worker = worker,
	    .out = out };
	int r = 0;

	if (!explainer->ended || !v->finished)
		return DKIM_ERR_STATE;
	assert(i < v->n);
	x.sig = &v->signatures[i];
	arena_init(&x.arena, ARENA_MAX);
	explain_text_verdict(x.sig, v->options.now, out);
	if (x.sig->verdict.result == DKIM_FAIL && x.sig->tries_n > 0)
		r = explain_failed(&x);
	else if (x.sig->verdict.result != DKIM_PASS &&
	    x.sig->verdict.result != DKIM_POLICY)
		r = explain_unjudged(&x);
	arena_clear(&x.arena);
	return r != 0 ? r : buf_end(out);
}
