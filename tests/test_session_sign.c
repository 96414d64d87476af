/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing by a session: what is inserted, whose fault a failure is, what is
 * asked and when.
 */

/* system */
#include <syslog.h>

/* this room */
#include "tests/session_made.h"

#define TABLES MADE_TABLES						\
	"SigningTable csl:example.org=one\n"				\
	"KeyTable csl:one=example.org:sel:/keys/rsa\n"

static const char mail[] =
    "From: Joe <joe@example.org>\nTo: you@example.net\nSubject: hi\n"
    "Date: Fri, 01 Jan 2027 00:00:00 +0000\n";

/*
 * The signature is good by the published key, when it comes in elsewhere (RFC
 * 6376 s5.6 #2).
 */
static void
session_sign_verifies(void **state)
{
	struct made_run run;
	char *header, *dns;
	const char *value;

	(void)state;
	made_open(&run, TABLES "AlwaysAddARHeader yes\n");
	made_message(&run, "127.0.0.1", mail, "hello\r\n");
	test_int("action", run.result->outcome.action, ACTION_ACCEPT);
	test_int("insertions", made_count(&run, SESSION_INSERT), 1);
	value = made_inserted(&run, 0, "DKIM-Signature");
	assert_non_null(value);
	test_true("folds as LF", strchr(value, '\r') == NULL);
	test_true("leading space", value[0] == ' ');
	test_true("d=", strstr(value, "d=example.org") != NULL);
	test_true("no i= unless a table says so",
	    strstr(value, " i=") == NULL);
	test_int("signed", made_stat(&run, STAT_SIGNED), 1);
	assert_true(asprintf(&header, "DKIM-Signature:%s\n%s", value,
	    mail) > 0);

	dns = made_publish(made.rsa, "sel._domainkey.example.org", false);
	made.records = dns;
	made_message(&run, "192.0.2.1", header, "hello\r\n");
	value = made_inserted(&run, 0, "Authentication-Results");
	assert_non_null(value);
	test_true("it passes", strstr(value, "dkim=pass") != NULL);
	made_message(&run, "192.0.2.1", header, "hullo\r\n");
	value = made_inserted(&run, 0, "Authentication-Results");
	test_true("changed, it fails", strstr(value, "dkim=fail") != NULL);
	made_close(&run);
	free(header);
	free(dns);
}

/*
 * PROBLEMS 56: mail of ours that is not signed gets no dkim=none.
 */
static void
session_sign_unsigned_is_left_alone(void **state)
{
	const struct {
		const char *name, *header, *reason;
		enum stats_counter stat;
	} rows[] = {
		{ "no entry", "From: a@example.com\n", "no table entry",
		    STAT_UNSIGNED_NO_ENTRY },
		{ "no From", "To: a@example.com\n", "no From field",
		    STAT_UNSIGNED_NO_FROM },
		{ "From does not parse", "From: <<a@example.org\n",
		    "does not parse", STAT_UNSIGNED_NO_FROM },
		{ "empty group", "From: undisclosed:;\n", "no mailbox",
		    STAT_UNSIGNED_NO_FROM },
	};
	struct made_run run;
	size_t i;

	(void)state;
	made_open(&run, TABLES "AlwaysAddARHeader yes\n"
	    "On-NoSignature reject\n");
	for (i = 0; i < TEST_COUNT(rows); i++) {
		made_message(&run, "127.0.0.1", rows[i].header, "x\r\n");
		test_int(rows[i].name, run.result->outcome.action,
		    ACTION_ACCEPT);
		test_int(rows[i].name, run.result->n_actions, 0);
		test_int(rows[i].name, made_stat(&run, rows[i].stat), 1);
		made_has_note(rows[i].name, &run, "role=none");
		made_has_note(rows[i].name, &run, rows[i].reason);
	}
	made_close(&run);
}

/*
 * PROBLEMS 53: a domain outside of the strict grammar: no row, no key asked.
 */
