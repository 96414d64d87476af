/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures to compare with; see message_reference.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "message_reference.h"

#define TEXT_MAX	65536	/* octets of a field or record */

static int
wrong(const struct message_reference *r, const char *what, int error)
{
	warnx("libcrypto, %u bits: %s: %s", r->key->bits, what,
	    dkim_strerror(error));
	return error == DKIM_ERR_NOMEM ? EX_OSERR : EX_SOFTWARE;
}

/*
 * Index of character n of the signature in a field body, white space left out;
 * the field ends with it.
 */
static size_t
find_digit(const struct buf *field, size_t n)
{
	size_t i = field->n;

	while (i >= 2 && memcmp(field->p + i - 2, "b=", 2) != 0)
		i--;
	for (;; i++) {
		uint8_t c = field->p[i];

		if (c != ' ' && c != '\t' && c != '\r' && c != '\n' &&
		    n-- == 0)
			return i;
	}
}

/*
 * The base64 digit whose value has the lowest bit turned (RFC 4648 s4).
 */
static uint8_t
turned(uint8_t c)
{
	uint8_t base = c >= 'a' ? 'a' : c >= 'A' ? 'A' : '0';

	if (c == '+' || c == '/')
		return c == '+' ? '/' : '+';
	return (uint8_t)(((c - base) ^ 1) + base);
}

void
message_reference_corrupt(struct message_reference *r, size_t i,
    size_t number)
{
	/* of the full groups: in the last one some bits are not used */
	size_t digits = r->key->size / 3 * 4;
	size_t at = find_digit(&r->field[i], (number * 41 + 5) % digits);

	r->field[i].p[at] = turned(r->field[i].p[at]);
}

/*
 * The record that a domain would publish.
 */
static int
record_make(struct message_reference *r, const struct rsab_key *key)
{
	int e = dkim_key_record_print(key, false, false, &r->record);

	return e == 0 ? 0 : wrong(r, "key record", e);
}

int
message_reference_keyset(const struct message_reference *r,
    const struct rsab_backend *backend, struct dkim_keyset **out)
{
	struct slice record = buf_slice(&r->record);
	struct dkim_keyset *keyset;
	struct dkim_key_info info;
	int e = dkim_keyset_parse(backend, &record, 1, &keyset);

	if (e != 0)
		return wrong(r, "key record", e);
	dkim_keyset_info(keyset, 0, &info);
	if (info.error == NULL) {
		*out = keyset;
		return 0;
	}
	warnx("%s, %u bits: key record: %s", rsab_backend_name(backend),
	    r->key->bits, info.error);
	dkim_keyset_unref(keyset);
	return EX_SOFTWARE;
}

static int
sign_one(struct message_reference *r, struct rsab_key *key,
    struct rsab_worker *worker, size_t i)
{
	struct message_signing s = { 0 };
	struct rsab_job *job = &s.job;
	int e = message_sign_begin(&r->task, MESSAGE_NOW + i, key, &s);

	if (e != 0) {
		message_sign_drop(&s);
		return wrong(r, "signing", e);
	}
	rsab_run(worker, &job, 1);
	e = message_sign_end(&s, &r->field[i]);
	if (job->result == 0 && e == 0)
		return 0;
	if (job->result == 0)
		return wrong(r, "signing", e);
	warnx("libcrypto, %u bits: signing: %s", r->key->bits,
	    rsab_strerror(job->result));
	return EX_SOFTWARE;
}

static int
verify_one(struct message_reference *r, struct dkim_keyset *keyset,
    struct rsab_worker *worker, size_t i, bool want, struct buf *out)
{
	struct message_verifying v = { 0 };
	bool verdict = !want;
	int e = message_verify_begin(&r->task, MESSAGE_NOW + i,
	    buf_slice(&r->field[i]), dkim_keyset_ref(keyset), &v);

	if (e != 0)
		message_verify_drop(&v);
	else {
		rsab_run(worker, &v.job, 1);
		e = message_verify_end(&v, &verdict, out);
	}
	if (e != 0)
		return wrong(r, "verifying", e);
	if (verdict == want)
		return 0;
	warnx("libcrypto, %u bits: %s", r->key->bits, want ?
	    "a right signature does not verify" :
	    "a corrupted signature verifies");
	return EX_SOFTWARE;
}

