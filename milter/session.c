/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection, message by message: the events, and what each leads to.
 */

/* system */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "inbox.h"
#include "session_message.h"

#define SESSION_MAGIC	0x53455353u
#define ARENA_MAX	(32u << 20)	/* octets: twice MaximumHeaders 0 */
#define REST_MAX	131072		/* octets of sender fields behind a
					 * limit */

int
session_new(const struct dkim_lib *lib, struct inbox *inbox, const char *host,
    const struct session_can *can, struct session **out)
{
	struct session *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return DKIM_ERR_NOMEM;
	s->magic = SESSION_MAGIC;
	s->lib = lib;
	s->inbox = inbox_ref(inbox);
	s->host = host;
	s->can = *can;
	*out = s;
	return 0;
}

void
session_free(struct session *s)
{
	struct want *want;

	if (s == NULL)
		return;
	assert(s->magic == SESSION_MAGIC);
	session_reset(s);
	while ((want = session_next_cancelled(s)) != NULL)
		want_unref(want);
	macros_clear(&s->macros);
	free(s->client_name);
	free(s->cancelled);
	inbox_unref(s->inbox);
	s->magic = 0;
	free(s);
}

int
session_connect(struct session *s, struct slice name,
    const struct sockaddr *address, socklen_t n)
{
	assert(s->magic == SESSION_MAGIC);
	session_reset(s);
	free(s->client_name);
	s->client_name = malloc(name.n + 1);
	if (s->client_name == NULL)
		return DKIM_ERR_NOMEM;
	if (name.n > 0)
		memcpy(s->client_name, name.p, name.n);
	s->client_name[name.n] = '\0';
	s->has_address = address != NULL && n <= sizeof(s->address);
	memset(&s->address, 0, sizeof(s->address));
	if (s->has_address)
		memcpy(&s->address, address, n);
	return 0;
}

const struct sockaddr *
session_address(const struct session *s)
{
	return s->has_address ? (const struct sockaddr *)&s->address : NULL;
}

void
session_macro(struct session *s, const char *name, const char *value)
{
	/* a macro that is not kept must not make mail pass as something else */
	if (macros_set(&s->macros, name, value) == DKIM_ERR_NOMEM &&
	    s->m != NULL)
		session_fail_memory(s);
}

struct slice
session_get_macro(const struct session *s, const char *name)
{
	return macros_get(&s->macros, slice_text(name));
}

int
session_mail(struct session *s, struct conf *conf)
{
	struct message *m;

	assert(s->magic == SESSION_MAGIC);
	session_reset(s);
	/* a client that was refused is not to pass as a local one */
	if (s->client_name == NULL) {
		conf_unref(conf);
		return DKIM_ERR_STATE;
	}
	m = calloc(1, sizeof(*m));
	if (m == NULL) {
		conf_unref(conf);
		return DKIM_ERR_NOMEM;
	}
	m->conf = conf;
	m->reason = "";
	m->policy.reason = "";
	arena_init(&m->arena, ARENA_MAX);
	buf_init(&m->trace, MSGLOG_TEXT_MAX);
	s->m = m;
	if (dkim_header_new((size_t)conf->options.maximum_headers,
	    &m->header) != 0) {
		session_reset(s);
		return DKIM_ERR_NOMEM;
	}
	return 0;
}

/*
 * Is the recipient, or its domain, in DontSignMailTo?
 */
void
session_rcpt(struct session *s, struct slice address)
{
	struct message *m = s->m;
	struct row row;
	size_t i, at, n;
	int error;

	if (m == NULL || m->conf->dont_sign_mail_to == NULL || m->dont_sign)
		return;
	if (address.n > 1 && address.p[0] == '<' &&
	    address.p[address.n - 1] == '>')
		address = slice_sub(address, 1, address.n - 2);
	at = address.n;
	for (i = 0; i < address.n; i++)
		if (address.p[i] == '@')
			at = i + 1;
	error = dataset_find(m->conf->dont_sign_mail_to, address, true, &row,
	    1, &n);
	if (error == 0 && n == 0 && at < address.n)
		error = dataset_find(m->conf->dont_sign_mail_to,
		    slice_from(address, at), true, &row, 1, &n);
	if (error != 0)
		session_fail_memory(s);
	m->dont_sign = n > 0;
}