static void
session_sign_hostile_domains(void **state)
{
	static const char *const from[] = {
		"a@../secret/other", "a@\"../x\"", "a@[../x]", "a@x/../y",
		"a@..", "a@/etc/passwd", "a@x%y", "a@.", "a@example.org/..",
		"a@-", "<a@../../x>",
	};
	struct made_run run;
	char header[128];
	size_t i;

	(void)state;
	made_open(&run, MADE_TABLES "SigningTable csl:*=one\n"
	    "KeyTable csl:one=%:sel:/keys/%/key\n");
	for (i = 0; i < TEST_COUNT(from); i++) {
		snprintf(header, sizeof(header), "From: %s\n", from[i]);
		made_message(&run, "127.0.0.1", header, "x\r\n");
		test_int(from[i], run.result->n_actions, 0);
		test_int(from[i], run.result->outcome.action, ACTION_ACCEPT);
		test_int(from[i], made.keys_asked, 0);
	}
	made_message(&run, "127.0.0.1", "From: a@Example.ORG\n", "x\r\n");
	test_int("a good one is signed", run.result->n_actions, 1);
	made_close(&run);
}

/*
 * The message is at fault: On-SignatureError, 550 at end of header.
 */
static void
session_sign_message_at_fault(void **state)
{
	const struct {
		const char *name, *header;
		bool fault;
	} rows[] = {
		{ "two From, first matches",
		    "From: a@example.org\nFrom: b@other.example\n", true },
		{ "two From, second matches",
		    "From: b@other.example\nFrom: a@example.org\n", true },
		{ "two From, none matches",
		    "From: b@other.example\nFrom: a@third.example\n", false },
		{ "one From", "From: a@example.org\n", false },
	};
	struct made_run run;
	size_t i;

	(void)state;
	made_open(&run, TABLES);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		made_connect(&run, "localhost", "127.0.0.1");
		made_mail(&run, rows[i].header);
		made_header_end(&run);
		test_int(rows[i].name, session_is_over(run.session),
		    rows[i].fault || i == 2);
		made_end(&run);
		made_finish(&run);
		test_int(rows[i].name, run.result->outcome.action,
		    rows[i].fault ? ACTION_REJECT : ACTION_ACCEPT);
		if (!rows[i].fault)
			continue;
		test_str(rows[i].name, run.result->outcome.code, "550");
		test_str(rows[i].name, run.result->outcome.xcode, "5.6.0");
		test_int(rows[i].name, made_stat(&run,
		    STAT_SIGN_MESSAGE_FAULT), 1);
	}
	made_close(&run);
}

/*
 * Over a limit: at fault when a table matches, wherever From stands.
 */
static void
session_sign_over_limit(void **state)
{
	static char big[3000];
	struct made_run run;
	char header[8000];
	int i;

	(void)state;
	memset(big, 'x', sizeof(big) - 1);
	made_open(&run, TABLES "MaximumHeaders 2000\n");
	for (i = 0; i < 4; i++) {
		const char *from = i == 2 ? "From: a@example.com" :
		    "From: a@example.org";

		/* the field that passes the limit is From itself */
		if (i == 3)
			big[1990] = '\0';

		if (i == 0)
			snprintf(header, sizeof(header), "%s\nX: %s\n", from,
			    big);
		else
			snprintf(header, sizeof(header), "X: %s\n%s\n", big,
			    from);
		made_message(&run, "127.0.0.1", header, "x\r\n");
		test_int("action", run.result->outcome.action, i == 2 ?
		    ACTION_ACCEPT : ACTION_REJECT);
		test_int("over", made_stat(&run, STAT_OVER_LIMIT), 1);
		test_int("nothing is signed", run.result->n_actions, 0);
	}
	made_close(&run);
}

/*
 * We are at fault: On-InternalError, never sent with fewer signatures; RFC 6376
 * s5.1: none without its key.
 */
