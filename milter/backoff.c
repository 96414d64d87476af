/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Back-off.
 */

/* this room */
#include "milter/backoff.h"

void
backoff_init(struct backoff *b, const struct backoff_rule *rule)
{
	b->rule = *rule;
	b->next = 0;
}

uint64_t
backoff_ended(struct backoff *b, uint64_t ran)
{
	uint64_t wait;

	if (ran >= b->rule.good)
		b->next = 0;
	wait = b->next;
	if (wait == 0)
		b->next = b->rule.first;
	else if (wait >= b->rule.cap / 2)
		b->next = b->rule.cap;
	else
		b->next = 2 * wait;
	return wait;
}
