/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session without an MTA.
 */

/* system */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "milter/bringup.h"
#include "milter/clock.h"
#include "milter/conf.h"
#include "milter/exchange.h"
#include "milter/inbox.h"
#include "milter/loop.h"
#include "milter/policy.h"
#include "milter/resolver.h"
#include "milter/session_message.h"
#include "milter/signer.h"

/* this room */
#include "cmd/session_run.h"

#define OUTSIDE_NAME	"outside.invalid"	/* RFC 2606: nobody's */

struct session_run {
	struct dkim_lib		*lib;
	struct loop		*loop;		/* NULL: nothing is verified */
	struct conf		*conf;
	struct rsab_worker	*worker;	/* as loop */
	struct exchange		 exchange;
	char			 host[256];

	/* of the message */
	struct dkim_header	*header;
	uint64_t		 seconds;
};

/* ---- set-up ------------------------------------------------------------- */

static int
no_memory(void)
{
	warnx("no memory or no thread");
	return EX_OSERR;
}

/*
 * What does not depend on the configuration.
 */
static int
open_parts(struct session_run *run, bool verifies)
{
	if (gethostname(run->host, sizeof(run->host) - 1) != 0)
		snprintf(run->host, sizeof(run->host), "localhost");
	if (dkim_lib_new(&run->lib) != 0 ||
	    signer_new(1, &run->exchange.signer) != 0 ||
	    inbox_new(&run->exchange.inbox) != 0)
		return no_memory();
	if (verifies && (loop_new(&run->loop) != 0 ||
	    rsab_worker_new(&run->worker) != 0))
		return no_memory();
	return 0;
}

static int
open_conf(struct session_run *run, struct options *options,
    struct keyfile *key_file, struct report *report)
{
	const struct bringup parts = { run->loop, run->exchange.signer,
	    key_file };
	int r;

	r = bringup_conf(&parts, options, NULL, report, &run->conf);
	if (r == DKIM_ERR_NOMEM)
		return no_memory();
	return r == 0 ? 0 : EX_CONFIG;
}

int
session_run_new(struct options *options, struct keyfile *key_file,
    struct report *report, struct session_run **out)
{
	/* nobody refuses changes here: what would be made is to be seen */
	static const struct session_can can = { true, true };
	struct session_run *run;
	int status;

	run = calloc(1, sizeof(*run));
	status = run == NULL ? no_memory() :
	    open_parts(run, options->mode_verify);
	if (status != 0)
		conf_options_clear(options);
	else
		status = open_conf(run, options, key_file, report);
	if (status == 0 && session_new(run->lib, run->exchange.inbox,
	    run->host, &can, &run->exchange.session) != 0)
		status = no_memory();
	if (status != 0) {
		session_run_free(run);
		return status;
	}
	*out = run;
	return 0;
}

void
session_run_free(struct session_run *run)
{
	struct exchange *e;

	if (run == NULL)
		return;
	e = &run->exchange;
	if (e->session != NULL) {
		exchange_reset(e);
		session_free(e->session);
	}
	if (e->signer != NULL)
		signer_free(e->signer);
	if (e->inbox != NULL) {
		inbox_close(e->inbox);
		inbox_unref(e->inbox);
	}
	conf_unref(run->conf);
	loop_free(run->loop);
	rsab_worker_free(run->worker);
	dkim_lib_free(run->lib);
	free(run);
}

/* ---- a connection ------------------------------------------------------- */

static struct sockaddr_in
ipv4(const char *text)
{
	struct sockaddr_in sin;

	memset(&sin, 0, sizeof(sin));
	sin.sin_family = AF_INET;
	/* constants of this file */
	(void)!inet_pton(AF_INET, text, &sin.sin_addr);
	return sin;
}

/*
 * An address that neither InternalHosts nor PeerList has, of the blocks for
 * documentation (RFC 5737).
 */
static bool
find_outside(const struct conf *conf, struct sockaddr_in *out)
{
	static const char *const addresses[] = { "192.0.2.1", "198.51.100.1",
	    "203.0.113.1", "192.0.2.254", "198.51.100.254", "203.0.113.254" };
	struct macros none;
	size_t i;

	memset(&none, 0, sizeof(none));
	for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		*out = ipv4(addresses[i]);
		if (!policy_is_inner_hop(conf, &none,
		    slice_text(OUTSIDE_NAME), (const struct sockaddr *)out))
			return true;
	}
	return false;
}

static int
connect_from(struct session_run *run, enum session_run_origin from)
{
	struct session *s = run->exchange.session;
	struct sockaddr_in sin = ipv4("127.0.0.1");
	const char *name = "localhost";

	if (from == SESSION_RUN_OUTSIDE) {
		name = OUTSIDE_NAME;
		if (!find_outside(run->conf, &sin)) {
			warnx("InternalHosts and PeerList have every address: "
			    "no mail comes from outside to be verified");
			return EX_CONFIG;
		}
	}
	if (session_connect(s, slice_text(name), (struct sockaddr *)&sin,
	    sizeof(sin)) != 0)
		return no_memory();
	session_macro(s, "{auth_type}", from == SESSION_RUN_SUBMITTED ?
	    "LOCAL" : NULL);
	if (session_mail(s, conf_ref(run->conf)) != 0)
		return no_memory();
	return 0;
}

/* ---- a message ---------------------------------------------------------- */

static struct session_time
now_of(const struct session_run *run)
{
	return (struct session_time){ clock_us(), run->seconds };
}

static int
on_header(void *context)
{
	struct session_run *run = context;
	struct resolver *resolver = run->conf->resolver;
	struct session *s = run->exchange.session;
	size_t i, n = dkim_header_count(run->header);

	for (i = 0; i < n; i++)
		session_field(s, dkim_header_name(run->header, i),
		    dkim_header_value(run->header, i));
	session_header_end(s, now_of(run), resolver == NULL ? 0 :
	    resolver_patience(resolver));
	exchange_carry(&run->exchange);
	return 0;
}

static int
on_body(void *context, struct slice in)
{
	struct session_run *run = context;

	exchange_wait(&run->exchange, session_holds_body, false);
	session_body(run->exchange.session, in);
	return 0;
}

int
session_run_message(struct session_run *run, enum session_run_origin from,
    uint64_t now, struct dkim_header *header, struct input *in, bool *is_lf,
    const struct session_result **result)
{
	struct session *s = run->exchange.session;
	int status;

	run->header = header;
	run->seconds = now;
	exchange_reset(&run->exchange);
	status = connect_from(run, from);
	if (status == 0)
		status = input_message(in, header, on_header, on_body, run,
		    is_lf);
	run->header = NULL;
	if (status != 0)
		return status;
	exchange_wait(&run->exchange, session_holds_body, false);
	session_end(s, now_of(run));
	exchange_carry(&run->exchange);
	exchange_wait(&run->exchange, session_holds_end, false);
	*result = session_finish(s, run->worker);
	exchange_carry(&run->exchange);
	return 0;
}

/* ---- what became of it -------------------------------------------------- */

enum policy_role
session_run_role(const struct session_run *run)
{
	return run->exchange.session->m->role;
}

const char *
session_run_reason(const struct session_run *run)
{
	return run->exchange.session->m->policy.reason;
}

const struct dkim_verdict *
session_run_verdict(const struct session_run *run, size_t i)
{
	const struct message *m = run->exchange.session->m;

	return i < m->n_verdicts ? m->verdicts[i] : NULL;
}
