/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which a sender is looked up in a table.
 */

/* this room */
#include "walk.h"

enum {
	STEP_ADDRESS,		/* user@host */
	STEP_HOST,
	STEP_ADDRESS_SUFFIX,	/* user@.suffix, for each dot */
	STEP_SUFFIX,
	STEP_ADDRESS_ANY,	/* user@* */
	STEP_ANY,
	STEP_END,
};

void
walk_begin(struct walk *w, enum walk_kind kind, struct slice local,
    struct slice domain)
{
	w->kind = kind;
	w->local = local;
	w->domain = domain;
	w->step = kind == WALK_DOMAIN || kind == WALK_SUBDOMAINS ? STEP_HOST :
	    STEP_ADDRESS;
	w->at = 0;
}

/*
 * Put local@tail, or tail alone, into w->text.
 */
static bool
make_key(struct walk *w, bool with_local, struct slice tail, struct slice *key)
{
	size_t n = 0;

	if (tail.n > sizeof(w->text) ||
	    (with_local && w->local.n >= sizeof(w->text) - tail.n))
		return false;
	if (with_local) {
		if (w->local.n > 0)
			memcpy(w->text, w->local.p, w->local.n);
		n = w->local.n;
		w->text[n++] = '@';
	}
	memcpy(w->text + n, tail.p, tail.n);
	*key = slice_of(w->text, n + tail.n);
	return true;
}

/*
 * From w->at on to the next dot but the first octet's; false without one.
 */
static bool
next_suffix(struct walk *w)
{
	size_t from = w->at == 0 ? 0 : w->at + 1;
	size_t dot = slice_find(slice_from(w->domain, from), '.');

	if (from + dot >= w->domain.n)
		return false;
	w->at = from + dot;
	return true;
}

static unsigned
after_suffix(struct walk *w)
{
	if (next_suffix(w))
		return STEP_ADDRESS_SUFFIX;
	return STEP_ADDRESS_ANY;
}

static bool
next_subdomain(struct walk *w, struct slice *key)
{
	if (w->step == STEP_HOST) {
		w->step = STEP_SUFFIX;
		return make_key(w, false, w->domain, key);
	}
	if (w->step == STEP_END || w->kind == WALK_DOMAIN || !next_suffix(w)) {
		w->step = STEP_END;
		return false;
	}
	return make_key(w, false, slice_from(w->domain, w->at + 1), key);
}

/*
 * The key of one step of WALK_TABLE, and the step behind it.
 */
static bool
table_step(struct walk *w, struct slice *key)
{
	struct slice suffix = slice_from(w->domain, w->at);
	struct slice any = slice_text("*");

	switch (w->step) {
	case STEP_ADDRESS:
		w->step = w->kind == WALK_PATTERN ? STEP_END : STEP_HOST;
		return make_key(w, true, w->domain, key);
	case STEP_HOST:
		w->step = after_suffix(w);
		return make_key(w, false, w->domain, key);
	case STEP_ADDRESS_SUFFIX:
		w->step = STEP_SUFFIX;
		return make_key(w, true, suffix, key);
	case STEP_SUFFIX:
		w->step = after_suffix(w);
		return make_key(w, false, suffix, key);
	case STEP_ADDRESS_ANY:
		w->step = STEP_ANY;
		return make_key(w, true, any, key);
	default:
		w->step = STEP_END;
		return make_key(w, false, any, key);
	}
}

bool
walk_next(struct walk *w, struct slice *key)
{
	if (w->kind == WALK_DOMAIN || w->kind == WALK_SUBDOMAINS)
		return next_subdomain(w, key);
	while (w->step != STEP_END)
		if (table_step(w, key))
			return true;
	return false;
}
