/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed: white space and the case of names,
 * which simple canonicalization keeps (RFC 6376 s3.4.1); see headguess.h.
 */

/* this room */
#include "headguess.h"

enum white {
	WHITE_NONE_IN_FRONT,
	WHITE_ONE_IN_FRONT,
	WHITE_NONE_AT_END,
	WHITE_UNFOLDED,
	WHITE_UNFOLDED_ONE,
	WHITE_FOLDS_SPACE,
	WHITE_FOLDS_TAB,
	WHITE_SINGLE,
	WHITE_RUNS,
	WHITES,
};

static const char *const texts[WHITES] = {
	[WHITE_NONE_IN_FRONT] = "no white space behind the colon",
	[WHITE_ONE_IN_FRONT] = "one space behind the colon",
	[WHITE_NONE_AT_END] = "no white space at the end",
	[WHITE_UNFOLDED] = "one line in place of several",
	[WHITE_UNFOLDED_ONE] = "one line, with a space for each fold",
	[WHITE_FOLDS_SPACE] = "a space at the start of folded lines",
	[WHITE_FOLDS_TAB] = "a tab at the start of folded lines",
	[WHITE_SINGLE] = "single spaces",
	[WHITE_RUNS] = "single spaces and one line",
};

static bool
is_wsp(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/*
 * Octets of a fold that s begins with: CRLF and the white space behind it.
 */
static size_t
count_fold(struct slice s)
{
	size_t n = 2;

	if (s.n < 3 || s.p[0] != '\r' || s.p[1] != '\n' || !is_wsp(s.p[2]))
		return 0;
	while (n < s.n && is_wsp(s.p[n]))
		n++;
	return n;
}

/*
 * What a fold becomes.
 */
static void
put_fold(struct buf *b, struct slice fold, enum white white)
{
	switch (white) {
	case WHITE_UNFOLDED:
		buf_add(b, slice_from(fold, 2));
		break;
	case WHITE_UNFOLDED_ONE:
	case WHITE_RUNS:
		buf_add_text(b, " ");
		break;
	case WHITE_FOLDS_SPACE:
		buf_add_text(b, "\r\n ");
		buf_add(b, slice_from(fold, 3));
		break;
	case WHITE_FOLDS_TAB:
		buf_add_text(b, "\r\n\t");
		buf_add(b, slice_from(fold, 3));
		break;
	default:
		buf_add(b, fold);
	}
}

static size_t
count_wsp(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_wsp(s.p[n]))
		n++;
	return n;
}

static void
put_value(struct buf *b, struct slice value, enum white white)
{
	struct slice rest = value;
	size_t n;

	if (white == WHITE_NONE_IN_FRONT || white == WHITE_ONE_IN_FRONT ||
	    white == WHITE_RUNS) {
		rest = slice_from(rest, count_wsp(rest));
		if (white != WHITE_NONE_IN_FRONT)
			buf_add_octet(b, ' ');
	}
	while (white == WHITE_NONE_AT_END && rest.n > 0 &&
	    is_wsp(rest.p[rest.n - 1]))
		rest.n--;
	while (rest.n > 0) {
		if ((n = count_fold(rest)) > 0)
			put_fold(b, slice_sub(rest, 0, n), white);
		else if ((white == WHITE_RUNS || white == WHITE_SINGLE) &&
		    (n = count_wsp(rest)) > 0)
			buf_add_octet(b, ' ');
		else {
			n = 1;
			buf_add_octet(b, rest.p[0]);
		}
		rest = slice_from(rest, n);
	}
}

/*
 * A value with other white space, in the arena. False: it is the same, or too
 * long, or there is an error.
 */
static bool
vary(struct headsearch *s, struct slice value, enum white white,
    struct slice *out)
{
	struct buf b;
	bool ok = false;

