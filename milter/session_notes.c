/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the log is told about a message (BEHAVIOUR 9), and its counters.
 */

/* system */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <syslog.h>

/* this room */
#include "session_message.h"

#define NOTES_MAX	256	/* lines about one message */
#define LIMIT_MAX	128	/* octets of what tells equal errors */
#define CUT		" ..."	/* in place of what a text has no room for */

void
session_notes_count(struct message *m, enum stats_counter stat, uint64_t n)
{
	if (m->n_counts == sizeof(m->counts) / sizeof(m->counts[0]))
		return;
	m->counts[m->n_counts].stat = stat;
	m->counts[m->n_counts].n = n;
	m->n_counts++;
}

static struct slice
queue_id(const struct session *s)
{
	return session_get_macro(s, "i");
}

/*
 * Add the text as a note, and begin the next one. A text over
 * MSGLOG_TEXT_MAX is cut, without memory it is lost.
 */
static void
add(struct session *s, int priority, const char *limit, struct buf *text)
{
	struct message *m = s->m;
	struct session_note *more;
	uint8_t *p;

	buf_cut(text, CUT);
	buf_add_nul(text);
	if (buf_end(text) == 0 && m->n_notes < NOTES_MAX) {
		more = reallocarray(m->notes, m->n_notes + 1, sizeof(*more));
		if (more != NULL) {
			m->notes = more;
			p = buf_take(text);
			more[m->n_notes].priority = priority;
			more[m->n_notes].limit = limit;
			more[m->n_notes].text = (const char *)p;
			m->n_notes++;
		}
	}
	buf_clear(text);
}

/*
 * One line of the kind "<queue-id>: text".
 */
static void
add_text(struct session *s, int priority, const char *limit, const char *text)
{
	struct buf b;

	buf_init(&b, MSGLOG_TEXT_MAX);
	msglog_id(queue_id(s), &b);
	buf_add_text(&b, text);
	add(s, priority, limit, &b);
}

static void
add_trace(struct session *s)
{
	struct slice rest;
	struct buf b;
	size_t n;

	buf_cut(&s->m->trace, CUT);
	rest = buf_slice(&s->m->trace);
	buf_init(&b, MSGLOG_TEXT_MAX);
	while (rest.n > 0) {
		n = slice_find(rest, '\n');
		msglog_id(queue_id(s), &b);
		buf_add(&b, slice_sub(rest, 0, n));
		add(s, LOG_INFO, NULL, &b);
		rest = slice_from(rest, n < rest.n ? n + 1 : n);
	}
}

/*
 * name[address]
 */
static struct slice
client(struct session *s)
{
	char address[INET6_ADDRSTRLEN] = "local";
	const struct sockaddr *sa = session_address(s);
	const char *name = s->client_name;
	size_t n = strlen(name) + sizeof(address) + 3;
	char *text = arena_alloc(&s->m->arena, n);

	if (text == NULL)
		return slice_of(NULL, 0);
	if (sa != NULL && sa->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)
		    (const void *)sa)->sin_addr, address, sizeof(address));
	else if (sa != NULL && sa->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)
		    (const void *)sa)->sin6_addr, address, sizeof(address));
	/* Postfix and Sendmail write "[192.0.2.1]" for a host without name */
	if (name[0] == '[')
		snprintf(text, n, "%s", name);
	else
		snprintf(text, n, "%s[%s]", name, address);
	return slice_text(text);
}

static struct slice
algorithm_of(const struct rsab_key *key)
{
	if (key == NULL)
		return slice_of(NULL, 0);
	return slice_text(rsab_key_type(key) == RSAB_RSA ? "rsa-sha256" :
	    "ed25519-sha256");
}

static size_t
fill_made(const struct message *m, struct msglog_signature *out)
{
	const struct policy_key *key;
	size_t i;

	for (i = 0; i < m->policy.n_keys; i++) {
		key = &m->policy.keys[i];
		out[i] = (struct msglog_signature){
			.text = m->fault == SESSION_FAULT_NONE ? "signed" :
			    "error",
			.reason = "",
			.domain = key->domain,
			.selector = key->key_row.selector,
			.algorithm = algorithm_of(m->sign[i].key),
		};
	}
	return i;
}