static void
session_sign_our_fault(void **state)
{
	const struct {
		const char *name, *tables, *reason;
		enum made_how keys, sign;
		int error;
	} rows[] = {
		{ "unknown key", "SigningTable csl:example.org=two\n"
		    "KeyTable csl:one=example.org:sel:/keys/rsa\n",
		    "references unknown key", MADE_NOW, MADE_NOW, 0 },
		{ "no key name", "SigningTable csl:example.org=\n"
		    "KeyTable csl:one=example.org:sel:/keys/rsa\n",
		    "names no key", MADE_NOW, MADE_NOW, 0 },
		{ "bad key row", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel\n",
		    "KeyTable row is bad", MADE_NOW, MADE_NOW, 0 },
		{ "key does not load", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel:/keys/missing\n",
		    "key cannot be loaded", MADE_NOW, MADE_NOW,
		    WANT_ERR_KEY },
		{ "short key", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel:/keys/small\n"
		    "MinimumKeyBits 2048\n",
		    "MinimumKeyBits", MADE_NOW, MADE_NOW, 0 },
		{ "queue full", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel:/keys/rsa\n",
		    "queue", MADE_NOW, MADE_WRONG, WANT_ERR_QUEUE_FULL },
		{ "operation fails", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel:/keys/rsa\n",
		    "cannot be made", MADE_NOW, MADE_WRONG, WANT_ERR_SIGN },
		{ "too late in the queue", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel:/keys/rsa\n",
		    "not there in time", MADE_NOW, MADE_WRONG,
		    WANT_ERR_TIMEOUT },
		{ "key loads too late", "SigningTable csl:example.org=one\n"
		    "KeyTable csl:one=example.org:sel:/keys/rsa\n",
		    "not there in time", MADE_WRONG, MADE_NOW,
		    WANT_ERR_TIMEOUT },
	};
	struct made_run run;
	char text[1024];
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof(text), MADE_TABLES "%s", rows[i].tables);
		made_open(&run, text);
		made.keys = rows[i].keys;
		made.sign = rows[i].sign;
		made.error = rows[i].error;
		made.detail = "/etc/dkimd/keys/secret.private: mode 0644";
		made_message(&run, "127.0.0.1", mail, "x\r\n");
		test_int(rows[i].name, run.result->outcome.action,
		    ACTION_TEMPFAIL);
		test_str(rows[i].name, run.result->outcome.code, "451");
		test_str(rows[i].name, run.result->outcome.xcode, "4.7.0");
		test_int(rows[i].name, run.result->n_actions, 0);
		test_int(rows[i].name, made_stat(&run, STAT_SIGN_OUR_FAULT),
		    1);
		made_has_note(rows[i].name, &run, rows[i].reason);
		test_true("no path for the MTA", strstr(
		    run.result->outcome.text, "/etc") == NULL);
		made_close(&run);
	}
}

/*
 * A token has lost its keys: they are loaded again, once a message.
 */
static void
session_sign_key_gone(void **state)
{
	static const char conf[] = MADE_TABLES "MultipleSignatures yes\n"
	    "SigningTable refile:%s\nKeyTable csl:one=example.org:s1:/keys/rsa,"
	    "two=example.org:s2:/keys/rsa\n";
	const struct {
		const char	*name;
		unsigned	 gone, again, signatures;
		bool		 other;
		const char	*note;
	} rows[] = {
		{ "none", 0, 0, 2, false, "result=signed,signed" },
		{ "one", 1, 1, 2, false, "result=signed,signed" },
		{ "both", 2, 2, 2, false, "result=signed,signed" },
		{ "twice", 3, 2, 0, false, "key cannot be loaded" },
		{ "another type", 1, 1, 0, true, "key has changed" },
	};
	struct made_run run;
	char text[1024];

	(void)state;
	snprintf(text, sizeof(text), conf, capture_text("signing",
	    "*@example.org one\n*@example.org two\n"));
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		made_open(&run, text);
		made.key_gone = rows[i].gone;
		made.keys_again = 0;
		made.other_type = rows[i].other;
		made_message(&run, "127.0.0.1", mail, "x\r\n");
		test_int(rows[i].name, made.keys_again, rows[i].again);
		test_int(rows[i].name, made_count(&run, SESSION_INSERT),
		    rows[i].signatures);
		test_int(rows[i].name, run.result->outcome.action,
		    rows[i].signatures > 0 ? ACTION_ACCEPT : ACTION_TEMPFAIL);
		made_has_note(rows[i].name, &run, rows[i].note);
		made_close(&run);
	}
	made.other_type = false;
	made.key_gone = 0;
}

