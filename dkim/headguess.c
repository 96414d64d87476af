/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed; see headguess.h. Here: the other
 * canonicalization, bh=, z=, fields added, replaced or re-encoded on the way.
 */

/* this room */
#include "base64.h"
#include "header.h"
#include "headguess.h"
#include "taglist.h"

#define OTHERS_MAX	4	/* other fields of a name that are tried */
#define DIFFERENCES_MAX	64	/* between z= and the header, put back */

/*
 * RFC 6376 s3.4: had the other header canonicalization been used.
 */
static bool
guess_canon(struct headsearch *s)
{
	enum dkim_canon saved = s->alg;

	s->alg = saved == DKIM_SIMPLE ? DKIM_RELAXED : DKIM_SIMPLE;
	s->own_alg = s->alg;
	headsearch_push(s, HEADSEARCH_CANON, slice_text(""),
	    slice_text(dkim_canon_text(s->alg)));
	if (headsearch_try(s))
		return true;
	headsearch_pop(s);
	s->alg = saved;
	s->own_alg = saved;
	return false;
}

/*
 * The digits of bh=, white space among them left where it is.
 *   digits   as many as there are, or nothing is done
 */
static void
put_digits(uint8_t *p, size_t n, struct slice digits)
{
	size_t i, k = 0, count = 0;

	for (i = 0; i < n; i++)
		count += slice_trim(slice_of(&p[i], 1)).n;
	for (i = 0; count == digits.n && i < n; i++)
		if (slice_trim(slice_of(&p[i], 1)).n > 0)
			p[i] = digits.p[k++];
}

/*
 * bh= was changed, and the body is as signed.
 */
static bool
guess_body_hash(struct headsearch *s)
{
	struct slice saved = s->own_value;
	struct taglist list;
	const struct tag *bh;
	struct buf digits;
	uint8_t *p;

	if (memcmp(s->body_hash, s->field->body_hash, DIGEST_SIZE) == 0 ||
	    taglist_parse(saved, &list) != 0 ||
	    (bh = taglist_find(&list, "bh")) == NULL)
		return false;
	buf_init(&digits, 2 * DIGEST_SIZE);
	base64_encode(slice_of(s->body_hash, DIGEST_SIZE), &digits);
	p = arena_alloc(s->arena, saved.n + 1);
	if (buf_end(&digits) != 0 || p == NULL) {
		s->error = DKIM_ERR_NOMEM;
		buf_clear(&digits);
		return false;
	}
	memcpy(p, saved.p, saved.n);
	put_digits(&p[bh->value_at], bh->value_raw, buf_slice(&digits));
	buf_clear(&digits);
	s->own_value = slice_of(p, saved.n);
	headsearch_push(s, HEADSEARCH_BODY_HASH, slice_text(""),
	    slice_text("the hash of this body in bh= (bh= was changed after "
	    "signing)"));
	if (headsearch_try(s))
		return true;
	headsearch_pop(s);
	s->own_value = saved;
	return false;
}

/*
 * Put a copy back: over the field that differs, or where h= asked for one that
 * the message has not.
 */
static void
put_copy(struct headsearch *s, const struct copy *copy, size_t field,
    bool space)
{
	struct signedset_field *to = NULL;
	uint8_t *p;
	size_t i;

	assert(s->set.fields != NULL);
	if (field != COPIES_NONE)
		to = &s->set.fields[field];
	for (i = 0; to == NULL && i < s->set.n; i++)
		if (!s->set.fields[i].present &&
		    slice_equal_nocase(s->set.fields[i].asked, copy->name))
			to = &s->set.fields[i];
	if (to == NULL)
		return;
	if (!to->present)
		to->name = copy->name;
	to->present = true;
	to->value = copy->value;
	if (!space)
		return;
	if ((p = arena_alloc(s->arena, copy->value.n + 1)) == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return;
	}
	p[0] = ' ';
	if (copy->value.n > 0)
		memcpy(p + 1, copy->value.p, copy->value.n);
	to->value = slice_of(p, copy->value.n + 1);
}

/*
 * All that differs put back, with or without fields that have no copy; with
 * the space behind the colon that some signers leave out of z=.
 */
