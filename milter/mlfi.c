/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libmilter callbacks to session events, session actions to smfi_ calls
 * (MILTER 1). The only file that includes libmilter/mfapi.h.
 */

/* system */
#include <libmilter/mfapi.h>
#include <stdio.h>
#include <unistd.h>

/* this room */
#include "connection.h"
#include "descriptors.h"
#include "listen.h"
#include "log.h"
#include "mlfi.h"
#include "stats.h"
#include "worker.h"

#define BACKLOG			1024

/*
 * The one context that libmilter's callbacks need.
 */
static struct mlfi {
	struct mlfi_setup	 setup;
	struct descriptors	 descriptors;
	struct workers		 workers;
	atomic_bool		 draining;
	atomic_uint		 messages;
	atomic_uint		 terms;		/* of the last negotiation */
	char			 host[256];
} mlfi;

static struct connection *
connection_of(SMFICTX *ctx)
{
	struct connection *c = smfi_getpriv(ctx);

	connection_check(c);
	return c;
}

static void
tell_progress(void *context)
{
	(void)smfi_progress(context);
}

static struct connection *
connect_new(SMFICTX *ctx, struct terms terms)
{
	const struct connection_setup setup = {
		.lib = mlfi.setup.lib,
		.signer = mlfi.setup.signer,
		.host = mlfi.host,
		.messages = &mlfi.messages,
		.progress = tell_progress,
	};
	struct connection *c;

	if (connection_new(&setup, terms, ctx, &c) != 0)
		return NULL;
	if (smfi_setpriv(ctx, c) != MI_SUCCESS) {
		connection_free(c);
		return NULL;
	}
	return c;
}

static const char *
macro_of(void *context, const char *name)
{
	return smfi_getsymval(context, (char *)name);
}

static void
set_reply(SMFICTX *ctx, const char *code, const char *xcode, const char *text)
{
	char doubled[OUTCOME_DOUBLED_MAX];

	outcome_double(text, doubled);
	if (smfi_setreply(ctx, (char *)code, (char *)xcode, doubled) !=
	    MI_SUCCESS)
		log_limited(LOG_WARNING, "setreply", "the milter library took "
		    "no reply %s %s", code, xcode);
}

static sfsistat
reply(SMFICTX *ctx, const struct outcome *out)
{
	switch (out->action) {
	case ACTION_ACCEPT:
		return SMFIS_ACCEPT;
	case ACTION_DISCARD:
		return SMFIS_DISCARD;
	case ACTION_REJECT:
		set_reply(ctx, out->code, out->xcode, out->text);
		return SMFIS_REJECT;
	case ACTION_QUARANTINE:
		if (smfi_quarantine(ctx, (char *)out->text) == MI_SUCCESS)
			return SMFIS_ACCEPT;
		log_limited(LOG_ERR, "quarantine", "the MTA does not "
		    "quarantine: message refused for the time being");
		return SMFIS_TEMPFAIL;
	case ACTION_TEMPFAIL:
		break;
	}
	if (out->code != NULL)
		set_reply(ctx, out->code, out->xcode, out->text);
	return SMFIS_TEMPFAIL;
}

/*
 * Make one change of the header.
 */
static bool
act(SMFICTX *ctx, const struct connection *c, const struct session_action *a)
{
	const char *value = a->value;

	if (a->kind == SESSION_DELETE)
		return smfi_chgheader(ctx, (char *)a->name, (int)a->occurrence,
		    NULL) == MI_SUCCESS;
	/* without HDR_LEADSPC the MTA puts a space of its own */
	if (!c->terms.leading_space && value[0] == ' ')
		value++;
	return smfi_insheader(ctx, 0, (char *)a->name, (char *)value) ==
	    MI_SUCCESS;
}

/*
 * The message is judged: log, change the header, answer.
 *   worker   NULL where session_is_verifying says no
 */
static sfsistat
finish(SMFICTX *ctx, struct connection *c, struct rsab_worker *worker)
{
	const struct session_result *r;
	sfsistat status = SMFIS_TEMPFAIL;
	size_t i;

	r = session_finish(c->exchange.session, worker);
	if (r != NULL) {
		for (i = 0; i < r->n_actions; i++)
			if (!act(ctx, c, &r->actions[i]))
				break;
		exchange_write(r);
		if (i == r->n_actions)
			status = reply(ctx, &r->outcome);
		else
			log_limited(LOG_ERR, "header change", "the MTA library "
			    "refused to change %s: message refused for the "
			    "time being", r->actions[i].name);
	}
	connection_message_end(c);
	return status;
}

/* ---- callbacks ---------------------------------------------------------- */

