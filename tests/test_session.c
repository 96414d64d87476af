/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session from message to message: Authentication-Results removed, early
 * answers, aborts, answers of any age.
 */

/* this room */
#include "tests/session_made.h"

#define AR "Authentication-Results: "
#define CONF MADE_TABLES "AuthservID mx.example.net\n"
#define SIGN "SigningTable csl:example.org=one\n"			\
	"KeyTable csl:one=example.org:sel:/keys/rsa\n"

/*
 * The occurrences deleted, in order.
 */
static void
check_deleted(const char *row, const struct made_run *run, const char *want)
{
	char got[1024] = "";
	size_t i, n = 0;

	for (i = 0; i < run->result->n_actions; i++)
		if (run->result->actions[i].kind == SESSION_DELETE)
			n += (size_t)snprintf(got + n, sizeof(got) - n,
			    "%s%u", n == 0 ? "" : " ",
			    run->result->actions[i].occurrence);
	test_str(row, got, want);
}

/*
 * BEHAVIOUR 7, PROBLEMS 40, 42, 55, RFC 8601 s5 #1, #10, s7.6: who may keep a
 * field with our name.
 */
static void
session_authres_who_keeps(void **state)
{
	const struct {
		const char *name, *conf, *client, *auth, *header, *deleted;
	} rows[] = {
		{ "from outside", "", "192.0.2.1", NULL,
		    AR "mx.example.net; dkim=pass\n", "1" },
		{ "from an internal hop", "", "127.0.0.1", NULL,
		    AR "mx.example.net; dkim=pass\n", "" },
		{ "from an internal user", "", "127.0.0.1", "PLAIN",
		    AR "mx.example.net; dkim=pass\n", "1" },
		{ "from a peer", "PeerList 192.0.2.1\n", "192.0.2.1", NULL,
		    AR "mx.example.net; dkim=pass\n", "" },
		{ "authenticated from outside", "", "192.0.2.1", "PLAIN",
		    AR "mx.example.net; dkim=pass\n", "1" },
		{ "signed", SIGN, "192.0.2.1", "PLAIN",
		    AR "mx.example.net; dkim=pass\nFrom: a@example.org\n",
		    "1" },
		{ "Mode s, inbound", "Mode s\n", "192.0.2.1", NULL,
		    AR "mx.example.net; dkim=pass\n", "1" },
		{ "Mode v, outbound", "Mode v\n", "127.0.0.1", "PLAIN",
		    AR "mx.example.net; dkim=pass\n", "1" },
		{ "KeepAuthResults", "KeepAuthResults yes\n", "192.0.2.1",
		    NULL, AR "mx.example.net; dkim=pass\n", "" },
		{ "many, highest first", "", "192.0.2.1", NULL,
		    AR "mx.example.net; dkim=pass\n" AR "other.example; "
		    "dkim=pass\n" AR "MX.Example.NET; dkim=pass\n"
		    "Subject: x\nauthentication-results: \"mx.example.net\"; "
		    "dkim=fail\n", "4 3 1" },
		{ "another authserv-id", "", "192.0.2.1", NULL,
		    AR "mx.example.org; dkim=pass\n", "" },
		{ "a name that is longer", "", "192.0.2.1", NULL,
		    AR "mx.example.net.evil.example; dkim=pass\n", "" },
		{ "RemoveARAll no: ours without dkim", "RemoveARAll no\n",
		    "192.0.2.1", NULL,
		    AR "mx.example.net; spf=pass smtp.mailfrom=a@b.example\n",
		    "" },
		{ "RemoveARAll no: ours with dkim", "RemoveARAll no\n",
		    "192.0.2.1", NULL,
		    AR "mx.example.net; spf=pass; dkim=none\n", "1" },
		{ "RemoveARAll", "RemoveARAll yes\n", "192.0.2.1", NULL,
		    AR "mx.example.net; spf=pass smtp.mailfrom=a@b.example\n",
		    "1" },
		{ "RemoveARFrom", "RemoveARFrom other.example\n",
		    "192.0.2.1", NULL, AR "other.example; dkim=pass\n"
		    AR "mx.example.net; dkim=pass\n", "2 1" },
		{ "RemoveARFrom is exact", "RemoveARFrom .example\n",
		    "192.0.2.1", NULL, AR "other.example; dkim=pass\n", "" },
		{ "folded", "", "192.0.2.1", NULL,
		    AR "\n mx.example.net\n\t; dkim=pass\n", "1" },
	};
	struct made_run run;
	char conf[512];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), CONF "%s", rows[i].conf);
		made_open(&run, conf);
		made_connect(&run, "c.example.net", rows[i].client);
		session_macro(run.session, "{auth_type}", rows[i].auth);
		made_mail(&run, rows[i].header);
		made_header_end(&run);
		made_end(&run);
		made_finish(&run);
		check_deleted(rows[i].name, &run, rows[i].deleted);
		test_int(rows[i].name, made_stat(&run, STAT_AUTHRES_REMOVED),
		    made_count(&run, SESSION_DELETE));
		made_close(&run);
	}
}