static bool
try_copies(struct headsearch *s, const struct copy *copies,
    const struct copies_difference *d, size_t n, bool drop, bool space)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (d[i].change != COPIES_ADDED)
			put_copy(s, &copies[d[i].copy], d[i].field, space);
		else if (drop)
			s->set.fields[d[i].field].present = false;
	return headsearch_try(s);
}

static bool
guess_copies(struct headsearch *s)
{
	struct copies_difference d[DIFFERENCES_MAX];
	size_t i, n, found = 0, size = s->set.n * sizeof(s->set.fields[0]);
	struct signedset_field *saved;
	struct copy *copies;
	int r;

	if (s->field->copies.n == 0)
		return false;
	r = copies_parse(s->field->copies, s->arena, &copies, &n);
	if (r == 0)
		r = copies_compare(copies, n, &s->set, s->alg, s->arena, d,
		    DIFFERENCES_MAX, &found);
	saved = arena_alloc(s->arena, size + 1);
	if (r == DKIM_ERR_NOMEM || saved == NULL)
		s->error = DKIM_ERR_NOMEM;
	if (r != 0 || found == 0 || s->error != 0)
		return false;
	memcpy(saved, s->set.fields, size);
	headsearch_push(s, HEADSEARCH_COPIES, slice_text(""),
	    slice_text("the fields that z= has"));
	for (i = 0; i < 4; i++) {
		if (try_copies(s, copies, d, found, i % 2 == 1, i / 2 == 1))
			return true;
		memcpy(s->set.fields, saved, size);
	}
	headsearch_pop(s);
	return false;
}

/*
 * Which of the fields of its name is field i of the set?
 */
static void
count_place(const struct headsearch *s, size_t i, struct headsearch_edit *edit)
{
	const struct signedset_field *field = &s->set.fields[i];
	size_t at, count = dkim_header_count(s->header);

	for (at = dkim_header_find(s->header, field->asked, 0); at < count;
	    at = dkim_header_find(s->header, field->asked, at + 1)) {
		if (at == s->own)
			continue;
		edit->of++;
		if (at <= field->at)
			edit->nth++;
	}
}

/*
 * The next name of h= that is the one of field i, or s->set.n.
 */
static size_t
find_next(const struct headsearch *s, size_t i)
{
	size_t k;

	for (k = i + 1; k < s->set.n; k++)
		if (slice_equal_nocase(s->set.fields[k].asked,
		    s->set.fields[i].asked))
			break;
	return k;
}

static void
put_field(struct signedset_field *to, const struct signedset_field *from)
{
	struct slice asked = to->asked;

	*to = *from;
	to->asked = asked;
}

void
headguess_leave_out(struct headsearch *s, size_t i)
{
	struct signedset_field last = { .present = false };
	struct signedset_field *fields = s->set.fields;
	size_t k, at, top;

	for (k = i; find_next(s, k) < s->set.n; k = find_next(s, k))
		;
	top = fields[k].present ? fields[k].at : 0;
	for (at = dkim_header_find(s->header, fields[i].asked, 0); at < top;
	    at = dkim_header_find(s->header, fields[i].asked, at + 1)) {
		if (at == s->own)
			continue;
		last.present = true;
		last.at = at;
		last.name = dkim_header_name(s->header, at);
		last.value = dkim_header_value(s->header, at);
	}
	for (k = i; find_next(s, k) < s->set.n; k = find_next(s, k))
		put_field(&fields[k], &fields[find_next(s, k)]);
	put_field(&fields[k], &last);
}

/*
 * Put it back.
 */
static void
put_back(struct headsearch *s, size_t i, const struct signedset_field *field)
{
	struct signedset_field put = *field, next;
	size_t k;

	for (k = i; k < s->set.n; k = find_next(s, k)) {
		next = s->set.fields[k];
		put_field(&s->set.fields[k], &put);
		put = next;
	}
}

/*
 * So many fields were added on the way.
 */
static bool
drop(struct headsearch *s, size_t depth)
{
	struct headsearch_edit edit;
	struct signedset_field saved;
	size_t i;

	for (i = 0; i < s->set.n && s->error == 0 && !s->spent; i++) {
		saved = s->set.fields[i];
		if (!saved.present)
			continue;
		edit = (struct headsearch_edit){ .kind = HEADSEARCH_DROP,
		    .name = signedset_name(&saved) };
		count_place(s, i, &edit);
		headsearch_push_edit(s, &edit);
		headguess_leave_out(s, i);
		if (depth > 1 ? drop(s, depth - 1) : headsearch_try(s))
			return true;
		put_back(s, i, &saved);
		headsearch_pop(s);
		if (depth == 1)
			headsearch_keep(s, &(struct headsearch_change){
			    .edit = edit, .field = i });
	}
	return false;
}

