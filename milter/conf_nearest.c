/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The option that somebody meant who mistyped one.
 */

/* this room */
#include "conf_nearest.h"
#include "conf_options.h"

#define NEAR_MAX	64	/* octets of a name that is compared */

/*
 * Edits (one octet in, out or other) from a to b, without case.
 */
static unsigned
distance(struct slice a, struct slice b)
{
	unsigned row[NEAR_MAX + 1], left, up, best;
	size_t i, j;

	for (j = 0; j <= b.n; j++)
		row[j] = (unsigned)j;
	for (i = 1; i <= a.n; i++) {
		left = row[0];		/* of the row above */
		row[0] = (unsigned)i;
		for (j = 1; j <= b.n; j++) {
			up = row[j];
			best = left + (slice_lower(a.p[i - 1]) !=
			    slice_lower(b.p[j - 1]));
			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			left = up;
			row[j] = best;
		}
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
		d = distance(name, slice_text(conf_options_table[i].name));
		if (d < best && d * 2 < name.n) {
			best = d;
			nearest = conf_options_table[i].name;
		}
	}
	return nearest;
}