/*
 * MultipleSignatures: in table order, the first on top of all fields (RFC 6376
 * s5.6 #1, #4, RFC 8601 s4.1); one that fails is all.
 */
static void
session_sign_several(void **state)
{
	static const char conf[] = MADE_TABLES "MultipleSignatures yes\n"
	    "SigningTable refile:%s\nKeyTable csl:one=example.org:s1:/keys/rsa,"
	    "two=example.org:s2:/keys/ed25519,bad=example.org:s3:/keys/missing"
	    "\n";
	struct made_run run;
	char text[1024];
	const char *top, *below;
	size_t i;

	(void)state;
	snprintf(text, sizeof(text), conf, capture_text("signing",
	    "*@example.org one\n*@other.example one\n*@example.org two\n"));
	made_open(&run, text);
	made_message(&run, "127.0.0.1", mail, "x\r\n");
	test_int("two", made_count(&run, SESSION_INSERT), 2);
	/* inserted at index 0: the last insertion is on top */
	for (i = 0; i < run.result->n_actions; i++)
		test_int("index", run.result->actions[i].occurrence, 0);
	below = made_inserted(&run, 0, "DKIM-Signature");
	top = made_inserted(&run, 1, "DKIM-Signature");
	test_true("first row on top", strstr(top, "s=s1") != NULL);
	test_true("second row below", strstr(below, "s=s2") != NULL);
	test_true("its key decides", strstr(below, "a=ed25519-sha256") !=
	    NULL);
	made_has_note("line", &run, "result=signed,signed d=example.org,"
	    "example.org s=s1,s2 a=rsa-sha256,ed25519-sha256");
	made_close(&run);

	snprintf(text, sizeof(text), conf, capture_text("signing",
	    "*@example.org one\n*@example.org bad\n"));
	made_open(&run, text);
	made_message(&run, "127.0.0.1", mail, "x\r\n");
	test_int("one cannot be made: none", run.result->n_actions, 0);
	test_int("one cannot be made: later", run.result->outcome.action,
	    ACTION_TEMPFAIL);
	made_close(&run);
}

/*
 * The key is asked for at end of header, the signature at end of message; body
 * waits for the key.
 */
static void
session_sign_waits(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, TABLES);
	made.keys = MADE_LATER;
	made.sign = MADE_LATER;
	made_connect(&run, "localhost", NULL);
	made_mail(&run, mail);
	made_header_end(&run);
	test_int("key asked early", made.keys_asked, 1);
	test_true("body is held", session_holds_body(run.session));
	test_true("not over", !session_is_over(run.session));
	/* not SignTimeout: before Sendmail, which has R=10s, gives us up */
	test_int("deadline", session_deadline(run.session), MADE_US + 8000000);
	made_answer();
	made_take(&run);
	test_true("body is taken", !session_holds_body(run.session));
	test_true("wants more", session_body(run.session, slice_text("x\r\n")));
	run.now += 100;
	made_end(&run);
	test_int("one signature", made.sign_asked, 1);
	test_true("end is held", session_holds_end(run.session));
	run.now += 700;
	made_answer();
	made_take(&run);
	test_true("end is there", !session_holds_end(run.session));
	made_finish(&run);
	test_int("signed", run.result->n_actions, 1);
	made_has_note("times", &run, "sign_us=700");
	made_close(&run);
}

/*
 * A body that is empty ends before the key is there.
 */
static void
session_sign_empty_body(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, TABLES);
	made.keys = MADE_LATER;
	made_connect(&run, "localhost", NULL);
	made_mail(&run, mail);
	made_header_end(&run);
	made_end(&run);
	test_true("end is held", session_holds_end(run.session));
	made_answer();
	made_take(&run);
	made_finish(&run);
	test_int("signed", run.result->n_actions, 1);

	/* octets that came while nobody could take them: never a wrong hash */
	made_mail(&run, mail);
	made_header_end(&run);
	session_body(run.session, slice_text("x\r\n"));
	made_end(&run);
	made_answer();
	made_take(&run);
	made_finish(&run);
	test_int("not signed", run.result->outcome.action, ACTION_TEMPFAIL);
	made_close(&run);
}

