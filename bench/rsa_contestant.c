/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend at work; see rsa_contestant.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "rsa_contestant.h"

const char *
rsa_contestant_path(const struct rsa_contestant *c)
{
	return c->token.place != NULL ? c->token.place->name :
	    rsab_key_path(c->key, c->op, c->batch);
}

/*
 * Make a job as if it had never run: no result of an earlier round is left.
 */
static void
job_ready(const struct rsa_contestant *c, struct rsab_job *job)
{
	job->result = RSAB_ERR_ARGUMENT;
	if (c->op == RSAB_OP_VERIFY)
		return;
	job->signature_len = 0;
	memset(job->signature, 0, c->reference->size);
}

/*
 * Is the result of job i what libcrypto alone has?
 */
static bool
job_is_right(const struct rsa_contestant *c, const struct rsab_job *job,
    size_t i)
{
	size_t size = c->reference->size;

	return job->result == RSAB_OK && (c->op == RSAB_OP_VERIFY ||
	    (job->signature_len == size && memcmp(job->signature,
	    c->reference->signature[i], size) == 0));
}

static int
wrong(const struct rsa_contestant *c, const struct rsab_job *job)
{
	warnx("%s, %u bits, batch %u: %s", rsab_backend_name(c->backend),
	    c->reference->bits, c->batch, c->op == RSAB_OP_VERIFY ?
	    "a right signature does not verify" : job->result != RSAB_OK ?
	    rsab_strerror(job->result) :
	    "a signature is not the one that libcrypto makes");
	return EX_SOFTWARE;
}

int
rsa_contestant_run(void *arg, unsigned thread, size_t rounds)
{
	const struct rsa_contestant *c = arg;
	struct rsa_seat *seat = &c->seat[thread];

	while (rounds-- > 0) {
		unsigned at = seat->at;

		rsab_run(seat->worker, &seat->ring[at], c->batch);
		for (unsigned i = at; i < at + c->batch; i++) {
			if (!job_is_right(c, &seat->job[i], i))
				return wrong(c, &seat->job[i]);
			job_ready(c, &seat->job[i]);
		}
		seat->at = at + c->batch < c->in_ring ? at + c->batch : 0;
	}
	return 0;
}

/*
 * None of the corrupted signatures may verify; they are put right again.
 */
static int
control(const struct rsa_contestant *c, struct rsa_seat *seat)
{
	size_t size = c->reference->size, taken = 0;

	for (size_t i = 0; i < c->in_ring; i++)
		reference_corrupt(seat->job[i].signature, size, i);
	for (unsigned at = 0; at < c->in_ring; at += c->batch)
		rsab_run(seat->worker, &seat->ring[at], c->batch);
	for (size_t i = 0; i < c->in_ring; i++) {
		if (seat->job[i].result != RSAB_ERR_SIGNATURE)
			taken++;
		reference_corrupt(seat->job[i].signature, size, i);
		job_ready(c, &seat->job[i]);
	}
	if (taken == 0)
		return 0;
	warnx("%s, %u bits, batch %u: of %u corrupted signatures %zu are not "
	    "refused", rsab_backend_name(c->backend), c->reference->bits,
	    c->batch, c->in_ring, taken);
	return EX_SOFTWARE;
}

static int
key_load(struct rsa_contestant *c)
{
	const struct reference *r = c->reference;
	int error;

	error = c->op == RSAB_OP_SIGN ?
	    rsab_key_load_private(c->backend, (const uint8_t *)r->pem,
	    r->pem_len, &c->key) :
	    rsab_key_load_public(c->backend, RSAB_RSA, r->public,
	    r->public_len, &c->key);
	if (error == 0)
		return 0;
	c->key = NULL;
	warnx("%s: key of %u bits: %s", rsab_backend_name(c->backend),
	    r->bits, rsab_strerror(error));
	return EX_SOFTWARE;
}

static int
seat_init(const struct rsa_contestant *c, struct rsa_seat *seat)
{
	if (rsab_worker_new(&seat->worker) != 0) {
		seat->worker = NULL;
		warnx("no memory for a worker");
		return EX_OSERR;
	}
	for (size_t i = 0; i < c->in_ring; i++) {
		struct rsab_job *job = &seat->job[i];

		job->key = rsab_key_ref(c->key);
		job->op = c->op;
		job->hash = RSAB_SHA256;
		memcpy(job->digest, c->reference->digest[i],
		    sizeof job->digest);
		memcpy(job->signature, c->reference->signature[i],
		    c->reference->size);
		job->signature_len = c->reference->size;
		job_ready(c, job);
		seat->ring[i] = job;
	}
	return 0;
}

