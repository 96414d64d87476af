/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed: white space and the case of names,
 * which simple canonicalization keeps (RFC 6376 s3.4.1), and white space put
 * where there was none, which relaxed keeps as well; see headguess.h.
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
	WHITE_SEEN,		/* from here on relaxed sees it */
	WHITE_JOINED = WHITE_SEEN,
	WHITE_COMMAS,
	WHITE_NO_COMMAS,
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
	[WHITE_JOINED] = "nothing where it is folded",
	[WHITE_COMMAS] = "one space behind commas",
	[WHITE_NO_COMMAS] = "no white space behind commas",
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
	case WHITE_JOINED:
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

/*
 * Octets of white space and folds that s begins with.
 */
static size_t
count_white(struct slice s)
{
	size_t n = 0;

	while (n < s.n && (is_wsp(s.p[n]) || count_fold(slice_from(s, n)) > 0))
		n += is_wsp(s.p[n]) ? 1 : count_fold(slice_from(s, n));
	return n;
}

/*
 * What s begins with and is written in another way; white space at the end of
 * the value stays.
 *   returns  octets of it, 0: nothing
 */
static size_t
put_other(struct buf *b, struct slice s, enum white white)
{
	bool commas = white == WHITE_COMMAS || white == WHITE_NO_COMMAS;
	size_t n = count_fold(s);

	if (n > 0) {
		put_fold(b, slice_sub(s, 0, n), white);
		return n;
	}
	if ((white == WHITE_RUNS || white == WHITE_SINGLE) &&
	    (n = count_wsp(s)) > 0) {
		buf_add_octet(b, ' ');
		return n;
	}
	if (!commas || s.p[0] != ',')
		return 0;
	buf_add_octet(b, ',');
	n = 1 + count_white(slice_from(s, 1));
	if (n == s.n)
		return 1;
	if (white == WHITE_COMMAS)
		buf_add_octet(b, ' ');
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
		if ((n = put_other(b, rest, white)) == 0) {
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
 * Commas part addresses here; in a date and elsewhere they are left alone.
 */
static bool
is_varied(const struct signedset_field *field, enum white white)
{
	static const char *const lists[] = {
		"From", "To", "Cc", "Reply-To", "Resent-To", "Resent-Cc",
	};
	size_t i;

	if (!field->present || (white != WHITE_COMMAS &&
	    white != WHITE_NO_COMMAS))
		return field->present;
	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (slice_equal_nocase(field->asked, slice_text(lists[i])))
			return true;
	return false;
}

bool
headguess_white_all(struct headsearch *s, size_t white)
{
	struct slice value;
	bool any = false;
	size_t i;

	if (white < WHITE_SEEN && vary(s, s->own_value, (enum white)white,
	    &value)) {
		s->own_value = value;
		any = true;
	}
	for (i = 0; i < s->set.n; i++)
		if (is_varied(&s->set.fields[i], (enum white)white) &&
		    vary(s, s->set.fields[i].value, (enum white)white,
		    &value)) {
			s->set.fields[i].value = value;
			any = true;
		}
	return any && s->error == 0;
}

static enum headsearch_kind
kind_of(enum white white)
{
	return white < WHITE_SEEN ? HEADSEARCH_WHITE : HEADSEARCH_SPACED;
}

/*
 * All fields at once, the signature field included: what an MTA does to one it
 * does to all.
 */
static bool
try_all(struct headsearch *s, enum white white)
{
	struct headsearch_change change = { .field = s->set.n, .white = white,
	    .edit = { .kind = kind_of(white), .name = slice_text(""),
	    .text = slice_text(texts[white]) } };
	size_t size = s->set.n * sizeof(s->set.fields[0]);
	struct slice own = s->own_value;
	struct signedset_field *saved = arena_alloc(s->arena, size + 1);
	bool any;

	if (saved == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	memcpy(saved, s->set.fields, size);
	any = headguess_white_all(s, white);
	headsearch_push_edit(s, &change.edit);
	if (any && headsearch_try(s))
		return true;
	headsearch_pop(s);
	memcpy(s->set.fields, saved, size);
	s->own_value = own;
	if (any)
		headsearch_keep(s, &change);
	return false;
}

static bool
try_each(struct headsearch *s, enum white white)
{
	struct slice value, own = s->own_value;
	size_t i;

	if (vary(s, own, white, &value)) {
		s->own_value = value;
		headsearch_push(s, kind_of(white),
		    slice_text("DKIM-Signature"), slice_text(texts[white]));
		if (headsearch_try(s))
			return true;
		headsearch_pop(s);
		s->own_value = own;
	}
	for (i = 0; i < s->set.n && s->error == 0; i++)
		if (s->set.fields[i].present && vary(s,
		    s->set.fields[i].value, white, &value) &&
		    headsearch_try_value(s, i, value, kind_of(white),
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
		if (k == 2 || (k == 1 && start))
			c = slice_upper(c);
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
	size_t i, first = s->alg == DKIM_SIMPLE ? 0 : WHITE_SEEN;

	for (i = first; i < WHITE_SEEN && s->error == 0; i++)
		if (try_all(s, (enum white)i))
			return true;
	for (i = first; i < WHITES && s->error == 0; i++)
		if (try_each(s, (enum white)i))
			return true;
	for (i = WHITE_SEEN; i < WHITES && s->error == 0; i++)
		if (try_all(s, (enum white)i))
			return true;
	for (i = 0; s->alg == DKIM_SIMPLE && i < 4 && s->error == 0; i++)
		if (try_names(s, i))
			return true;
	return false;
}
