/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log of one message.
 */

/* this room */
#include "msglog.h"

static const char *const role_text[] = {
	[MSGLOG_NONE] = "none",
	[MSGLOG_SIGN] = "sign",
	[MSGLOG_VERIFY] = "verify",
};

static const char *const action_text[] = {
	[ACTION_ACCEPT] = "accept",
	[ACTION_DISCARD] = "discard",
	[ACTION_QUARANTINE] = "quarantine",
	[ACTION_REJECT] = "reject",
	[ACTION_TEMPFAIL] = "tempfail",
};

/*
 * Octets that a value takes at the most, escapes counted: what a stranger
 * writes must not push the rest of the line out of the log.
 */
#define ALONE_MAX	320
#define LISTED_MAX	80	/* three values a signature, eight signatures */
#define DETAIL_MAX	640

/*
 * A value of the line: no blank and, within a list, no comma of its own; "..."
 * where it goes on.
 */
static void
add_value(struct buf *out, struct slice s, size_t max)
{
	size_t i, start = out->n;

	for (i = 0; i < s.n; i++) {
		if (out->n - start >= max) {
			buf_add_text(out, "...");
			return;
		}
		if (s.p[i] == ' ' || s.p[i] == ',' || s.p[i] == '"')
			buf_add_format(out, "\\x%02x", s.p[i]);
		else
			buf_add_escaped(out, slice_sub(s, i, 1));
	}
}

void
msglog_id(struct slice queue_id, struct buf *out)
{
	if (queue_id.n == 0)
		buf_add_text(out, "NOQUEUE");
	else
		add_value(out, queue_id, LISTED_MAX);
	buf_add_text(out, ": ");
}

static size_t
listed(const struct msglog *m)
{
	return m->n < MSGLOG_SIGNATURES ? m->n : MSGLOG_SIGNATURES;
}

enum list {
	LIST_RESULT,
	LIST_DOMAIN,
	LIST_SELECTOR,
	LIST_ALGORITHM,
};

static void
add_list(const struct msglog *m, enum list list, struct buf *out)
{
	const struct msglog_signature *s;
	size_t i, max = listed(m) > 1 ? LISTED_MAX : ALONE_MAX;

	for (i = 0; i < listed(m); i++) {
		s = &m->signatures[i];
		if (i > 0)
			buf_add_octet(out, ',');
		switch (list) {
		case LIST_RESULT:
			buf_add_text(out, s->text);
			break;
		case LIST_DOMAIN:
			add_value(out, s->domain, max);
			break;
		case LIST_SELECTOR:
			add_value(out, s->selector, max);
			break;
		case LIST_ALGORITHM:
			add_value(out, s->algorithm, LISTED_MAX);
			break;
		}
	}
	if (m->n == 0 && list == LIST_RESULT)
		buf_add_text(out, m->result);
}

/*
 * The reason in quotes, since it has blanks; `"` cannot be in it.
 */
static void
add_reason(const struct msglog *m, struct buf *out)
{
	size_t i, start;

	if (m->reason[0] == '\0')
		return;
	buf_add_octet(out, '"');
	buf_add_text(out, m->reason);
	if (m->detail.n > 0)
		buf_add_text(out, ": ");
	start = out->n;
	for (i = 0; i < m->detail.n && out->n - start < DETAIL_MAX; i++)
		if (m->detail.p[i] == '"')
			buf_add_text(out, "\\x22");
		else
			buf_add_escaped(out, slice_sub(m->detail, i, 1));
	buf_add_text(out, i < m->detail.n ? "...\"" : "\"");
}

void
msglog_line(const struct msglog *m, struct buf *out)
{
	msglog_id(m->queue_id, out);
	buf_add_format(out, "role=%s result=", role_text[m->role]);
	add_list(m, LIST_RESULT, out);
	buf_add_text(out, " d=");
	add_list(m, LIST_DOMAIN, out);
	buf_add_text(out, " s=");
	add_list(m, LIST_SELECTOR, out);
	buf_add_text(out, " a=");
	add_list(m, LIST_ALGORITHM, out);
	buf_add_text(out, " from=");
	add_value(out, m->from, ALONE_MAX);
	buf_add_text(out, " client=");
	add_value(out, m->client, ALONE_MAX);
	buf_add_text(out, " reason=");
	add_reason(m, out);
	buf_add_format(out, " dns_ms=%llu sign_us=%llu",
	    (unsigned long long)(m->dns_us / 1000),
	    (unsigned long long)m->sign_us);
	if (m->action != ACTION_ACCEPT)
		buf_add_format(out, " action=%s", action_text[m->action]);
}

static void
add_names(const struct msglog_signature *s, const char *before,
    const char *between, const char *after, struct buf *out)
{
	buf_add_text(out, before);
	add_value(out, s->selector, ALONE_MAX);
	buf_add_text(out, between);
	add_value(out, s->domain, ALONE_MAX);
	buf_add_text(out, after);
}

static bool
has_pass(const struct msglog *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->signatures[i].result == DKIM_PASS)
			return true;
	return false;
}

/*
 * What OpenDKIM says about one signature that did not pass.
 */
static void
phrase_failed(const struct msglog_signature *s, struct buf *out)
{
	if (s->result == DKIM_TEMPERROR || s->no_key) {
		add_names(s, "key retrieval failed (s=", ", d=", ")", out);
		return;
	}
	add_names(s, "s=", " d=", " a=", out);
	add_value(out, s->algorithm, ALONE_MAX);
	buf_add_text(out, " SSL ");
	buf_add_text(out, s->reason);
}

static bool
phrase_verify(const struct msglog *m, size_t i, struct buf *out)
{
	size_t k;

	if (m->n == 0) {
		if (i == 0)
			buf_add_text(out, "no signature data");
		return i == 0;
	}
	/* one line a signature that failed, then one for the message */
	for (k = 0; k < listed(m); k++) {
		if (m->signatures[k].result == DKIM_PASS)
			continue;
		if (i-- == 0) {
			phrase_failed(&m->signatures[k], out);
			return true;
		}
	}
	if (i > 0)
		return false;
	buf_add_text(out, has_pass(m) ? "DKIM verification successful" :
	    "bad signature data");
	return true;
}

bool
msglog_phrase(const struct msglog *m, size_t i, struct buf *out)
{
	msglog_id(m->queue_id, out);
	switch (m->role) {
	case MSGLOG_SIGN:
		if (!m->made || i >= m->n)
			return false;
		add_names(&m->signatures[i],
		    "DKIM-Signature field added (s=", ", d=", ")", out);
		return true;
	case MSGLOG_VERIFY:
		return phrase_verify(m, i, out);
	case MSGLOG_NONE:
		break;
	}
	return false;
}

bool
msglog_result(const struct msglog *m, size_t i, struct buf *out)
{
	const struct msglog_signature *s;
	size_t n;

	if (m->role != MSGLOG_VERIFY || i >= listed(m))
		return false;
	s = &m->signatures[i];
	n = s->signature.n < 8 ? s->signature.n : 8;
	msglog_id(m->queue_id, out);
	buf_add_text(out, "signature=");
	add_value(out, slice_sub(s->signature, 0, n), ALONE_MAX);
	buf_add_text(out, " domain=");
	add_value(out, s->domain, ALONE_MAX);
	buf_add_text(out, " selector=");
	add_value(out, s->selector, ALONE_MAX);
	buf_add_format(out, " result=\"%s\"", s->text);
	return true;
}

bool
msglog_is_success(const struct msglog *m)
{
	return m->role == MSGLOG_SIGN ? m->made : m->role == MSGLOG_VERIFY &&
	    has_pass(m);
}