static size_t
fill_judged(const struct message *m, struct msglog_signature *out)
{
	const struct dkim_verdict *v;
	size_t i;

	for (i = 0; i < m->n_verdicts; i++) {
		v = m->verdicts[i];
		out[i] = (struct msglog_signature){
			.result = v->result,
			.text = dkim_result_text(v->result),
			.reason = v->reason,
			.no_key = v->no_key,
			.domain = v->domain,
			.selector = v->selector,
			.algorithm = v->algorithm,
			.signature = v->signature,
		};
	}
	return i;
}

/*
 * The reason of the message: of the fault, of the verdict that decided, or
 * why nobody was asked.
 */
static void
fill_reason(const struct message *m, struct msglog *log)
{
	const struct dkim_verdict *v = NULL;

	if (m->deciding < m->n_verdicts)
		v = m->verdicts[m->deciding];
	else if (m->n_verdicts > 0)
		v = m->verdicts[0];
	if (m->fault != SESSION_FAULT_NONE) {
		log->reason = m->reason;
		log->detail = slice_of(m->detail, m->detail_n);
	} else if (m->role == POLICY_VERIFY && m->over != NULL) {
		log->reason = "message over a limit";
		log->detail = slice_text(m->over);
	} else if (v != NULL) {
		log->reason = v->reason;
	} else if (m->role == POLICY_NONE) {
		log->reason = m->policy.reason;
		log->detail = m->policy.detail;
	}
}

static const char *
result_text(const struct message *m)
{
	if (m->fault != SESSION_FAULT_NONE)
		return "error";
	if (m->role == POLICY_VERIFY && m->over != NULL)
		return dkim_result_text(DKIM_PERMERROR);
	return dkim_result_text(DKIM_NONE);
}

static void
fill(struct session *s, struct msglog *log)
{
	struct message *m = s->m;
	struct msglog_signature *signatures;
	bool signing = m->role_known && m->role == POLICY_SIGN;

	*log = (struct msglog){
		.options = &m->conf->options,
		.queue_id = queue_id(s),
		.role = signing ? MSGLOG_SIGN : m->role == POLICY_VERIFY ?
		    MSGLOG_VERIFY : MSGLOG_NONE,
		.result = result_text(m),
		.client = client(s),
		.reason = "",
		.made = signing && m->fault == SESSION_FAULT_NONE,
		.dns_us = m->dns_us,
		.sign_us = m->sign_us,
		.action = m->result.outcome.action,
	};
	if (m->policy.n_senders > 0)
		log->from = m->policy.senders[0].text;
	fill_reason(m, log);
	signatures = arena_alloc(&m->arena, (m->n_verdicts +
	    m->policy.n_keys + 1) * sizeof(*signatures));
	if (signatures == NULL)
		return;
	log->signatures = signatures;
	log->n = signing ? fill_made(m, signatures) :
	    fill_judged(m, signatures);
}

static void
add_line(struct session *s, const struct msglog *log)
{
	int priority = LOG_INFO;
	struct buf b;

	if (s->m->fault != SESSION_FAULT_NONE || s->m->policy.warn)
		priority = LOG_NOTICE;
	buf_init(&b, MSGLOG_TEXT_MAX);
	msglog_line(log, &b);
	add(s, priority, NULL, &b);
}

static void
add_phrases(struct session *s, const struct msglog *log)
{
	struct buf b;
	size_t i;

	buf_init(&b, MSGLOG_TEXT_MAX);
	for (i = 0; msglog_phrase(log, i, &b); i++)
		add(s, LOG_INFO, NULL, &b);
	buf_clear(&b);
}

static void
add_results(struct session *s, const struct msglog *log)
{
	struct buf b;
	size_t i;

	buf_init(&b, MSGLOG_TEXT_MAX);
	for (i = 0; msglog_result(log, i, &b); i++)
		add(s, LOG_INFO, NULL, &b);
	buf_clear(&b);
}

/*
 * What an error is held back by: its kind and the key or table it is about.
 */
static const char *
limit_of(struct message *m)
{
	size_t n = strlen(m->reason), detail = m->detail_n < LIMIT_MAX ?
	    m->detail_n : LIMIT_MAX;
	char *key = arena_alloc(&m->arena, n + detail + 3);

	if (key == NULL)
		return m->reason;
	snprintf(key, n + detail + 3, "%s: %.*s", m->reason, (int)detail,
	    m->detail);
	return key;
}

/*
 * Our own fault: an error, held back. What a peer brought about is none.
 */
