/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pkcs11: URIs (RFC 7512) as far as a program has to understand them that
 * loads no Cryptoki: which attributes stand there, and whether they may. What
 * they name is found by the helper, with p11-kit's parser, which checks again.
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
	const char	*refused;	/* why; NULL: it may stand there */
} attributes[] = {
	{ "token", false, NULL },
	{ "manufacturer", false, NULL },
	{ "serial", false, NULL },
	{ "model", false, NULL },
	{ "library-manufacturer", false, NULL },
	{ "library-version", false, NULL },
	{ "library-description", false, NULL },
	{ "object", false, NULL },
	{ "type", false, NULL },
	{ "id", false, NULL },
	{ "slot-manufacturer", false, NULL },
	{ "slot-description", false, NULL },
	{ "slot-id", false, NULL },
	{ "pin-source", true, NULL },
	{ "pin-value", true, NULL },
	{ "module-name", true,
	    "module-name is not allowed: the module stands in the "
	    "configuration file" },
	{ "module-path", true,
	    "module-path is not allowed: the module stands in the "
	    "configuration file" },
};

#define ATTRIBUTES	(sizeof attributes / sizeof attributes[0])

/* One "name=value" of a URI. */
struct pair {
	const char	*name, *value;
	size_t		 name_n, value_n;
};

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
		if (p[i] == '%' && (n - i < 3 || !is_hex_digit(p[i + 1]) ||
		    !is_hex_digit(p[i + 2])))
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

		if (c == '%') {
			c = (char)(hex_digit(pair.value[i + 1]) << 4 |
			    hex_digit(pair.value[i + 2]));
			i += 2;
		}
		out[n++] = c;
	}
	return n;
}

/*
 * A plain file by its full path. RFC 7512 s2.4 leaves the meaning to the
 * program; "|command" is one of its examples, which nobody wants here.
 */
static const char *
pin_source_refused(struct pair pair)
{
	static const char file[] = "file:";
	char text[RSAB_TOKEN_URI_MAX];
	size_t n = decode(pair, text, sizeof text), skip = 0;

	if (memchr(text, '\0', n) != NULL)
		return "pin-source has a NUL in it";
	if (n > 0 && text[0] == '|')
		return "pin-source is a command, which is never run; name a "
		    "file";
	if (n >= sizeof file - 1 && memcmp(text, file, sizeof file - 1) == 0)
		skip = sizeof file - 1;
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
	const char *query, *why;
	struct pair at = { .name = "", .name_n = 0 };

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
	uri += SCHEME;
	n -= SCHEME;
	query = memchr(uri, '?', n);
	why = part_refused(uri, query == NULL ? n : (size_t)(query - uri),
	    false, pin_value, &at);
	if (why == NULL && query != NULL)
		why = part_refused(query + 1, n - (size_t)(query - uri) - 1,
		    true, pin_value, &at);
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
	const char *query = memchr(uri, '?', n);
	size_t path = query == NULL ? n : (size_t)(query - uri), at = 0;
	bool empty = path == SCHEME;

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