/*
 * A front end that does not wait: never unsigned as if nobody had asked.
 */
static void
session_sign_finished_early(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, TABLES);
	made.keys = MADE_NEVER;
	made_connect(&run, "localhost", NULL);
	made_mail(&run, mail);
	made_header_end(&run);
	made_end(&run);
	made_finish(&run);
	test_int("later", run.result->outcome.action, ACTION_TEMPFAIL);
	test_int("counted", made_stat(&run, STAT_SIGN_OUR_FAULT), 1);
	made_close(&run);
}

static void
session_sign_expires(void **state)
{
	struct made_run run;
	int i;

	(void)state;
	made_open(&run, TABLES "SignTimeout 7\nOn-InternalError reject\n");
	for (i = 0; i < 2; i++) {
		made.keys = i == 0 ? MADE_NEVER : MADE_NOW;
		made.sign = i == 1 ? MADE_NEVER : MADE_NOW;
		made_connect(&run, "localhost", NULL);
		made_mail(&run, mail);
		made_header_end(&run);
		if (i == 1)
			made_end(&run);
		test_int("deadline", session_deadline(run.session),
		    run.now + 7000000);
		session_expire(run.session, run.now + 6999999);
		test_true("not yet", i == 0 ? session_holds_body(run.session) :
		    session_holds_end(run.session));
		session_expire(run.session, run.now + 7000000);
		made_carry(&run);
		test_true("no more", !session_holds_body(run.session) &&
		    !session_holds_end(run.session));
		made_finish(&run);
		test_int("On-InternalError", run.result->outcome.action,
		    ACTION_REJECT);
		test_str("5.6.0", run.result->outcome.xcode, "5.6.0");
		test_int("counted", made_stat(&run, STAT_SIGN_TIMEOUT), i);
	}
	made_close(&run);
}

/*
 * On-InternalError accept: unsigned, but counted and logged as an error.
 */
static void
session_sign_accepted_unsigned(void **state)
{
	struct made_run run;

	(void)state;
	made_open(&run, TABLES "On-InternalError accept\n");
	made.keys = MADE_WRONG;
	made.detail = "/k: mode \"0644\"";
	made_message(&run, "127.0.0.1", mail, "x\r\n");
	test_int("accepted", run.result->outcome.action, ACTION_ACCEPT);
	test_int("unsigned", run.result->n_actions, 0);
	test_true("no action", strstr(made_note(&run, "role=sign")->text,
	    "action=") == NULL);
	test_int("counted", made_stat(&run, STAT_SIGN_OUR_FAULT), 1);
	test_int("error", made_note(&run, "On-InternalError: key cannot be "
	    "loaded: /k: mode")->priority, 3);
	test_true("held back", made_note(&run, "On-InternalError")->limit !=
	    NULL);
	made_has_note("line", &run, "role=sign result=error d=example.org "
	    "s=sel a= from=joe@example.org client=client.example.net"
	    "[127.0.0.1] reason=\"key cannot be loaded: /k: mode \\x220644\\x22"
	    "\" dns_ms=0 sign_us=0");
	made_close(&run);
}

static void
session_sign_warnings(void **state)
{
	static char body[2048];
	struct made_run run;
	const char *again = "DKIM-Signature: v=1; a=rsa-sha256; d=example.org; "
	    "s=sel; h=from; bh=AAAA; b=AAAA\nFrom: joe@example.org\n";

	(void)state;
	memset(body, 'a', 999);
	memcpy(body + 999, "\r\n\xc3\xa4\r\n", 7);
	made_open(&run, TABLES);
	made_message(&run, "127.0.0.1", again, body);
	test_int("signed once more", run.result->n_actions, 1);
	made_has_note("second pass", &run, "4XyZ: second pass?");
	made_has_note("long line", &run, "4XyZ: a line is longer than 998");
	test_int("counted", made_stat(&run, STAT_LONG_LINES), 1);
	made_has_note("8-bit", &run, "4XyZ: octets above 127");
	made_message(&run, "127.0.0.1", "Content-Transfer-Encoding: 8bit\n"
	    "From: joe@example.org\n", body + 1);
	test_true("998 octets are no long line",
	    made_note(&run, "longer than 998") == NULL);
	test_true("declared", made_note(&run, "above 127") == NULL);
	test_true("no second pass", made_note(&run, "second pass") == NULL);
	made_close(&run);
}

