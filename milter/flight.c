/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-ups in flight, in a hash table by zone.
 */

/* system */
#include <assert.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "milter/clock.h"
#include "milter/flight.h"
#include "milter/inbox.h"

#define BUCKETS		1024	/* a power of two */
#define SLACK		20000	/* microseconds: a cancel this near to the
				 * deadline is the asker's own timer */

struct flight_waiter {
	struct flight_waiter	*next;
	struct flight_query	*query;
	struct want		*want;
	struct event		*timer;
};

struct flight {
	struct event_base	*base;
	struct flight_limits	 limits;
	flight_left_fn		 left;
	void			*arg;
	size_t			 n;
	struct flight_query	*bucket[BUCKETS];
};

int
flight_new(struct event_base *base, const struct flight_limits *limits,
    flight_left_fn left, void *arg, struct flight **out)
{
	struct flight *flight;

	flight = calloc(1, sizeof(*flight));
	if (flight == NULL)
		return DKIM_ERR_NOMEM;
	flight->base = base;
	flight->limits = *limits;
	flight->left = left;
	flight->arg = arg;
	*out = flight;
	return 0;
}

void
flight_free(struct flight *flight)
{
	assert(flight == NULL || flight->n == 0);
	free(flight);
}

size_t
flight_count(const struct flight *flight)
{
	return flight->n;
}

void *
flight_owner(const struct flight_query *query)
{
	return query->flight->arg;
}

/* The d= behind "._domainkey.", or the whole name. */
static const char *
domain_of(const char *name)
{
	const char *at = strstr(name, "._domainkey.");

	return at == NULL ? name : at + strlen("._domainkey.");
}

static const char *
zone_of(const char *domain)
{
	const char *at = domain + strlen(domain);
	unsigned dots = 0;

	while (at > domain && !(at[-1] == '.' && ++dots == 2))
		at--;
	return at;
}

/* A bucket only spreads work, and what is in flight is bounded: no key. */
static struct flight_query **
bucket_of(struct flight *flight, const char *zone)
{
	uint32_t h = 2166136261u;

	for (; *zone != '\0'; zone++)
		h = (h ^ (uint8_t)*zone) * 16777619u;
	return &flight->bucket[h & (BUCKETS - 1)];
}

/*
 * Find a name's look-up, counting those of its domain and zone on the way.
 */
static struct flight_query *
find(struct flight *flight, const char *name, size_t *domain, size_t *zone)
{
	const char *d = domain_of(name), *z = zone_of(d);
	struct flight_query *query;

	*domain = *zone = 0;
	for (query = *bucket_of(flight, z); query != NULL;
	    query = query->chain) {
		if (strcmp(query->name, name) == 0)
			return query;
		*zone += strcmp(query->zone, z) == 0;
		*domain += strcmp(query->domain, d) == 0;
	}
	return NULL;
}

static int
add(struct flight *flight, const char *name, struct flight_query **out)
{
	struct flight_query *query, **bucket;

	query = calloc(1, sizeof(*query));
	if (query == NULL)
		return DKIM_ERR_NOMEM;
	query->flight = flight;
	snprintf(query->name, sizeof(query->name), "%s", name);
	query->domain = domain_of(query->name);
	query->zone = zone_of(query->domain);
	bucket = bucket_of(flight, query->zone);
	query->chain = *bucket;
	*bucket = query;
	flight->n++;
	*out = query;
	return 0;
}

static void
drop(struct flight_query *query)
{
	struct flight *flight = query->flight;
	struct flight_query **at = bucket_of(flight, query->zone);

	assert(query->waiters == NULL);
	while (*at != query)
		at = &(*at)->chain;
	*at = query->chain;
	flight->n--;
	free(query);
}

/* The want comes out with the flight's reference. */
static struct want *
release(struct flight_waiter *waiter)
{
	struct flight_waiter **at = &waiter->query->waiters;
	struct want *want = waiter->want;

	while (*at != waiter)
		at = &(*at)->next;
	*at = waiter->next;
	want->service = NULL;
	event_free(waiter->timer);
	free(waiter);
	return want;
}

static void
tell_left(struct flight_query *query, bool expired)
{
	if (query->waiters != NULL)
		return;
	query->flight->left(query->flight->arg, query, expired);
	drop(query);
}

static void
put(struct want *want)
{
	want->error = WANT_OK;
	want->answered = clock_us();
	inbox_put(want->inbox, want);
}

static void
expired(evutil_socket_t fd, short what, void *arg)
{
	struct flight_waiter *waiter = arg;
	struct flight_query *query = waiter->query;
	struct want *want = release(waiter);

	(void)fd;
	(void)what;
	want->public_key.answer = (struct dkim_answer){
		.state = DKIM_ANSWER_TEMPERROR,
		.detail = "no answer in time",
	};
	put(want);
	tell_left(query, true);
}

static int
wait_for(struct flight *flight, struct flight_query *query, struct want *want)
{
	uint64_t now = clock_us(), us;
	struct flight_waiter *waiter;
	struct timeval tv;

	us = want->expires > now ? want->expires - now : 0;
	tv.tv_sec = (time_t)(us / 1000000);
	tv.tv_usec = (suseconds_t)(us % 1000000);
	waiter = calloc(1, sizeof(*waiter));
	if (waiter == NULL)
		return DKIM_ERR_NOMEM;
	waiter->timer = evtimer_new(flight->base, expired, waiter);
	if (waiter->timer == NULL || evtimer_add(waiter->timer, &tv) != 0) {
		if (waiter->timer != NULL)
			event_free(waiter->timer);
		free(waiter);
		return DKIM_ERR_NOMEM;
	}
	waiter->query = query;
	waiter->want = want;
	waiter->next = query->waiters;
	query->waiters = waiter;
	want->service = waiter;
	return 0;
}

int
flight_join(struct flight *flight, struct want *want,
    struct flight_query **out, bool *fresh)
{
	const char *name = want->public_key.name;
	struct flight_query *query;
	size_t domain, zone;
	int r;

	query = find(flight, name, &domain, &zone);
	*fresh = query == NULL;
	if (*fresh) {
		if (flight->n >= flight->limits.all ||
		    domain >= flight->limits.domain ||
		    zone >= flight->limits.zone)
			return DKIM_ERR_LIMIT;
		r = add(flight, name, &query);
		if (r != 0)
			return r;
	}
	r = wait_for(flight, query, want);
	if (r != 0) {
		if (*fresh)
			drop(query);
		return r;
	}
	*out = query;
	return 0;
}

void
flight_leave(struct flight *flight, struct want *want)
{
	struct flight_waiter *waiter = want->service;
	struct flight_query *query;
	bool late;

	(void)flight;
	if (waiter == NULL)
		return;
	query = waiter->query;
	late = clock_us() + SLACK >= want->expires;
	want_unref(release(waiter));
	tell_left(query, late);
}

void
flight_land(struct flight_query *query, const struct dkim_answer *answer)
{
	struct want *want;

	while (query->waiters != NULL) {
		want = release(query->waiters);
		want->public_key.answer = *answer;
		if (answer->keyset != NULL)
			dkim_keyset_ref(answer->keyset);
		put(want);
	}
	drop(query);
}