	*out = value;
	if (value.n > HEADSEARCH_VALUE_MAX)
		return false;
	buf_init(&b, 2 * HEADSEARCH_VALUE_MAX);
	put_value(&b, value, white);
	if (buf_end(&b) != 0)
		s->error = buf_end(&b);
	else if (!slice_equal(buf_slice(&b), value)) {
		*out = arena_copy(s->arena, buf_slice(&b));
		if (out->p == NULL)
			s->error = DKIM_ERR_NOMEM;
		ok = s->error == 0;
	}
	buf_clear(&b);
	return ok;
}

/*
 * All fields at once, the signature field included: what an MTA does to one it
 * does to all.
 */
static bool
try_all(struct headsearch *s, enum white white)
{
	size_t i, size = s->set.n * sizeof(s->set.fields[0]);
	struct slice own = s->own_value;
	struct signedset_field *saved = arena_alloc(s->arena, size + 1);
	bool any;

	if (saved == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	memcpy(saved, s->set.fields, size);
	any = vary(s, own, white, &s->own_value);
	for (i = 0; i < s->set.n; i++)
		if (saved[i].present)
			any |= vary(s, saved[i].value, white,
			    &s->set.fields[i].value);
	headsearch_push(s, HEADSEARCH_WHITE, slice_text(""),
	    slice_text(texts[white]));
	if (any && headsearch_try(s))
		return true;
	headsearch_pop(s);
	memcpy(s->set.fields, saved, size);
	s->own_value = own;
	return false;
}

static bool
try_each(struct headsearch *s, enum white white)
{
	struct slice value, own = s->own_value;
	size_t i;

	if (vary(s, own, white, &value)) {
		s->own_value = value;
		headsearch_push(s, HEADSEARCH_WHITE,
		    slice_text("DKIM-Signature"), slice_text(texts[white]));
		if (headsearch_try(s))
			return true;
		headsearch_pop(s);
		s->own_value = own;
	}
	for (i = 0; i < s->set.n && s->error == 0; i++)
		if (s->set.fields[i].present && vary(s,
		    s->set.fields[i].value, white, &value) &&
		    headsearch_try_value(s, i, value, HEADSEARCH_WHITE,
		    slice_text(texts[white])))
			return true;
	return false;
}

/*
 * A name as some software writes it.
 *   k        0: lower case, 1: each word capitalized, 2: upper case, 3: as h=
 */
static bool
vary_name(struct headsearch *s, struct slice name, struct slice asked,
    size_t k, struct slice *out)
{
	bool start = true;
	uint8_t *p, c;
	size_t i;

	if (k == 3) {
		*out = asked;
		return !slice_equal(name, asked);
	}
	if ((p = arena_alloc(s->arena, name.n + 1)) == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	for (i = 0; i < name.n; i++) {
		c = slice_lower(name.p[i]);
		if ((k == 2 || (k == 1 && start)) && c >= 'a' && c <= 'z')
			c = (uint8_t)(c - 'a' + 'A');
		p[i] = c;
		start = c == '-';
	}
	*out = slice_of(p, name.n);
	return !slice_equal(name, *out);
}

static bool
try_names(struct headsearch *s, size_t k)
{
	struct headsearch_edit edit = { .kind = HEADSEARCH_NAME };
	struct signedset_field with;
	size_t i;

	for (i = 0; i < s->set.n && s->error == 0; i++) {
		with = s->set.fields[i];
		if (!with.present || !vary_name(s, s->set.fields[i].name,
		    with.asked, k, &with.name))
			continue;
		edit.name = signedset_name(&s->set.fields[i]);
		edit.text = with.name;
		if (headsearch_try_field(s, i, &with, &edit))
			return true;
	}
	return false;
}

bool
headguess_white(struct headsearch *s)
{
	size_t i;

	if (s->alg != DKIM_SIMPLE)
		return false;
	for (i = 0; i < WHITES && s->error == 0; i++)
		if (try_all(s, (enum white)i))
			return true;
	for (i = 0; i < WHITES && s->error == 0; i++)
		if (try_each(s, (enum white)i))
			return true;
	for (i = 0; i < 4 && s->error == 0; i++)
		if (try_names(s, i))
			return true;
	return false;
}