static void
add_fault(struct session *s)
{
	struct message *m = s->m;
	struct buf b;

	if (m->fault != SESSION_FAULT_OURS && m->fault != SESSION_FAULT_MEMORY)
		return;
	buf_init(&b, MSGLOG_TEXT_MAX);
	msglog_id(queue_id(s), &b);
	buf_add_format(&b, "%s: %s", m->result.outcome.option, m->reason);
	if (m->detail_n > 0) {
		buf_add_text(&b, ": ");
		buf_add_escaped(&b, slice_of(m->detail, m->detail_n));
	}
	add(s, m->by_peer ? LOG_NOTICE : LOG_ERR, limit_of(m), &b);
}

/*
 * "external host X attempted to send as Y": mail that is not ours, in the name
 * of a domain of ours.
 */
static void
add_external(struct session *s)
{
	struct message *m = s->m;
	struct slice name = slice_text(s->client_name);
	struct buf b;

	if (!m->policy.external || (m->conf->ignore != NULL &&
	    hostset_has(m->conf->ignore, name, session_address(s))))
		return;
	buf_init(&b, MSGLOG_TEXT_MAX);
	msglog_id(queue_id(s), &b);
	buf_add_text(&b, "external host ");
	buf_add_escaped(&b, name);
	buf_add_text(&b, " attempted to send as ");
	buf_add_escaped(&b, m->policy.senders[0].domain);
	add(s, LOG_NOTICE, NULL, &b);
}

/*
 * Sendmail adds these where they are absent, behind the filter: when they are
 * oversigned, the signature says that there is none.
 */
static void
add_absent(struct session *s)
{
	static const struct {
		const char	*name, *text;
	} rows[] = {
		{ "Date", "no Date, which OversignHeaders has: an MTA that "
		    "adds it after signing, as Sendmail does, breaks the "
		    "signature" },
		{ "Message-ID", "no Message-ID, which OversignHeaders has: an "
		    "MTA that adds it after signing, as Sendmail does, breaks "
		    "the signature" },
	};
	struct message *m = s->m;
	struct slice name;
	size_t i;

	for (i = 0; m->sign_ready && i < sizeof(rows) / sizeof(rows[0]); i++) {
		name = slice_text(rows[i].name);
		if (dkim_names_has(m->conf->oversign, name) &&
		    dkim_header_find(m->header, name, 0) ==
		    dkim_header_count(m->header))
			add_text(s, LOG_INFO, rows[i].text, rows[i].text);
	}
}

static void
add_warnings(struct session *s)
{
	struct message *m = s->m;

	add_external(s);
	add_absent(s);
	if (m->second_pass)
		add_text(s, LOG_NOTICE, NULL, "second pass? the message "
		    "already has a signature of this d= and s=");
	if (m->sign_ready && m->lines.is_long)
		add_text(s, LOG_NOTICE, NULL, "a line is longer than 998 "
		    "octets: an MTA may break it after signing");
	if (m->sign_ready && m->lines.eight_bit &&
	    !session_lines_declared(m->header))
		add_text(s, LOG_NOTICE, NULL, "octets above 127 without "
		    "Content-Transfer-Encoding 8bit: an MTA may recode them "
		    "after signing");
	if (m->authres_too_long)
		add_text(s, LOG_NOTICE, NULL, "Authentication-Results would "
		    "be longer than a milter can insert: left out");
	if (m->forged.n > 0 && !s->can.change_fields)
		add_text(s, LOG_NOTICE, "no CHGHDRS", "forged "
		    "Authentication-Results stay: this connection was opened "
		    "under KeepAuthResults");
}

void
session_notes_make(struct session *s)
{
	struct message *m = s->m;
	const struct options *o = &m->conf->options;
	struct msglog log;

	fill(s, &log);
	add_trace(s);
	if (o->syslog_success || !msglog_is_success(&log)) {
		if (o->log_style != LOG_STYLE_OPENDKIM)
			add_line(s, &log);
		if (o->log_style != LOG_STYLE_DKIMD)
			add_phrases(s, &log);
	}
	if (o->log_results)
		add_results(s, &log);
	add_warnings(s);
	add_fault(s);
	m->result.notes = m->notes;
	m->result.n_notes = m->n_notes;
	if (m->fault == SESSION_FAULT_MEMORY && m->n_notes == 0) {
		m->last_note = (struct session_note){ LOG_ERR, "no memory",
		    "On-InternalError: no memory" };
		m->result.notes = &m->last_note;
		m->result.n_notes = 1;
	}
}
