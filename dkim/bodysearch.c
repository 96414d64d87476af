/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which well-known change of a body makes its hash the one that was signed;
 * see bodysearch.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "bodyhash.h"
#include "bodysearch.h"

#define CANONS	2

/*
 * What is hashed in both canonicalizations, at all lengths: the body with one
 * change undone, and, in the last one, with line ends read the other way.
 */
enum { OTHER_ENDS = REWRITE_KINDS, FORMS };

struct form {
	struct rewrite		 rewrite;
	struct sink		 sink;
	struct bodyhash		*hashes;
	int			 error;
};

struct want {
	uint8_t		hash[DIGEST_SIZE];
	enum dkim_canon	alg;
	uint64_t	length;
	/* indexes in a form's hashes, the same in all: cut at l=, whole */
	size_t		cut[CANONS];
	size_t		whole[CANONS];
	size_t		edge;
};

struct bodysearch {
	struct form	forms[FORMS];
	struct bodyedge	edges[CANONS];
	struct digest	raw;
	uint8_t		raw_hash[DIGEST_SIZE];
	struct want	wants[BODYEDGE_WANTS];
	size_t		wants_n;
	bool		ended;
};

static void
add_to_hashes(void *context, struct slice octets)
{
	struct form *form = context;

	if (form->error == 0)
		form->error = bodyhash_add(form->hashes, octets);
}

static int
init_form(struct form *form, const struct dkim_lib *lib, size_t i,
    bool fix_crlf)
{
	bool other = i == OTHER_ENDS;

	form->sink.add = add_to_hashes;
	form->sink.context = form;
	rewrite_init(&form->rewrite, other ? REWRITE_NONE :
	    (enum rewrite_kind)i, &form->sink);
	return bodyhash_new(lib, other ? !fix_crlf : fix_crlf, &form->hashes);
}

int
bodysearch_new(const struct dkim_lib *lib, bool fix_crlf,
    struct bodysearch **out)
{
	struct bodysearch *s = calloc(1, sizeof(*s));
	size_t i;
	int r = 0;

	if (s == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; r == 0 && i < FORMS; i++)
		r = init_form(&s->forms[i], lib, i, fix_crlf);
	for (i = 0; r == 0 && i < CANONS; i++)
		r = bodyedge_init(&s->edges[i], lib, (enum dkim_canon)i,
		    fix_crlf);
	if (r == 0)
		r = digest_init(&s->raw, lib);
	if (r != 0)
		bodysearch_free(s);
	else
		*out = s;
	return r;
}

void
bodysearch_free(struct bodysearch *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < FORMS; i++)
		bodyhash_free(s->forms[i].hashes);
	for (i = 0; i < CANONS; i++)
		bodyedge_clear(&s->edges[i]);
	digest_clear(&s->raw);
	free(s);
}

static int
want_in_form(struct form *form, struct want *want)
{
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && i < CANONS; i++) {
		r = bodyhash_want(form->hashes, (enum dkim_canon)i,
		    want->length, &want->cut[i]);
		if (r == 0)
			r = bodyhash_want(form->hashes, (enum dkim_canon)i,
			    UINT64_MAX, &want->whole[i]);
	}
	return r;
}

int
bodysearch_want(struct bodysearch *s, const uint8_t hash[DIGEST_SIZE],
    enum dkim_canon alg, uint64_t length, size_t *index)
{
	struct want *want;
	size_t i;
	int r;

	for (i = 0; i < s->wants_n; i++) {
		want = &s->wants[i];
		if (want->alg == alg && want->length == length &&
		    memcmp(want->hash, hash, DIGEST_SIZE) == 0) {
			*index = i;
			return 0;
		}
	}
	if (s->wants_n == BODYEDGE_WANTS)
		return DKIM_ERR_LIMIT;
	want = &s->wants[s->wants_n];
	memcpy(want->hash, hash, DIGEST_SIZE);
	want->alg = alg;
	want->length = length;
	r = bodyedge_want(&s->edges[alg], hash, &want->edge);
	for (i = 0; r == 0 && i < FORMS; i++)
		r = want_in_form(&s->forms[i], want);
	if (r == 0)
		*index = s->wants_n++;
	return r;
}

int
bodysearch_add(struct bodysearch *s, struct slice in)
{
	size_t i;
	int r;

	if (s->ended)
		return DKIM_ERR_STATE;
	if (s->wants_n == 0)
		return 0;
	for (i = 0; i < FORMS; i++) {
		rewrite_add(&s->forms[i].rewrite, in);
		if (s->forms[i].error != 0)
			return s->forms[i].error;
	}
	for (i = 0; i < CANONS; i++)
		if ((r = bodyedge_add(&s->edges[i], in)) != 0)
			return r;
	digest_add(&s->raw, in);
	return 0;
}

