/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed: faults of signers, in how they
 * hash their own field and which fields they take; see headguess.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "header.h"
#include "headguess.h"

static bool
try_signer(struct headsearch *s, const char *text)
{
	headsearch_push(s, HEADSEARCH_SIGNER, slice_text(""),
	    slice_text(text));
	if (headsearch_try(s))
		return true;
	headsearch_pop(s);
	return false;
}

static bool
try_own(struct headsearch *s, struct slice value, const char *text)
{
	struct slice saved = s->own_value;

	if (slice_equal(saved, value))
		return false;
	s->own_value = value;
	headsearch_push(s, HEADSEARCH_OWN, slice_text("DKIM-Signature"),
	    slice_text(text));
	if (headsearch_try(s))
		return true;
	headsearch_pop(s);
	s->own_value = saved;
	return false;
}

/*
 * The field as it is but with text for the value of b=.
 */
static bool
try_b(struct headsearch *s, struct slice head, struct slice b,
    struct slice tail, const char *text)
{
	size_t n = head.n + b.n + tail.n;
	uint8_t *p = arena_alloc(s->arena, n + 1);

	if (p == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	memcpy(p, head.p, head.n);
	if (b.n > 0)
		memcpy(p + head.n, b.p, b.n);
	if (tail.n > 0)
		memcpy(p + head.n + b.n, tail.p, tail.n);
	return try_own(s, slice_of(p, n), text);
}

/*
 * RFC 6376 s3.5 b=, s3.7: the value goes, white space in it included; no CRLF
 * follows.
 */
bool
headguess_signer_own(struct headsearch *s)
{
	const struct sigfield *f = s->field;
	struct slice value = dkim_header_value(s->header, s->own);
	struct slice head = slice_sub(value, 0, f->b_at);
	struct slice b = slice_sub(value, f->b_at, f->b_n);
	struct slice tail = slice_from(value, f->b_at + f->b_n);
	struct slice inner = slice_trim(b), none = slice_sub(b, 0, 0);
	size_t front = (size_t)(inner.p - b.p);
	size_t back = b.n - front - inner.n;
	enum dkim_canon alg = s->own_alg;

	s->own_end = true;
	if (try_signer(s, "its own field was hashed with a line end behind"))
		return true;
	s->own_end = false;
	s->own_alg = alg == DKIM_SIMPLE ? DKIM_RELAXED : DKIM_SIMPLE;
	if (try_signer(s, "its own field was hashed in the other "
	    "canonicalization"))
		return true;
	s->own_alg = alg;
	return try_b(s, head, none, none, "what follows b= was not hashed") ||
	    try_b(s, head, none, slice_text(";"), "a semicolon behind an "
	    "empty b= was hashed") ||
	    try_b(s, head, slice_sub(b, 0, front), tail, "white space in "
	    "front of b='s value was hashed") ||
	    try_b(s, head, slice_sub(b, b.n - back, back), tail,
	    "white space behind b='s value was hashed") ||
	    try_b(s, head, b, tail, "b= was hashed with its value");
}

static int
compare_places(const void *a, const void *b)
{
	const struct signedset_field *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/*
 * Fields in the order of the message; from the top where a name has several.
 */
static bool
try_order(struct headsearch *s)
{
	size_t i, n = s->set.n;

	for (i = 0; i < n; i++)
		if (!s->set.fields[i].present)
			s->set.fields[i].at = SIZE_MAX;
	qsort(s->set.fields, n, sizeof(s->set.fields[0]), compare_places);
	return try_signer(s, "fields were hashed in the order of the message");
}

/*
 * A name without a field is nothing (RFC 6376 s5.4); some hash it as an empty
 * field.
 */
static bool
try_empty(struct headsearch *s)
{
	size_t i;

	for (i = 0; i < s->set.n; i++)
		if (!s->set.fields[i].present) {
			s->set.fields[i].name = s->set.fields[i].asked;
			s->set.fields[i].value = slice_text("");
			s->set.fields[i].present = true;
		}
	return try_signer(s, "fields that are not there were hashed as empty "
	    "ones");
}

static size_t
find_first(const struct headsearch *s, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (slice_equal_nocase(s->set.fields[k].asked,
		    s->set.fields[i].asked))
			break;
	return k;
}

/*
 * RFC 6376 s5.4.2: each field once; some hash one again for each time that h=
 * names it.
 */
static bool
try_again(struct headsearch *s)
{
	size_t i, k;

	for (i = 0; i < s->set.n; i++) {
		k = find_first(s, i);
		if (k < i)
			s->set.fields[i] = s->set.fields[k];
	}
	return try_signer(s, "a field was hashed again for each time that h= "
	    "names it");
}

/*
 * The first field from the top for a name's first time, and so on.
 */
static bool
try_from_top(struct headsearch *s)
{
	size_t i, k, from, count = dkim_header_count(s->header);
	struct signedset_field *fields = s->set.fields;

	for (i = 0; i < s->set.n; i++) {
		if (!fields[i].present)
			continue;
		from = 0;
		for (k = 0; k < i; k++)
			if (fields[k].present && slice_equal_nocase(
			    fields[k].asked, fields[i].asked))
				from = fields[k].at + 1;
		fields[i].at = dkim_header_find(s->header, fields[i].asked,
		    from);
		if (fields[i].at == s->own)
			fields[i].at = dkim_header_find(s->header,
			    fields[i].asked, s->own + 1);
		if (fields[i].at >= count) {
			fields[i].present = false;
			continue;
		}
		fields[i].name = dkim_header_name(s->header, fields[i].at);
		fields[i].value = dkim_header_value(s->header, fields[i].at);
	}
	return try_signer(s, "of several fields of one name the upper ones "
	    "were taken first");
}

bool
headguess_signer_fields(struct headsearch *s)
{
	static bool (*const ways[])(struct headsearch *s) = {
		try_from_top, try_empty, try_again, try_order,
	};
	size_t i, size = s->set.n * sizeof(s->set.fields[0]);
	struct signedset_field *saved = arena_alloc(s->arena, size + 1);

	if (saved == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	memcpy(saved, s->set.fields, size);
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (ways[i](s))
			return true;
		memcpy(s->set.fields, saved, size);
	}
	return false;
}