/*
 * AuthservID absent: macro j, else the host's name (RFC 8601 s2.5).
 */
static void
session_authres_our_name(void **state)
{
	const char *rows[][3] = {
		{ "", NULL, "host.example.org" },
		{ "", "j.example.org", "j.example.org" },
		{ "AuthservID id.example.org\n", "j.example.org",
		    "id.example.org" },
	};
	struct made_run run;
	char conf[512], header[128];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(conf, sizeof(conf), MADE_TABLES "AlwaysAddARHeader "
		    "yes\n%s", rows[i][0]);
		snprintf(header, sizeof(header), AR "%s; dkim=pass\n",
		    rows[i][2]);
		made_open(&run, conf);
		made_connect(&run, "c.example.net", "192.0.2.1");
		session_macro(run.session, "j", rows[i][1]);
		made_mail(&run, header);
		made_header_end(&run);
		made_end(&run);
		made_finish(&run);
		check_deleted(rows[i][2], &run, "1");
		test_true(rows[i][2], strstr(made_inserted(&run, 0,
		    "Authentication-Results"), rows[i][2]) != NULL);
		/* RFC 8601 s5 #2 */
		/* deletions come first: insertions would move the count */
		test_int("order", run.result->actions[0].kind,
		    SESSION_DELETE);
		made_close(&run);
	}
}

/*
 * What has to change the header cannot be answered at end of header.
 */
static void
session_over_keeps_deletions(void **state)
{
	struct made_run run;
	int i;

	(void)state;
	made_open(&run, CONF "Mode s\n");
	for (i = 0; i < 2; i++) {
		made_connect(&run, "c.example.net", "192.0.2.1");
		made_mail(&run, i == 0 ? AR "mx.example.net; dkim=pass\n" :
		    AR "other.example; dkim=pass\n");
		made_header_end(&run);
		test_int("over", session_is_over(run.session), i);
	}
	made_close(&run);
}

static void
session_connection_of_other_terms(void **state)
{
	static const struct session_can can = { false, false };
	struct made_run run;

	(void)state;
	made_open(&run, CONF "On-NoSignature quarantine\n");
	session_free(run.session);
	assert_int_equal(session_new(run.lib, run.inbox, "h", &can,
	    &run.session), 0);
	made_message(&run, "192.0.2.1", AR "mx.example.net; dkim=pass\n",
	    "x\r\n");
	test_int("no change that was not agreed", run.result->n_actions, 0);
	test_int("no quarantine: later", run.result->outcome.action,
	    ACTION_TEMPFAIL);
	made_has_note("told", &run, "forged Authentication-Results stay");
	made_close(&run);
}

/*
 * Who was refused at CONNECT and goes on nevertheless is nobody: not a local
 * client, whose mail would be signed.
 */
static void
session_mail_of_refused(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, CONF SIGN);
	test_int("refused", session_mail(run.session, conf_ref(run.conf)),
	    DKIM_ERR_STATE);
	test_int("configuration came back", atomic_load(&run.conf->refs), 1);
	test_true("no message", !session_in_message(run.session));
	made_connect(&run, "localhost", NULL);
	made_mail(&run, "From: a@example.org\n");
	test_true("taken", session_in_message(run.session));
	made_close(&run);
}

