/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option that somebody meant who mistyped one.
 */

/* this room */
#include "conf_nearest.h"
#include "conf_options.h"

#define NEAR_MAX	64	/* octets of a name that is compared */

/*
 * Edits (one octet in, out or other) from a to b, without case; any number
 * from limit up where there are limit or more: what is far is soon given up,
 * since each unknown line of a file comes here, with every option.
 */
static unsigned
distance(struct slice a, struct slice b, unsigned limit)
{
	unsigned row[NEAR_MAX + 1], left, up, best, least;
	size_t i, j, from, to;

	if (a.n >= b.n + limit || b.n >= a.n + limit)
		return limit;
	for (j = 0; j <= b.n; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= a.n; i++) {
		/* so many octets off the diagonal take as many edits */
		from = i < limit ? 1 : i - limit + 1;
		to = i + limit - 1 < b.n ? i + limit - 1 : b.n;
		left = row[from - 1];	/* of the row above */
		row[from - 1] = least = from == 1 ? (unsigned)i : limit;
		for (j = from; j <= to; j++) {
			up = row[j];
			best = left + (slice_lower(a.p[i - 1]) !=
			    slice_lower(b.p[j - 1]));
			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			left = up;
			row[j] = best;
			if (best < least)
				least = best;
		}
		/* no way to the end is shorter than where it crosses a row */
		if (least >= limit)
			return limit;
	}
	return row[b.n];
}

const char *
conf_nearest(struct slice name)
{
	const char *nearest = NULL;
	unsigned best = 4, d;	/* more than three edits are another word */
	size_t i;

	if (name.n > NEAR_MAX)
		return NULL;
	for (i = 0; i < conf_options_count; i++) {
		d = distance(name, slice_text(conf_options_table[i].name),
		    best);
		if (d < best && d * 2 < name.n) {
			best = d;
			nearest = conf_options_table[i].name;
		}
	}
	return nearest;
}
