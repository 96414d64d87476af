/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pkcs11: URIs (RFC 7512) as far as a program has to understand them that
 * loads no Cryptoki: which attributes stand there, whether they may, which name
 * the token and where its PIN is. What they name is found by the helper, with
 * p11-kit's parser, which checks again.
 */

/* system */
#include <stdio.h>
#include <string.h>

/* this room */
#include "token_detail.h"
#include "token_uri.h"

static const char scheme[] = "pkcs11:";

#define SCHEME	(sizeof scheme - 1)

/* Of RFC 7512 s2.3, and those that may not stand in a URI of ours. */
static const struct attribute {
	const char	*name;
	bool		 query;
	bool		 of_token;	/* the token, its slot, its library */
	const char	*refused;	/* why; NULL: it may stand there */
} attributes[] = {
	{ "token", false, true, NULL },
	{ "manufacturer", false, true, NULL },
	{ "serial", false, true, NULL },
	{ "model", false, true, NULL },
	{ "library-manufacturer", false, true, NULL },
	{ "library-version", false, true, NULL },
	{ "library-description", false, true, NULL },
	{ "object", false, false, NULL },
	{ "type", false, false, NULL },
	{ "id", false, false, NULL },
	{ "slot-manufacturer", false, true, NULL },
	{ "slot-description", false, true, NULL },
	{ "slot-id", false, true, NULL },
	{ "pin-source", true, false, NULL },
	{ "pin-value", true, false, NULL },
	{ "module-name", true, false,
	    "module-name is not allowed: the module stands in the "
	    "configuration file" },
	{ "module-path", true, false,
	    "module-path is not allowed: the module stands in the "
	    "configuration file" },
};

#define ATTRIBUTES	(sizeof attributes / sizeof attributes[0])

/* One "name=value" of a URI. */
struct pair {
	const char	*name, *value;
	size_t		 name_n, value_n;
};

/* The path and the query of a URI. */
struct parts {
	const char	*path, *query;	/* no query: NULL */
	size_t		 path_n, query_n;
};

static struct parts
parts_of(const char *uri, size_t n)
{
	size_t skip = n < SCHEME ? n : SCHEME;
	const char *mark = memchr(uri + skip, '?', n - skip);
	struct parts parts = { .path = uri + skip, .path_n = n - skip };

	if (mark != NULL) {
		parts.path_n = (size_t)(mark - parts.path);
		parts.query = mark + 1;
		parts.query_n = n - skip - parts.path_n - 1;
	}
	return parts;
}

static bool
is_named(struct pair pair, const char *name)
{
	return pair.name_n == strlen(name) &&
	    memcmp(pair.name, name, pair.name_n) == 0;
}

static bool
is_hex_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
	    (c >= 'A' && c <= 'F');
}

/*
 * Do n octets begin with a % and its two digits?
 */
static bool
is_escape(const char *p, size_t n)
{
	return n > 2 && p[0] == '%' && is_hex_digit(p[1]) &&
	    is_hex_digit(p[2]);
}

static unsigned
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return (unsigned)((c | 0x20) - 'a') + 10;
}

/*
 * RFC 7512 s2.3: pk11-pchar and pk11-qchar are printable; % begins two hex
 * digits.
 */
static bool
is_encoded(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] <= 0x20 || p[i] > 0x7e || p[i] == '"' ||
		    p[i] == '<' || p[i] == '>' || p[i] == '\\' || p[i] == '^' ||
		    p[i] == '`' || p[i] == '{' || p[i] == '}' ||
		    p[i] == '#')
			return false;
		if (p[i] == '%' && !is_escape(&p[i], n - i))
			return false;
	}
	return true;
}

/*
 * Take the next pair off the front.
 *   end      its separator: ';' in the path, '&' in the query
 */
static struct pair
next(const char **p, size_t *n, char end)
{
	const char *stop = memchr(*p, end, *n);
	size_t length = stop == NULL ? *n : (size_t)(stop - *p);
	const char *equals = memchr(*p, '=', length);
	struct pair pair = { .name = *p, .name_n = length };

	if (equals != NULL) {
		pair.name_n = (size_t)(equals - *p);
		pair.value = equals + 1;
		pair.value_n = length - pair.name_n - 1;
	}
	*p = stop == NULL ? *p + *n : stop + 1;
	*n -= length + (stop != NULL);
	return pair;
}

/*
 * Decode the start of a value.
 *   returns  octets written, at most size
 */
