/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing: private keys early, body octets to the engine, one job a signature
 * at end of message. One that cannot be made fails the message (BEHAVIOUR 1).
 */

/* system */
#include <stdio.h>

/* this room */
#include "session_message.h"

static uint64_t
expiry(const struct message *m)
{
	return m->now.us + m->conf->options.sign_timeout * 1000000;
}

/*
 * The first body chunk waits for the keys, and before the end of the message
 * no progress can be told (MILTER 1.3): an MTA that gave the filter up would
 * pass the message on unsigned, so we give the key up before.
 */
static uint64_t
key_expiry(const struct message *m)
{
	uint64_t us = m->conf->options.sign_timeout * 1000000;

	return m->now.us + (us < SESSION_KEY_US ? us : SESSION_KEY_US);
}

/*
 * Ask for the key of signature i: without it nothing is signed (RFC 6376 s5.1).
 *   gone     a key of it that is of no use any more; NULL: none
 *   errors   -1: no memory, the message has failed
 */
static int
want_key(struct session *s, size_t i, struct rsab_key *gone)
{
	struct message *m = s->m;
	const struct policy *p = &m->policy;
	const struct policy_key *key = &p->keys[i];
	struct want *want;

	want = session_want_new(s, WANT_PRIVATE_KEY, i, key_expiry(m));
	if (want == NULL)
		return -1;
	want->private_key.row = key->row;
	want->private_key.key_row = key->key_row;
	want->private_key.gone = gone == NULL ? NULL : rsab_key_ref(gone);
	/* add_sender had it from dkim_domain_to_ascii: it fits */
	memcpy(want->private_key.domain, p->senders[0].domain.p,
	    p->senders[0].domain.n);
	return 0;
}

void
session_sign_begin(struct session *s)
{
	struct message *m = s->m;
	const struct policy *p = &m->policy;
	size_t i;

	m->n_sign = p->n_keys;
	m->keys_missing = p->n_keys;
	for (i = 0; i < p->n_keys; i++)
		if (want_key(s, i, NULL) != 0)
			return;
}

/*
 * The engine refuses a signature: whose fault is it?
 */
static void
fail_add(struct session *s, int error, const struct policy_key *key)
{
	switch (error) {
	case DKIM_ERR_NOMEM:
	case DKIM_ERR_CRYPTO:
		session_fail_memory(s);
		break;
	case DKIM_ERR_NO_FROM:
		session_fail(s, SESSION_FAULT_MESSAGE, "no From field",
		    slice_of(NULL, 0));
		break;
	case DKIM_ERR_MANY_FROM:
		session_fail(s, SESSION_FAULT_MESSAGE, "several From fields",
		    slice_of(NULL, 0));
		break;
	case DKIM_ERR_LIMIT:
		session_fail(s, SESSION_FAULT_MESSAGE, "message over a limit",
		    slice_text("fields to sign"));
		break;
	default:
		session_fail(s, SESSION_FAULT_OURS,
		    "table row has a bad domain, selector or signer",
		    key->name);
		break;
	}
}

static int
add_signature(struct session *s, size_t i)
{
	struct message *m = s->m;
	const struct conf *conf = m->conf;
	const struct policy_key *key = &m->policy.keys[i];
	struct dkim_sign_options options = {
		.domain = key->domain,
		.selector = key->key_row.selector,
		.identity = key->identity,
		.header_canon = conf->header_canon,
		.body_canon = conf->body_canon,
		.sign = conf->sign,
		.omit = conf->omit,
		.oversign = conf->oversign,
		.now = m->now.seconds,
		.ttl = conf->options.signature_ttl,
		.copy_fields = conf->options.diagnostics,
		.key = m->sign[i].key,
	};
	size_t index;

	if (dkim_header_has_signature(m->header, key->domain,
	    key->key_row.selector))
		m->second_pass = true;
	return dkim_signer_add(m->signer, &options, &index);
}

/*
 * All keys are there: body octets can be taken.
 */
static void
prepare(struct session *s)
{
	struct message *m = s->m;
	size_t i;
	int r;

	if (dkim_signer_new(s->lib, m->header, m->conf->options.fix_crlf,
	    &m->signer) != 0) {
		session_fail_memory(s);
		return;
	}
	for (i = 0; i < m->n_sign; i++) {
		r = add_signature(s, i);
		if (r != 0) {
			fail_add(s, r, &m->policy.keys[i]);
			return;
		}
	}
	session_lines_header(&m->lines, m->header);
	m->sign_ready = true;
	session_body_end(s);
}

/*
 * RFC 8301 s3.2 #1: signers MUST use 1024 bits at least.
 */
static bool
is_too_short(const struct message *m, const struct rsab_key *key)
{
	uint64_t least = m->conf->options.minimum_key_bits;

	if (least < DKIM_RSA_BITS_FLOOR)
		least = DKIM_RSA_BITS_FLOOR;
	return rsab_key_type(key) == RSAB_RSA && rsab_key_bits(key) < least;
}

