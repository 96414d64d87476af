/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sign as dkimd would; see sign_config.h.
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <syslog.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "milter/ask.h"
#include "milter/clock.h"
#include "milter/conf.h"
#include "milter/inbox.h"
#include "milter/keystore.h"
#include "milter/session.h"
#include "milter/signer.h"

/* this room */
#include "sign_config.h"
#include "terminal_report.h"

struct signing {
	struct dkim_header	*header;
	struct dkim_lib		*lib;
	struct conf		*conf;
	struct signer		*signer;
	struct inbox		*inbox;
	struct session		*session;
	struct session_time	 now;
};

static int
open_conf(struct signing *s, const char *path)
{
	/* sign whatever Mode says: that is what was asked for */
	static const struct conf_override mode = { "Mode", "s" };
	struct report report;
	struct options options;

	terminal_report_init(&report);
	if (conf_options_load(path, &mode, 1, &report, &options) != 0 ||
	    conf_new(&options, &report, &s->conf) != 0)
		return EX_CONFIG;
	if (signer_new(1, &s->signer) == 0 && keystore_new(s->conf, s->signer,
	    NULL, &s->conf->keystore) == 0)
		return 0;
	warnx("no memory or threads for signing");
	return EX_OSERR;
}

static int
open_session(struct signing *s)
{
	static const struct session_can can = { false, false };

	if (dkim_lib_new(&s->lib) != 0 || inbox_new(&s->inbox) != 0 ||
	    session_new(s->lib, s->inbox, "localhost", &can,
	    &s->session) != 0 || session_connect(s->session,
	    slice_text("localhost"), NULL, 0) != 0) {
		warnx("no memory for signing");
		return EX_OSERR;
	}
	/* ours, whatever InternalHosts says: the tables decide the rest */
	session_macro(s->session, "{auth_type}", "LOCAL");
	if (session_mail(s->session, conf_ref(s->conf)) == 0)
		return 0;
	warnx("no memory for signing");
	return EX_OSERR;
}

static void
carry(struct signing *s)
{
	struct want *want;

	while ((want = session_next_want(s->session)) != NULL)
		if (ask(s->signer, want))
			session_answer(s->session, want, clock_us());
	while ((want = session_next_cancelled(s->session)) != NULL) {
		ask_cancel(want);
		want_unref(want);
	}
}

/*
 * Wait while holds says so, until the wants expire.
 */
static void
wait_for(struct signing *s, bool (*holds)(const struct session *session))
{
	struct want *want;

	carry(s);
	while (holds(s->session)) {
		want = inbox_take(s->inbox, session_deadline(s->session));
		if (want != NULL)
			session_answer(s->session, want, clock_us());
		else
			session_expire(s->session, clock_us());
		carry(s);
	}
}

static int
on_header(void *context)
{
	struct signing *s = context;
	size_t i, n = dkim_header_count(s->header);

	for (i = 0; i < n; i++)
		session_field(s->session, dkim_header_name(s->header, i),
		    dkim_header_value(s->header, i));
	session_header_end(s->session, s->now, 0);
	return 0;
}

static int
on_body(void *context, struct slice in)
{
	struct signing *s = context;

	wait_for(s, session_holds_body);
	session_body(s->session, in);
	return 0;
}

/*
 * The fields that the session inserts, the last insertion on top.
 */
static size_t
put_fields(const struct session_result *result, const char *line_end,
    struct buf *out)
{
	const struct session_action *a;
	const char *p;
	size_t i, n = 0;

	for (i = result->n_actions; i > 0; i--) {
		a = &result->actions[i - 1];
		if (a->kind != SESSION_INSERT)
			continue;
		buf_add_text(out, a->name);
		buf_add_octet(out, ':');
		for (p = a->value; *p != '\0'; p++)
			if (*p == '\n')
				buf_add_text(out, line_end);
			else
				buf_add_octet(out, (uint8_t)*p);
		buf_add_text(out, line_end);
		n++;
	}
	return n;
}

static int
settle(struct signing *s, const char *name, const char *line_end,
    struct buf *fields)
{
	const struct session_result *result = session_finish(s->session, NULL);
	size_t i, n;

	carry(s);
	n = put_fields(result, line_end, fields);
	if (n > 0 && buf_end(fields) == 0)
		return 0;
	for (i = 0; i < result->n_notes; i++)
		warnx("%s: %s", name, result->notes[i].text);
	if (result->outcome.kind == OUTCOME_INTERNAL_ERROR) {
		warnx("%s: not signed: %s", name, result->outcome.text);
		return EX_CONFIG;
	}
	warnx("%s: not signed: %s", name, result->outcome.kind ==
	    OUTCOME_SIGNATURE_ERROR ? result->outcome.text :
	    "no table names its sender");
	return EX_DATAERR;
}

static void
close_signing(struct signing *s)
{
	if (s->session != NULL) {
		session_reset(s->session);
		carry(s);
		session_free(s->session);
	}
	if (s->signer != NULL)
		signer_free(s->signer);
	if (s->inbox != NULL) {
		inbox_close(s->inbox);
		inbox_unref(s->inbox);
	}
	if (s->conf != NULL) {
		keystore_unref(s->conf->keystore);
		s->conf->keystore = NULL;
		conf_unref(s->conf);
	}
	dkim_lib_free(s->lib);
}

int
sign_config(const char *path, uint64_t now, struct dkim_header *header,
    struct input *in, struct buf *fields)
{
	struct signing s = { .header = header,
	    .now = { .us = clock_us(), .seconds = now } };
	bool is_lf = false;
	int status;

	status = open_conf(&s, path);
	if (status == 0)
		status = open_session(&s);
	if (status == 0)
		status = input_message(in, header, on_header, on_body, &s,
		    &is_lf);
	if (status == 0) {
		session_end(s.session, s.now);
		wait_for(&s, session_holds_end);
		status = settle(&s, in->name, is_lf ? "\n" : "\r\n", fields);
	}
	close_signing(&s);
	return status;
}
