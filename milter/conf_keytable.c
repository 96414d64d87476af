/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A KeyTable row, taken apart: domain:selector:key[:alg] (BEHAVIOUR 3).
 */

/* system */
#include <stdlib.h>

/* this room */
#include "conf.h"
#include "textfile.h"
#include "tokenuri.h"

static bool
is_algorithm(struct slice s)
{
	return slice_is(s, "rsa-sha256") || slice_is(s, "rsa-sha1") ||
	    slice_is(s, "ed25519-sha256");
}

static bool
begins_with(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return s.n >= n && slice_is(slice_sub(s, 0, n), text);
}

/*
 * Base64 of DER, white space between: long enough to be a key, so that a
 * mistyped path is told from it.
 */
static bool
is_base64(struct slice s)
{
	size_t i, letters = 0;
	uint8_t c;

	for (i = 0; i < s.n; i++) {
		c = s.p[i];
		if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
			continue;
		if (c == '=')
			break;
		if (!((slice_lower(c) >= 'a' && slice_lower(c) <= 'z') ||
		    (c >= '0' && c <= '9') || c == '+' || c == '/'))
			return false;
		letters++;
	}
	for (; i < s.n; i++)
		if (s.p[i] != '=' && s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	return letters >= 60;	/* Ed25519 in PKCS#8 has 64 with padding */
}

static int
find_source(struct slice key, enum key_source *out, const char **reason)
{
	if (tokenuri_is(key)) {
		*out = KEY_SOURCE_URI;
		return 0;
	}
	if (begins_with(key, "/") || begins_with(key, "./") ||
	    begins_with(key, "../")) {
		/* no octet may hide the rest of a path */
		if (slice_find(key, '\0') < key.n) {
			*reason = "a NUL in the path";
			return DKIM_ERR_SYNTAX;
		}
		*out = KEY_SOURCE_FILE;
		return 0;
	}
	if (begins_with(key, "-----BEGIN ") || is_base64(key)) {
		*out = KEY_SOURCE_INLINE;
		return 0;
	}
	*reason = "the key is no path that begins with /, ./ or ../, no PEM "
	    "and no base64";
	return DKIM_ERR_SYNTAX;
}

/*
 * The text after the last colon is an algorithm only if it is exactly one:
 * a path or a URI may have colons.
 */
static void
split_algorithm(struct slice *key, struct slice *algorithm)
{
	size_t at = key->n;

	*algorithm = (struct slice){ key->p, 0 };
	while (at > 0 && key->p[at - 1] != ':')
		at--;
	if (at == 0 || !is_algorithm(slice_trim(slice_from(*key, at))))
		return;
	*algorithm = slice_trim(slice_from(*key, at));
	*key = slice_trim(slice_sub(*key, 0, at - 1));
}

static int
check_names(const struct key_row *row, const char **reason)
{
	char ascii[DKIM_NAME_MAX + 1];
	int error;

	if (!slice_is(row->domain, "%")) {
		error = dkim_domain_to_ascii(row->domain, ascii);
		if (error == DKIM_ERR_SYNTAX)
			*reason = "the first part is no domain, as example.com "
			    "or %";
		if (error != 0)
			return error;
	}
	error = dkim_selector_to_ascii(row->selector, ascii);
	if (error == DKIM_ERR_SYNTAX)
		*reason = "the second part is no selector: labels of letters, "
		    "digits, - and _";
	return error;
}

int
conf_key_row(struct slice value, struct key_row *out, const char **reason)
{
	struct key_row row;
	size_t first = slice_find(value, ':'), second;
	struct slice rest;
	int error;

	*reason = "wanted is domain:selector:key";
	if (first == value.n)
		return DKIM_ERR_SYNTAX;
	rest = slice_from(value, first + 1);
	second = slice_find(rest, ':');
	if (second == rest.n)
		return DKIM_ERR_SYNTAX;
	row.domain = slice_trim(slice_sub(value, 0, first));
	row.selector = slice_trim(slice_sub(rest, 0, second));
	row.key = slice_trim(slice_from(rest, second + 1));
	row.pin_value = false;
	split_algorithm(&row.key, &row.algorithm);
	if (row.domain.n == 0 || row.selector.n == 0 || row.key.n == 0)
		return DKIM_ERR_SYNTAX;
	if ((error = check_names(&row, reason)) != 0 ||
	    (error = find_source(row.key, &row.source, reason)) != 0)
		return error;
	*out = row;
	return 0;
}

void
conf_key_file(const char *text, struct key_row *out)
{
	bool is_uri = tokenuri_is(slice_text(text));

	*out = (struct key_row){
		.key = slice_text(text),
		.source = is_uri ? KEY_SOURCE_URI : KEY_SOURCE_FILE,
		.pin_value = is_uri,
	};
}

/*
 * May this domain stand for "%" in a path? What dkim_domain_to_ascii gives:
 * no "/", no "..", no NUL, no "%".
 */
static bool
is_safe(const char *domain)
{
	char ascii[DKIM_NAME_MAX + 1];

	return dkim_domain_to_ascii(slice_text(domain), ascii) == 0 &&
	    strcmp(ascii, domain) == 0;
}

int
conf_key_path(const struct key_row *row, const char *domain, const char *base,
    char **out)
{
	struct buf b;
	size_t i;
	int error;

	if (row->source != KEY_SOURCE_FILE)
		return DKIM_ERR_ARGUMENT;
	buf_init(&b, DATASET_LINE_MAX * 2);
	for (i = 0; i < row->key.n; i++)
		if (row->key.p[i] != '%')
			buf_add_octet(&b, row->key.p[i]);
		else if (domain != NULL && is_safe(domain))
			buf_add_text(&b, domain);
		else {
			buf_clear(&b);
			return DKIM_ERR_SYNTAX;
		}
	if ((error = buf_end(&b)) == 0)
		error = textfile_path(base, buf_slice(&b), out);
	buf_clear(&b);
	return error;
}