static void
set_lists(SMFICTX *ctx, const struct conf *conf)
{
	static const int where[TERMS_STAGES] = {
		[TERMS_CONNECT] = SMFIM_CONNECT,
		[TERMS_MAIL] = SMFIM_ENVFROM,
		[TERMS_HEADER_END] = SMFIM_EOH,
		[TERMS_END] = SMFIM_EOM,
	};
	char list[TERMS_LIST_MAX];
	unsigned i;

	for (i = 0; i < TERMS_STAGES; i++) {
		terms_macro_list(conf, i, list);
		if (smfi_setsymlist(ctx, where[i], list) != MI_SUCCESS)
			log_limited(LOG_WARNING, "symlist", "the milter "
			    "library took no list of macros \"%s\"", list);
	}
}

static sfsistat
on_negotiate(SMFICTX *ctx, unsigned long f0, unsigned long f1,
    unsigned long f2, unsigned long f3, unsigned long *pf0,
    unsigned long *pf1, unsigned long *pf2, unsigned long *pf3)
{
	struct conf *conf = conf_slot_get(mlfi.setup.conf);
	sfsistat status = SMFIS_REJECT;
	struct terms terms;

	(void)f2;
	(void)f3;
	*pf0 = f0;
	*pf1 = f1;
	*pf2 = 0;
	*pf3 = 0;
	if (terms_make(conf, pf0, pf1, &terms)) {
		if (terms.list_macros)
			set_lists(ctx, conf);
		atomic_store(&mlfi.terms, terms_pack(terms));
		connection_free(connection_of(ctx));
		(void)smfi_setpriv(ctx, NULL);
		/* without memory the connection is refused at connect */
		(void)connect_new(ctx, terms);
		status = SMFIS_CONTINUE;
	}
	conf_unref(conf);
	return status;
}

static sfsistat
on_connect(SMFICTX *ctx, char *host, _SOCK_ADDR *address)
{
	struct connection *c = connection_of(ctx);
	struct sockaddr_storage storage;
	const struct sockaddr *sa;
	socklen_t n;

	stats_add(STAT_CONNECTIONS, 1);
	/* a connection over one that was closed brings no negotiation */
	if (c == NULL)
		c = connect_new(ctx, terms_unpack(atomic_load(&mlfi.terms)));
	if (c == NULL || atomic_load(&mlfi.draining) ||
	    !descriptors_are_left(&mlfi.descriptors)) {
		set_reply(ctx, "451", "4.3.2", "Service is not available");
		return SMFIS_TEMPFAIL;
	}
	sa = terms_address(address,
	    smfi_getsymval(ctx, (char *)"{client_addr}"), &storage, &n);
	if (session_connect(c->exchange.session, slice_text(host == NULL ? "" :
	    host), sa, n) != 0)
		return SMFIS_TEMPFAIL;
	return SMFIS_CONTINUE;
}

static sfsistat
on_mail(SMFICTX *ctx, char **argv)
{
	struct connection *c = connection_of(ctx);

	(void)argv;
	if (c == NULL)
		return SMFIS_TEMPFAIL;
	connection_count(c);
	if (atomic_load(&mlfi.draining)) {
		connection_message_end(c);
		set_reply(ctx, "451", "4.3.2", "Service is shutting down");
		return SMFIS_TEMPFAIL;
	}
	if (connection_mail(c, conf_slot_get(mlfi.setup.conf)) != 0) {
		connection_message_end(c);
		return SMFIS_TEMPFAIL;
	}
	connection_macros(c, macro_of);
	return SMFIS_CONTINUE;
}

static sfsistat
on_rcpt(SMFICTX *ctx, char **argv)
{
	struct connection *c = connection_of(ctx);

	if (c != NULL && argv != NULL && argv[0] != NULL)
		session_rcpt(c->exchange.session, slice_text(argv[0]));
	return SMFIS_NOREPLY;
}

static sfsistat
on_header(SMFICTX *ctx, char *name, char *value)
{
	struct connection *c = connection_of(ctx);

	if (c != NULL)
		connection_field(c, name, value);
	return SMFIS_NOREPLY;
}

static sfsistat
on_header_end(SMFICTX *ctx)
{
	struct connection *c = connection_of(ctx);

	if (c == NULL || c->conf == NULL)
		return SMFIS_TEMPFAIL;
	connection_header_end(c, macro_of);
	if (session_is_over(c->exchange.session))
		return finish(ctx, c, NULL);
	return SMFIS_CONTINUE;
}

