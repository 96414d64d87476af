/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows that policy needs, and what its decision starts.
 */

/* this room */
#include "session_message.h"

/*
 * Policy has decided.
 */
static void
begin_role(struct session *s)
{
	struct message *m = s->m;
	struct policy *p = &m->policy;

	m->role = p->role;
	m->role_known = true;
	if (p->stat != STAT_COUNT)
		session_notes_count(m, p->stat, 1);
	switch (p->fault) {
	case POLICY_FAULT_NONE:
		break;
	case POLICY_FAULT_MESSAGE:
		session_fail(s, SESSION_FAULT_MESSAGE, p->reason, p->detail);
		return;
	case POLICY_FAULT_OURS:
		session_fail(s, SESSION_FAULT_OURS, p->reason, p->detail);
		return;
	case POLICY_FAULT_MEMORY:
		session_fail_memory(s);
		return;
	}
	if (p->role == POLICY_SIGN)
		session_sign_begin(s);
	else if (p->role == POLICY_VERIFY && m->over == NULL)
		session_verify_begin(s);
	if (p->role != POLICY_SIGN)
		session_body_end(s);
}

/*
 * Want the rows that policy needs next, or go on with its decision.
 */
static void
proceed(struct session *s)
{
	struct message *m = s->m;
	struct policy_need need;
	struct want *want;

	if (!policy_needs(&m->policy, &need)) {
		begin_role(s);
		return;
	}
	want = session_want_new(s, WANT_ROWS, 0, m->now.us +
	    m->conf->options.sign_timeout * 1000000);
	if (want == NULL)
		return;
	/* a key too long for any table finds nothing */
	if (need.key.n <= sizeof(want->rows.key_text))
		memcpy(want->rows.key_text, need.key.p, need.key.n);
	else
		need.key.n = 0;
	want->rows.table = need.table;
	want->rows.key = slice_of(want->rows.key_text, need.key.n);
	want->rows.nocase = need.nocase;
}

void
session_policy_begin(struct session *s)
{
	struct message *m = s->m;
	struct policy_facts facts = {
		.conf = m->conf,
		.macros = &s->macros,
		.client_name = slice_text(s->client_name),
		.address = session_address(s),
		.header = m->header,
		.rest = m->rest,
		.over = m->over,
		.dont_sign = m->dont_sign,
	};

	policy_begin(&m->policy, &facts, &m->arena,
	    m->conf->options.log_why ? &m->trace : NULL);
	proceed(s);
}

void
session_policy_answer(struct session *s, const struct want *want)
{
	struct message *m = s->m;

	if (want->error != WANT_OK) {
		session_fail(s, SESSION_FAULT_OURS, "table cannot be read",
		    slice_text(want->detail));
		return;
	}
	policy_give(&m->policy, want->rows.rows, want->rows.n);
	proceed(s);
}
