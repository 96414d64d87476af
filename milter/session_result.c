/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What comes out of a message: outcome, header changes, counters.
 */

/* this room */
#include "session_message.h"

enum outcome_kind
session_result_fault_kind(const struct session *s)
{
	const struct message *m = s->m;
	bool signing = m->role_known && m->role == POLICY_SIGN;

	switch (m->fault) {
	case SESSION_FAULT_NONE:
		break;
	case SESSION_FAULT_MESSAGE:
		return OUTCOME_SIGNATURE_ERROR;
	case SESSION_FAULT_OURS:
		return OUTCOME_INTERNAL_ERROR;
	case SESSION_FAULT_MEMORY:
		return signing ? OUTCOME_INTERNAL_ERROR : OUTCOME_MEMORY;
	}
	return OUTCOME_ACCEPT;
}

enum action
session_result_fault_action(const struct session *s)
{
	struct outcome out;

	outcome_set(&out, session_result_fault_kind(s), &s->m->conf->options,
	    slice_of(NULL, 0), slice_of(NULL, 0), NULL, false);
	return out.action;
}

/*
 * Lay the verdicts out in the arena.
 */
static void
collect_verdicts(struct session *s)
{
	struct message *m = s->m;
	size_t i, n;

	if (m->verifier == NULL || !m->has_signature)
		return;
	n = dkim_verifier_count(m->verifier);
	m->verdicts = arena_alloc(&m->arena, (n + 1) * sizeof(*m->verdicts));
	if (m->verdicts == NULL) {
		session_fail_memory(s);
		return;
	}
	for (i = 0; i < n; i++)
		m->verdicts[i] = dkim_verifier_verdict(m->verifier, i);
	m->n_verdicts = n;
}

/*
 * RFC 7372 s3.2 has a code of its own for signatures that are good, but not
 * for us: is that the best there is?
 */
static bool
best_is_policy(const struct message *m)
{
	size_t i;

	for (i = 0; i < m->n_verdicts; i++)
		if (m->verdicts[i]->evaluated && !m->verdicts[i]->testing &&
		    m->verdicts[i]->result == DKIM_POLICY)
			return true;
	return false;
}

static void
set_outcome_fault(struct session *s)
{
	struct message *m = s->m;
	const struct policy *p = &m->policy;
	struct slice domain = slice_of(NULL, 0), selector = slice_of(NULL, 0);

	if (m->failed < p->n_keys) {
		domain = p->keys[m->failed].domain;
		selector = p->keys[m->failed].key_row.selector;
	}
	outcome_set(&m->result.outcome, session_result_fault_kind(s),
	    &m->conf->options, domain, selector, m->reason, false);
}

static void
set_outcome(struct session *s)
{
	struct message *m = s->m;
	const struct dkim_verdict *v = NULL;
	enum outcome_kind kind = OUTCOME_ACCEPT;
	const char *detail = "";

	if (m->fault != SESSION_FAULT_NONE) {
		set_outcome_fault(s);
		return;
	}
	m->deciding = m->n_verdicts;
	if (m->role == POLICY_VERIFY && m->over != NULL) {
		kind = OUTCOME_SECURITY;
		detail = m->over;
	} else if (m->role == POLICY_VERIFY) {
		kind = outcome_judge(m->verdicts, m->n_verdicts,
		    &m->deciding);
		if (m->deciding < m->n_verdicts)
			v = m->verdicts[m->deciding];
		if (v != NULL && kind == OUTCOME_BAD_SIGNATURE)
			detail = v->reason;
	}
	outcome_set(&m->result.outcome, kind, &m->conf->options,
	    v == NULL ? slice_of(NULL, 0) : v->domain,
	    v == NULL ? slice_of(NULL, 0) : v->selector, detail,
	    best_is_policy(m));
}

/*
 * An action that this connection was not opened for (BEHAVIOUR 8): the MTA
 * tries again, on a newer one.
 */
static void
fit_to_connection(struct session *s)
{
	struct outcome *out = &s->m->result.outcome;

	if (out->action != ACTION_QUARANTINE || s->can.quarantine)
		return;
	out->action = ACTION_TEMPFAIL;
	out->code = "451";
	out->xcode = "4.7.0";
}

static void
add_deletions(struct session *s)
{
	struct message *m = s->m;
	struct session_action *a;
	size_t i;

	if (!s->can.change_fields)
		return;
	/* RFC 8601 s5 #2: before our own is added; from the highest index
	 * down: the numbers below stay right */
	for (i = m->forged.n; i > 0; i--) {
		a = &m->actions[m->n_actions++];
		a->kind = SESSION_DELETE;
		a->name = "Authentication-Results";
		a->occurrence = m->forged.at[i - 1];
		a->value = NULL;
	}
}

/*
 * RFC 8601 s2.1 #2, s4 #8, s4.1, RFC 6376 s5.6 #1, #4: trace fields, on top of
 * all others.
 */
static void
add_insertion(struct message *m, const char *name, const char *value)
{
	struct session_action *a = &m->actions[m->n_actions++];

	a->kind = SESSION_INSERT;
	a->name = name;
	a->occurrence = 0;
	a->value = value;
}

