/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key records for the command line; see answers.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "dkim/dkim.h"
#include "milter/clock.h"
#include "milter/conf.h"
#include "milter/inbox.h"
#include "milter/loop.h"
#include "milter/resolver.h"

/* this room */
#include "answers.h"
#include "dnsfile.h"
#include "terminal_report.h"

struct answers {
	/* --dns */
	struct dnsfile		*file;
	const struct rsab_backend *backend;
	/* else */
	struct conf		*conf;
	struct loop		*loop;
	struct resolver		*resolver;
	struct inbox		*inbox;
	size_t			 asked;	/* questions of earlier messages */
};

static int
open_file(struct answers *a, const char *path)
{
	if (rsab_backend_find("libcrypto", &a->backend) != 0) {
		warnx("the libcrypto backend is missing");
		return EX_SOFTWARE;
	}
	return dnsfile_open(path, &a->file);
}

/*
 * dkimd's own resolver, with a configuration of just what was asked for.
 */
static int
open_resolver(struct answers *a, const struct answers_options *options)
{
	struct conf_override overrides[2] = { { "TestPublicKeys",
	    options->testkeys }, { "Nameservers", options->nameserver } };
	size_t first = options->testkeys != NULL ? 0 : 1;
	size_t n = options->testkeys != NULL || options->nameserver != NULL;
	struct options parsed;
	struct report report;

	terminal_report_init(&report);
	if (conf_options_load(NULL, overrides + first, n, &report,
	    &parsed) != 0 || conf_new(&parsed, &report, &a->conf) != 0)
		return EX_CONFIG;
	if (inbox_new(&a->inbox) != 0 || loop_new(&a->loop) != 0) {
		warnx("no memory or threads for looking up keys");
		return EX_OSERR;
	}
	return resolver_new(a->loop, a->conf, &report, &a->resolver) == 0 ?
	    0 : EX_CONFIG;
}

int
answers_new(const struct answers_options *options, struct answers **out)
{
	struct answers *a = calloc(1, sizeof(*a));
	int status;

	if (a == NULL) {
		warn("memory");
		return EX_OSERR;
	}
	status = options->dns != NULL ? open_file(a, options->dns) :
	    open_resolver(a, options);
	if (status != 0) {
		answers_free(a);
		return status;
	}
	*out = a;
	return 0;
}

void
answers_free(struct answers *a)
{
	if (a == NULL)
		return;
	dnsfile_free(a->file);
	if (a->resolver != NULL)
		resolver_free(a->resolver);
	loop_free(a->loop);
	if (a->inbox != NULL)
		inbox_unref(a->inbox);
	if (a->conf != NULL)
		conf_unref(a->conf);
	free(a);
}

/*
 * Take the answer out of a want; the want may go then.
 */
static void
take_answer(struct want *want, struct dkim_answer *out)
{
	*out = want->public_key.answer;
	want->public_key.answer.keyset = NULL;
	if (want->error != WANT_OK)
		out->state = DKIM_ANSWER_TEMPERROR;
}

/*
 * Ask one question; true when the answer comes by the inbox.
 */
static bool
ask(struct answers *a, const char *name, size_t id, uint64_t expires,
    struct dkim_answer *out)
{
	struct want *want;

	*out = (struct dkim_answer){ DKIM_ANSWER_TEMPERROR, NULL,
	    DKIM_DNSSEC_INSECURE, "no memory" };
	if (want_new(WANT_PUBLIC_KEY, a->inbox, a->conf, &want) != 0)
		return false;
	want->id = id;
	want->asked = clock_us();
	want->expires = expires;
	snprintf(want->public_key.name, sizeof(want->public_key.name), "%s",
	    name);
	if (resolver_ask(a->resolver, want)) {
		take_answer(want, out);
		want_unref(want);
		want_unref(want);
		return false;
	}
	/* the inbox gives the other reference back */
	want_unref(want);
	*out = (struct dkim_answer){ DKIM_ANSWER_TEMPERROR, NULL,
	    DKIM_DNSSEC_INSECURE, "no answer" };
	return true;
}

static void
ask_all(struct answers *a, const char *const *names, size_t n,
    struct dkim_answer *out)
{
	uint64_t expires = clock_us() + resolver_patience(a->resolver);
	struct want *want;
	size_t i, open = 0;

	for (i = 0; i < n; i++)
		open += ask(a, names[i], a->asked + i, expires, &out[i]);
	/* a second more: the resolver itself answers at the deadline */
	while (open > 0 &&
	    (want = inbox_take(a->inbox, expires + 1000000)) != NULL) {
		/* an answer that an earlier message gave up is none of ours */
		if (want->id >= a->asked) {
			take_answer(want, &out[want->id - a->asked]);
			open--;
		}
		want_unref(want);
	}
	a->asked += n;
}

void
answers_get(struct answers *a, const char *const *names, size_t n,
    struct dkim_answer *out)
{
	size_t i;

	if (a->file == NULL) {
		ask_all(a, names, n, out);
		return;
	}
	for (i = 0; i < n; i++)
		out[i] = dnsfile_get(a->file, a->backend, names[i]);
}
