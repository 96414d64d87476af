/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TXT look-ups by libunbound on the libevent loop, and the public-key cache
 * (DESIGN "Public keys", MILTER 5, BEHAVIOUR 5). One resolver a configuration;
 * the loop thread owns the libunbound context and everything in flight. What
 * other threads touch is the cache (it locks itself) and atomics.
 *
 * Questions for one name that come while it is in flight share it; their
 * records are parsed once, on the loop thread.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include "want.h"

#define RESOLVER_FLIGHT_MAX	4096	/* names in flight, in all */
#define RESOLVER_DOMAIN_MAX	64	/* of one d= */
#define RESOLVER_ZONE_MAX	1024	/* of one last two labels of d= */
#define RESOLVER_CACHE_OCTETS	33554432 /* of cached key sets */
#define RESOLVER_TTL_MIN	30	/* seconds that a key set is kept */
#define RESOLVER_TTL_MAX	86400
#define RESOLVER_SILENT_MAX	5	/* questions in a row without answer */

struct loop;		/* loop.h: the libevent base and its thread */
struct resolver;

/*
 * Check the options Nameservers, TrustAnchorFile and TestPublicKeys.
 *   errors   DKIM_ERR_SYNTAX: reported as fatal; _NOMEM
 */
int resolver_check(const struct conf *conf, struct report *report) MUSTUSE;

/*
 * Make a resolver from options (Nameservers, TrustAnchorFile, TestPublicKeys,
 * DNSTimeout, backend). With a trust anchor it asks for `. DNSKEY` and waits a
 * second for what comes of it.
 *   loop     running; outlives the resolver
 *   conf     only read here
 *   errors   as resolver_check
 */
int resolver_new(struct loop *loop, const struct conf *conf,
    struct report *report, struct resolver **out) MUSTUSE;

/*
 * Ask for a WANT_PUBLIC_KEY; its name is set, expires is its deadline. Any
 * thread. What the cache or TestPublicKeys knows is answered at once: true,
 * and the want is filled in but not put into an inbox (both references stay
 * with the caller). Else false: one reference has moved to the resolver, the
 * answer comes by the inbox, at the latest at expires (a temperror).
 */
bool resolver_ask(struct resolver *resolver, struct want *want);

/*
 * The asker has marked the want cancelled: stop the query, on the loop
 * thread. Harmless when it is answered already.
 */
void resolver_cancel(struct resolver *resolver, struct want *want);

/*
 * The microseconds a message may wait, now: DNSTimeout, or 1 s after five
 * questions in a row without any answer.
 */
uint64_t resolver_patience(struct resolver *resolver);

/*
 * Give up: runs on the loop thread, frees when the last query is done.
 */
void resolver_free(struct resolver *resolver);

#endif
