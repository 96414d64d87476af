/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private keys that are looked for: paths and names.
 */

/* system */
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/cache.h"
#include "milter/keyrequest.h"
#include "milter/textfile.h"

#define HASH_OCTETS	32

int
keyrequest_fault(struct keyrequest *request, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(request->reason, sizeof(request->reason), format, args);
	va_end(args);
	return DKIM_ERR_SYNTAX;
}

/* "%" of a path stands for the domain, which passed the strict grammar. */
static int
make_path(const struct keyrequest_form *form, struct keyrequest *request)
{
	struct slice key = request->key_row->key;
	struct buf path;
	size_t i;
	int r;

	buf_init(&path, KEYREQUEST_PATH_MAX);
	for (i = 0; i < key.n; i++) {
		if (key.p[i] == '\0') {
			buf_clear(&path);
			return keyrequest_fault(request, "the path has a NUL");
		}
		if (key.p[i] != '%')
			buf_add_octet(&path, key.p[i]);
		else if (request->domain != NULL)
			buf_add_text(&path, request->domain);
		else
			break;
	}
	r = buf_end(&path);
	if (i < key.n && r == 0)
		r = keyrequest_fault(request, "no domain is known for the %% "
		    "in the path");
	else if (r == DKIM_ERR_LIMIT)
		r = keyrequest_fault(request, "the path is over %d octets",
		    KEYREQUEST_PATH_MAX);
	if (r == 0)
		r = textfile_path(form->base, buf_slice(&path),
		    &request->path);
	buf_clear(&path);
	return r;
}

/* A key in a token always uses its token, whatever RSABackend says. */
static const char *
backend_of(const struct keyrequest_form *form,
    const struct keyrequest *request)
{
	return request->key_row->source == KEY_SOURCE_URI ? "token" :
	    rsab_backend_name(form->backend);
}

/*
 * The cache's name of a key: backend, kind, and path or hash of the text, so
 * that no secret is a name.
 */
static int
make_name(const struct keyrequest_form *form, struct keyrequest *request)
{
	struct slice key = request->key_row->key;
	uint8_t hash[HASH_OCTETS];
	size_t n = sizeof(hash);

	buf_add_text(&request->name, backend_of(form, request));
	if (request->path != NULL) {
		buf_add_text(&request->name, form->safe ? " safe " : " file ");
		buf_add_text(&request->name, request->path);
	} else {
		if (EVP_Q_digest(NULL, "SHA256", NULL, key.p, key.n, hash,
		    &n) != 1)
			return DKIM_ERR_CRYPTO;
		buf_add_text(&request->name, " text ");
		buf_add(&request->name, slice_of(hash, n));
	}
	return buf_end(&request->name);
}

/*
 * Row, domain and selector: what signs the same whatever file it is in and
 * whatever backend computes; but a token's key is another one than a file's.
 * The sender's domain only where it is part of the path: a check of the table
 * knows no sender.
 */
static int
make_alias(struct keyrequest *request)
{
	struct buf *b = &request->alias;

	buf_add_text(b, request->key_row->source == KEY_SOURCE_URI ?
	    "token row " : "row ");
	buf_add(b, request->row->key);
	buf_add_octet(b, 0);
	buf_add(b, request->key_row->domain);
	buf_add_octet(b, 0);
	buf_add(b, request->key_row->selector);
	buf_add_octet(b, 0);
	if (request->domain != NULL && request->path != NULL &&
	    slice_find(request->key_row->key, '%') < request->key_row->key.n)
		buf_add_text(b, request->domain);
	return buf_end(b);
}

int
keyrequest_make(const struct keyrequest_form *form, const struct row *row,
    const struct key_row *key_row, const char *domain, struct keyrequest *out)
{
	int r = 0;

	out->row = row;
	out->key_row = key_row;
	out->domain = domain;
	out->path = NULL;
	out->reason[0] = '\0';
	out->temporary = false;
	buf_init(&out->name, CACHE_KEY_MAX);
	buf_init(&out->alias, CACHE_KEY_MAX);
	if (key_row->source == KEY_SOURCE_FILE)
		r = make_path(form, out);
	if (r == 0)
		r = make_name(form, out);
	if (r == 0)
		r = make_alias(out);
	if (r == DKIM_ERR_LIMIT)
		r = keyrequest_fault(out, "the row is too long");
	return r;
}

void
keyrequest_clear(struct keyrequest *request)
{
	free(request->path);
	buf_clear(&request->name);
	buf_clear(&request->alias);
}

void
keyrequest_place(const struct keyrequest *request, char *out, size_t size)
{
	const struct row *row = request->row;
	struct report_octets text;

	report_octets(&text, row->key);
	if (row->file != NULL && row->line > 0)
		snprintf(out, size, "%s:%u: key \"%s\"", row->file, row->line,
		    text.text);
	else if (row->file != NULL)
		snprintf(out, size, "%s: key \"%s\"", row->file, text.text);
	else if (row->key.n > 0)
		snprintf(out, size, "key \"%s\"", text.text);
	else
		snprintf(out, size, "KeyFile");
}
