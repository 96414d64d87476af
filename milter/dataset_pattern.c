/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of a refile: their form, globs, translation to POSIX.
 */

/* this room */
#include "dataset_pattern.h"

static bool
is_live(uint8_t c)
{
	switch (c) {
	case '^': case '$': case '[': case ']': case '(': case ')':
	case '{': case '}': case '?': case '|': case '\\':
		return true;
	default:
		return false;
	}
}

enum dataset_form
dataset_pattern_form(struct slice pattern)
{
	size_t i;

	for (i = 0; i < pattern.n; i++)
		if (is_live(pattern.p[i]))
			return DATASET_FORM_LIVE;
	if (slice_find(pattern, '*') == pattern.n)
		return DATASET_FORM_LITERAL;
	if (pattern.p[pattern.n - 1] != '*')
		return DATASET_FORM_SUFFIX;
	return pattern.p[0] != '*' ? DATASET_FORM_PREFIX : DATASET_FORM_GLOB;
}

struct slice
dataset_pattern_suffix(struct slice pattern)
{
	size_t at = pattern.n;

	while (at > 0 && pattern.p[at - 1] != '*')
		at--;
	return slice_from(pattern, at);
}

bool
dataset_pattern_glob(struct slice pattern, struct slice key, bool nocase)
{
	size_t p = 0, k = 0, star = SIZE_MAX, resume = 0;

	while (k < key.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			resume = k;
		} else if (p < pattern.n && (pattern.p[p] == key.p[k] ||
		    (nocase && slice_lower(pattern.p[p]) ==
		    slice_lower(key.p[k])))) {
			p++;
			k++;
		} else if (star != SIZE_MAX) {
			/* the last star takes one octet more */
			p = star + 1;
			k = ++resume;
		} else
			return false;
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

/*
 * Octets of the bracket expression that begins at in.p[0], or all of in when
 * it does not end (regcomp says so then).
 */
static size_t
bracket_length(struct slice in)
{
	size_t i = 1;
	uint8_t kind;

	if (i < in.n && in.p[i] == '^')
		i++;
	if (i < in.n && in.p[i] == ']')
		i++;
	while (i < in.n && in.p[i] != ']') {
		kind = i + 1 < in.n && in.p[i] == '[' ? in.p[i + 1] : 0;
		if (kind != ':' && kind != '.' && kind != '=') {
			i++;
			continue;
		}
		for (i += 2; i < in.n && !(in.p[i] == ']' &&
		    in.p[i - 1] == kind); i++)
			;
		if (i < in.n)
			i++;
	}
	return i < in.n ? i + 1 : in.n;
}

/*
 * The larger number of a repetition "{n,m}" that begins at in.p[0].
 */
static unsigned
repeat_count(struct slice in)
{
	unsigned n = 0, largest = 1;
	size_t i;

	for (i = 1; i < in.n && in.p[i] != '}'; i++) {
		n = in.p[i] >= '0' && in.p[i] <= '9' && n < 100000 ?
		    n * 10 + (unsigned)(in.p[i] - '0') : 0;
		if (n > largest)
			largest = n;
	}
	return largest;
}

/*
 * Octets that the escape at in.p[0] takes; 0: a back-reference.
 */
static size_t
escape_length(struct slice in)
{
	if (in.n > 1 && in.p[1] >= '1' && in.p[1] <= '9')
		return 0;
	return in.n > 1 ? 2 : 1;
}

/*
 * One element of the pattern, appended to out at *n.
 *   take     its octets in the pattern; 0: refused
 */
static size_t
put_element(struct slice in, char *out, size_t *n)
{
	size_t take = 1;

	switch (in.p[0]) {
	case '*':
		out[(*n)++] = '.';
		break;
	case '.':
	case '+':
		out[(*n)++] = '\\';
		break;
	case '[':
		take = bracket_length(in);
		break;
	case '\\':
		take = escape_length(in);
		break;
	default:
		break;
	}
	memcpy(out + *n, in.p, take);
	*n += take;
	return take;
}

int
dataset_pattern_ere(struct slice pattern, char out[DATASET_PATTERN_ERE_MAX],
    const char **reason)
{
	size_t i, take, n = 0;
	unsigned long repeats = 1;

	if (pattern.n > DATASET_PATTERN_MAX) {
		*reason = "longer than 1024 octets";
		return DKIM_ERR_SYNTAX;
	}
	out[n++] = '^';
	out[n++] = '(';
	for (i = 0; i < pattern.n; i += take) {
		if (pattern.p[i] == '{')
			repeats *= repeat_count(slice_from(pattern, i));
		if (repeats > DATASET_PATTERN_REPEAT_MAX) {
			*reason = "repetitions {n,m} of more than 1000 in all";
			return DKIM_ERR_SYNTAX;
		}
		take = put_element(slice_from(pattern, i), out, &n);
		if (take == 0) {
			*reason = "back-references are not supported";
			return DKIM_ERR_SYNTAX;
		}
	}
	out[n++] = ')';
	out[n++] = '$';
	out[n] = '\0';
	return 0;
}
