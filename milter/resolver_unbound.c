/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libunbound's context on the loop; MILTER 5 has the facts behind the values.
 */

/* system */
#include <assert.h>
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>
#include <unbound.h>
#include <unbound-event.h>

/* this room */
#include "milter/resolver_unbound.h"

#define RANGE_MAX	4096	/* UDP ports, each a question in flight */
#define RANGE_MIN	64
#define CLASS_IN	1
#define SERVER_MAX	64	/* octets of address@port, with NUL */

struct resolver_unbound {
	struct ub_ctx	*ctx;
	struct loop_call *delete;
	unsigned	 asked;		/* questions not yet done */
	bool		 retired;
};

/* From ask to done or cancel */
struct resolver_unbound_question {
	struct resolver_unbound	*unbound;
	resolver_unbound_fn	 done;
	void			*arg;
	bool			*over;	/* while in ask: it is done already */
	int			 id;
};

struct setting {
	const char	*name, *value;
};

static const struct setting settings[] = {
	{ "outgoing-num-tcp:", "64" },
	{ "num-queries-per-thread:", "4096" },
	{ "msg-cache-size:", "8m" },
	{ "rrset-cache-size:", "16m" },
	{ "key-cache-size:", "4m" },
	{ "neg-cache-size:", "2m" },
	{ "do-not-query-localhost:", "no" },
	{ "use-syslog:", "no" },
	{ "module-config:", "validator iterator" },
};

/* The next item of a comma list, trimmed. */
static struct slice
next_item(struct slice *rest)
{
	size_t n = slice_find(*rest, ',');
	struct slice item = slice_trim(slice_sub(*rest, 0, n));

	*rest = slice_from(*rest, n < rest->n ? n + 1 : n);
	return item;
}

/*
 * Ports for questions in flight: Debian's default of 16 makes 30 unanswered
 * names delay all others by seconds. Never more than a quarter of what the
 * process may open.
 */
static int
set_range(struct ub_ctx *ctx)
{
	struct rlimit limit;
	rlim_t range = RANGE_MAX;
	char text[32];

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 4 < range)
		range = limit.rlim_cur / 4;
	if (range < RANGE_MIN)
		range = RANGE_MIN;
	snprintf(text, sizeof(text), "%lu", (unsigned long)range);
	return ub_ctx_set_option(ctx, "outgoing-range:", text);
}

/*
 * One server, address[@port]; libunbound wants no brackets around IPv6.
 */
static int
set_server(struct ub_ctx *ctx, struct slice item)
{
	char text[SERVER_MAX];
	size_t i, n = 0;

	if (item.n >= sizeof(text))
		return UB_SYNTAX;
	for (i = 0; i < item.n; i++)
		if (item.p[i] != '[' && item.p[i] != ']')
			text[n++] = (char)item.p[i];
	text[n] = '\0';
	return ub_ctx_set_fwd(ctx, text);
}

static int
set_servers(struct ub_ctx *ctx, const char *text)
{
	struct slice rest;
	int r = 0;

	if (text == NULL)
		return ub_ctx_resolvconf(ctx, RESOLVER_UNBOUND_CONF);
	if (strcasecmp(text, "recursive") == 0)
		return 0;
	for (rest = slice_text(text); rest.n > 0 && r == 0;)
		r = set_server(ctx, next_item(&rest));
	return r;
}

static int
set_up(struct ub_ctx *ctx, const struct resolver_unbound_options *options)
{
	size_t i;
	int r;

	r = ub_ctx_debuglevel(ctx, 0);
	for (i = 0; r == 0 && i < sizeof(settings) / sizeof(settings[0]); i++)
		r = ub_ctx_set_option(ctx, settings[i].name,
		    settings[i].value);
	if (r == 0)
		r = set_range(ctx);
	if (r == 0)
		r = set_servers(ctx, options->nameservers);
	if (r == 0 && options->anchor != NULL)
		r = ub_ctx_add_ta_file(ctx, options->anchor);
	return r;
}