/*
 * Aborted, then a second message in the same connection; answers of the first
 * come in all ages.
 */
static void
session_abort_then_next(void **state)
{
	struct made_run run;
	int i;

	(void)state;
	made_open(&run, CONF SIGN);
	for (i = 0; i < 4; i++) {
		made.keys = i == 3 ? MADE_NOW : MADE_LATER;
		made.sign = MADE_LATER;
		made_connect(&run, "localhost", NULL);
		made_mail(&run, "From: a@example.org\n");
		made_header_end(&run);
		if (i == 1)
			made_answer();		/* in the inbox at the abort */
		if (i == 3)
			made_end(&run);
		session_reset(run.session);
		test_true("no message", !session_in_message(run.session));
		test_true("no want", session_next_want(run.session) == NULL);
		session_reset(run.session);	/* harmless */
		made_carry(&run);
		made_mail(&run, "From: b@example.org\n");
		if (i == 2)
			made_answer();		/* after it */
		made.keys = made.sign = MADE_NOW;
		made_header_end(&run);
		made_take(&run);
		session_body(run.session, slice_text("x\r\n"));
		made_end(&run);
		made_answer();
		made_take(&run);
		made_finish(&run);
		test_int("the second is signed", made_count(&run,
		    SESSION_INSERT), 1);
		made_has_note("as itself", &run, "from=b@example.org");
	}
	made_close(&run);
}

/*
 * Events in any state: never a crash, never a signature of nothing.
 */
static void
session_events_out_of_order(void **state)
{
	struct session_time now = { MADE_US, MADE_SECONDS };
	struct made_run run;
	unsigned seed = 12345, i;

	(void)state;
	made_open(&run, CONF SIGN);
	made_connect(&run, "localhost", NULL);
	test_true("no message", session_finish(run.session, NULL) == NULL);
	for (i = 0; i < 20000; i++) {
		seed = seed * 1103515245u + 12345u;
		switch ((seed >> 16) % 12) {
		case 0:
			assert_int_equal(session_mail(run.session,
			    conf_ref(run.conf)), 0);
			break;
		case 1:
			session_field(run.session, slice_text("From"),
			    slice_text(" a@example.org"));
			break;
		case 2:
			session_field(run.session, slice_text("X"),
			    slice_text(""));
			break;
		case 3:
			session_header_end(run.session, now, 1000);
			break;
		case 4:
			session_body(run.session, slice_text("x\r\n"));
			break;
		case 5:
			session_end(run.session, now);
			break;
		case 6:
			session_reset(run.session);
			break;
		case 7:
			session_expire(run.session, now.us + (seed >> 8));
			break;
		case 8:
			made_take(&run);
			break;
		case 9:
			session_finish(run.session, NULL);
			break;
		case 10:
			made.keys = (seed >> 20) % 2 ? MADE_LATER : MADE_NOW;
			if (made.n_pending > MADE_PENDING - 4)
				made_answer();
			break;
		default:
			made_connect(&run, "localhost", (seed >> 20) % 2 ?
			    "127.0.0.1" : "192.0.2.1");
			break;
		}
		if (made.n_pending < MADE_PENDING - 4)
			made_carry(&run);
		(void)session_is_over(run.session);
		(void)session_holds_body(run.session);
		(void)session_holds_end(run.session);
		(void)session_deadline(run.session);
	}
	made_answer();
	made_close(&run);
}

/*
 * "external host X attempted to send as Y": with Domain only, muted by
 * ExternalIgnoreList.
 */
static void
session_external_host(void **state)
{
	struct made_run run;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		made_open(&run, i == 0 ? CONF "Domain example.org\n"
		    "Selector s\nKeyFile /k\n" : CONF "Domain example.org\n"
		    "Selector s\nKeyFile /k\nExternalIgnoreList 192.0.2.1\n");
		made_message(&run, "192.0.2.1", "From: a@example.org\n", "");
		test_int("note", made_note(&run, "4XyZ: external host "
		    "client.example.net attempted to send as example.org") !=
		    NULL, i == 0);
		test_int("counted", made_stat(&run, STAT_UNSIGNED_NOT_OURS),
		    1);
		made_close(&run);
	}
}