static size_t
decode(struct pair pair, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < pair.value_n && n < size; i++) {
		char c = pair.value[i];

		if (is_escape(&pair.value[i], pair.value_n - i)) {
			c = (char)(hex_digit(pair.value[i + 1]) << 4 |
			    hex_digit(pair.value[i + 2]));
			i += 2;
		}
		out[n++] = c;
	}
	return n;
}

size_t
token_uri_before_path(const char *text, size_t n)
{
	static const char file[] = "file:";
	size_t skip = 0;

	if (n >= sizeof file - 1 && memcmp(text, file, sizeof file - 1) == 0)
		skip = sizeof file - 1;
	if (n - skip >= 3 && memcmp(&text[skip], "///", 3) == 0)
		skip += 2;
	return skip;
}

/*
 * A plain file by its full path. RFC 7512 s2.4 leaves the meaning to the
 * program; "|command" is one of its examples, which nobody wants here.
 */
static const char *
pin_source_refused(struct pair pair)
{
	char text[RSAB_TOKEN_URI_MAX];
	size_t n = decode(pair, text, sizeof text), skip;

	if (memchr(text, '\0', n) != NULL)
		return "pin-source has a NUL in it";
	if (n > 0 && text[0] == '|')
		return "pin-source is a command, which is never run; name a "
		    "file";
	skip = token_uri_before_path(text, n);
	if (skip == n || text[skip] != '/')
		return "pin-source is not the full path of a file";
	return NULL;
}

/*
 * Why a pair may not stand there; NULL: it may.
 *   seen     in and out: bits of the attributes before it
 */
static const char *
pair_refused(struct pair pair, bool query, bool pin_value, uint32_t *seen)
{
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		if (!is_named(pair, attributes[i].name))
			continue;
		if (attributes[i].query != query)
			return query ? "an attribute of the path stands "
			    "behind the '?'" : "an attribute of the query "
			    "stands before the '?'";
		if (attributes[i].refused != NULL)
			return attributes[i].refused;
		/* RFC 7512 s2.3: an attribute MUST NOT stand there twice */
		if ((*seen & (uint32_t)1 << i) != 0)
			return "an attribute stands there twice";
		*seen |= (uint32_t)1 << i;
		if (is_named(pair, "pin-value"))
			return pin_value ? NULL : "pin-value is allowed in "
			    "the configuration file only; use pin-source";
		return is_named(pair, "pin-source") ?
		    pin_source_refused(pair) : NULL;
	}
	return "unknown attribute (see RFC 7512 s2.3)";
}

/*
 * All pairs of the path or the query.
 */
static const char *
part_refused(const char *p, size_t n, bool query, bool pin_value,
    struct pair *at)
{
	uint32_t seen = 0;

	while (n != 0) {
		const char *why;

		*at = next(&p, &n, query ? '&' : ';');
		if (at->value == NULL)
			return "an attribute has no '='";
		if ((why = pair_refused(*at, query, pin_value, &seen)) != NULL)
			return why;
	}
	return NULL;
}

int
rsab_token_uri_check(const char *uri, size_t n, bool pin_value,
    struct rsab_token_detail *detail)
{
	struct pair at = { .name = "", .name_n = 0 };
	struct parts parts;
	const char *why;

	if (n < SCHEME || memcmp(uri, scheme, SCHEME) != 0) {
		token_detail_set(detail, "a URI of a key in a token begins "
		    "with pkcs11:");
		return RSAB_ERR_URI;
	}
	if (n > RSAB_TOKEN_URI_MAX) {
		token_detail_set(detail, "URI of %zu octets; at most %d are "
		    "allowed", n, RSAB_TOKEN_URI_MAX);
		return RSAB_ERR_URI;
	}
	if (!is_encoded(uri, n)) {
		token_detail_set(detail, "the URI has a character that must be "
		    "written as %%XX (a blank is %%20)");
		return RSAB_ERR_URI;
	}
	parts = parts_of(uri, n);
	why = part_refused(parts.path, parts.path_n, false, pin_value, &at);
	if (why == NULL)
		why = part_refused(parts.query, parts.query_n, true,
		    pin_value, &at);
	if (why == NULL)
		return RSAB_OK;
	token_detail_set(detail, "%.*s: %s", (int)at.name_n, at.name, why);
	return RSAB_ERR_URI;
}

/*
 * Is a value of pin-value about to begin?
 */
