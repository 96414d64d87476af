/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TXT look-ups and the public-key cache.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "milter/clock.h"
#include "milter/dnspacket.h"
#include "milter/flight.h"
#include "milter/inbox.h"
#include "milter/log.h"
#include "milter/loop.h"
#include "milter/pubkey.h"
#include "milter/resolver.h"
#include "milter/resolver_options.h"
#include "milter/stats.h"
#include "milter/upstream.h"
#include "milter/verifier.h"

#define TYPE_TXT	16
#define ANCHOR_WAIT	1000	/* milliseconds that a start waits for it */

struct resolver {
	struct loop			*loop;
	const struct rsab_backend	*backend;
	struct verifier			*verifier;	/* whose it is; NULL */
	struct resolver_options		 options;
	struct cache			*cache;
	struct loop_call		*give_up, *finish;
	atomic_uint			 silent;	/* questions in a row
							 * without answer */
	/* loop thread only */
	struct flight			*flight;
	struct upstream			*upstream;	/* NULL: test keys */
	bool				 given_up;
};

/* Posted to the loop: a want, and the resolver whose it is */
struct errand {
	struct resolver	*resolver;
	struct want	*want;
};

static void
count_answer(struct resolver *resolver, bool answered)
{
	unsigned silent;

	if (answered) {
		silent = atomic_exchange(&resolver->silent, 0);
		if (silent >= RESOLVER_SILENT_MAX)
			log_line(LOG_NOTICE, "dns: answers come again");
		return;
	}
	stats_add(STAT_DNS_FAILED, 1);
	silent = atomic_fetch_add(&resolver->silent, 1) + 1;
	if (silent == RESOLVER_SILENT_MAX)
		log_line(LOG_NOTICE, "dns: %u questions in a row had no "
		    "answer; until one comes, messages wait 1 s", silent);
}

uint64_t
resolver_patience(struct resolver *resolver)
{
	if (atomic_load(&resolver->silent) < RESOLVER_SILENT_MAX ||
	    resolver->options.timeout < 1000000)
		return resolver->options.timeout;
	return 1000000;
}

static struct dkim_answer
temperror(const char *detail)
{
	return (struct dkim_answer){
		.state = DKIM_ANSWER_TEMPERROR,
		.detail = detail,
	};
}

/*
 * Records to an answer with a key set.
 */
static struct dkim_answer
parse_records(struct resolver *resolver, const struct slice *records,
    size_t n, enum dkim_dnssec dnssec)
{
	struct dkim_answer answer = { .state = DKIM_ANSWER_FOUND,
	    .dnssec = dnssec };

	if (n == 0) {
		answer.state = DKIM_ANSWER_NO_KEY;
		return answer;
	}
	if (dkim_keyset_parse(resolver->backend, records, n,
	    &answer.keyset) != 0)
		return temperror("no memory");
	return answer;
}

static struct dkim_answer
parse_packet(struct resolver *resolver, struct slice wire, const char *name,
    enum dkim_dnssec dnssec, uint32_t *ttl)
{
	struct dnspacket packet;
	struct dkim_answer answer;
	int r;

	r = dnspacket_parse(wire, name, &packet);
	if (r != 0)
		return temperror(r == DKIM_ERR_NOMEM ? "no memory" :
		    "malformed answer");
	*ttl = packet.ttl;
	if (packet.rcode == DNSPACKET_NXDOMAIN)
		answer = parse_records(resolver, NULL, 0, dnssec);
	else if (packet.rcode != DNSPACKET_NOERROR)
		answer = temperror(dnspacket_rcode_text(packet.rcode));
	else if (packet.truncated)
		answer = temperror("truncated answer");
	else
		answer = parse_records(resolver, packet.records, packet.n,
		    dnssec);
	dnspacket_clear(&packet);
	return answer;
}

static void
keep(struct resolver *resolver, const char *name,
    const struct dkim_answer *answer, uint32_t ttl)
{
	uint64_t seconds = ttl;

	if (answer->state != DKIM_ANSWER_FOUND)
		return;
	if (seconds < RESOLVER_TTL_MIN)
		seconds = RESOLVER_TTL_MIN;
	if (seconds > RESOLVER_TTL_MAX)
		seconds = RESOLVER_TTL_MAX;
	pubkey_cache_put(resolver->cache, name, answer->keyset,
	    answer->dnssec, clock_us() + seconds * 1000000);
}

static void
finish(void *arg)
{
	struct resolver *resolver = arg;

	loop_call_free(resolver->give_up);
	loop_call_free(resolver->finish);
	upstream_free(resolver->upstream);
	flight_free(resolver->flight);
	cache_free(resolver->cache);
	resolver_options_clear(&resolver->options);
	verifier_unref(resolver->verifier);
	free(resolver);
}