static void
delete(void *arg)
{
	struct resolver_unbound *unbound = arg;

	loop_call_free(unbound->delete);
	if (unbound->ctx != NULL)
		ub_ctx_delete(unbound->ctx);
	free(unbound);
}

int
resolver_unbound_new(struct loop *loop,
    const struct resolver_unbound_options *options,
    struct resolver_unbound **out, const char **reason)
{
	struct resolver_unbound *unbound;
	int r;

	*reason = "no memory";
	unbound = calloc(1, sizeof(*unbound));
	if (unbound == NULL)
		return DKIM_ERR_NOMEM;
	unbound->ctx = ub_ctx_create_event(loop_base(loop));
	if (unbound->ctx == NULL || loop_call_new(loop, delete, unbound,
	    &unbound->delete) != 0) {
		delete(unbound);
		return DKIM_ERR_NOMEM;
	}
	r = set_up(unbound->ctx, options);
	if (r != 0) {
		*reason = ub_strerror(r);
		delete(unbound);
		return r == UB_NOMEM ? DKIM_ERR_NOMEM : DKIM_ERR_ARGUMENT;
	}
	*out = unbound;
	return 0;
}

/*
 * Never from inside of libunbound, so by the loop.
 */
static void
delete_if_idle(struct resolver_unbound *unbound)
{
	if (!unbound->retired || unbound->asked > 0)
		return;
	unbound->retired = false;
	loop_call_run(unbound->delete);
}

void
resolver_unbound_retire(struct resolver_unbound *unbound)
{
	if (unbound == NULL)
		return;
	unbound->retired = true;
	delete_if_idle(unbound);
}

static void
question_done(struct resolver_unbound_question *question)
{
	struct resolver_unbound *unbound = question->unbound;

	if (question->over != NULL)
		*question->over = true;
	free(question);
	assert(unbound->asked > 0);
	unbound->asked--;
	delete_if_idle(unbound);
}

static enum dkim_dnssec
dnssec_of(int security)
{
	switch (security) {
	case 2:
		return DKIM_DNSSEC_SECURE;
	case 1:
		return DKIM_DNSSEC_BOGUS;
	default:
		return DKIM_DNSSEC_INSECURE;
	}
}

static void
answered(void *arg, int status, void *packet, int n, int security,
    char *why_bogus, int was_ratelimited)
{
	struct resolver_unbound_question *question = arg;
	struct resolver_unbound_answer answer = {
		.status = status,
		.dnssec = dnssec_of(security),
	};

	(void)why_bogus;
	(void)was_ratelimited;
	if (packet != NULL && n > 0)
		answer.wire = slice_of(packet, (size_t)n);
	if (question->done != NULL)
		question->done(question->arg, &answer);
	question_done(question);
}

int
resolver_unbound_ask(struct resolver_unbound *unbound, const char *name,
    int type, resolver_unbound_fn done, void *arg,
    struct resolver_unbound_question **out)
{
	struct resolver_unbound_question *question;
	bool over = false;

	question = calloc(1, sizeof(*question));
	if (question == NULL)
		return DKIM_ERR_NOMEM;
	question->unbound = unbound;
	question->done = done;
	question->arg = arg;
	question->over = &over;
	unbound->asked++;
	if (ub_resolve_event(unbound->ctx, name, type, CLASS_IN, question,
	    answered, &question->id) != 0) {
		question_done(question);
		return DKIM_ERR_NOMEM;
	}
	*out = NULL;
	if (over)
		return 0;
	question->over = NULL;
	*out = question;
	return 0;
}

void
resolver_unbound_cancel(struct resolver_unbound_question *question)
{
	/* Where libunbound cannot, its callback still comes and frees it */
	question->done = NULL;
	if (ub_cancel(question->unbound->ctx, question->id) == 0)
		question_done(question);
}
