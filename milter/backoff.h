/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long to wait before something that ended is started again: not at all
 * after it has run for long, else twice as long each time, up to a cap.
 */
#ifndef BACKOFF_H
#define BACKOFF_H

#include <stdint.h>

struct backoff_rule {
	uint64_t	first, cap;	/* microseconds */
	uint64_t	good;		/* who ran that long begins anew */
};

struct backoff {
	struct backoff_rule	rule;
	uint64_t		next;	/* microseconds; 0: at once */
};

void backoff_init(struct backoff *b, const struct backoff_rule *rule);

/*
 * It has ended after ran microseconds.
 *   returns  microseconds to wait
 */
uint64_t backoff_ended(struct backoff *b, uint64_t ran);

#endif