/* Not at once: the caller may still be inside of libunbound. */
static void
finish_if_idle(struct resolver *resolver)
{
	if (!resolver->given_up || flight_count(resolver->flight) > 0)
		return;
	resolver->given_up = false;
	loop_call_run(resolver->finish);
}

/*
 * libunbound has an answer, or gave up. Its own status 0 does not mean
 * NOERROR, the RCODE of the packet counts; where it has no packet of a server
 * to show, nobody answered.
 */
static void
answered(void *arg, const struct resolver_unbound_answer *from)
{
	struct flight_query *query = arg;
	struct resolver *resolver = flight_owner(query);
	struct dkim_answer answer;
	uint32_t ttl = 0;
	unsigned rcode;

	rcode = from->wire.n < 12 ? 0 : from->wire.p[3] & 0x0fu;
	if (from->dnssec == DKIM_DNSSEC_BOGUS) {
		answer = temperror("DNSSEC: bogus");
		answer.dnssec = DKIM_DNSSEC_BOGUS;
		count_answer(resolver, true);
		upstream_bogus(resolver->upstream, query->name);
	} else if (from->status != 0 && rcode == 0) {
		answer = temperror("no server answered");
		count_answer(resolver, false);
	} else {
		answer = parse_packet(resolver, from->wire, query->name,
		    from->dnssec, &ttl);
		/* A SERVFAIL out of libunbound's cache tells nothing new */
		if (from->status != 0 || rcode != DNSPACKET_SERVFAIL)
			count_answer(resolver, true);
	}
	keep(resolver, query->name, &answer, ttl);
	query->question = NULL;
	flight_land(query, &answer);
	dkim_keyset_unref(answer.keyset);
	finish_if_idle(resolver);
}

/* The last one who waited for a look-up has gone. */
static void
left(void *arg, struct flight_query *query, bool expired)
{
	struct resolver *resolver = arg;

	if (query->question != NULL)
		resolver_unbound_cancel(query->question);
	if (expired)
		count_answer(resolver, false);
}

static void
ask_upstream(struct resolver *resolver, struct flight_query *query)
{
	struct resolver_unbound_question *question = NULL;
	struct dkim_answer answer;

	stats_add(STAT_DNS_QUERIES, 1);
	/* RFC 6376 s3.6.2, s3.6.2.2, s6.1.2 #6: dns/txt is a TXT record */
	if (resolver_unbound_ask(upstream_context(resolver->upstream),
	    query->name, TYPE_TXT, answered, query, &question) != 0) {
		answer = temperror("no memory");
		flight_land(query, &answer);
	} else if (question != NULL)
		query->question = question;
	/* else it is answered and freed */
}

static bool
is_kept(struct resolver *resolver, struct want *want)
{
	return pubkey_cache_get(resolver->cache, want->public_key.name,
	    clock_us(), &want->public_key.answer);
}

static void
put(struct want *want)
{
	want->error = WANT_OK;
	want->answered = clock_us();
	inbox_put(want->inbox, want);
}

static void
run_ask(void *arg)
{
	struct errand errand = *(struct errand *)arg;
	struct resolver *resolver = errand.resolver;
	struct want *want = errand.want;
	struct flight_query *query;
	bool fresh;
	int r;

	free(arg);
	if (atomic_load(&want->cancelled)) {
		want_unref(want);
		return;
	}
	/* Another message's question may have been answered meanwhile */
	if (is_kept(resolver, want)) {
		put(want);
		return;
	}
	r = flight_join(resolver->flight, want, &query, &fresh);
	if (r != 0) {
		if (r == DKIM_ERR_LIMIT)
			stats_add(STAT_DNS_REFUSED, 1);
		want->public_key.answer = temperror(r == DKIM_ERR_LIMIT ?
		    "too many look-ups in flight" : "no memory");
		put(want);
	} else if (fresh)
		ask_upstream(resolver, query);
}

static void
run_cancel(void *arg)
{
	struct errand errand = *(struct errand *)arg;

	free(arg);
	flight_leave(errand.resolver->flight, errand.want);
	want_unref(errand.want);
}

static int
send_errand(struct resolver *resolver, loop_fn run, struct want *want)
{
	struct errand *errand;

	errand = malloc(sizeof(*errand));
	if (errand == NULL)
		return DKIM_ERR_NOMEM;
	errand->resolver = resolver;
	errand->want = want;
	if (loop_post(resolver->loop, run, errand) != 0) {
		free(errand);
		return DKIM_ERR_NOMEM;
	}
	return 0;
}

/*
 * Out of TestPublicKeys: nothing is asked, a name that is not there does not
 * exist.
 */
