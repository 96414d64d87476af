/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which well-known change of a header makes its hash the one that was signed:
 * the trying; see headsearch.h.
 */

/* this room */
#include "canon.h"
#include "headsearch.h"

int
headsearch_begin(struct headsearch *s)
{
	int r;

	s->alg = s->field->header_canon;
	s->own_alg = s->alg;
	s->own_name = dkim_header_name(s->header, s->own);
	s->own_end = false;
	s->tries = 0;
	s->octets = 0;
	s->spent = false;
	s->error = 0;
	s->edits_n = 0;
	s->changes_n = 0;
	s->room = 0;
	r = signedset_make(s->header, s->field, s->own, s->arena, &s->set);
	if (r != 0)
		return r;
	return signedset_bare(dkim_header_value(s->header, s->own), s->field,
	    s->arena, &s->own_value);
}

static int
hash_header(struct headsearch *s, uint8_t out[DIGEST_SIZE])
{
	struct digest digest;
	struct sink sink = { digest_sink, &digest };
	const struct signedset_field *field;
	size_t i;
	int r;

	if ((r = digest_init(&digest, s->lib)) != 0)
		return r;
	for (i = 0; i < s->set.n; i++) {
		field = &s->set.fields[i];
		if (!field->present)
			continue;
		canon_field(s->alg, field->name, field->value, &sink);
		/* what is read, since blanks give next to no octets */
		s->octets += field->name.n + field->value.n;
	}
	s->octets += s->own_value.n;
	if (s->own_end)
		canon_field(s->own_alg, s->own_name, s->own_value, &sink);
	else
		canon_field_last(s->own_alg, s->own_name, s->own_value, &sink);
	r = digest_finish(&digest, out);
	digest_clear(&digest);
	return r;
}

/*
 * Ed25519: does the signature verify over this digest?
 */
static bool
verify(struct headsearch *s, const uint8_t digest[DIGEST_SIZE])
{
	struct rsab_job *jobs[] = { &s->job };

	s->job.key = s->key;
	s->job.op = RSAB_OP_VERIFY;
	s->job.hash = RSAB_SHA256;
	s->job.result = RSAB_ERR_BACKEND;
	memcpy(s->job.digest, digest, DIGEST_SIZE);
	memcpy(s->job.signature, s->field->signature, s->field->signature_len);
	s->job.signature_len = s->field->signature_len;
	rsab_run(s->worker, jobs, 1);
	if (s->job.result == RSAB_ERR_NOMEM)
		s->error = DKIM_ERR_NOMEM;
	else if (s->job.result == RSAB_ERR_BACKEND)
		s->error = DKIM_ERR_CRYPTO;
	return s->job.result == RSAB_OK;
}

bool
headsearch_try(struct headsearch *s)
{
	uint8_t digest[DIGEST_SIZE];

	if (s->error != 0)
		return false;
	if (s->tries >= HEADSEARCH_TRIES || s->octets >= HEADSEARCH_OCTETS) {
		s->spent = true;
		return false;
	}
	s->tries++;
	if ((s->error = hash_header(s, digest)) != 0)
		return false;
	return s->known ? memcmp(digest, s->digest, DIGEST_SIZE) == 0 :
	    verify(s, digest);
}

void
headsearch_push_edit(struct headsearch *s, const struct headsearch_edit *edit)
{
	assert(s->edits_n < HEADSEARCH_EDITS);
	s->edits[s->edits_n++] = *edit;
}

void
headsearch_push(struct headsearch *s, enum headsearch_kind kind,
    struct slice name, struct slice text)
{
	headsearch_push_edit(s, &(struct headsearch_edit){ .kind = kind,
	    .name = name, .text = text });
}

void
headsearch_pop(struct headsearch *s)
{
	assert(s->edits_n > 0);
	s->edits_n--;
}

void
headsearch_keep(struct headsearch *s, const struct headsearch_change *change)
{
	if (s->room == 0 || s->changes_n == HEADSEARCH_CHANGES)
		return;
	s->changes[s->changes_n++] = *change;
	s->room--;
}

bool
headsearch_try_field(struct headsearch *s, size_t i,
    const struct signedset_field *with, const struct headsearch_edit *edit)
{
	struct signedset_field saved = s->set.fields[i];

	headsearch_push_edit(s, edit);
	s->set.fields[i] = *with;
	if (headsearch_try(s))
		return true;
	s->set.fields[i] = saved;
	headsearch_pop(s);
	headsearch_keep(s, &(struct headsearch_change){ .edit = *edit,
	    .field = i, .with = *with });
	return false;
}

bool
headsearch_try_value(struct headsearch *s, size_t i, struct slice value,
    enum headsearch_kind kind, struct slice text)
{
	struct signedset_field with = s->set.fields[i];
	struct headsearch_edit edit = { .kind = kind,
	    .name = signedset_name(&with), .text = text };

	if (with.present && slice_equal(with.value, value))
		return false;
	if (!with.present)
		with.name = with.asked;
	with.present = true;
	with.value = value;
	return headsearch_try_field(s, i, &with, &edit);
}