static sfsistat
on_body(SMFICTX *ctx, unsigned char *octets, size_t n)
{
	struct connection *c = connection_of(ctx);
	bool more = false;

	if (c != NULL && c->conf != NULL) {
		if (session_holds_body(c->exchange.session))
			exchange_wait(&c->exchange, session_holds_body, false);
		else
			exchange_take(&c->exchange);
		more = session_body(c->exchange.session, slice_of(octets, n));
	}
	if (c == NULL || c->terms.no_reply_body)
		return SMFIS_NOREPLY;
	return more || !c->terms.skip ? SMFIS_CONTINUE : SMFIS_SKIP;
}

static sfsistat
on_end(SMFICTX *ctx)
{
	struct connection *c = connection_of(ctx);
	struct session *s;

	if (c == NULL || c->conf == NULL)
		return SMFIS_TEMPFAIL;
	s = c->exchange.session;
	if (session_holds_body(s))
		exchange_wait(&c->exchange, session_holds_body, true);
	connection_end(c, macro_of);
	exchange_wait(&c->exchange, session_holds_end, true);
	return finish(ctx, c, session_is_verifying(s) ?
	    worker_get(&mlfi.workers) : NULL);
}

static sfsistat
on_abort(SMFICTX *ctx)
{
	struct connection *c = connection_of(ctx);

	if (c == NULL)
		return SMFIS_CONTINUE;
	if (c->counted) {
		stats_add(STAT_ABORTED, 1);
		c->cut = true;
	}
	connection_message_end(c);
	return SMFIS_CONTINUE;
}

/*
 * Runs under libmilter's own lock when a session is reaped: never blocks.
 */
static sfsistat
on_close(SMFICTX *ctx)
{
	struct connection *c = connection_of(ctx);

	(void)smfi_setpriv(ctx, NULL);
	if (c == NULL)
		return SMFIS_CONTINUE;
	connection_log_cut(c);
	connection_free(c);
	descriptors_freed(&mlfi.descriptors);
	return SMFIS_CONTINUE;
}

/* ---- start and stop ----------------------------------------------------- */

int
mlfi_open(const struct mlfi_setup *setup, struct report *report,
    struct mlfi **out)
{
	struct smfiDesc filter = {
		.xxfi_name = (char *)"dkimd",
		.xxfi_version = SMFI_VERSION,
		.xxfi_flags = SMFIF_ADDHDRS | SMFIF_CHGHDRS | SMFIF_QUARANTINE |
		    SMFIF_SETSYMLIST,
		.xxfi_connect = on_connect,
		.xxfi_envfrom = on_mail,
		.xxfi_envrcpt = on_rcpt,
		.xxfi_header = on_header,
		.xxfi_eoh = on_header_end,
		.xxfi_body = on_body,
		.xxfi_eom = on_end,
		.xxfi_abort = on_abort,
		.xxfi_close = on_close,
		.xxfi_negotiate = on_negotiate,
	};

	mlfi.setup = *setup;
	atomic_store(&mlfi.descriptors.spare, -1);
	if (gethostname(mlfi.host, sizeof(mlfi.host) - 1) != 0)
		snprintf(mlfi.host, sizeof(mlfi.host), "localhost");
	if (descriptors_open(&mlfi.descriptors) != 0 ||
	    worker_open(&mlfi.workers) != 0 ||
	    smfi_register(filter) != MI_SUCCESS) {
		report_fault(report, FAULT_FATAL, "Socket: the milter library "
		    "cannot be set up: no memory or no file descriptor");
		return DKIM_ERR_ARGUMENT;
	}
	if (listen_prepare(setup->socket, report) != 0)
		return DKIM_ERR_ARGUMENT;
	if (smfi_setconn((char *)setup->socket) != MI_SUCCESS ||
	    smfi_setbacklog(BACKLOG) != MI_SUCCESS ||
	    smfi_opensocket(false) != MI_SUCCESS) {
		report_fault(report, FAULT_FATAL, "Socket: %s: cannot be "
		    "opened; write local:/path/of/socket or inet:port@host, "
		    "and see the line of the milter library in the log",
		    setup->socket);
		return DKIM_ERR_ARGUMENT;
	}
	listen_describe(setup->socket);
	*out = &mlfi;
	return 0;
}

int
mlfi_run(struct mlfi *front)
{
	(void)front;
	return smfi_main();
}

void
mlfi_drain(struct mlfi *front)
{
	atomic_store(&front->draining, true);
}

unsigned
mlfi_messages(const struct mlfi *front)
{
	return atomic_load(&front->messages);
}

void
mlfi_describe(char *out, size_t size)
{
	unsigned v[3] = { 0, 0, 0 };

	(void)smfi_version(&v[0], &v[1], &v[2]);
	snprintf(out, size, "libmilter %u.%u.%u", v[0], v[1], v[2]);
}
