/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whole messages at work; see message_contestant.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "message_contestant.h"
#include "stopwatch.h"

#define TEXT_MAX	65536	/* octets of a field that is printed */

const char *
message_contestant_path(const struct message_contestant *c)
{
	return rsab_key_path(c->key, c->op, c->batch);
}

static int
wrong(const struct message_contestant *c, const char *what)
{
	warnx("%s, %u bits, batch %u: %s", rsab_backend_name(c->backend),
	    c->reference->key->bits, c->batch, what);
	return EX_SOFTWARE;
}

static void
lap(const struct message_contestant *c, enum message_lap border)
{
	if (c->laps != NULL)
		c->laps[border] = stopwatch_ns();
}

static int
key_load(const struct message_contestant *c, struct rsab_key **out)
{
	const struct reference *r = c->reference->key;
	int e = rsab_key_load_private(c->backend, (const uint8_t *)r->pem,
	    r->pem_len, out);

	if (e == 0)
		return 0;
	*out = NULL;
	return wrong(c, rsab_strerror(e));
}

/*
 * The keys of a batch, as an engine without a cache would get them.
 */
static int
keys_parse(const struct message_contestant *c, struct message_seat *seat)
{
	int status = 0;

	for (unsigned i = 0; i < c->batch && status == 0; i++)
		status = c->op == RSAB_OP_SIGN ?
		    key_load(c, &seat->slot[i].key) :
		    message_reference_keyset(c->reference, c->backend,
		    &seat->slot[i].keyset);
	return status;
}

/*
 * A message up to its job.
 */
static int
slot_begin(const struct message_contestant *c, struct message_seat *seat,
    unsigned i)
{
	struct message_slot *slot = &seat->slot[i];
	const struct message_reference *r = c->reference;
	size_t number = seat->at + i;
	struct dkim_keyset *keyset;
	int e;

	if (c->op == RSAB_OP_SIGN) {
		e = message_sign_begin(&r->task, MESSAGE_NOW + number,
		    c->parse ? slot->key : c->key, &slot->signing);
		seat->job[i] = &slot->signing.job;
	} else {
		keyset = c->parse ? slot->keyset : dkim_keyset_ref(c->keyset);
		slot->keyset = NULL;	/* moved */
		e = message_verify_begin(&r->task, MESSAGE_NOW + number,
		    buf_slice(&r->field[number]), keyset, &slot->verifying);
		seat->job[i] = slot->verifying.job;
	}
	return e == 0 ? 0 : wrong(c, dkim_strerror(e));
}

/*
 * A message from its job to its field.
 *   right    whether it is what the reference has
 */
static int
slot_end(const struct message_contestant *c, struct message_seat *seat,
    unsigned i, bool *right)
{
	struct message_slot *slot = &seat->slot[i];
	const struct message_reference *r = c->reference;
	const struct buf *want = c->op == RSAB_OP_SIGN ?
	    &r->field[seat->at + i] : &r->authres[seat->at + i];
	bool pass = seat->job[i]->result == RSAB_OK;
	int e;

	buf_reset(&seat->text);
	if (c->op == RSAB_OP_SIGN && !pass) {
		message_sign_drop(&slot->signing);
		return wrong(c, rsab_strerror(seat->job[i]->result));
	}
	e = c->op == RSAB_OP_SIGN ?
	    message_sign_end(&slot->signing, &seat->text) :
	    message_verify_end(&slot->verifying, &pass, &seat->text);
	rsab_key_unref(slot->key);
	slot->key = NULL;
	*right = pass && slice_equal(buf_slice(&seat->text), buf_slice(want));
	return e == 0 ? 0 : wrong(c, dkim_strerror(e));
}

/*
 * One batch.
 *   right    messages that came out as the reference has them
 */
static int
batch_run(const struct message_contestant *c, struct message_seat *seat,
    unsigned *right)
{
	bool good = false;
	int status = 0;

	lap(c, MESSAGE_BEGUN);
	if (c->parse)
		status = keys_parse(c, seat);
	lap(c, MESSAGE_KEYS);
	for (unsigned i = 0; i < c->batch && status == 0; i++)
		status = slot_begin(c, seat, i);
	lap(c, MESSAGE_HASHED);
	if (status == 0)
		rsab_run(seat->worker, seat->job, c->batch);
	lap(c, MESSAGE_RUN);
	for (unsigned i = 0; i < c->batch && status == 0; i++) {
		status = slot_end(c, seat, i, &good);
		*right += good;
	}
	lap(c, MESSAGE_DONE);
	seat->at += c->batch;
	if (seat->at + c->batch > REFERENCE_MESSAGES)
		seat->at = 0;
	return status;
}

