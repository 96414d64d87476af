/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in flight: one a name, with all wants that wait for it, each with
 * its own deadline. Bounded in all, per d= and per zone (the last two labels
 * of d=, as sub-domains cost a stranger nothing). Loop thread only.
 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include "want.h"

struct event_base;
struct flight;			/* all look-ups of a resolver */

struct flight_query {		/* one look-up */
	struct flight_query	*chain;
	struct flight		*flight;
	char			 name[DKIM_NAME_MAX + 1];
	const char		*domain, *zone;	/* in name */
	struct flight_waiter	*waiters;
	void			*question;	/* the owner's; NULL: none */
};

struct flight_limits {
	size_t	all, domain, zone;
};

/*
 * Is told that the last want of a look-up has gone before its answer; the
 * look-up is freed afterwards.
 *   expired   by its deadline; else it was cancelled before
 */
typedef void (*flight_left_fn)(void *arg, struct flight_query *query,
    bool expired);

int flight_new(struct event_base *base, const struct flight_limits *limits,
    flight_left_fn left, void *arg, struct flight **out) MUSTUSE;
void flight_free(struct flight *flight);	/* with nothing in flight */

/*
 * Let a want wait for its name until want->expires (monotonic microseconds).
 *   want     its reference moves; on failure it stays with the caller
 *   fresh    out: the look-up is new, the caller has to ask
 *   errors   DKIM_ERR_LIMIT, _NOMEM
 */
int flight_join(struct flight *flight, struct want *want,
    struct flight_query **out, bool *fresh) MUSTUSE;

/*
 * Take a want out, if it still waits; the flight's reference is given back.
 */
void flight_leave(struct flight *flight, struct want *want);

/*
 * Answer all who wait, each with a reference to the key set, and free the
 * look-up.
 *   answer   its keyset reference stays with the caller
 */
void flight_land(struct flight_query *query, const struct dkim_answer *answer);

size_t flight_count(const struct flight *flight);

/*
 * The arg of flight_new.
 */
void *flight_owner(const struct flight_query *query);

#endif
