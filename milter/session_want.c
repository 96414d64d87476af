/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The wants of a message: made, carried out, answered, given up.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "session_message.h"

/*
 * Room for all wants on their way among the cancelled ones: giving up must
 * not need memory.
 */
static bool
has_room_for_cancelled(struct session *s)
{
	size_t need = s->n_cancelled + s->m->waiting + 1;
	struct want **more;

	if (need <= s->cancelled_space)
		return true;
	more = reallocarray(s->cancelled, need + 8, sizeof(struct want *));
	if (more == NULL)
		return false;
	s->cancelled = more;
	s->cancelled_space = need + 8;
	return true;
}

static struct slot *
free_slot(struct message *m)
{
	struct slot *more;
	size_t i;

	for (i = 0; i < m->n_slots; i++)
		if (m->slots[i].want == NULL)
			return &m->slots[i];
	more = reallocarray(m->slots, m->n_slots + 4, sizeof(*more));
	if (more == NULL)
		return NULL;
	m->slots = more;
	memset(&m->slots[m->n_slots], 0, 4 * sizeof(*more));
	m->n_slots += 4;
	return &m->slots[m->n_slots - 4];
}

struct want *
session_want_new(struct session *s, enum want_kind kind, size_t id,
    uint64_t expires)
{
	struct message *m = s->m;
	struct slot *slot = free_slot(m);
	struct want *want;

	if (slot == NULL || !has_room_for_cancelled(s) ||
	    want_new(kind, s->inbox, m->conf, &want) != 0) {
		session_fail_memory(s);
		return NULL;
	}
	want->id = id;
	want->expires = expires;
	slot->want = want;
	slot->carried = false;
	m->waiting++;
	return want;
}

struct want *
session_next_want(struct session *s)
{
	struct message *m = s->m;
	size_t i;

	if (m == NULL)
		return NULL;
	for (i = 0; i < m->n_slots; i++) {
		if (m->slots[i].want == NULL || m->slots[i].carried)
			continue;
		m->slots[i].carried = true;
		return m->slots[i].want;
	}
	return NULL;
}

struct want *
session_next_cancelled(struct session *s)
{
	return s->n_cancelled == 0 ? NULL : s->cancelled[--s->n_cancelled];
}

/*
 * Give up the want of a slot. Who answers drops it; one that nobody has been
 * asked loses both references here.
 */
static void
cancel(struct session *s, struct slot *slot)
{
	struct want *want = slot->want;

	slot->want = NULL;
	s->m->waiting--;
	atomic_store_explicit(&want->cancelled, true, memory_order_release);
	if (slot->carried) {
		s->cancelled[s->n_cancelled++] = want;
	} else {
		want_unref(want);
		want_unref(want);
	}
}

void
session_want_cancel_all(struct session *s)
{
	struct message *m = s->m;
	size_t i;

	for (i = 0; i < m->n_slots; i++)
		if (m->slots[i].want != NULL)
			cancel(s, &m->slots[i]);
}

static struct slot *
slot_of(struct message *m, const struct want *want)
{
	size_t i;

	for (i = 0; i < m->n_slots; i++)
		if (m->slots[i].want == want)
			return &m->slots[i];
	return NULL;
}

static void
use_answer(struct session *s, struct want *want, uint64_t now)
{
	struct message *m = s->m;

	switch (want->kind) {
	case WANT_ROWS:
		session_policy_answer(s, want);
		break;
	case WANT_PUBLIC_KEY:
		session_verify_key(s, want, now);
		break;
	case WANT_PRIVATE_KEY:
		session_sign_key(s, want);
		break;
	case WANT_SIGNATURE:
		m->sign_us = now - m->now.us;
		session_sign_signature(s, want);
		break;
	}
}

void
session_answer(struct session *s, struct want *want, uint64_t now)
{
	struct slot *slot = s->m == NULL ? NULL : slot_of(s->m, want);

	if (slot == NULL) {
		/* of a message that is over, or given up */
		want_unref(want);
		return;
	}
	slot->want = NULL;
	s->m->waiting--;
	use_answer(s, want, now);
	want_unref(want);	/* the one that came with the answer */
	want_unref(want);	/* ours */
}

uint64_t
session_deadline(const struct session *s)
{
	const struct message *m = s->m;
	uint64_t first = UINT64_MAX;
	size_t i;

	for (i = 0; m != NULL && i < m->n_slots; i++)
		if (m->slots[i].want != NULL &&
		    m->slots[i].want->expires < first)
			first = m->slots[i].want->expires;
	return first;
}

/*
 * A want has not been answered in time.
 */
static void
expired(struct session *s, enum want_kind kind, uint64_t now)
{
	struct message *m = s->m;

	switch (kind) {
	case WANT_PUBLIC_KEY:
		/* the verifier takes a key without answer as a temperror */
		m->dns_us = now - m->asked;
		break;
	case WANT_ROWS:
		session_fail(s, SESSION_FAULT_OURS,
		    "table did not answer in time", slice_of(NULL, 0));
		break;
	case WANT_PRIVATE_KEY:
		session_fail(s, SESSION_FAULT_OURS,
		    "key is not there in time", slice_of(NULL, 0));
		break;
	case WANT_SIGNATURE:
		session_notes_count(m, STAT_SIGN_TIMEOUT, 1);
		session_fail(s, SESSION_FAULT_OURS,
		    "signature is not there in time", slice_of(NULL, 0));
		break;
	}
}

void
session_expire(struct session *s, uint64_t now)
{
	struct message *m = s->m;
	enum want_kind kind;
	size_t i;

	for (i = 0; m != NULL && i < m->n_slots; i++) {
		if (m->slots[i].want == NULL ||
		    m->slots[i].want->expires > now)
			continue;
		kind = m->slots[i].want->kind;
		cancel(s, &m->slots[i]);
		expired(s, kind, now);
	}
}