static void
fail_want(struct session *s, const struct want *want)
{
	struct message *m = s->m;
	const char *reason = "signature cannot be made";

	m->failed = want->id;
	switch (want->error) {
	case WANT_ERR_KEY:
	case WANT_ERR_KEY_GONE:
		reason = "key cannot be loaded";
		break;
	case WANT_ERR_QUEUE_FULL:
		reason = "queue of signatures is full";
		break;
	case WANT_ERR_TIMEOUT:
		reason = want->kind == WANT_PRIVATE_KEY ?
		    "key is not there in time" :
		    "signature is not there in time";
		break;
	case WANT_ERR_STOPPED:
		reason = "daemon is leaving";
		break;
	case WANT_ERR_NOMEM:
		reason = "no memory";
		break;
	default:
		break;
	}
	session_fail(s, SESSION_FAULT_OURS, reason, want->detail[0] != '\0' ?
	    slice_text(want->detail) : m->policy.keys[want->id].name);
}

/*
 * Ask for signature i; the body is over.
 *   errors   -1: no memory, the message has failed
 */
static int
want_signature(struct session *s, size_t i)
{
	struct message *m = s->m;
	struct want *want;

	want = session_want_new(s, WANT_SIGNATURE, i, expiry(m));
	if (want == NULL)
		return -1;
	if (dkim_signer_job(m->signer, i, &want->signature) != 0) {
		session_fail_memory(s);
		return -1;
	}
	want->signature.key = rsab_key_ref(m->sign[i].key);
	return 0;
}

void
session_sign_key(struct session *s, struct want *want)
{
	struct message *m = s->m;
	size_t i = want->id;

	if (want->error != WANT_OK || want->private_key.key == NULL) {
		fail_want(s, want);
		return;
	}
	/* The one of before is in a=; a new one of another type is too late */
	if (m->sign[i].again && rsab_key_type(want->private_key.key) !=
	    rsab_key_type(m->sign[i].key)) {
		m->failed = i;
		session_fail(s, SESSION_FAULT_OURS, "key has changed",
		    m->policy.keys[i].name);
		return;
	}
	rsab_key_unref(m->sign[i].key);
	m->sign[i].key = want->private_key.key;
	want->private_key.key = NULL;	/* moved */
	if (is_too_short(m, m->sign[i].key)) {
		m->failed = i;
		session_fail(s, SESSION_FAULT_OURS,
		    "key is shorter than MinimumKeyBits",
		    m->policy.keys[i].name);
		return;
	}
	if (m->sign[i].again)
		want_signature(s, i);
	else if (--m->keys_missing == 0)
		prepare(s);
}

void
session_sign_body(struct session *s, struct slice octets)
{
	struct message *m = s->m;

	session_lines_body(&m->lines, octets);
	if (dkim_signer_body(m->signer, octets) != 0)
		session_fail_memory(s);
}

void
session_sign_end(struct session *s)
{
	struct message *m = s->m;
	size_t i;

	session_lines_end(&m->lines);
	if (dkim_signer_body_end(m->signer) != 0) {
		session_fail_memory(s);
		return;
	}
	for (i = 0; i < m->n_sign; i++)
		if (want_signature(s, i) != 0)
			return;
}

void
session_sign_signature(struct session *s, const struct want *want)
{
	struct message *m = s->m;
	struct signing *sign = &m->sign[want->id];

	/* The token was started anew, say: once more, with the key of now */
	if (want->error == WANT_ERR_KEY_GONE && !sign->again) {
		sign->again = true;
		(void)want_key(s, want->id, sign->key);
		return;
	}
	if (want->error != WANT_OK || want->signature.result != RSAB_OK) {
		fail_want(s, want);
		return;
	}
	sign->signature = arena_copy(&m->arena,
	    slice_of(want->signature.signature, want->signature.signature_len));
	if (sign->signature.p == NULL)
		session_fail_memory(s);
}

/*
 * Make the field body of signature i.
 *   errors   DKIM_ERR_NOMEM, _LIMIT (over SESSION_FIELD_MAX), _STATE
 */
static int
make_field(struct message *m, size_t i)
{
	struct buf out;
	int r;

	if (m->sign[i].signature.p == NULL)
		return DKIM_ERR_STATE;
	buf_init(&out, SESSION_FIELD_MAX);
	/* RFC 6376 s5.6 #3: by the key that was asked for with this s= */
	r = dkim_signer_field(m->signer, i, m->sign[i].signature, "\n", &out);
	buf_add_nul(&out);
	if (r == 0)
		r = buf_end(&out);
	if (r == 0) {
		m->sign[i].value = arena_alloc(&m->arena, out.n + 1);
		if (m->sign[i].value == NULL)
			r = DKIM_ERR_NOMEM;
		else
			memcpy(m->sign[i].value, out.p, out.n + 1);
	}
	buf_clear(&out);
	return r;
}

void
session_sign_fields(struct session *s)
{
	struct message *m = s->m;
	size_t i;
	int r;

	for (i = 0; i < m->n_sign; i++) {
		r = make_field(m, i);
		if (r == 0)
			continue;
		if (r == DKIM_ERR_NOMEM)
			session_fail_memory(s);
		else if (r == DKIM_ERR_LIMIT)
			session_fail(s, SESSION_FAULT_MESSAGE,
			    "message over a limit",
			    slice_text("DKIM-Signature 65000 octets"));
		else
			session_fail(s, SESSION_FAULT_OURS,
			    "signature cannot be made",
			    m->policy.keys[i].name);
		return;
	}
}
