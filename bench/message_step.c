/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message through the engine; see message_step.h.
 */

/* system */
#include <string.h>

/* this room */
#include "message_step.h"

/*
 * The header of the message, under a DKIM-Signature field where there is one.
 */
static int
header_make(struct slice field, struct dkim_header **out)
{
	int e = dkim_header_new(DKIM_HEADER_MAX, out);

	if (e != 0)
		*out = NULL;
	if (e == 0 && field.n > 0)
		e = dkim_header_add(*out, slice_text("DKIM-Signature"), field);
	for (size_t i = 0; i < MESSAGE_FIELDS && e == 0; i++)
		e = dkim_header_add(*out, message_fields[i].name,
		    message_fields[i].value);
	return e;
}

/*
 * The next chunk of a body of which *at octets were given.
 */
static struct slice
chunk(const struct message *message, size_t *at)
{
	size_t n = message->octets - *at;

	if (n > MESSAGE_CHUNK)
		n = MESSAGE_CHUNK;
	*at += n;
	return slice_of(message->body + *at - n, n);
}

/*
 * Make a job as if nothing had ever run: no result of a round before is left.
 */
static void
job_ready(struct rsab_job *job, struct rsab_key *key)
{
	job->key = key;
	job->result = RSAB_ERR_ARGUMENT;
	job->signature_len = 0;
	memset(job->signature, 0, rsab_key_signature_size(key));
}

int
message_sign_begin(const struct message_task *task, uint64_t now,
    struct rsab_key *key, struct message_signing *s)
{
	struct dkim_sign_options options = {
		.domain = slice_text(MESSAGE_DOMAIN),
		.selector = slice_text(MESSAGE_SELECTOR),
		.header_canon = task->header_canon,
		.body_canon = task->body_canon,
		.sign = task->names,
		.now = now,
		.key = key,
	};
	size_t at = 0, index;
	int e;

	s->signer = NULL;
	e = header_make(slice_of(NULL, 0), &s->header);
	if (e == 0)
		e = dkim_signer_new(task->lib, s->header, false, &s->signer);
	if (e == 0)
		e = dkim_signer_add(s->signer, &options, &index);
	while (e == 0 && at < task->message->octets)
		e = dkim_signer_body(s->signer, chunk(task->message, &at));
	if (e == 0)
		e = dkim_signer_body_end(s->signer);
	if (e == 0) {
		job_ready(&s->job, key);
		e = dkim_signer_job(s->signer, index, &s->job);
	}
	return e;
}

int
message_sign_end(struct message_signing *s, struct buf *out)
{
	int e = dkim_signer_field(s->signer, 0,
	    slice_of(s->job.signature, s->job.signature_len), "\r\n", out);

	message_sign_drop(s);
	return e;
}

void
message_sign_drop(struct message_signing *s)
{
	dkim_signer_free(s->signer);
	dkim_header_free(s->header);
	s->signer = NULL;
	s->header = NULL;
}

/*
 * What is verified, asked for its one key.
 */
static int
verifier_make(const struct message_task *task, uint64_t now,
    struct dkim_keyset *keyset, struct message_verifying *v)
{
	struct dkim_verify_options options = { .now = now };
	struct dkim_answer answer = { DKIM_ANSWER_FOUND, keyset,
	    DKIM_DNSSEC_INSECURE, NULL };
	int e = dkim_verifier_new(task->lib, v->header, &options,
	    &v->verifier);

	if (e != 0)
		v->verifier = NULL;
	else if (dkim_verifier_queries(v->verifier) != 1)
		e = DKIM_ERR_STATE;
	if (e != 0)
		dkim_keyset_unref(keyset);
	else
		dkim_verifier_answer(v->verifier, 0, answer);	/* moved */
	return e;
}

int
message_verify_begin(const struct message_task *task, uint64_t now,
    struct slice field, struct dkim_keyset *keyset,
    struct message_verifying *v)
{
	struct rsab_job *const *jobs;
	size_t at = 0, n;
	int e;

	v->verifier = NULL;
	e = header_make(field, &v->header);
	if (e != 0) {
		dkim_keyset_unref(keyset);
		return e;
	}
	e = verifier_make(task, now, keyset, v);
	while (e == 0 && at < task->message->octets)
		e = dkim_verifier_body(v->verifier, chunk(task->message, &at));
	if (e == 0)
		e = dkim_verifier_body_end(v->verifier);
	if (e == 0)
		e = dkim_verifier_jobs(v->verifier, &jobs, &n);
	if (e != 0)
		return e;
	if (n != 1)
		return DKIM_ERR_STATE;
	v->job = jobs[0];
	return 0;
}

int
message_verify_end(struct message_verifying *v, bool *verdict,
    struct buf *out)
{
	static const struct dkim_authres form = {
		.authserv_id = { (const uint8_t *)"mx." MESSAGE_DOMAIN,
		    sizeof "mx." MESSAGE_DOMAIN - 1 },
		.line_end = "\r\n",
	};
	const struct dkim_verdict *first;
	int e = dkim_verifier_judge(v->verifier);

	*verdict = false;
	if (e == 0) {
		first = dkim_verifier_verdict(v->verifier, 0);
		*verdict = first->result == DKIM_PASS &&
		    first->reason[0] == '\0';
		e = dkim_authres_print(&form, v->verifier, NULL, out);
	}
	message_verify_drop(v);
	return e;
}

void
message_verify_drop(struct message_verifying *v)
{
	dkim_verifier_free(v->verifier);
	dkim_header_free(v->header);
	v->verifier = NULL;
	v->header = NULL;
	v->job = NULL;
}