static void
answer_test(struct resolver *resolver, struct want *want)
{
	struct slice records[DKIM_TXT_RECORDS_MAX + 1];
	size_t n;

	n = testkeys_find(resolver->options.testkeys,
	    slice_text(want->public_key.name), records,
	    DKIM_TXT_RECORDS_MAX + 1);
	if (n > DKIM_TXT_RECORDS_MAX + 1)
		n = DKIM_TXT_RECORDS_MAX + 1;
	want->public_key.answer = parse_records(resolver, records, n,
	    DKIM_DNSSEC_INSECURE);
	keep(resolver, want->public_key.name, &want->public_key.answer,
	    RESOLVER_TTL_MAX);
}

bool
resolver_ask(struct resolver *resolver, struct want *want)
{
	want->error = WANT_OK;
	want->public_key.cached = is_kept(resolver, want);
	if (want->public_key.cached)
		stats_add(STAT_DNS_CACHED, 1);
	else if (resolver->options.testkeys != NULL)
		answer_test(resolver, want);
	else if (send_errand(resolver, run_ask, want) == 0)
		return false;
	else
		want->public_key.answer = temperror("no memory");
	want->answered = clock_us();
	return true;
}

void
resolver_cancel(struct resolver *resolver, struct want *want)
{
	/* Nothing is ever sent out for what is known */
	if (resolver->options.testkeys != NULL)
		return;
	atomic_fetch_add_explicit(&want->refs, 1, memory_order_relaxed);
	/* Else its own deadline ends it */
	if (send_errand(resolver, run_cancel, want) != 0)
		want_unref(want);
}

/* Keys that were looked up without validation are looked up again. */
static void
validates(void *arg)
{
	struct resolver *resolver = arg;

	cache_bound(resolver->cache, 0);
	cache_bound(resolver->cache, RESOLVER_CACHE_OCTETS);
}

static void
start(void *arg)
{
	struct resolver *resolver = arg;

	upstream_start(resolver->upstream);
}

static void
give_up(void *arg)
{
	struct resolver *resolver = arg;

	resolver->given_up = true;
	finish_if_idle(resolver);
}

static int
make_parts(struct resolver *resolver, struct report *report)
{
	const struct flight_limits limits = {
		.all = RESOLVER_FLIGHT_MAX,
		.domain = RESOLVER_DOMAIN_MAX,
		.zone = RESOLVER_ZONE_MAX,
	};
	struct resolver_unbound_options options = {
		.nameservers = resolver->options.nameservers,
		.anchor = resolver->options.anchor,
	};
	const char *reason;

	if (pubkey_cache_new(RESOLVER_CACHE_OCTETS, &resolver->cache) != 0 ||
	    flight_new(loop_base(resolver->loop), &limits, left, resolver,
	    &resolver->flight) != 0 ||
	    loop_call_new(resolver->loop, give_up, resolver,
	    &resolver->give_up) != 0 ||
	    loop_call_new(resolver->loop, finish, resolver,
	    &resolver->finish) != 0)
		return DKIM_ERR_NOMEM;
	if (resolver->options.testkeys != NULL)
		return 0;
	if (upstream_new(resolver->loop, &options, UPSTREAM_ANCHOR_RETRY,
	    &resolver->upstream, &reason) != 0) {
		report_fault(report, FAULT_FATAL, "Nameservers, "
		    "TrustAnchorFile: libunbound: %s", reason);
		return DKIM_ERR_SYNTAX;
	}
	upstream_notify(resolver->upstream, validates, resolver);
	if (loop_post(resolver->loop, start, resolver) != 0) {
		upstream_free(resolver->upstream);
		resolver->upstream = NULL;
		return DKIM_ERR_NOMEM;
	}
	return 0;
}

int
resolver_check(const struct conf *conf, struct report *report)
{
	struct resolver_options options;
	int r;

	r = resolver_options_make(&conf->options, report, &options);
	resolver_options_clear(&options);
	return r;
}

int
resolver_new(struct loop *loop, const struct conf *conf,
    struct report *report, struct resolver **out)
{
	struct resolver *resolver;
	int r;

	resolver = calloc(1, sizeof(*resolver));
	if (resolver == NULL)
		return DKIM_ERR_NOMEM;
	resolver->loop = loop;
	resolver->backend = conf->backend;
	if (conf->verifier != NULL) {
		resolver->verifier = verifier_ref(conf->verifier);
		resolver->backend = verifier_backend(conf->verifier);
	}
	atomic_init(&resolver->silent, 0);
	r = resolver_options_make(&conf->options, report, &resolver->options);
	if (r == 0)
		r = make_parts(resolver, report);
	if (r != 0) {
		finish(resolver);
		return r;
	}
	if (resolver->upstream != NULL && resolver->options.anchor != NULL)
		upstream_wait(resolver->upstream, ANCHOR_WAIT);
	*out = resolver;
	return 0;
}

void
resolver_free(struct resolver *resolver)
{
	if (resolver != NULL)
		loop_call_run(resolver->give_up);
}
