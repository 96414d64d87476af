/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed: what software that tidies fields
 * makes of Message-ID, of types, and of the names in addresses; see
 * headguess.h.
 */

/* this room */
#include "headguess.h"

enum tidy {
	TIDY_SOLID,		/* no white space */
	TIDY_LOWER,
	TIDY_UPPER,
	TIDY_LOWER_DOMAIN,	/* behind the last "@" */
	TIDY_UPPER_DOMAIN,
	TIDY_BRACKETS,		/* "<" and ">" round it */
	TIDY_NO_BRACKETS,
	TIDY_QUOTES,		/* round the name in front of "<" */
	TIDY_NO_QUOTES,
};

/*
 * Where the domain begins: behind the last "@", or at the end.
 */
static size_t
find_domain(struct slice s)
{
	size_t i;

	for (i = s.n; i > 0; i--)
		if (s.p[i - 1] == '@')
			return i;
	return s.n;
}

static void
put_case(struct buf *b, struct slice s, enum tidy tidy)
{
	bool lower = tidy == TIDY_LOWER || tidy == TIDY_LOWER_DOMAIN;
	size_t i, first = tidy == TIDY_LOWER || tidy == TIDY_UPPER ? 0 :
	    find_domain(s);

	buf_add(b, slice_sub(s, 0, first));
	for (i = first; i < s.n; i++)
		buf_add_octet(b, lower ? slice_lower(s.p[i]) :
		    slice_upper(s.p[i]));
}

/*
 * All but white space, or all but quotes.
 */
static void
put_without(struct buf *b, struct slice s, enum tidy tidy)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (tidy == TIDY_SOLID ? !slice_is_white(s.p[i]) :
		    s.p[i] != '"')
			buf_add_octet(b, s.p[i]);
}

/*
 *   s        not empty, without white space at its ends
 */
static void
put_tidy(struct buf *b, struct slice s, enum tidy tidy)
{
	size_t less = slice_find(s, '<');
	struct slice name = slice_trim(slice_sub(s, 0, less));

	switch (tidy) {
	case TIDY_SOLID:
	case TIDY_NO_QUOTES:
		put_without(b, s, tidy);
		break;
	case TIDY_LOWER:
	case TIDY_UPPER:
	case TIDY_LOWER_DOMAIN:
	case TIDY_UPPER_DOMAIN:
		put_case(b, s, tidy);
		break;
	case TIDY_BRACKETS:
		buf_add_text(b, less == s.n ? "<" : "");
		buf_add(b, s);
		buf_add_text(b, less == s.n ? ">" : "");
		break;
	case TIDY_NO_BRACKETS:
		if (s.p[0] == '<' && s.n > 1 && s.p[s.n - 1] == '>')
			s = slice_sub(s, 1, s.n - 2);
		buf_add(b, s);
		break;
	case TIDY_QUOTES:
		if (name.n > 0 && less < s.n && slice_find(s, '"') == s.n) {
			buf_add_octet(b, '"');
			buf_add(b, name);
			buf_add_octet(b, '"');
			s = slice_from(s, name.n);
		}
		buf_add(b, s);
		break;
	}
}

/*
 * The first field of h= that has this name, tidied so.
 */
static bool
try_tidy(struct headsearch *s, const char *name, enum tidy tidy)
{
	struct slice value, text, copy;
	struct buf b;
	bool found = false;
	size_t i;

	for (i = 0; i < s->set.n; i++)
		if (s->set.fields[i].present && slice_equal_nocase(
		    s->set.fields[i].asked, slice_text(name)))
			break;
	if (i == s->set.n)
		return false;
	value = s->set.fields[i].value;
	text = slice_trim(value);
	if (text.n == 0 || value.n > HEADSEARCH_VALUE_MAX)
		return false;
	buf_init(&b, HEADSEARCH_VALUE_MAX + 2);
	buf_add(&b, slice_sub(value, 0, (size_t)(text.p - value.p)));
	put_tidy(&b, text, tidy);
	buf_add(&b, slice_from(value, (size_t)(text.p - value.p) + text.n));
	if (buf_end(&b) != 0)
		s->error = buf_end(&b);
	else if (!slice_equal(buf_slice(&b), value)) {
		copy = arena_copy(s->arena, buf_slice(&b));
		if (copy.p == NULL)
			s->error = DKIM_ERR_NOMEM;
		else
			found = headsearch_try_value(s, i, copy,
			    HEADSEARCH_VALUE, copy);
	}
	buf_clear(&b);
	return found;
}

bool
headguess_tidy(struct headsearch *s)
{
	static const struct {
		const char	*name;
		enum tidy	 tidy;
	} rows[] = {
		{ "Message-ID", TIDY_SOLID },
		{ "Message-ID", TIDY_LOWER_DOMAIN },
		{ "Message-ID", TIDY_UPPER_DOMAIN },
		{ "Message-ID", TIDY_LOWER },
		{ "Message-ID", TIDY_UPPER },
		{ "Message-ID", TIDY_BRACKETS },
		{ "Message-ID", TIDY_NO_BRACKETS },
		{ "From", TIDY_QUOTES },
		{ "From", TIDY_NO_QUOTES },
		{ "To", TIDY_QUOTES },
		{ "To", TIDY_NO_QUOTES },
		{ "Content-Type", TIDY_LOWER },
		{ "Reply-To", TIDY_QUOTES },
		{ "Reply-To", TIDY_NO_QUOTES },
		{ "Cc", TIDY_QUOTES },
		{ "Cc", TIDY_NO_QUOTES },
		{ "In-Reply-To", TIDY_SOLID },
		{ "In-Reply-To", TIDY_LOWER_DOMAIN },
		{ "In-Reply-To", TIDY_LOWER },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && s->error == 0 &&
	    !s->spent; i++)
		if (try_tidy(s, rows[i].name, rows[i].tidy))
			return true;
	return false;
}