/*
 * Keeps count of octets: those of the body's digest, which begins and ends
 * first, then those of the header's.
 */
struct count {
	size_t	octets[2];
	size_t	digest;
};

static void
count_call(void *context, enum dkim_digest_call call, size_t octets)
{
	struct count *count = context;

	if (call == DKIM_DIGEST_UPDATE && count->digest < 2)
		count->octets[count->digest] += octets;
	if (call == DKIM_DIGEST_FINAL)
		count->digest++;
}

static int
sign_all(struct message_reference *r, struct rsab_key *key,
    struct rsab_worker *worker)
{
	struct count count = { { 0 }, 0 };
	int status;

	dkim_lib_watch(r->lib, count_call, &count);
	status = sign_one(r, key, worker, 0);
	dkim_lib_watch(r->lib, NULL, NULL);
	memcpy(r->hashed, count.octets, sizeof r->hashed);
	for (size_t i = 1; i < REFERENCE_MESSAGES && status == 0; i++)
		status = sign_one(r, key, worker, i);
	return status;
}

static int
verify_all(struct message_reference *r, struct dkim_keyset *keyset,
    struct rsab_worker *worker)
{
	struct buf refused;
	int status = 0;

	buf_init(&refused, TEXT_MAX);
	for (size_t i = 0; i < REFERENCE_MESSAGES && status == 0; i++) {
		status = verify_one(r, keyset, worker, i, true,
		    &r->authres[i]);
		if (status != 0)
			break;
		message_reference_corrupt(r, i, i);
		status = verify_one(r, keyset, worker, i, false, &refused);
		message_reference_corrupt(r, i, i);
		buf_reset(&refused);
	}
	buf_clear(&refused);
	return status;
}

static int
fill(struct message_reference *r)
{
	const struct rsab_backend *backend;
	struct rsab_worker *worker = NULL;
	struct rsab_key *key = NULL;
	struct dkim_keyset *keyset;
	struct slice bad;
	int e, status;

	e = dkim_lib_new(&r->lib);
	if (e == 0)
		e = dkim_names_parse(DKIM_NAMES_SIGN,
		    slice_text(message_names), &r->names, &bad);
	if (e != 0)
		return wrong(r, "engine", e);
	r->task.lib = r->lib;
	r->task.names = r->names;
	e = rsab_backend_find("libcrypto", &backend);
	if (e == 0)
		e = rsab_key_load_private(backend,
		    (const uint8_t *)r->key->pem, r->key->pem_len, &key);
	if (e == 0)
		e = rsab_worker_new(&worker);
	if (e != 0) {
		rsab_key_unref(key);
		warnx("libcrypto: %s", rsab_strerror(e));
		return EX_SOFTWARE;
	}
	status = record_make(r, key);
	if (status == 0)
		status = sign_all(r, key, worker);
	if (status == 0)
		status = message_reference_keyset(r, backend, &keyset);
	if (status == 0) {
		status = verify_all(r, keyset, worker);
		dkim_keyset_unref(keyset);
	}
	rsab_worker_free(worker);
	rsab_key_unref(key);
	return status;
}

int
message_reference_make(const struct reference *key,
    const struct message *message, enum dkim_canon header_canon,
    enum dkim_canon body_canon, struct message_reference **out)
{
	struct message_reference *r = calloc(1, sizeof *r);
	int status;

	if (r == NULL) {
		warnx("no memory for a message");
		return EX_OSERR;
	}
	r->key = key;
	r->task = (struct message_task){ .message = message,
	    .header_canon = header_canon, .body_canon = body_canon };
	buf_init(&r->record, TEXT_MAX);
	for (size_t i = 0; i < REFERENCE_MESSAGES; i++) {
		buf_init(&r->field[i], TEXT_MAX);
		buf_init(&r->authres[i], TEXT_MAX);
	}
	status = fill(r);
	if (status == 0)
		*out = r;
	else
		message_reference_free(r);
	return status;
}

void
message_reference_free(struct message_reference *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < REFERENCE_MESSAGES; i++) {
		buf_clear(&r->field[i]);
		buf_clear(&r->authres[i]);
	}
	buf_clear(&r->record);
	dkim_names_free(r->names);
	dkim_lib_free(r->lib);
	free(r);
}
