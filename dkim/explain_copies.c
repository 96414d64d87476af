/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation that tell what z= shows; see
 * explain_copies.h. Values are read with each run of white space, folds
 * included, as one blank: only what is not white space is shown as different.
 */

/* this room */
#include "explain_copies.h"
#include "explain_text.h"

#define AROUND	20	/* octets shown in front of a difference */
#define FRONT	40	/* a difference that early: shown from the start */

/*
 * Take the next octet off s.
 */
static uint8_t
take(struct slice *s)
{
	uint8_t c = s->p[0];

	*s = slice_from(*s, 1);
	if (!slice_is_white(c))
		return c;
	while (s->n > 0 && slice_is_white(s->p[0]))
		*s = slice_from(*s, 1);
	return ' ';
}

/*
 * How many octets two values have in common.
 */
static size_t
count_common(struct slice a, struct slice b)
{
	struct slice x = slice_trim(a), y = slice_trim(b);
	size_t n = 0;

	while (x.n > 0 && y.n > 0 && take(&x) == take(&y))
		n++;
	return n;
}

/*
 * A value in quotes: DKIM_EXPLAIN_SHOWN of its octets, the skipped ones left
 * out.
 */
static void
add_value(struct buf *out, struct slice value, size_t skipped)
{
	struct slice rest = slice_trim(value);
	uint8_t shown[DKIM_EXPLAIN_SHOWN];
	size_t i, n = 0;

	for (i = 0; i < skipped && rest.n > 0; i++)
		(void)take(&rest);
	while (rest.n > 0 && n < sizeof(shown))
		shown[n++] = take(&rest);
	explain_text_quoted(out, slice_of(shown, n), skipped > 0, rest.n > 0);
}

static void
add_change(struct buf *out, struct slice was, struct slice is)
{
	size_t common = count_common(was, is);
	size_t skipped = common > FRONT ? common - AROUND : 0;

	buf_add_text(out, " was ");
	add_value(out, was, skipped);
	buf_add_text(out, ", is ");
	add_value(out, is, skipped);
}

void
explain_copies_difference(const struct copies_difference *d,
    const struct copy *copies, const struct signedset *set, struct buf *out)
{
	buf_add_text(out, "z=: ");
	explain_text_name(out, d->name);
	switch (d->change) {
	case COPIES_CHANGED:
		add_change(out, copies[d->copy].value,
		    set->fields[d->field].value);
		break;
	case COPIES_MISSING:
		buf_add_text(out, " was ");
		add_value(out, copies[d->copy].value, 0);
		buf_add_text(out, ", is not there");
		break;
	case COPIES_ADDED:
		buf_add_text(out, " has no copy, is ");
		add_value(out, set->fields[d->field].value, 0);
		break;
	case COPIES_SPACE:
		buf_add_text(out, " had other white space");
		break;
	case COPIES_SAME:
		break;
	}
	buf_add_octet(out, '\n');
}
