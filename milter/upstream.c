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

enum anchor_state {
	ANCHOR_NONE,		/* no anchor: keys are insecure */
	ANCHOR_UNPROVED,	/* `. DNSKEY` has not been answered yet */
	ANCHOR_GOOD,
};

struct upstream {
	struct loop		*loop;
	struct resolver_unbound_options options;
	struct resolver_unbound	*unbound;
	enum anchor_state	 anchor;
	struct resolver_unbound_question *asking;	/* `. DNSKEY` */
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
    struct upstream **out, const char **reason)
{
	struct upstream *upstream;
	int r;

	*reason = "no memory";
	upstream = calloc(1, sizeof(*upstream));
	if (upstream == NULL)
		return DKIM_ERR_NOMEM;
	upstream->loop = loop;
	upstream->options = *options;
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
	resolver_unbound_retire(upstream->unbound);
	sem_destroy(&upstream->known);
	free(upstream);
}

/* A context by the options as they are now, in place of the old one. */
static void
replace(struct upstream *upstream)
{
	struct resolver_unbound *unbound;
	const char *reason;

	if (resolver_unbound_new(upstream->loop, &upstream->options, &unbound,
	    &reason) != 0) {
		log_limited(LOG_ERR, "dns context",
		    "dns: no new resolver context: %s", reason);
		return;
	}
	resolver_unbound_retire(upstream->unbound);
	upstream->unbound = unbound;
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
	struct timeval tv = { .tv_sec = UPSTREAM_ANCHOR_RETRY };

	if (upstream->retry == NULL)
		upstream->retry = evtimer_new(loop_base(upstream->loop),
		    retry_anchor, upstream);
	if (upstream->retry != NULL)
		evtimer_add(upstream->retry, &tv);
}

static void
anchor_fails(struct upstream *upstream)
{
	log_line(LOG_ERR, "dns: resolver %s passes no DNSSEC, or the anchor "
	    "in %s is old: `. DNSKEY` does not validate; keys count as "
	    "insecure", servers(upstream), upstream->options.anchor);
	upstream->anchor = ANCHOR_NONE;
	upstream->options.anchor = NULL;
	replace(upstream);
}

static void
anchor_answered(void *arg, const struct resolver_unbound_answer *answer)
{
	struct upstream *upstream = arg;

	upstream->asking = NULL;
	if (answer->dnssec == DKIM_DNSSEC_SECURE)
		upstream->anchor = ANCHOR_GOOD;
	else if (answer->dnssec == DKIM_DNSSEC_BOGUS || answer->status == 0)
		anchor_fails(upstream);
	else {
		/* A stranger who can stop answers must not turn it off */
		log_limited(LOG_WARNING, "dns anchor", "dns: resolver %s does "
		    "not answer `. DNSKEY`; asked again every %d s",
		    servers(upstream), UPSTREAM_ANCHOR_RETRY);
		retry_later(upstream);
	}
	sem_post(&upstream->known);
}

static void
ask_anchor(struct upstream *upstream)
{
	struct resolver_unbound_question *question = NULL;

	if (resolver_unbound_ask(upstream->unbound, ".", TYPE_DNSKEY,
	    anchor_answered, upstream, &question) != 0)
		retry_later(upstream);
	else if (question != NULL)
		upstream->asking = question;
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
	replace(upstream);
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