/*
 * Behind a limit only fields that may name the sender are kept, so that we
 * know whether the message was ours to sign.
 */
static void
field_behind_limit(struct session *s, struct slice name, struct slice value)
{
	struct message *m = s->m;
	struct slice trimmed = slice_trim(name);

	if (!slice_equal_nocase(trimmed, slice_text("From")) &&
	    (m->conf->sender == NULL ||
	    !dkim_names_has(m->conf->sender, trimmed)))
		return;
	if (m->rest == NULL && dkim_header_new(REST_MAX, &m->rest) != 0) {
		session_fail_memory(s);
		return;
	}
	if (dkim_header_add_milter(m->rest, name, value) == DKIM_ERR_NOMEM)
		session_fail_memory(s);
}

void
session_field(struct session *s, struct slice name, struct slice value)
{
	struct message *m = s->m;
	int r;

	if (m == NULL || m->stage > STAGE_HEADER || m->fault != 0)
		return;
	m->stage = STAGE_HEADER;
	session_authres_field(s, name, value);
	if (m->over != NULL) {
		field_behind_limit(s, name, value);
		return;
	}
	r = dkim_header_add_milter(m->header, name, value);
	if (r == DKIM_ERR_LIMIT) {
		m->over = dkim_header_over(m->header);
		if (m->over == NULL)
			m->over = "header";
		field_behind_limit(s, name, value);
	} else if (r == DKIM_ERR_NOMEM) {
		session_fail_memory(s);
	}
	/* DKIM_ERR_SYNTAX: no h= can name such a field; it is left out */
}

void
session_field_lost(struct session *s)
{
	if (s->m != NULL)
		session_fail_memory(s);
}

void
session_header_end(struct session *s, struct session_time now,
    uint64_t patience)
{
	struct message *m = s->m;

	if (m == NULL || m->stage > STAGE_HEADER)
		return;
	m->stage = STAGE_BODY;
	m->now = now;
	m->asked = now.us;
	m->patience = patience;
	if (m->fault == SESSION_FAULT_NONE)
		session_policy_begin(s);
}

bool
session_is_over(const struct session *s)
{
	const struct message *m = s->m;
	enum action action = ACTION_ACCEPT;

	if (m == NULL || m->stage != STAGE_BODY)
		return false;
	if (m->fault != SESSION_FAULT_NONE)
		action = session_result_fault_action(s);
	else if (!m->role_known || m->role == POLICY_SIGN ||
	    m->verifier != NULL || m->over != NULL)
		return false;
	else if (m->role == POLICY_VERIFY)
		action = m->conf->options.on_no_signature;
	/* these two change the message, at its end only */
	if (action == ACTION_QUARANTINE)
		return false;
	if (action != ACTION_ACCEPT)
		return true;
	return m->forged.n == 0 && (m->role != POLICY_VERIFY ||
	    !m->conf->options.always_add_ar_header);
}

/*
 * Are role or private keys still wanted, without which no body can be taken?
 */
static bool
is_waiting_for_role(const struct message *m)
{
	return m->fault == SESSION_FAULT_NONE && (!m->role_known ||
	    (m->role == POLICY_SIGN && !m->sign_ready));
}

bool
session_body(struct session *s, struct slice octets)
{
	struct message *m = s->m;

	if (m == NULL || m->stage != STAGE_BODY ||
	    m->fault != SESSION_FAULT_NONE)
		return false;
	if (is_waiting_for_role(m)) {
		/* the front end should have waited: session_holds_body */
		m->body_lost = m->body_lost || octets.n > 0;
		return true;
	}
	if (m->signer != NULL) {
		session_sign_body(s, octets);
		return m->fault == SESSION_FAULT_NONE;
	}
	if (m->verifier == NULL || !dkim_verifier_wants_body(m->verifier))
		return false;
	if (dkim_verifier_body(m->verifier, octets) != 0)
		session_fail_memory(s);
	return m->fault == SESSION_FAULT_NONE &&
	    dkim_verifier_wants_body(m->verifier);
}

