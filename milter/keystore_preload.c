/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KeyFile's key, at start and at reload.
 */

/* system */
#include <string.h>

/* this room */
#include "milter/cache.h"
#include "milter/conf_options.h"
#include "milter/keycache.h"
#include "milter/keylook.h"
#include "milter/keystore_own.h"

/*
 * From octets that were read before; the file of one that only root sees is
 * not looked at any more.
 */
static int
load_octets(struct keystore *store, struct keyrequest *request,
    struct slice octets, struct storedkey **out)
{
	struct keyfile_id id = { .size = STOREDKEY_FOREIGN };
	struct rsab_key *key;
	int r;

	r = keyload_octets(&store->form, request, octets, &key);
	if (r != 0)
		return r;
	if (keylook_can_read(&store->self, store->form.safe, request->path))
		(void)!keyfile_identify(request->path, &id);
	return storedkey_new(key, request->path, &id, out);
}

static int
check_algorithm(const struct conf *conf, struct keyrequest *request,
    const struct rsab_key *key)
{
	const char *algorithm = conf->options.signature_algorithm;
	bool ed25519 = rsab_key_type(key) == RSAB_ED25519;

	if (algorithm == NULL ||
	    ed25519 == (strcmp(algorithm, "ed25519-sha256") == 0))
		return 0;
	return keyrequest_fault(request, "%s%sthe key is %s, but "
	    "SignatureAlgorithm is %s; leave it out, the key decides",
	    request->path == NULL ? "" : request->path,
	    request->path == NULL ? "" : ": ", ed25519 ? "Ed25519" : "RSA",
	    algorithm);
}

static int
preload(struct keystore *store, const struct conf *conf,
    struct keyrequest *request, struct slice octets, enum fault *fault)
{
	struct storedkey *stored;
	int r;

	*fault = FAULT_ROW;
	if (request->key_row->source == KEY_SOURCE_URI)
		r = keyload(&store->form, &store->self, request, &stored);
	else
		r = load_octets(store, request, octets, &stored);
	if (r != 0)
		return r;
	r = keystore_judge(store, request, stored->key);
	if (r == 0) {
		r = check_algorithm(conf, request, stored->key);
		if (r != 0)
			*fault = FAULT_FATAL;
	}
	if (r == 0)
		r = cache_put(store->keys->cache, buf_slice(&request->name),
		    stored, 1);
	storedkey_unref(stored);
	return r;
}

int
keystore_preload(struct keystore *store, const struct conf *conf,
    const char *path, const uint8_t *octets, size_t n, struct report *report)
{
	struct row row = { .key = slice_text("") };
	struct keyrequest request;
	enum fault fault = FAULT_FATAL;
	struct option_where where;
	struct key_row key_row;
	int r;

	conf_key_file(path, &key_row);
	r = keyrequest_make(&store->form, &row, &key_row, NULL, &request);
	if (r == 0)
		r = preload(store, conf, &request, slice_of(octets, n),
		    &fault);
	if (r == DKIM_ERR_SYNTAX) {
		report_fault(report, fault, "%s: %s", conf_options_where(
		    &conf->options, "KeyFile", &where), request.reason);
		report->temporary += fault == FAULT_ROW && request.temporary;
	}
	keyrequest_clear(&request);
	return r;
}

int
keystore_keep(struct keystore *store, const struct keystore *old,
    const char *path)
{
	const struct row row = { .key = slice_text("") };
	struct storedkey *stored = NULL;
	struct keyrequest request;
	struct key_row key_row;
	int r;

	conf_key_file(path, &key_row);
	r = keyrequest_make(&old->form, &row, &key_row, NULL, &request);
	if (r == 0)
		stored = cache_get(old->keys->cache, buf_slice(&request.name));
	keyrequest_clear(&request);
	if (r != 0 || stored == NULL)
		return r != 0 ? r : DKIM_ERR_ARGUMENT;
	/* RSABackend is part of the name, and may be another one now */
	r = keyrequest_make(&store->form, &row, &key_row, NULL, &request);
	if (r == 0)
		r = cache_put(store->keys->cache, buf_slice(&request.name),
		    stored, 1);
	keyrequest_clear(&request);
	storedkey_unref(stored);
	return r;
}