int
message_contestant_run(void *arg, unsigned thread, size_t rounds)
{
	const struct message_contestant *c = arg;
	struct message_seat *seat = &c->seat[thread];
	int status = 0;

	while (rounds-- > 0 && status == 0) {
		unsigned right = 0;

		status = batch_run(c, seat, &right);
		if (status == 0 && right != c->batch)
			status = wrong(c, c->op == RSAB_OP_SIGN ?
			    "a signature is not the one that libcrypto makes" :
			    "a right signature does not verify");
	}
	return status;
}

/*
 * Batches that take each message of the reference's ring once.
 */
static unsigned
ring(const struct message_contestant *c)
{
	return REFERENCE_MESSAGES / c->batch;
}

/*
 * None of the corrupted signatures may verify; they are put right again.
 */
static int
control(struct message_contestant *c)
{
	unsigned right = 0;
	int status = 0;

	for (size_t i = 0; i < REFERENCE_MESSAGES; i++)
		message_reference_corrupt(c->reference, i, i);
	for (unsigned i = 0; i < ring(c) && status == 0; i++)
		status = batch_run(c, &c->seat[0], &right);
	for (size_t i = 0; i < REFERENCE_MESSAGES; i++)
		message_reference_corrupt(c->reference, i, i);
	c->seat[0].at = 0;
	if (status == 0 && right > 0)
		status = wrong(c, "a corrupted signature verifies");
	return status;
}

static int
keys_load(struct message_contestant *c)
{
	struct dkim_key_info info;
	int status;

	if (c->op == RSAB_OP_SIGN)
		return key_load(c, &c->key);
	status = message_reference_keyset(c->reference, c->backend,
	    &c->keyset);
	if (status == 0) {
		dkim_keyset_info(c->keyset, 0, &info);
		c->key = rsab_key_ref(info.key);
	}
	return status;
}

static int
seats_make(struct message_contestant *c)
{
	c->seat = calloc(c->threads, sizeof *c->seat);
	if (c->seat == NULL) {
		warnx("no memory for %u threads", c->threads);
		return EX_OSERR;
	}
	for (unsigned i = 0; i < c->threads; i++) {
		buf_init(&c->seat[i].text, TEXT_MAX);
		if (rsab_worker_new(&c->seat[i].worker) != 0) {
			c->seat[i].worker = NULL;
			warnx("no memory for a worker");
			return EX_OSERR;
		}
	}
	return 0;
}

int
message_contestant_init(struct message_contestant *c,
    const struct rsab_backend *backend, struct message_reference *reference,
    enum rsab_op op, unsigned batch, unsigned threads, bool parse)
{
	int status;

	*c = (struct message_contestant){ .backend = backend,
	    .reference = reference, .op = op, .batch = batch,
	    .threads = threads, .parse = parse };
	status = keys_load(c);
	if (status == 0)
		status = seats_make(c);
	if (status == 0 && op == RSAB_OP_VERIFY)
		status = control(c);
	for (unsigned i = 0; i < threads && status == 0; i++)
		status = message_contestant_run(c, i, ring(c));
	if (status != 0)
		message_contestant_clear(c);
	return status;
}

void
message_contestant_clear(struct message_contestant *c)
{
	for (unsigned i = 0; c->seat != NULL && i < c->threads; i++) {
		struct message_seat *seat = &c->seat[i];

		for (unsigned k = 0; k < c->batch; k++) {
			message_sign_drop(&seat->slot[k].signing);
			message_verify_drop(&seat->slot[k].verifying);
			dkim_keyset_unref(seat->slot[k].keyset);
			rsab_key_unref(seat->slot[k].key);
		}
		buf_clear(&seat->text);
		rsab_worker_free(seat->worker);
	}
	free(c->seat);
	c->seat = NULL;
	rsab_key_unref(c->key);
	c->key = NULL;
	dkim_keyset_unref(c->keyset);
	c->keyset = NULL;
}