int
bodysearch_end(struct bodysearch *s)
{
	struct form *form;
	size_t i;
	int r;

	if (s->ended)
		return DKIM_ERR_STATE;
	s->ended = true;
	for (i = 0; i < FORMS; i++) {
		form = &s->forms[i];
		rewrite_end(&form->rewrite);
		r = form->error != 0 ? form->error :
		    bodyhash_end(form->hashes);
		if (r != 0)
			return r;
	}
	for (i = 0; i < CANONS; i++)
		if ((r = bodyedge_end(&s->edges[i])) != 0)
			return r;
	return digest_finish(&s->raw, s->raw_hash);
}

static bool
is_hash(const struct form *form, size_t index, const struct want *want)
{
	uint8_t hash[DIGEST_SIZE];
	uint64_t total;

	bodyhash_get(form->hashes, index, hash, &total);
	return memcmp(hash, want->hash, DIGEST_SIZE) == 0;
}

/*
 * Does a form match: in the signature's own canonicalization first, cut at l=
 * first?
 */
static bool
get_form(const struct form *form, const struct want *want,
    struct bodysearch_finding *out)
{
	enum dkim_canon other = want->alg == DKIM_SIMPLE ? DKIM_RELAXED :
	    DKIM_SIMPLE;
	const struct {
		enum dkim_canon	alg;
		bool		whole;
	} rows[] = {
		{ want->alg, false }, { other, false },
		{ want->alg, true }, { other, true },
	};
	size_t i, index;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		index = rows[i].whole ? want->whole[rows[i].alg] :
		    want->cut[rows[i].alg];
		if (!is_hash(form, index, want))
			continue;
		out->alg = rows[i].alg;
		out->whole = rows[i].whole || want->length == UINT64_MAX;
		return true;
	}
	return false;
}

static bool
get_edge(const struct bodysearch *s, const struct want *want,
    struct bodysearch_finding *out)
{
	const struct bodyedge *edge = &s->edges[want->alg];
	const struct bodyedge_want *found = &edge->wants[want->edge];

	out->alg = want->alg;
	out->lines_all = edge->lines;
	if (found->kind == BODYEDGE_NOTHING)
		return false;
	out->edge = found->kind;
	out->top = found->top;
	out->lines = found->lines;
	return true;
}

/*
 * White space accounts for it: that of line ends alone?
 */
static void
get_white(const struct bodysearch *s, const struct want *want,
    struct bodysearch_finding *out)
{
	struct bodysearch_finding blanks = *out;

	out->kind = BODYSEARCH_CANON;
	if (!get_form(&s->forms[REWRITE_BLANKS], want, &blanks) ||
	    blanks.alg != want->alg || blanks.whole != out->whole)
		return;
	*out = blanks;
	out->kind = BODYSEARCH_REWRITE;
	out->rewrite = REWRITE_BLANKS;
}

void
bodysearch_get(const struct bodysearch *s, size_t index,
    struct bodysearch_finding *out)
{
	const struct want *want = &s->wants[index];
	size_t i;

	assert(s->ended && index < s->wants_n);
	*out = (struct bodysearch_finding){ .kind = BODYSEARCH_NOTHING };
	if (get_form(&s->forms[REWRITE_NONE], want, out)) {
		if (out->alg != want->alg)
			get_white(s, want, out);
		else
			out->kind = want->length != UINT64_MAX && out->whole ?
			    BODYSEARCH_WHOLE : BODYSEARCH_RIGHT;
	} else if (get_edge(s, want, out))
		out->kind = BODYSEARCH_EDGE;
	else if (get_form(&s->forms[OTHER_ENDS], want, out))
		out->kind = BODYSEARCH_LINE_ENDS;
	for (i = 1; out->kind == BODYSEARCH_NOTHING && i < REWRITE_KINDS;
	    i++) {
		if (!get_form(&s->forms[i], want, out))
			continue;
		out->kind = BODYSEARCH_REWRITE;
		out->rewrite = (enum rewrite_kind)i;
	}
	if (out->kind == BODYSEARCH_NOTHING &&
	    memcmp(s->raw_hash, want->hash, DIGEST_SIZE) == 0)
		out->kind = BODYSEARCH_RAW;
}
