/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words that structured field bodies are made of; see rfc5322.h.
 */

/* this room */
#include "rfc5322.h"

/*
 * atext of RFC 5322 s3.2.3 and octets of UTF-8 (RFC 6532 s3.2).
 */
static bool
is_atext(uint8_t c)
{
	uint8_t l = slice_lower(c);

	if ((l >= 'a' && l <= 'z') || (c >= '0' && c <= '9') || c >= 0x80)
		return true;
	return c != '\0' && strchr("!#$%&'*+-/=?^_`{|}~", c) != NULL;
}

static bool
is_special(uint8_t c)
{
	return c != '\0' && strchr("()<>[]:;@\\,.", c) != NULL;
}

/*
 * Offset behind the comment that begins at octet at, or body.n + 1 when it has
 * no end.
 */
static size_t
skip_comment(struct slice body, size_t at)
{
	size_t depth = 0;

	for (; at < body.n; at++) {
		if (body.p[at] == '\\') {
			at++;
		} else if (body.p[at] == '(') {
			if (++depth > RFC5322_COMMENT_DEPTH)
				break;
		} else if (body.p[at] == ')' && --depth == 0) {
			return at + 1;
		}
	}
	return body.n + 1;
}

static size_t
skip_cfws(struct slice body, size_t at)
{
	while (at < body.n) {
		if (slice_is_white(body.p[at]))
			at++;
		else if (body.p[at] == '(')
			at = skip_comment(body, at);
		else
			break;
	}
	return at;
}

/*
 * Offset behind the octet close that ends what begins at octet at, or
 * body.n + 1.
 */
static size_t
skip_quoted(struct slice body, size_t at, uint8_t close)
{
	for (at++; at < body.n; at++) {
		if (body.p[at] == '\\')
			at++;
		else if (body.p[at] == close)
			return at + 1;
		else if (body.p[at] == '[' && close == ']')
			break;
		if (at < body.n && body.p[at] == '\0')
			break;
	}
	return body.n + 1;
}

struct rfc5322_word
rfc5322_next(struct slice body, size_t *at)
{
	struct rfc5322_word word = { .kind = RFC5322_BAD };
	size_t from = skip_cfws(body, *at), to;
	uint8_t c;

	*at = from > body.n ? body.n : from;
	word.at = *at;
	if (from >= body.n) {
		if (from == body.n)
			word.kind = RFC5322_END;
		return word;
	}
	c = body.p[from];
	to = from + 1;
	if (is_atext(c)) {
		word.kind = RFC5322_ATOM;
		while (to < body.n && is_atext(body.p[to]))
			to++;
	} else if (c == '"') {
		word.kind = RFC5322_QUOTED;
		to = skip_quoted(body, from, '"');
	} else if (c == '[') {
		word.kind = RFC5322_LITERAL;
		to = skip_quoted(body, from, ']');
	} else if (is_special(c)) {
		word.kind = RFC5322_SPECIAL;
	} else {
		return word;
	}
	if (to > body.n) {
		word.kind = RFC5322_BAD;
		return word;
	}
	word.raw = slice_sub(body, from, to - from);
	*at = to;
	return word;
}

bool
rfc5322_is(struct rfc5322_word word, uint8_t special)
{
	return word.kind == RFC5322_SPECIAL && word.raw.p[0] == special;
}

/*
 * Put what word means to p; octets written.
 */
static size_t
put_word(struct rfc5322_word word, uint8_t *p)
{
	size_t i, n = 0, from = 0, to = word.raw.n;
	bool literal = word.kind == RFC5322_LITERAL;
	uint8_t c;

	if (word.kind == RFC5322_QUOTED) {
		from++;
		to--;
	}
	for (i = from; i < to; i++) {
		c = word.raw.p[i];
		if (c == '\\' && word.kind != RFC5322_SPECIAL && i + 1 < to) {
			p[n++] = word.raw.p[++i];
			continue;
		}
		/* RFC 5322 s2.2.3: the fold goes, its white space stays */
		if (c == '\r' || c == '\n' || (literal && slice_is_white(c)))
			continue;
		p[n++] = c;
	}
	return n;
}

int
rfc5322_plain(struct slice raw, struct arena *a, struct slice *out)
{
	struct rfc5322_word word;
	size_t i, at = 0, n = 0;
	uint8_t *p;

	for (i = 0; i < raw.n; i++)
		if (!is_atext(raw.p[i]) && raw.p[i] != '.')
			break;
	if (i == raw.n) {
		*out = raw;
		return 0;
	}
	if ((p = arena_alloc(a, raw.n)) == NULL)
		return DKIM_ERR_NOMEM;
	for (;;) {
		word = rfc5322_next(raw, &at);
		if (word.kind == RFC5322_END || word.kind == RFC5322_BAD)
			break;
		n += put_word(word, &p[n]);
	}
	*out = slice_of(p, n);
	return 0;
}