static int
seats_init(struct rsa_contestant *c)
{
	int status = 0;

	c->seat = calloc(c->threads, sizeof *c->seat);
	if (c->seat == NULL) {
		warnx("no memory for %u threads", c->threads);
		return EX_OSERR;
	}
	for (unsigned i = 0; i < c->threads && status == 0; i++) {
		status = seat_init(c, &c->seat[i]);
		if (status == 0)
			status = rsa_contestant_run(c, i,
			    c->in_ring / c->batch);
	}
	return status;
}

static int
controls(const struct rsa_contestant *c)
{
	int status = 0;

	for (unsigned i = 0; i < c->threads && status == 0; i++)
		if (c->op == RSAB_OP_VERIFY)
			status = control(c, &c->seat[i]);
	return status;
}

int
rsa_contestant_init(struct rsa_contestant *c,
    const struct rsab_backend *backend, const struct reference *reference,
    enum rsab_op op, unsigned batch, unsigned threads)
{
	int status;

	*c = (struct rsa_contestant){ .backend = backend,
	    .reference = reference, .op = op, .batch = batch,
	    .threads = threads,
	    .in_ring = REFERENCE_MESSAGES / batch * batch };
	status = key_load(c);
	if (status == 0)
		status = seats_init(c);
	if (status == 0)
		status = controls(c);
	if (status != 0)
		rsa_contestant_clear(c);
	return status;
}

/*
 * The key of that operation in a token.
 */
static int
token_key(struct rsa_contestant *c)
{
	if (c->op == RSAB_OP_VERIFY)
		return rsa_token_public(&c->token, c->reference, &c->key);
	c->key = rsab_key_ref(c->token.key);
	return 0;
}

static void
listen(const struct rsa_contestant *c, struct rsab_token_detail *said)
{
	rsab_token_detail(rsab_key_token(c->token.key), said);
}

/*
 * Has the token said something since? Right signatures give it no cause to.
 */
static bool
is_silent(const struct rsa_contestant *c, struct rsab_token_detail *now)
{
	listen(c, now);
	return strcmp(now->text, c->said.text) == 0;
}

/*
 * Right signatures, then wrong ones, all by the token itself.
 */
static int
token_try(struct rsa_contestant *c)
{
	struct rsab_token_detail now;
	int status;

	listen(c, &c->said);
	status = seats_init(c);
	if (status == 0 && !is_silent(c, &now)) {
		snprintf(c->token.reason, sizeof c->token.reason, "%.*s",
		    RSA_TOKEN_REASON - 1, now.text);
		return EX_UNAVAILABLE;
	}
	if (status == 0)
		status = controls(c);
	listen(c, &c->said);
	return status;
}

int
rsa_contestant_init_token(struct rsa_contestant *c,
    const struct rsa_token_place *place, const struct pin *pin,
    const struct reference *reference, enum rsab_op op, unsigned batch,
    unsigned threads)
{
	int status;

	*c = (struct rsa_contestant){ .reference = reference, .op = op,
	    .batch = batch, .threads = threads,
	    .in_ring = REFERENCE_MESSAGES / batch * batch };
	status = rsa_token_open(&c->token, place, pin, reference, threads,
	    false);
	if (status != 0)
		return status;
	c->backend = rsab_key_backend(c->token.key);
	status = token_key(c);
	if (status == 0)
		status = token_try(c);
	if (status != 0)
		rsa_contestant_clear(c);
	return status;
}

int
rsa_contestant_end(const struct rsa_contestant *c)
{
	struct rsab_token_detail now;

	if (c->token.place == NULL || is_silent(c, &now))
		return 0;
	warnx("%s, %u bits: the token did not do all itself: %s",
	    c->token.place->module, c->reference->bits, now.text);
	return EX_SOFTWARE;
}

void
rsa_contestant_clear(struct rsa_contestant *c)
{
	for (unsigned i = 0; c->seat != NULL && i < c->threads; i++) {
		for (size_t k = 0; k < c->in_ring; k++)
			rsab_key_unref(c->seat[i].job[k].key);
		rsab_worker_free(c->seat[i].worker);
	}
	free(c->seat);
	c->seat = NULL;
	rsab_key_unref(c->key);
	c->key = NULL;
	rsa_token_close(&c->token);
}