/*
 *   authres   value of our own field; NULL: none
 * RFC 6376 s3.4 #5, RFC 8601 s4 #5: fields go or come whole; what is there, the
 * body too, is never changed.
 */
static void
add_actions(struct session *s, const char *authres)
{
	struct message *m = s->m;
	size_t i;

	add_deletions(s);
	if (m->fault != SESSION_FAULT_NONE)
		return;
	/* each goes to index 0: the first table row is written last */
	for (i = m->n_sign; i > 0; i--)
		add_insertion(m, "DKIM-Signature", m->sign[i - 1].value);
	if (authres != NULL)
		add_insertion(m, "Authentication-Results", authres);
}

/*
 * RFC 6376 s6.3 #6: what was found is told to whoever reads the header.
 */
static bool
wants_authres(const struct message *m)
{
	if (m->fault != SESSION_FAULT_NONE || m->role != POLICY_VERIFY)
		return false;
	return m->has_signature || m->over != NULL ||
	    m->conf->options.always_add_ar_header;
}

static enum stats_counter
result_stat(enum dkim_result result)
{
	switch (result) {
	case DKIM_NONE:
		return STAT_RESULT_NONE;
	case DKIM_PASS:
		return STAT_RESULT_PASS;
	case DKIM_FAIL:
		return STAT_RESULT_FAIL;
	case DKIM_POLICY:
		return STAT_RESULT_POLICY;
	case DKIM_NEUTRAL:
		return STAT_RESULT_NEUTRAL;
	case DKIM_TEMPERROR:
		return STAT_RESULT_TEMPERROR;
	case DKIM_PERMERROR:
		return STAT_RESULT_PERMERROR;
	}
	return STAT_RESULT_NONE;
}

/*
 * The best result of the message.
 */
static enum dkim_result
best_result(const struct message *m)
{
	static const enum dkim_result order[] = { DKIM_PASS, DKIM_POLICY,
	    DKIM_TEMPERROR, DKIM_FAIL, DKIM_PERMERROR, DKIM_NEUTRAL };
	size_t i, k;

	if (m->over != NULL)
		return DKIM_PERMERROR;
	for (k = 0; k < sizeof(order) / sizeof(order[0]); k++)
		for (i = 0; i < m->n_verdicts; i++)
			if (m->verdicts[i]->result == order[k])
				return order[k];
	return DKIM_NONE;
}

static void
count_faults(struct message *m)
{
	bool signing = m->role_known && m->role == POLICY_SIGN;

	if (m->fault == SESSION_FAULT_MESSAGE)
		session_notes_count(m, STAT_SIGN_MESSAGE_FAULT, 1);
	else if (m->fault != SESSION_FAULT_NONE && signing)
		session_notes_count(m, STAT_SIGN_OUR_FAULT, 1);
}

static void
count(struct message *m)
{
	session_notes_count(m, STAT_MESSAGES, 1);
	count_faults(m);
	if (m->over != NULL)
		session_notes_count(m, STAT_OVER_LIMIT, 1);
	if (m->fault == SESSION_FAULT_NONE && m->role == POLICY_SIGN) {
		session_notes_count(m, STAT_SIGNED, 1);
		session_notes_count(m, STAT_SIGNATURES, m->n_sign);
		if (m->lines.is_long)
			session_notes_count(m, STAT_LONG_LINES, 1);
	}
	if (m->fault == SESSION_FAULT_NONE && m->role == POLICY_VERIFY) {
		session_notes_count(m, STAT_VERIFIED, 1);
		session_notes_count(m, result_stat(best_result(m)), 1);
	}
	if (m->n_actions > 0 && m->forged.n > 0 &&
	    m->actions[0].kind == SESSION_DELETE)
		session_notes_count(m, STAT_AUTHRES_REMOVED, m->forged.n);
	if (m->result.outcome.action == ACTION_REJECT)
		session_notes_count(m, STAT_REJECTED, 1);
	else if (m->result.outcome.action == ACTION_TEMPFAIL)
		session_notes_count(m, STAT_TEMPFAILED, 1);
}

void
session_result_make(struct session *s)
{
	struct message *m = s->m;
	const char *authres = NULL;

	if (m->fault == SESSION_FAULT_NONE)
		collect_verdicts(s);
	/* RFC 8601 s4 #3: only when every verdict is there */
	if (wants_authres(m))
		authres = session_authres_print(s);
	m->actions = arena_alloc(&m->arena, (m->forged.n + m->n_sign + 1) *
	    sizeof(*m->actions));
	if (m->actions == NULL)
		session_fail_memory(s);
	set_outcome(s);
	fit_to_connection(s);
	if (m->actions == NULL) {
		/* nothing can be changed: whatever On-InternalError says */
		m->result.outcome.action = ACTION_TEMPFAIL;
		m->result.outcome.code = "451";
		m->result.outcome.xcode = "4.7.0";
	} else if (m->result.outcome.action == ACTION_ACCEPT ||
	    m->result.outcome.action == ACTION_QUARANTINE) {
		add_actions(s, authres);
	}
	count(m);
	session_notes_make(s);
	m->result.actions = m->actions;
	m->result.n_actions = m->n_actions;
	m->result.counts = m->counts;
	m->result.n_counts = m->n_counts;
}