static void
session_dont_sign_mail_to(void **state)
{
	struct made_run run;
	int i;

	(void)state;
	made_open(&run, CONF SIGN "DontSignMailTo list.example,"
	    "joe@b.example\n");
	for (i = 0; i < 4; i++) {
		made_connect(&run, "localhost", NULL);
		made_mail(&run, "");
		session_rcpt(run.session, slice_text("<a@example.net>"));
		session_rcpt(run.session, slice_text(i == 0 ?
		    "<x@List.Example>" : i == 1 ? "joe@b.example" : i == 2 ?
		    "<jane@b.example>" : "<>"));
		made_header(&run, "From: a@example.org\n");
		made_header_end(&run);
		session_body(run.session, slice_text("x\r\n"));
		made_end(&run);
		made_finish(&run);
		test_int("signed", run.result->n_actions, i >= 2);
	}
	made_close(&run);
}

static void
session_log_styles(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, CONF SIGN "LogStyle opendkim\nLogWhy yes\n");
	made_message(&run, "127.0.0.1", "From: a@example.org\n", "x\r\n");
	made_has_note("phrase", &run,
	    "4XyZ: DKIM-Signature field added (s=sel, d=example.org)");
	test_true("no line", made_note(&run, "role=") == NULL);
	made_has_note("why", &run, "4XyZ: client.example.net is internal");
	made_has_note("why", &run, "4XyZ: SigningTable names key 'one'");
	made_close(&run);
	made_open(&run, CONF SIGN "SyslogSuccess no\n");
	made_message(&run, "127.0.0.1", "From: a@example.org\n", "x\r\n");
	test_int("SyslogSuccess no", run.result->n_notes, 0);
	made_message(&run, "127.0.0.1", "From: a@example.com\n", "x\r\n");
	test_int("not signed: told", run.result->n_notes, 1);
	made_close(&run);
}

/*
 * Two From fields of as many mailboxes as are looked at, none of them ours:
 * why is longer than its limit, and the last line says so.
 */
static void
session_log_why_too_long(void **state)
{
	const struct session_note *last = NULL;
	struct made_run run;
	struct buf header;

	(void)state;
	buf_init(&header, 65536);
	for (int from = 0; from < 2; from++) {
		buf_add_text(&header, "From: ");
		for (int i = 0; i < DKIM_MAILBOXES_MAX; i++)
			buf_add_format(&header, "%s%d.%064d@example.com",
			    i == 0 ? "" : ",\n ", from, i);
		buf_add_text(&header, "\n");
	}
	buf_add_nul(&header);
	assert_int_equal(buf_end(&header), 0);
	made_open(&run, CONF SIGN "LogWhy yes\n");
	made_message(&run, "127.0.0.1", (const char *)header.p, "x\r\n");
	made_has_note("the first", &run, "client.example.net is internal");
	for (size_t i = 0; i < run.result->n_notes; i++)
		if (strstr(run.result->notes[i].text, " ...") != NULL)
			last = &run.result->notes[i];
	test_true("cut", last != NULL && strcmp(last->text +
	    strlen(last->text) - 4, " ...") == 0);
	test_true("whole lines before it", last != run.result->notes &&
	    strstr(last[-1].text, "@example.com'") != NULL);
	made_close(&run);
	buf_clear(&header);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_authres_who_keeps),
		cmocka_unit_test(session_authres_our_name),
		cmocka_unit_test(session_over_keeps_deletions),
		cmocka_unit_test(session_connection_of_other_terms),
		cmocka_unit_test(session_mail_of_refused),
		cmocka_unit_test(session_abort_then_next),
		cmocka_unit_test(session_events_out_of_order),
		cmocka_unit_test(session_external_host),
		cmocka_unit_test(session_dont_sign_mail_to),
		cmocka_unit_test(session_log_styles),
		cmocka_unit_test(session_log_why_too_long),
	};

	return MADE_RUN(tests);
}
