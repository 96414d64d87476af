/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The context in use, resolv.conf and the trust anchor's proof.
 */

/* system */
#include <errno.h>
#include <event2/event.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* this room */
#include "milter/clock.h"
#include "milter/log.h"
#include "milter/upstream.h"

#define TYPE_DNSKEY	48
#define HEADER		12	/* octets before the question */

enum anchor_state {
	ANCHOR_NONE,		/* no anchor: keys are insecure */
	ANCHOR_UNPROVED,	/* `. DNSKEY` has not been answered yet */
	ANCHOR_FAILED,		/* it does not validate: keys are insecure,
				 * until it does */
	ANCHOR_GOOD,
};

struct upstream {
	struct loop		*loop;
	struct resolver_unbound_options options;
	struct resolver_unbound	*unbound;	/* for keys */
	struct resolver_unbound	*probe;		/* FAILED: for `. DNSKEY` */
	enum anchor_state	 anchor;
	struct resolver_unbound_question *asking;	/* `. DNSKEY` */
	void			(*validates)(void *arg);
	void			*arg;		/* of validates */
	unsigned		 retry_ms;
	struct event		*retry;
	sem_t			 known;		/* posted once it is */
	uint64_t		 checked;	/* resolv.conf, microseconds */
	struct stat		 conf;
};

static const char *
servers(const struct upstream *upstream)
{
	return upstream->options.nameservers == NULL ?
	    "of " RESOLVER_UNBOUND_CONF : upstream->options.nameservers;
}

static void
stat_conf(struct stat *st)
{
	if (stat(RESOLVER_UNBOUND_CONF, st) != 0)
		memset(st, 0, sizeof(*st));
}

int
upstream_new(struct loop *loop, const struct resolver_unbound_options *options,
    unsigned retry_ms, struct upstream **out, const char **reason)
{
	struct upstream *upstream;
	int r;

	*reason = "no memory";
	upstream = calloc(1, sizeof(*upstream));
	if (upstream == NULL)
		return DKIM_ERR_NOMEM;
	upstream->loop = loop;
	upstream->options = *options;
	upstream->retry_ms = retry_ms;
	upstream->checked = clock_us();
	stat_conf(&upstream->conf);
	if (options->anchor != NULL)
		upstream->anchor = ANCHOR_UNPROVED;
	sem_init(&upstream->known, 0, 0);
	r = resolver_unbound_new(loop, options, &upstream->unbound, reason);
	if (r != 0) {
		sem_destroy(&upstream->known);
		free(upstream);
		return r;
	}
	*out = upstream;
	return 0;
}

void
upstream_free(struct upstream *upstream)
{
	if (upstream == NULL)
		return;
	if (upstream->asking != NULL)
		resolver_unbound_cancel(upstream->asking);
	if (upstream->retry != NULL)
		event_free(upstream->retry);
	resolver_unbound_retire(upstream->probe);
	resolver_unbound_retire(upstream->unbound);
	sem_destroy(&upstream->known);
	free(upstream);
}

/*
 * A new context.
 *   anchor   NULL: one that does not validate
 */
static int
make_context(const struct upstream *upstream, const char *anchor,
    struct resolver_unbound **out)
{
	struct resolver_unbound_options options = upstream->options;
	const char *reason;
	int r;

	options.anchor = anchor;
	r = resolver_unbound_new(upstream->loop, &options, out, &reason);
	if (r != 0)
		log_limited(LOG_ERR, "dns context",
		    "dns: no new resolver context: %s", reason);
	return r;
}

static void ask_anchor(struct upstream *upstream);

static void
retry_anchor(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	ask_anchor(arg);
}

static void
retry_later(struct upstream *upstream)
{
	struct timeval tv = {
		.tv_sec = (time_t)(upstream->retry_ms / 1000),
		.tv_usec = (suseconds_t)(upstream->retry_ms % 1000 * 1000),
	};

	if (upstream->retry == NULL)
		upstream->retry = evtimer_new(loop_base(upstream->loop),
		    retry_anchor, upstream);
	if (upstream->retry != NULL)
		evtimer_add(upstream->retry, &tv);
}

/*
 * From now on keys are asked for without validation; the context that
 * validates goes on asking for `. DNSKEY`.
 */
static void
anchor_fails(struct upstream *upstream)
{
	struct resolver_unbound *unbound;

	retry_later(upstream);
	if (upstream->anchor == ANCHOR_FAILED ||
	    make_context(upstream, NULL, &unbound) != 0)
		return;
	log_line(LOG_ERR, "dns: resolver %s passes no DNSSEC, or the anchor "
	    "in %s is old: `. DNSKEY` does not validate; keys count as "
	    "insecure until it does", servers(upstream),
	    upstream->options.anchor);
	upstream->anchor = ANCHOR_FAILED;
	upstream->probe = upstream->unbound;
	upstream->unbound = unbound;
}

static void
anchor_validates(struct upstream *upstream)
{
	if (upstream->anchor == ANCHOR_FAILED) {
		log_line(LOG_NOTICE, "dns: resolver %s passes DNSSEC now, keys "
		    "are validated", servers(upstream));
		resolver_unbound_retire(upstream->unbound);
		upstream->unbound = upstream->probe;
		upstream->probe = NULL;
		if (upstream->validates != NULL)
			upstream->validates(upstream->arg);
	}
	upstream->anchor = ANCHOR_GOOD;
}

