/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tag-list (RFC 6376 s3.2) and what stands in tag values; see taglist.h.
 */

/* this room */
#include "taglist.h"

#define NUMBER_DIGITS	76	/* RFC 6376 s3.5 #55 */

/*
 * RFC 6376 s3.2 #3: tag-name = ALPHA *(ALPHA / DIGIT / "_")
 */
static bool
is_tag_name(struct slice s)
{
	size_t i;
	uint8_t c;

	for (i = 0; i < s.n; i++) {
		c = slice_lower(s.p[i]);
		if (c >= 'a' && c <= 'z')
			continue;
		if (i == 0 || !((c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return s.n > 0;
}

/*
 * Is none of eight octets below 0x21, and none 0x7f? A borrow that begins in
 * one octet only ever says no to others, too.
 */
static bool
is_solid(uint64_t eight)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t del = eight ^ 0x7f * ones;

	return ((((eight - 0x21 * ones) & ~eight) |
	    ((del - ones) & ~del)) & 0x80 * ones) == 0;
}

/*
 * RFC 6376 s3.2 #4: VALCHAR and FWS, and octets of UTF-8 (RFC 8616 s5 #2).
 */
static bool
is_tag_value(struct slice s)
{
	uint64_t eight;
	size_t i = 0;

	while (i < s.n) {
		if (s.n - i >= sizeof(eight)) {
			memcpy(&eight, &s.p[i], sizeof(eight));
			if (is_solid(eight)) {
				i += sizeof(eight);
				continue;
			}
		}
		if ((s.p[i] < 0x21 && !slice_is_white(s.p[i])) ||
		    s.p[i] == 0x7f)
			return false;
		i++;
	}
	return true;
}

/*
 * RFC 6376 s3.2 #6: names that differ in case are two.
 */
static bool
has_name(const struct taglist *list, struct slice name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (slice_equal(list->tags[i].name, name))
			return true;
	return false;
}

/*
 * One tag-spec, at octet at of the list.
 */
static int
parse_spec(struct slice spec, size_t at, struct taglist *out)
{
	struct tag *tag;
	size_t equals = slice_find(spec, '=');
	struct slice name = slice_trim(slice_sub(spec, 0, equals));

	if (equals == spec.n || !is_tag_name(name))
		return DKIM_ERR_SYNTAX;
	/* RFC 6376 s3.2 #9: tags with duplicate names MUST NOT occur */
	if (has_name(out, name)) {
		out->twice = name;
		return DKIM_ERR_SYNTAX;
	}
	if (out->n == DKIM_TAGS_MAX)
		return DKIM_ERR_LIMIT;
	tag = &out->tags[out->n++];
	tag->name = name;
	tag->value_at = at + equals + 1;
	tag->value_raw = spec.n - equals - 1;
	/* RFC 6376 s3.2 #5, #10: no white space at the ends; inside it is part
	 * of the value */
	tag->value = slice_trim(slice_from(spec, equals + 1));
	return is_tag_value(tag->value) ? 0 : DKIM_ERR_SYNTAX;
}

int
taglist_parse(struct slice in, struct taglist *out)
{
	struct slice spec;
	size_t at = 0, n;
	int r;

	out->n = 0;
	out->twice = slice_of(NULL, 0);
	while (at < in.n || out->n == 0) {
		n = slice_find(slice_from(in, at), ';');
		spec = slice_sub(in, at, n);
		/* RFC 6376 s3.2 #2: only the last one may be empty: behind
		 * the final ";" */
		if (at + n == in.n && out->n > 0 && slice_trim(spec).n == 0)
			break;
		if ((r = parse_spec(spec, at, out)) != 0)
			return r;
		if (at + n == in.n)
			break;
		at += n + 1;
	}
	return 0;
}

/*
 * RFC 6376 s3.2 #12, s3.5 #8, #11, s3.6.1 #3, s6.1.1 #3: a tag that nobody asks
 * for has no effect.
 */
const struct tag *
taglist_find(const struct taglist *list, const char *name)
{
	struct slice wanted = slice_text(name);
	size_t i;

	for (i = 0; i < list->n; i++)
		if (slice_equal(list->tags[i].name, wanted))
			return &list->tags[i];
	return NULL;
}

bool
taglist_next(struct slice *rest, uint8_t separator, struct slice *item)
{
	size_t n;

	if (rest->p == NULL)
		return false;
	n = slice_find(*rest, separator);
	*item = slice_trim(slice_sub(*rest, 0, n));
	*rest = n < rest->n ? slice_from(*rest, n + 1) : slice_of(NULL, 0);
	return true;
}

static int
hex_value(uint8_t c)
{
	c = slice_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
taglist_decode_qp(struct slice in, struct arena *a, struct slice *out)
{
	size_t i, n = 0;
	int high, low;
	uint8_t *p;

	*out = slice_of(NULL, 0);
	if ((p = arena_alloc(a, in.n)) == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < in.n; i++) {
		/* RFC 6376 s2.11 #6: FWS is no part of the value */
		if (slice_is_white(in.p[i]))
			continue;
		/* RFC 6376 s2.11 #8, RFC 8616 s5 #2: all else stands bare */
		if (in.p[i] < 0x21 || in.p[i] == 0x7f || in.p[i] == ';')
			return DKIM_ERR_SYNTAX;
		if (in.p[i] != '=') {
			p[n++] = in.p[i];
			continue;
		}
		/* RFC 6376 s2.11 #8, #9: two digits; never a soft line break */
		if (in.n - i < 3 || (high = hex_value(in.p[i + 1])) < 0 ||
		    (low = hex_value(in.p[i + 2])) < 0)
			return DKIM_ERR_SYNTAX;
		p[n++] = (uint8_t)(high * 16 + low);
		i += 2;
	}
	*out = slice_of(p, n);
	return 0;
}

void
taglist_encode_qp(struct slice in, const char *also, struct buf *out)
{
	/* RFC 6376 s2.11 #2: upper case */
	static const char hex[] = "0123456789ABCDEF";
	uint8_t c, code[3] = { '=' };
	size_t i;

	for (i = 0; i < in.n; i++) {
		c = in.p[i];
		/* RFC 6376 s2.11 #3, #4, s3.2 #1, s3.5 #10, #78: controls,
		 * white space, ";" and octets above 126 never stand bare */
		if (c >= 0x21 && c < 0x7f && c != ';' && c != '=' &&
		    slice_find(slice_text(also), c) == strlen(also)) {
			buf_add_octet(out, c);
			continue;
		}
		code[1] = (uint8_t)hex[c >> 4];
		code[2] = (uint8_t)hex[c & 15];
		buf_add(out, slice_of(code, sizeof(code)));
	}
}

int
taglist_number(struct slice in, uint64_t *out)
{
	uint64_t value = 0;
	unsigned digit;
	size_t i;

	if (in.n == 0 || in.n > NUMBER_DIGITS)
		return DKIM_ERR_SYNTAX;
	for (i = 0; i < in.n; i++) {
		if (in.p[i] < '0' || in.p[i] > '9')
			return DKIM_ERR_SYNTAX;
		digit = in.p[i] - (unsigned)'0';
		if (value > (UINT64_MAX - digit) / 10)
			value = UINT64_MAX;
		else
			value = value * 10 + digit;
	}
	*out = value;
	return 0;
}
