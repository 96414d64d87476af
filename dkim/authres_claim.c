/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whose Authentication-Results is this? (RFC 8601 s2.2, s5; RFC 5322 CFWS.)
 * What a reader downstream might take for ours must go: everything that does
 * not read cleanly counts as ours.
 */

/* this room */
#include "dkim.h"

#define ID_MAX	1024	/* octets of an authserv-id; longer: in doubt */

/*
 * Step over a comment, which may hold others.
 *   at       at "("; behind the matching ")" on true
 */
static bool
skip_comment(struct slice s, size_t *at)
{
	size_t depth = 0;

	for (; *at < s.n; ++*at) {
		if (s.p[*at] == '\\')
			++*at;
		else if (s.p[*at] == '(')
			depth++;
		else if (s.p[*at] == ')' && --depth == 0) {
			++*at;
			return true;
		}
	}
	return false;
}

/*
 * Step over comments and white space, which may stand between all parts (RFC
 * 8601 s2.1 #4, s2.2 #10); false when a comment has no end.
 */
static bool
skip_cfws(struct slice s, size_t *at)
{
	while (*at < s.n) {
		if (s.p[*at] == '(') {
			if (!skip_comment(s, at))
				return false;
		} else if (slice_is_white(s.p[*at]))
			++*at;
		else
			break;
	}
	return true;
}

/*
 * May c stand in an unquoted authserv-id? token of RFC 2045, octets of UTF-8
 * (RFC 8601 s2.5), and "/" before a job's id, which many write unquoted.
 */
static bool
is_id_octet(uint8_t c)
{
	return c > ' ' && c != 0x7f && strchr("()<>@,;:\\\"[]?=", c) == NULL;
}

/*
 * Read the authserv-id, quotes and quoted-pairs undone.
 *   out      ID_MAX octets
 *   result   false: none, or none that reads cleanly
 */
static bool
read_id(struct slice s, size_t *at, uint8_t *out, size_t *n)
{
	bool quoted = *at < s.n && s.p[*at] == '"';

	*n = 0;
	for (*at += quoted; *at < s.n; ++*at) {
		uint8_t c = s.p[*at];

		if (quoted && c == '"')
			break;
		if (quoted && c == '\\') {
			if (++*at == s.n)
				return false;
			c = s.p[*at];
		} else if (!quoted && !is_id_octet(c))
			break;
		if (*n == ID_MAX || c <= ' ' || c == 0x7f)
			return false;
		out[(*n)++] = c;
	}
	if (quoted && *at == s.n)
		return false;
	*at += quoted;
	return *n > 0;
}

/*
 * Step over the version behind the id, whichever it is (RFC 8601 s2.2 #3, s5
 * #11), and see that a ";" or the end follows.
 */
static bool
skip_version(struct slice s, size_t *at)
{
	size_t id_end = *at;

	if (!skip_cfws(s, at))
		return false;
	if (*at < s.n && *at > id_end)
		while (*at < s.n && s.p[*at] >= '0' && s.p[*at] <= '9')
			++*at;
	return skip_cfws(s, at) && (*at == s.n || s.p[*at] == ';');
}

static struct slice
without_dots(struct slice s)
{
	while (s.n > 0 && s.p[s.n - 1] == '.')
		s.n--;
	return s;
}

static bool
is_ascii(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] > 0x7f)
			return false;
	return true;
}

/*
 * One name against one of ours: case, a final dot and the form of its labels
 * (RFC 8601 s5 #4) make no difference.
 */
static bool
is_same_name(struct slice name, struct slice id)
{
	char a[DKIM_NAME_MAX + 1], b[DKIM_NAME_MAX + 1];

	name = without_dots(name);
	id = without_dots(id);
	if (slice_equal_nocase(name, id))
		return true;
	if (is_ascii(name) && is_ascii(id))
		return false;
	return dkim_domain_to_ascii(name, a) == 0 &&
	    dkim_domain_to_ascii(id, b) == 0 && strcmp(a, b) == 0;
}

/*
 * Does the id name us, with or without "/job"? One with octets above 127 that
 * is no domain does: nobody knows what a reader makes of it.
 */
static bool
is_ours(struct slice name, const struct slice *ids, size_t n)
{
	struct slice host = slice_sub(name, 0, slice_find(name, '/'));
	char ascii[DKIM_NAME_MAX + 1];
	size_t i;

	for (i = 0; i < n; i++)
		if (is_same_name(name, ids[i]) || is_same_name(host, ids[i]))
			return true;
	return !is_ascii(host) && dkim_domain_to_ascii(host, ascii) != 0;
}

/*
 * Is "dkim" anywhere in s, in whatever place?
 */
static bool
has_dkim(struct slice s)
{
	size_t i;

	for (i = 0; i + 4 <= s.n; i++)
		if (slice_equal_nocase(slice_sub(s, i, 4), slice_text("dkim")))
			return true;
	return false;
}

static bool
is_keyword_octet(uint8_t c)
{
	c = slice_lower(c);
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
	    c == '_';
}

/*
 * Step over the rest of a clause to its ";" or the end; false when a comment
 * or quoted-string has no end.
 */
static bool
skip_clause(struct slice s, size_t *at)
{
	bool quoted = false;

	while (*at < s.n && (quoted || s.p[*at] != ';')) {
		if (!quoted && s.p[*at] == '(') {
			if (!skip_comment(s, at))
				return false;
			continue;
		}
		if (s.p[*at] == '"')
			quoted = !quoted;
		else if (s.p[*at] == '\\')
			++*at;
		++*at;
	}
	return !quoted && *at <= s.n;
}

/*
 * Do clauses of the form "; method[/version]=..." (RFC 8601 s2.2 #6) or
 * "; none" make up all the rest?
 */
static bool
reads_cleanly(struct slice s, size_t at)
{
	while (at < s.n) {
		size_t begin;

		at++;		/* the ";" */
		if (!skip_cfws(s, &at))
			return false;
		if (at == s.n)
			return true;
		for (begin = at; at < s.n && is_keyword_octet(s.p[at]); at++)
			;
		if (at == begin || !skip_cfws(s, &at))
			return false;
		if (at < s.n && s.p[at] != '=' && s.p[at] != '/' &&
		    s.p[at] != ';')
			return false;
		if (!skip_clause(s, &at))
			return false;
	}
	return true;
}

enum dkim_authres_claim
dkim_authres_claims(struct slice value, const struct slice *ids, size_t n)
{
	uint8_t id[ID_MAX];
	size_t id_n, at = 0;

	/* RFC 8601 s5 #1, s7.8: malformed or oversized, it counts as ours */
	if (!skip_cfws(value, &at) || !read_id(value, &at, id, &id_n) ||
	    !skip_version(value, &at))
		return DKIM_AUTHRES_OURS_DKIM;
	if (!is_ours(slice_of(id, id_n), ids, n))
		return DKIM_AUTHRES_FOREIGN;
	if (has_dkim(slice_from(value, at)) || !reads_cleanly(value, at))
		return DKIM_AUTHRES_OURS_DKIM;
	return DKIM_AUTHRES_OURS;
}
