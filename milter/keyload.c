/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private keys from files, rows and tokens.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "milter/keyload.h"
#include "milter/log.h"
#include "milter/tokens.h"

#define SHOWN_MAX	512	/* octets of a URI in messages */

/*
 * A failure of rsab in words: what was loaded, why not, and what a token says.
 */
static int
fail(struct keyrequest *request, const char *what, int error,
    const struct rsab_token_detail *detail)
{
	bool in_token = detail != NULL && detail->text[0] != '\0';

	if (error == RSAB_ERR_NOMEM)
		return DKIM_ERR_NOMEM;
	request->temporary = error == RSAB_ERR_TOKEN;
	return keyrequest_fault(request, "%s%s%s%s%s", what,
	    what[0] == '\0' ? "" : ": ", rsab_strerror(error),
	    in_token ? ": " : "", in_token ? detail->text : "");
}

bool
keyload_imports(const struct keyrequest_form *form)
{
	return strcmp(rsab_backend_name(form->backend), "pkcs11") == 0;
}

int
keyload_octets(const struct keyrequest_form *form, struct keyrequest *request,
    struct slice octets, struct rsab_key **out)
{
	const char *path = request->path == NULL ? "" : request->path;
	struct rsab_token_detail detail = { "" };
	int r;

	if (keyload_imports(form) && form->tokens != NULL)
		r = tokens_import(form->tokens, octets, &detail, out);
	else
		r = rsab_key_load_private(form->backend, octets.p, octets.n,
		    out);
	return r == 0 ? 0 : fail(request, path, r, &detail);
}

static int
load_file(const struct keyrequest_form *form, const struct identity *self,
    struct keyrequest *request, struct storedkey **out)
{
	struct rsab_key *key;
	struct keyfile *file;
	int r;

	file = malloc(sizeof(*file));
	if (file == NULL)
		return DKIM_ERR_NOMEM;
	r = keyfile_read(request->path, self, form->safe, file);
	if (r != 0) {
		r = keyrequest_fault(request, "%s", file->reason);
	} else {
		if (file->reason[0] != '\0')
			log_limited(LOG_WARNING, request->path,
			    "key %s (RequireSafeKeys is no)", file->reason);
		r = keyload_octets(form, request, slice_of(file->octets,
		    file->n), &key);
		if (r == 0)
			r = storedkey_new(key, request->path, &file->id, out);
		keyfile_clear(file);
	}
	free(file);
	return r;
}

static int
load_uri(const struct keyrequest_form *form, struct keyrequest *request,
    struct storedkey **out)
{
	struct slice uri = request->key_row->key;
	struct rsab_token_detail detail;
	char shown[SHOWN_MAX];
	struct rsab_key *key;
	int r;

	if (form->tokens == NULL)
		return keyrequest_fault(request, "there are no tokens here");
	r = tokens_open(form->tokens, uri, request->key_row->pin_value,
	    &detail, &key);
	if (r == 0)
		return storedkey_new(key, NULL, NULL, out);
	rsab_token_uri_print((const char *)uri.p, uri.n, shown,
	    sizeof(shown));
	return fail(request, shown, r, &detail);
}

int
keyload(const struct keyrequest_form *form, const struct identity *self,
    struct keyrequest *request, struct storedkey **out)
{
	struct rsab_key *key;
	int r;

	switch (request->key_row->source) {
	case KEY_SOURCE_FILE:
		return load_file(form, self, request, out);
	case KEY_SOURCE_URI:
		return load_uri(form, request, out);
	case KEY_SOURCE_INLINE:
		break;
	}
	r = keyload_octets(form, request, request->key_row->key, &key);
	return r == 0 ? storedkey_new(key, NULL, NULL, out) : r;
}
