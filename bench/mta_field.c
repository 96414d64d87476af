/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Is the field what it was to be; see mta_field.h.
 */

/* this room */
#include "mta_field.h"

static bool
is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool
mta_field_is_signed(struct slice value)
{
	struct slice tag;
	size_t n, equals;

	for (; value.n > 0; value = slice_from(value, n < value.n ? n + 1 :
	    n)) {
		n = slice_find(value, ';');
		tag = slice_sub(value, 0, n);
		equals = slice_find(tag, '=');
		if (equals < tag.n && slice_is(slice_trim(slice_sub(tag, 0,
		    equals)), "b"))
			return slice_trim(slice_from(tag, equals + 1)).n > 0;
	}
	return false;
}

/*
 * Skip blanks, comments (nested) and quoted strings from at on.
 */
static size_t
skip(struct slice s, size_t at)
{
	unsigned depth = 0;
	bool quoted = false;

	for (; at < s.n; at++) {
		uint8_t c = s.p[at];

		if (c == '\\' && (depth > 0 || quoted))
			at++;
		else if (quoted)
			quoted = c != '"';
		else if (c == '(')
			depth++;
		else if (depth > 0)
			depth -= c == ')';
		else if (c == '"')
			quoted = true;
		else if (!is_blank(c))
			break;
	}
	return at < s.n ? at : s.n;
}

/*
 * Is this word there, ended by a blank, a semicolon, a comment or the end?
 */
static bool
word_at(struct slice s, size_t at, const char *word)
{
	size_t n = strlen(word);
	uint8_t c;

	if (n > s.n - at || !slice_equal_nocase(slice_sub(s, at, n),
	    slice_text(word)))
		return false;
	if (at + n == s.n)
		return true;
	c = s.p[at + n];
	return is_blank(c) || c == ';' || c == '(';
}

bool
mta_field_has_pass(struct slice value)
{
	bool begins = false;	/* a result begins here: behind ";" */
	size_t at = 0;

	while ((at = skip(value, at)) < value.n) {
		if (begins && word_at(value, at, "dkim=pass"))
			return true;
		begins = value.p[at] == ';';
		at++;
	}
	return false;
}
