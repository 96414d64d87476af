/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Guesses about the header that was signed: two of the changes that were tried
 * alone; see headguess.h.
 */

/* this room */
#include "headguess.h"

static bool
is_of_all(const struct headsearch *s, const struct headsearch_change *change)
{
	return change->field == s->set.n;
}

/*
 * Are both worth a try? Fields of one name take each other's place when one
 * goes, and two that went were tried before.
 */
static bool
may_pair(const struct headsearch *s, const struct headsearch_change *a,
    const struct headsearch_change *b)
{
	if (is_of_all(s, a) || is_of_all(s, b))
		return true;
	if (a->edit.kind == HEADSEARCH_DROP && b->edit.kind == HEADSEARCH_DROP)
		return false;
	return !slice_equal_nocase(s->set.fields[a->field].asked,
	    s->set.fields[b->field].asked);
}

static void
make_change(struct headsearch *s, const struct headsearch_change *change)
{
	headsearch_push_edit(s, &change->edit);
	if (is_of_all(s, change))
		(void)headguess_white_all(s, change->white);
	else if (change->edit.kind == HEADSEARCH_DROP)
		headguess_leave_out(s, change->field);
	else
		s->set.fields[change->field] = change->with;
}

/*
 *   saved    the fields as they are
 */
static bool
try_pair(struct headsearch *s, size_t a, size_t b,
    const struct signedset_field *saved)
{
	struct slice own = s->own_value;

	make_change(s, &s->changes[a]);
	make_change(s, &s->changes[b]);
	if (headsearch_try(s))
		return true;
	headsearch_pop(s);
	headsearch_pop(s);
	memcpy(s->set.fields, saved, s->set.n * sizeof(saved[0]));
	s->own_value = own;
	return false;
}

bool
headguess_pair(struct headsearch *s)
{
	size_t a, sum, n = s->changes_n, size = s->set.n *
	    sizeof(s->set.fields[0]);
	struct signedset_field *saved = arena_alloc(s->arena, size + 1);

	if (saved == NULL) {
		s->error = DKIM_ERR_NOMEM;
		return false;
	}
	memcpy(saved, s->set.fields, size);
	/* the likely ones come first in the list, and so do their pairs */
	for (sum = 1; sum < 2 * n; sum++)
		for (a = sum < n ? 0 : sum - n + 1; a < sum - a; a++) {
			if (s->error != 0 || s->spent)
				return false;
			if (may_pair(s, &s->changes[a], &s->changes[sum - a])
			    && try_pair(s, a, sum - a, saved))
				return true;
		}
	return false;
}
