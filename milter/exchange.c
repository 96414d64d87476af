/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between a session and those who answer its wants.
 */

/* this room */
#include "ask.h"
#include "clock.h"
#include "exchange.h"
#include "inbox.h"
#include "log.h"

void
exchange_carry(struct exchange *e)
{
	struct want *want;

	while ((want = session_next_want(e->session)) != NULL)
		if (ask(e->signer, want))
			session_answer(e->session, want, clock_us());
	while ((want = session_next_cancelled(e->session)) != NULL) {
		ask_cancel(want);
		want_unref(want);
	}
}

void
exchange_take(struct exchange *e)
{
	struct want *want;

	while ((want = inbox_take(e->inbox, 0)) != NULL) {
		session_answer(e->session, want, clock_us());
		exchange_carry(e);
	}
}

bool
exchange_look(struct exchange *e, bool (*holds)(const struct session *),
    uint64_t *next, uint64_t *until)
{
	uint64_t now, deadline;

	/* an answer that came in time counts, however late we look */
	exchange_take(e);
	while (holds(e->session)) {
		now = clock_us();
		deadline = session_deadline(e->session);
		if (deadline == UINT64_MAX)
			return false;	/* nobody will answer */
		if (now >= deadline) {
			session_expire(e->session, now);
			exchange_carry(e);
			continue;
		}
		if (next != NULL && *next == 0)
			*next = now + EXCHANGE_PROGRESS_US;
		if (next != NULL && now >= *next) {
			e->progress(e->context);
			*next = now + EXCHANGE_PROGRESS_US;
		}
		*until = next != NULL && *next < deadline ? *next : deadline;
		return true;
	}
	return false;
}

void
exchange_wait(struct exchange *e, bool (*holds)(const struct session *),
    bool progress)
{
	uint64_t next = 0, until;
	struct want *want;

	while (exchange_look(e, holds, progress ? &next : NULL, &until)) {
		want = inbox_take(e->inbox, until);
		if (want != NULL) {
			session_answer(e->session, want, clock_us());
			exchange_carry(e);
		}
	}
}

void
exchange_reset(struct exchange *e)
{
	session_reset(e->session);
	exchange_carry(e);
}

void
exchange_write(const struct session_result *result)
{
	const struct session_note *note;
	size_t i;

	for (i = 0; i < result->n_notes; i++) {
		note = &result->notes[i];
		if (note->limit != NULL)
			log_limited(note->priority, note->limit, "%s",
			    note->text);
		else
			log_line(note->priority, "%s", note->text);
	}
	for (i = 0; i < result->n_counts; i++)
		stats_add(result->counts[i].stat, result->counts[i].n);
}
