/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Body hashes of one message; see bodyhash.h. A form (one canonicalization) is
 * canonicalized once and hashed once: where an l= ends the running digest is
 * copied and the copy finished.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "bodyhash.h"
#include "canon.h"

#define FORMS	2		/* enum dkim_canon */

struct want {
	enum dkim_canon	alg;
	uint64_t	length;		/* canonical octets, or UINT64_MAX */
	bool		done;
	uint8_t		value[DIGEST_SIZE];
};

struct form {
	struct bodyhash	*owner;
	struct canon	 canon;
	struct sink	 sink;
	struct digest	 digest;
	bool		 wanted;
	uint64_t	 total;		/* canonical octets so far */
	uint64_t	 next;		/* least length not done */
	bool		 left;		/* there is one */
};

struct bodyhash {
	const struct dkim_lib	*lib;
	struct form		 forms[FORMS];
	struct want		*wants;
	size_t			 n;
	bool			 begun;
	bool			 ended;
	int			 error;
};

static void
set_error(struct bodyhash *b, int error)
{
	if (b->error == 0)
		b->error = error;
}

static void
find_next(struct form *form, enum dkim_canon alg)
{
	const struct bodyhash *b = form->owner;
	size_t i;

	form->next = UINT64_MAX;
	form->left = false;
	for (i = 0; i < b->n; i++) {
		if (b->wants[i].alg != alg || b->wants[i].done)
			continue;
		form->left = true;
		if (b->wants[i].length < form->next)
			form->next = b->wants[i].length;
	}
}

/*
 * The hash of the octets so far is the one that was wanted for length next.
 */
static void
take_snapshot(struct form *form, enum dkim_canon alg)
{
	struct bodyhash *b = form->owner;
	struct want *want;
	size_t i;
	int r;

	for (i = 0; i < b->n; i++) {
		want = &b->wants[i];
		if (want->alg != alg || want->done ||
		    want->length != form->next)
			continue;
		if ((r = digest_snapshot(&form->digest, want->value)) != 0)
			set_error(b, r);
		want->done = true;
	}
	find_next(form, alg);
}

/*
 * The sink: canonical octets of a form.
 */
static void
add_octets(void *context, struct slice octets)
{
	struct form *form = context;
	enum dkim_canon alg = form->canon.alg;
	struct slice rest = octets;
	uint64_t at = form->total, part;

	/* RFC 6376 s3.5 #52, s3.7 #4, s5.3.1: l= counts canonical octets */
	form->total += octets.n;
	while (form->left && form->next <= form->total) {
		part = form->next - at;
		digest_add(&form->digest, slice_sub(rest, 0, (size_t)part));
		rest = slice_from(rest, (size_t)part);
		at += part;
		take_snapshot(form, alg);
	}
	if (form->left)
		digest_add(&form->digest, rest);
}

int
bodyhash_new(const struct dkim_lib *lib, bool fix_crlf, struct bodyhash **out)
{
	struct bodyhash *b;
	size_t i;

	if ((b = malloc(sizeof(*b))) == NULL)
		return DKIM_ERR_NOMEM;
	*b = (struct bodyhash){ .lib = lib };
	for (i = 0; i < FORMS; i++) {
		b->forms[i].owner = b;
		b->forms[i].sink.add = add_octets;
		b->forms[i].sink.context = &b->forms[i];
		canon_init(&b->forms[i].canon, (enum dkim_canon)i, fix_crlf);
	}
	*out = b;
	return 0;
}

void
bodyhash_free(struct bodyhash *b)
{
	size_t i;

	if (b == NULL)
		return;
	for (i = 0; i < FORMS; i++)
		digest_clear(&b->forms[i].digest);
	free(b->wants);
	free(b);
}

int
bodyhash_want(struct bodyhash *b, enum dkim_canon alg, uint64_t length,
    size_t *index)
{
	struct form *form = &b->forms[alg];
	struct want *more;
	size_t i;
	int r;

	if (b->begun || b->ended)
		return DKIM_ERR_STATE;
	for (i = 0; i < b->n; i++)
		if (b->wants[i].alg == alg && b->wants[i].length == length) {
			*index = i;
			return 0;
		}
	if (!form->wanted && (r = digest_init(&form->digest, b->lib)) != 0)
		return r;
	form->wanted = true;
	more = realloc(b->wants, (b->n + 1) * sizeof(*more));
	if (more == NULL)
		return DKIM_ERR_NOMEM;
	b->wants = more;
	b->wants[b->n] = (struct want){ .alg = alg, .length = length };
	*index = b->n++;
	find_next(form, alg);
	return 0;
}

int
bodyhash_add(struct bodyhash *b, struct slice in)
{
	size_t i;

	if (b->ended)
		return DKIM_ERR_STATE;
	if (in.n > 0)
		b->begun = true;
	for (i = 0; i < FORMS; i++)
		if (b->forms[i].wanted)
			canon_body(&b->forms[i].canon, in, &b->forms[i].sink);
	return b->error;
}

/*
 * All octets are there: what is left wants them all, or more than there are.
 */
static void
end_form(struct form *form)
{
	struct bodyhash *b = form->owner;
	enum dkim_canon alg = form->canon.alg;
	size_t i;
	int r;

	canon_body_end(&form->canon, &form->sink);
	while (form->left) {
		if (form->next < UINT64_MAX) {
			take_snapshot(form, alg);
			continue;
		}
		for (i = 0; i < b->n; i++) {
			if (b->wants[i].alg != alg || b->wants[i].done)
				continue;
			r = digest_finish(&form->digest, b->wants[i].value);
			if (r != 0)
				set_error(b, r);
			b->wants[i].done = true;
		}
		form->left = false;
	}
	if (form->digest.error != 0)
		set_error(b, form->digest.error);
}

int
bodyhash_end(struct bodyhash *b)
{
	size_t i;

	if (b->ended)
		return DKIM_ERR_STATE;
	b->ended = true;
	for (i = 0; i < FORMS; i++)
		if (b->forms[i].wanted)
			end_form(&b->forms[i]);
	return b->error;
}

bool
bodyhash_wants(const struct bodyhash *b)
{
	return b->n > 0;
}

void
bodyhash_get(const struct bodyhash *b, size_t index,
    uint8_t out[DIGEST_SIZE], uint64_t *total)
{
	assert(b->ended && index < b->n);
	memcpy(out, b->wants[index].value, DIGEST_SIZE);
	*total = b->forms[b->wants[index].alg].total;
}