static bool
guess_drop(struct headsearch *s)
{
	return drop(s, 1);
}

/*
 * RFC 6376 s5.4.2 takes the lowest field of a name; one put below it, or a
 * signer that counts from the top, makes it another.
 */
static bool
guess_other(struct headsearch *s)
{
	size_t i, at, tried, count = dkim_header_count(s->header);
	struct signedset_field with;
	struct headsearch_edit edit = { .kind = HEADSEARCH_OTHER };

	for (i = 0; i < s->set.n && i < HEADSEARCH_NAMES && s->error == 0 &&
	    !s->spent; i++) {
		with = s->set.fields[i];
		if (!with.present)
			continue;
		edit.name = signedset_name(&with);
		tried = 0;
		for (at = dkim_header_find(s->header, with.asked, 0);
		    at < count && tried < OTHERS_MAX;
		    at = dkim_header_find(s->header, with.asked, at + 1)) {
			if (at == s->set.fields[i].at || at == s->own)
				continue;
			with.at = at;
			with.name = dkim_header_name(s->header, at);
			with.value = dkim_header_value(s->header, at);
			tried++;
			if (headsearch_try_field(s, i, &with, &edit))
				return true;
		}
	}
	return false;
}

/*
 * Values that software on the way puts in the place of others: re-encoding,
 * and defaults written out (RFC 2045 s4, s5.2, s6.1).
 */
static bool
guess_values(struct headsearch *s)
{
	static const struct {
		const char	*name;
		const char	*value;
	} rows[] = {
		{ "Content-Transfer-Encoding", " 8bit" },
		{ "Content-Transfer-Encoding", " 7bit" },
		{ "Content-Transfer-Encoding", " quoted-printable" },
		{ "Content-Transfer-Encoding", " base64" },
		{ "Content-Transfer-Encoding", " binary" },
		{ "Content-Transfer-Encoding", " 8BIT" },
		{ "Content-Transfer-Encoding", " 7BIT" },
		{ "MIME-Version", " 1.0" },
		{ "Content-Type", " text/plain" },
		{ "Content-Type", " text/plain; charset=us-ascii" },
		{ "Content-Type", " text/plain; charset=\"us-ascii\"" },
		{ "Content-Type", " text/plain; charset=utf-8" },
		{ "Content-Type", " text/plain; charset=UTF-8" },
		{ "Content-Type", " text/plain; charset=\"utf-8\"" },
		{ "Content-Type", " text/plain; charset=\"UTF-8\"" },
	};
	struct slice value;
	size_t i, k;

	for (k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
		value = slice_text(rows[k].value);
		for (i = 0; i < s->set.n; i++)
			if (slice_equal_nocase(s->set.fields[i].asked,
			    slice_text(rows[k].name)) &&
			    headsearch_try_value(s, i, value,
			    HEADSEARCH_VALUE, value))
				return true;
	}
	return false;
}

static bool
guess_drop_two(struct headsearch *s)
{
	return drop(s, 2);
}

bool
headguess_run(struct headsearch *s)
{
	static const struct {
		bool	(*guess)(struct headsearch *s);
		size_t	  room;		/* changes that are kept */
	} groups[] = {
		{ guess_body_hash, 0 },
		{ guess_canon, 0 },
		{ guess_copies, 0 },
		{ headguess_signer_own, 0 },
		{ guess_drop, 12 },
		{ headguess_list_subject, 8 },
		{ headguess_list_moved, 6 },
		{ guess_values, 8 },
		{ headguess_tidy, 8 },
		{ guess_other, 0 },
		{ headguess_signer_fields, 0 },
		{ headguess_white, 16 },
		{ headguess_list_all, 0 },
		{ guess_drop_two, 0 },
		{ headguess_pair, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		if (s->error != 0 || s->spent)
			return false;
		s->room = groups[i].room;
		if (groups[i].guess(s))
			return true;
	}
	return false;
}
