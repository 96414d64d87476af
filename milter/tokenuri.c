/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts of pkcs11: URIs.
 */

/* this room */
#include "milter/tokenuri.h"

#define SCHEME		"pkcs11:"
#define PARTS_MAX	16	/* attributes that name a token: RFC 7512 has
				 * ten */

/* RFC 7512 s2.3: of the token, the slot, the library. */
static const char *const of_token[] = {
	"token=", "manufacturer=", "serial=", "model=", "slot-manufacturer=",
	"slot-description=", "slot-id=", "library-manufacturer=",
	"library-description=", "library-version=",
};

static bool
begins_with(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && memcmp(s.p, text, n) == 0;
}

bool
tokenuri_is(struct slice text)
{
	struct slice scheme = slice_text(SCHEME);

	return text.n >= scheme.n && slice_equal_nocase(slice_sub(text, 0,
	    scheme.n), scheme);
}

static struct slice
path_of(struct slice uri)
{
	size_t from = strlen(SCHEME);

	uri = slice_from(uri, from < uri.n ? from : uri.n);
	return slice_sub(uri, 0, slice_find(uri, '?'));
}

static bool
is_less(struct slice a, struct slice b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int r = n == 0 ? 0 : memcmp(a.p, b.p, n);

	return r < 0 || (r == 0 && a.n < b.n);
}

static bool
names_token(struct slice part)
{
	size_t i;

	for (i = 0; i < sizeof(of_token) / sizeof(of_token[0]); i++)
		if (begins_with(part, of_token[i]))
			return true;
	return false;
}

/*
 * The next part of a list; false at its end.
 */
static bool
next_part(struct slice *rest, uint8_t between, struct slice *part)
{
	size_t n;

	if (rest->n == 0)
		return false;
	n = slice_find(*rest, between);
	*part = slice_sub(*rest, 0, n);
	*rest = slice_from(*rest, n < rest->n ? n + 1 : n);
	return true;
}

void
tokenuri_token(struct slice uri, struct buf *out)
{
	struct slice rest = path_of(uri), part, parts[PARTS_MAX];
	size_t n = 0, i;

	while (n < PARTS_MAX && next_part(&rest, ';', &part)) {
		if (!names_token(part))
			continue;
		for (i = n++; i > 0 && is_less(part, parts[i - 1]); i--)
			parts[i] = parts[i - 1];
		parts[i] = part;
	}
	buf_add_text(out, SCHEME);
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_add_octet(out, ';');
		buf_add(out, parts[i]);
	}
}

static int
hex(uint8_t c)
{
	c = slice_lower(c);
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
add_decoded(struct slice text, struct buf *out)
{
	size_t i;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] == '%' && text.n - i > 2 &&
		    hex(text.p[i + 1]) >= 0 && hex(text.p[i + 2]) >= 0) {
			buf_add_octet(out, (uint8_t)(hex(text.p[i + 1]) << 4 |
			    hex(text.p[i + 2])));
			i += 2;
		} else
			buf_add_octet(out, text.p[i]);
	}
}

void
tokenuri_pin_source(struct slice uri, struct buf *out)
{
	size_t at = slice_find(uri, '?');
	struct slice rest = slice_from(uri, at < uri.n ? at + 1 : at), part;

	while (next_part(&rest, '&', &part)) {
		if (!begins_with(part, "pin-source="))
			continue;
		part = slice_from(part, strlen("pin-source="));
		if (begins_with(part, "file:"))
			part = slice_from(part, strlen("file:"));
		/* file:///path has an empty host (RFC 8089 s2) */
		if (begins_with(part, "///"))
			part = slice_from(part, 2);
		add_decoded(part, out);
		return;
	}
}