static bool
at_secret(const char *p, size_t n)
{
	static const char name[] = "pin-value=";

	return n >= sizeof name - 1 && memcmp(p, name, sizeof name - 1) == 0;
}

void
rsab_token_uri_print(const char *uri, size_t n, char *out, size_t size)
{
	const size_t name = sizeof "pin-value=" - 1;
	size_t at = 0;

	if (size == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		bool secret = at_secret(&uri[i], n - i);
		size_t room = secret ? name + 3 : 1;

		if (size - at < room + 4) {
			snprintf(&out[at], size - at, "...");
			return;
		}
		if (!secret) {
			out[at++] = uri[i] > 0x20 && uri[i] <= 0x7e ? uri[i] :
			    '?';
			continue;
		}
		at += (size_t)snprintf(&out[at], size - at, "pin-value=***");
		/* RFC 7512 s2.3: & ends it; ; is a character like others */
		for (i += name; i < n && uri[i] != '&'; i++)
			;
		i--;
	}
	out[at] = '\0';
}

static bool
is_of_token(struct pair pair)
{
	for (size_t i = 0; i < ATTRIBUTES; i++)
		if (pair.value != NULL && attributes[i].of_token &&
		    is_named(pair, attributes[i].name))
			return true;
	return false;
}

/*
 * Octets of "name=value".
 */
static size_t
pair_size(struct pair pair)
{
	return pair.name_n + 1 + pair.value_n;
}

static bool
is_less(struct pair a, struct pair b)
{
	size_t a_n = pair_size(a), b_n = pair_size(b);
	int r = memcmp(a.name, b.name, a_n < b_n ? a_n : b_n);

	return r < 0 || (r == 0 && a_n < b_n);
}

size_t
rsab_token_uri_token(const char *uri, size_t n, char *out)
{
	struct pair pair, pairs[ATTRIBUTES];
	struct parts parts = parts_of(uri, n);
	size_t count = 0, at = SCHEME, i;

	if (n > RSAB_TOKEN_URI_MAX)
		return 0;
	while (parts.path_n != 0 && count < ATTRIBUTES) {
		pair = next(&parts.path, &parts.path_n, ';');
		if (!is_of_token(pair))
			continue;
		for (i = count++; i > 0 && is_less(pair, pairs[i - 1]); i--)
			pairs[i] = pairs[i - 1];
		pairs[i] = pair;
	}
	memcpy(out, scheme, SCHEME);
	for (i = 0; i < count; i++) {
		if (i > 0)
			out[at++] = ';';
		memcpy(&out[at], pairs[i].name, pair_size(pairs[i]));
		at += pair_size(pairs[i]);
	}
	return at;
}

size_t
rsab_token_uri_pin_source(const char *uri, size_t n, char *out)
{
	struct parts parts = parts_of(uri, n);
	struct pair pair;
	size_t skip;

	if (n > RSAB_TOKEN_URI_MAX)
		return 0;
	while (parts.query_n != 0) {
		pair = next(&parts.query, &parts.query_n, '&');
		if (pair.value == NULL || !is_named(pair, "pin-source"))
			continue;
		n = decode(pair, out, RSAB_TOKEN_URI_MAX);
		skip = token_uri_before_path(out, n);
		memmove(out, &out[skip], n - skip);
		return n - skip;
	}
	return 0;
}

static size_t
escaped(const uint8_t *p, size_t n, char *out)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < n; i++) {
		out[3 * i] = '%';
		out[3 * i + 1] = digits[p[i] >> 4];
		out[3 * i + 2] = digits[p[i] & 15];
	}
	return 3 * n;
}

size_t
token_uri_with_id(const char *uri, size_t n, const uint8_t *id, size_t id_n,
    char *out)
{
	static const char head[] = ";id=", tail[] = ";type=private";
	struct parts parts = parts_of(uri, n);
	size_t path = SCHEME + parts.path_n, at = 0;
	bool empty = parts.path_n == 0;

	if (n + sizeof head + sizeof tail + 3 * id_n > RSAB_TOKEN_URI_MAX)
		return 0;
	memcpy(out, uri, path);
	at = path;
	memcpy(&out[at], &head[empty], sizeof head - 1 - empty);
	at += sizeof head - 1 - empty;
	at += escaped(id, id_n, &out[at]);
	memcpy(&out[at], tail, sizeof tail - 1);
	at += sizeof tail - 1;
	memcpy(&out[at], &uri[path], n - path);
	return at + (n - path);
}
