/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TXT look-ups by libunbound on the libevent loop, and the public-key cache
 * (DESIGN "Public keys", MILTER 5, BEHAVIOUR 5). One resolver a configuration;
 * the loop thread owns the libunbound context.
 */
#ifndef RESOLVER_H
#define RESOLVER_H

#include "want.h"

struct loop;		/* loop.h: the libevent base and its thread */
struct resolver;

/*
 * Make a resolver from options (Nameservers, TrustAnchorFile, TestPublicKeys,
 * DNSTimeout, backend).
 *   loop     running; outlives the resolver
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