/* Oversigned, absent, and added by the MTA afterwards. */
static void
session_sign_absent(void **state)
{
	static const struct {
		const char	*name, *conf, *header, *note;
	} rows[] = {
		{ "built in", "", "From: joe@example.org\n", NULL },
		{ "oversigned", "OversignHeaders From,Date\n",
		    "From: joe@example.org\n", "4XyZ: no Date" },
		{ "present", "OversignHeaders From,Date\n",
		    "From: joe@example.org\nDATE: today\n", NULL },
		{ "the other", "OversignHeaders Message-ID,Date\n",
		    "From: joe@example.org\nDate: today\n",
		    "4XyZ: no Message-ID" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct made_run run;
		char conf[512];

		snprintf(conf, sizeof(conf), TABLES "%s", rows[i].conf);
		made_open(&run, conf);
		made_message(&run, "127.0.0.1", rows[i].header, "x\r\n");
		test_int(rows[i].name, made_stat(&run, STAT_SIGNED), 1);
		test_int(rows[i].name, made_note(&run, ": no ") != NULL,
		    rows[i].note != NULL);
		if (rows[i].note != NULL) {
			made_has_note(rows[i].name, &run, rows[i].note);
			test_int(rows[i].name, made_note(&run, ": no ")->
			    priority, LOG_INFO);
		}
		/* who verifies is not told */
		made_message(&run, "192.0.2.1", rows[i].header, "x\r\n");
		test_true(rows[i].name, made_note(&run, ": no ") == NULL);
		made_close(&run);
	}
}

static bool
sign_once(void *arg)
{
	struct made_run *run = arg;
	struct session_time now = { run->now, MADE_SECONDS };
	bool signed_, refused;

	if (session_connect(run->session, slice_text("localhost"), NULL,
	    0) != 0 || session_mail(run->session, conf_ref(run->conf)) != 0)
		return false;
	session_macro(run->session, "i", "4XyZ");
	made_header(run, "Authentication-Results: host.example.org; "
	    "dkim=pass header.d=a.example\n");
	made_header(run, mail);
	session_header_end(run->session, now, MADE_PATIENCE);
	made_carry(run);
	session_body(run->session, slice_text("x\r\n"));
	session_end(run->session, now);
	made_carry(run);
	made_take(run);
	made_finish(run);
	signed_ = made_count(run, SESSION_INSERT) == 1;
	refused = run->result->outcome.action == ACTION_TEMPFAIL;
	test_true("signed or refused", signed_ != refused);
	test_true("a refusal is told",
	    !refused || run->result->n_notes > 0);
	/* a note may be lost, the signature may not */
	if (signed_ && made_note(run, "result=signed") == NULL)
		return false;
	return signed_ && run->result->n_notes > 0;
}

static void
session_sign_allocations(void **state)
{
	struct made_run run;
	size_t n;

	(void)state;
	made_open(&run, TABLES);
	n = test_every_allocation(sign_once, &run);
	test_true("many sites", n > 10);
	made_close(&run);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(session_sign_verifies),
		cmocka_unit_test(session_sign_unsigned_is_left_alone),
		cmocka_unit_test(session_sign_hostile_domains),
		cmocka_unit_test(session_sign_message_at_fault),
		cmocka_unit_test(session_sign_over_limit),
		cmocka_unit_test(session_sign_our_fault),
		cmocka_unit_test(session_sign_key_gone),
		cmocka_unit_test(session_sign_several),
		cmocka_unit_test(session_sign_waits),
		cmocka_unit_test(session_sign_empty_body),
		cmocka_unit_test(session_sign_finished_early),
		cmocka_unit_test(session_sign_expires),
		cmocka_unit_test(session_sign_accepted_unsigned),
		cmocka_unit_test(session_sign_warnings),
		cmocka_unit_test(session_sign_absent),
		cmocka_unit_test(session_sign_allocations),
	};

	return MADE_RUN(tests);
}