/*
 * Did a server answer `. DNSKEY`, be it with SERVFAIL or REFUSED? libunbound
 * shows the last packet it had, which after silence is none or that of another
 * question.
 */
static bool
is_answered(const struct resolver_unbound_answer *answer)
{
	static const uint8_t question[] = { 0, 0, TYPE_DNSKEY, 0, 1 };
	struct slice wire = answer->wire;

	if (answer->dnssec == DKIM_DNSSEC_BOGUS || answer->status == 0)
		return true;
	return wire.n >= HEADER + sizeof(question) &&
	    (wire.p[2] & 0x80u) != 0 && (wire.p[3] & 0x0fu) != 0 &&
	    memcmp(wire.p + HEADER, question, sizeof(question)) == 0;
}

static void
anchor_answered(void *arg, const struct resolver_unbound_answer *answer)
{
	struct upstream *upstream = arg;

	upstream->asking = NULL;
	if (answer->dnssec == DKIM_DNSSEC_SECURE)
		anchor_validates(upstream);
	else if (is_answered(answer))
		anchor_fails(upstream);
	else {
		/* A stranger who can stop answers must not turn it off */
		log_limited(LOG_WARNING, "dns anchor", "dns: resolver %s does "
		    "not answer `. DNSKEY`; asked again every %u s",
		    servers(upstream), upstream->retry_ms / 1000);
		retry_later(upstream);
	}
	sem_post(&upstream->known);
}

/*
 * A new context to ask: the old one remembers failures.
 */
static int
renew_probe(struct upstream *upstream)
{
	struct resolver_unbound *probe;
	int r;

	r = make_context(upstream, upstream->options.anchor, &probe);
	if (r != 0)
		return r;
	resolver_unbound_retire(upstream->probe);
	upstream->probe = probe;
	return 0;
}

static void
ask_anchor(struct upstream *upstream)
{
	struct resolver_unbound_question *question = NULL;
	bool failed = upstream->anchor == ANCHOR_FAILED;

	if ((failed && renew_probe(upstream) != 0) ||
	    resolver_unbound_ask(failed ? upstream->probe : upstream->unbound,
	    ".", TYPE_DNSKEY, anchor_answered, upstream, &question) != 0)
		retry_later(upstream);
	else if (question != NULL)
		upstream->asking = question;
}

void
upstream_notify(struct upstream *upstream, void (*validates)(void *arg),
    void *arg)
{
	upstream->validates = validates;
	upstream->arg = arg;
}

void
upstream_start(struct upstream *upstream)
{
	if (upstream->anchor == ANCHOR_UNPROVED)
		ask_anchor(upstream);
	else
		sem_post(&upstream->known);
}

void
upstream_wait(struct upstream *upstream, unsigned ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (sem_timedwait(&upstream->known, &until) != 0 && errno == EINTR)
		continue;
}

/*
 * Other servers: a new context, and a new proof.
 */
static void
renew(struct upstream *upstream)
{
	struct resolver_unbound *unbound;

	if (make_context(upstream, upstream->options.anchor, &unbound) != 0)
		return;
	if (upstream->asking != NULL)
		resolver_unbound_cancel(upstream->asking);
	upstream->asking = NULL;
	resolver_unbound_retire(upstream->probe);
	upstream->probe = NULL;
	resolver_unbound_retire(upstream->unbound);
	upstream->unbound = unbound;
	if (upstream->options.anchor == NULL)
		return;
	upstream->anchor = ANCHOR_UNPROVED;
	ask_anchor(upstream);
}

static void
check_conf(struct upstream *upstream)
{
	uint64_t now = clock_us();
	struct stat st;

	if (now - upstream->checked < (uint64_t)UPSTREAM_CONF_CHECK * 1000000)
		return;
	upstream->checked = now;
	stat_conf(&st);
	if (st.st_dev == upstream->conf.st_dev &&
	    st.st_ino == upstream->conf.st_ino &&
	    st.st_size == upstream->conf.st_size &&
	    st.st_mtim.tv_sec == upstream->conf.st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == upstream->conf.st_mtim.tv_nsec)
		return;
	log_line(LOG_NOTICE, "dns: %s has changed and is read again",
	    RESOLVER_UNBOUND_CONF);
	upstream->conf = st;
	renew(upstream);
}

struct resolver_unbound *
upstream_context(struct upstream *upstream)
{
	if (upstream->options.nameservers == NULL)
		check_conf(upstream);
	return upstream->unbound;
}

void
upstream_bogus(struct upstream *upstream, const char *name)
{
	if (upstream->anchor == ANCHOR_UNPROVED)
		log_limited(LOG_WARNING, "dns unproved", "dns: %s is bogus, "
		    "but resolver %s has not proved to pass DNSSEC yet", name,
		    servers(upstream));
	else
		log_limited(LOG_NOTICE, "dns bogus", "dns: %s is bogus: its "
		    "DNSSEC signatures do not validate", name);
}