void
session_body_end(struct session *s)
{
	struct message *m = s->m;

	if (m->fault != SESSION_FAULT_NONE || m->stage != STAGE_END)
		return;
	if (m->body_lost)
		session_fail(s, SESSION_FAULT_OURS, "key is not there in time",
		    slice_of(NULL, 0));
	else if (m->signer != NULL)
		session_sign_end(s);
	else if (m->verifier != NULL &&
	    dkim_verifier_body_end(m->verifier) != 0)
		session_fail_memory(s);
}

void
session_end(struct session *s, struct session_time now)
{
	struct message *m = s->m;

	if (m == NULL || m->stage >= STAGE_END)
		return;
	/* an MTA that sends no end of header ends it with the message */
	if (m->stage < STAGE_BODY)
		session_header_end(s, now, 0);
	m->stage = STAGE_END;
	m->now = now;
	/* else when the role is known: the body was empty */
	if (!is_waiting_for_role(m))
		session_body_end(s);
}

bool
session_holds_body(const struct session *s)
{
	const struct message *m = s->m;

	return m != NULL && m->stage == STAGE_BODY && is_waiting_for_role(m);
}

bool
session_holds_end(const struct session *s)
{
	return s->m != NULL && s->m->fault == SESSION_FAULT_NONE &&
	    s->m->waiting > 0;
}

bool
session_is_verifying(const struct session *s)
{
	return s->m != NULL && s->m->verifier != NULL && s->m->has_signature &&
	    s->m->fault == SESSION_FAULT_NONE;
}

bool
session_in_message(const struct session *s)
{
	return s->m != NULL && s->m->stage != STAGE_FINISHED;
}

void
session_fail(struct session *s, enum session_fault fault, const char *reason,
    struct slice detail)
{
	struct message *m = s->m;

	if (m->fault != SESSION_FAULT_NONE)
		return;
	m->fault = fault;
	m->reason = reason;
	m->detail_n = detail.n < sizeof(m->detail) ? detail.n :
	    sizeof(m->detail);
	if (m->detail_n > 0)
		memcpy(m->detail, detail.p, m->detail_n);
	session_want_cancel_all(s);
}

void
session_fail_memory(struct session *s)
{
	session_fail(s, SESSION_FAULT_MEMORY, "no memory", slice_of(NULL, 0));
}

static void
free_notes(struct message *m)
{
	size_t i;

	for (i = 0; i < m->n_notes; i++)
		free((char *)m->notes[i].text);
	free(m->notes);
}

void
session_reset(struct session *s)
{
	struct message *m = s->m;
	size_t i;

	if (m == NULL)
		return;
	session_want_cancel_all(s);
	s->m = NULL;
	dkim_signer_free(m->signer);
	dkim_verifier_free(m->verifier);
	for (i = 0; i < m->n_sign; i++)
		rsab_key_unref(m->sign[i].key);
	dkim_header_free(m->header);
	dkim_header_free(m->rest);
	buf_clear(&m->trace);
	free(m->forged.at);
	free(m->slots);
	free_notes(m);
	arena_clear(&m->arena);
	conf_unref(m->conf);
	free(m);
}

const struct session_result *
session_finish(struct session *s, struct rsab_worker *worker)
{
	struct message *m = s->m;

	if (m == NULL)
		return NULL;
	if (m->stage == STAGE_FINISHED)
		return &m->result;
	session_want_cancel_all(s);
	/* nobody waited for role or key: never passed on as if by choice */
	if (is_waiting_for_role(m))
		session_fail(s, SESSION_FAULT_OURS, "key is not there in time",
		    slice_of(NULL, 0));
	if (m->fault == SESSION_FAULT_NONE && m->verifier != NULL &&
	    m->has_signature && (worker == NULL ||
	    dkim_verifier_finish(m->verifier, worker) != 0))
		session_fail_memory(s);
	if (m->fault == SESSION_FAULT_NONE && m->signer != NULL)
		session_sign_fields(s);
	m->stage = STAGE_FINISHED;
	session_result_make(s);
	return &m->result;
}
