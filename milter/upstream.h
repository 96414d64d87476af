/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The libunbound context that a resolver asks: made anew when resolv.conf
 * changes, and without DNSSEC as long as the trust anchor does not validate
 * (BEHAVIOUR 5; PROBLEMS 57). Loop thread only, but for new and wait.
 */
#ifndef UPSTREAM_H
#define UPSTREAM_H

#include "resolver_unbound.h"

#define UPSTREAM_CONF_CHECK	5	/* seconds between looks at
					 * resolv.conf */
#define UPSTREAM_ANCHOR_RETRY	30000	/* milliseconds until `. DNSKEY` is
					 * asked again when it did not
					 * validate */

struct upstream;

/*
 *   options  texts live as long as the upstream
 *   retry_ms milliseconds: UPSTREAM_ANCHOR_RETRY
 *   errors   as resolver_unbound_new
 */
int upstream_new(struct loop *loop,
    const struct resolver_unbound_options *options, unsigned retry_ms,
    struct upstream **out, const char **reason) MUSTUSE;

/*
 * Not started: any thread. Started: the loop's, nothing in flight.
 */
void upstream_free(struct upstream *upstream);

/*
 * Be told, on the loop's thread, when keys begin to be validated that were not
 * before: what is cached by then is not. Before the start.
 */
void upstream_notify(struct upstream *upstream, void (*validates)(void *arg),
    void *arg);

/*
 * Ask for `. DNSKEY`, where there is an anchor.
 */
void upstream_start(struct upstream *upstream);

/*
 * Wait, on another thread, until it is known whether the anchor validates, or
 * for ms milliseconds.
 */
void upstream_wait(struct upstream *upstream, unsigned ms);

/*
 * The context for a new question; valid until the loop goes on.
 */
struct resolver_unbound *upstream_context(struct upstream *upstream);

/*
 * Log that a name is bogus, and whether that may be the resolver's fault.
 */
void upstream_bogus(struct upstream *upstream, const char *name);

#endif
