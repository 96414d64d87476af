/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tag-list (RFC 6376 s3.2) and what stands in tag values; see taglist.h.
 */

/* this room */
#include "taglist.h"

#define NUMBER_DIGITS	76	/* RFC 6376 s3.5 l= */

static bool
is_white(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/*
 * tag-name = ALPHA *(ALPHA / DIGIT / "_")
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
 * VALCHAR and FWS, and octets of UTF-8 (RFC 8616 s5).
 */
static bool
is_tag_value(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if ((s.p[i] < 0x21 && !is_white(s.p[i])) || s.p[i] == 0x7f)
			return false;
	return true;
}

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
	/* RFC 6376 s3.2: tags with duplicate names MUST NOT occur */
	if (has_name(out, name))
		return DKIM_ERR_SYNTAX;
	if (out->n == DKIM_TAGS_MAX)
		return DKIM_ERR_LIMIT;
	tag = &out->tags[out->n++];
	tag->name = name;
	tag->value_at = at + equals + 1;
	tag->value_raw = spec.n - equals - 1;
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
	while (at < in.n || out->n == 0) {
		n = slice_find(slice_from(in, at), ';');
		spec = slice_sub(in, at, n);
		/* only the last one may be empty: behind the final ";" */
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

const struct tag *
taglist_find(const struct taglist *list, const char *name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (slice_is(list->tags[i].name, name))
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
		if (is_white(in.p[i]))
			continue;
		if (in.p[i] < 0x21 || in.p[i] == 0x7f || in.p[i] == ';')
			return DKIM_ERR_SYNTAX;
		if (in.p[i] != '=') {
			p[n++] = in.p[i];
			continue;
		}
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
	static const char hex[] = "0123456789ABCDEF";
	uint8_t c, code[3] = { '=' };
	size_t i;

	for (i = 0; i < in.n; i++) {
		c = in.p[i];
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
