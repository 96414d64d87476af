/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known problems of a filter's message (PROBLEMS.tsv, rows 9, 11, 40 to 43,
 * 53, 55 and 56), each as a kind.
 */

/* system */
#include <sys/socket.h>
#include <sys/un.h>

/* this room */
#include "tests/session_made.h"
#include "milter/log.h"
#include "milter/terms.h"
#include "milter/wire.h"

#define US	"mx.example.net"
#define CONF	MADE_TABLES "AuthservID " US "\n"
#define SIGN	"SigningTable csl:example.org=one\n"			\
	"KeyTable csl:one=example.org:sel:/keys/rsa\n"
#define AR	"Authentication-Results:"
#define OUTSIDE	"192.0.2.1"

/*
 * What a stranger may write round a name to look like us, and behind it.
 */
static const struct {
	const char	*before, *behind;
} openings[] = {
	{ "", "" }, { " ", "" }, { "\n ", "" }, { " (x)", "" },
	{ " (a (b) \\( c) \n\t", "" }, { " \"", "\"" },
	{ " (x)\"", "\"(y)" }, { " ", "." }, { " ", "/job" },
	{ " \"", "/a b\"" },
};
static const char *const versions[] = {
	"", " 1", " 2", "\n 1\n", " (v)1(w)", " 1x", " 1.0", "/1", " x",
};
static const char *const endings[] = {
	"", ";", "; none", "; dkim=pass", ";dkim=pass header.d=a.b",
	"; dkim/1=pass", "; dkim / 1 = pass", ";;;; dkim=pass",
	"; dkim=pass (unclosed", "; dkim=pass reason=\"unclosed",
	"; dkim=pass unknown.type=x", "; spf=pass; dkim=pass; auth=pass",
	"; (c) dkim (d) = (e) pass", "; =; junk", " dkim=pass", ", dkim=pass",
	";\n\tdkim=pass;\n\tdkim=fail", "; DKIM=PASS", "; dkim=pass\\",
	"; x=\"dkim=pass\"", "; dkim=pass header.i=\"@\\\"",
};

/*
 * Does the id read so that anybody would take it for another's: the opening has
 * a name and its version is one?
 */
static bool
is_clean(size_t opening, size_t version)
{
	return opening != 9 && version <= 4;
}

/*
 * Rows 41 and 42: every opening with every version and ending, with our name in
 * several cases and with others' names: ours goes always, another's stays where
 * it is another's beyond doubt.
 */
static void
results_every_form(void **state)
{
	static const char *const names[] = { US, "MX.example.NET" };
	const struct slice ids[] = { slice_text(US) };
	char name[128], value[512];
	size_t a, b, c, n;

	(void)state;
	for (a = 0; a < TEST_COUNT(openings); a++)
	for (b = 0; b < TEST_COUNT(versions); b++)
	for (c = 0; c < TEST_COUNT(endings); c++) {
		for (n = 0; n < TEST_COUNT(names); n++) {
			snprintf(name, sizeof(name), "%s%s%s",
			    openings[a].before, names[n], openings[a].behind);
			snprintf(value, sizeof(value), "%s%s%s", name,
			    versions[b], endings[c]);
			test_true(value, dkim_authres_claims(
			    slice_text(value), ids, 1) !=
			    DKIM_AUTHRES_FOREIGN);
		}
		snprintf(name, sizeof(name), "%smx.example.org%s",
		    openings[a].before, openings[a].behind);
		snprintf(value, sizeof(value), "%s%s%s", name, versions[b],
		    endings[c]);
		if (is_clean(a, b) && endings[c][0] != ' ' &&
		    endings[c][0] != ',')
			test_int(value, dkim_authres_claims(slice_text(value),
			    ids, 1), DKIM_AUTHRES_FOREIGN);
	}
}

/*
 * Row 41: results without number, and fields of all lengths, still read.
 */
static void
results_every_length(void **state)
{
	const struct slice ids[] = { slice_text(US) };
	static const size_t lengths[] = {
		16, 17, 100, 1000, 4000, 20000,
	};
	struct buf b;
	size_t i, k, kind;

	(void)state;
	for (kind = 0; kind < 4; kind++)
		for (i = 0; i < TEST_COUNT(lengths); i++) {
			buf_init(&b, 1 << 21);
			buf_add_text(&b, kind < 2 ? " " US : " foreign.org");
			for (k = 0; k < lengths[i]; k++)
				buf_add_text(&b, kind % 2 ? "; dkim=pass" :
				    ";\r\n\tspf=pass smtp.x=y");
			test_int("length", dkim_authres_claims(buf_slice(&b),
			    ids, 1), kind > 1 ? DKIM_AUTHRES_FOREIGN : kind ?
			    DKIM_AUTHRES_OURS_DKIM : DKIM_AUTHRES_OURS);
			buf_clear(&b);
		}
}

/*
 * Rows 40 and 42: any number of fields, ours and others' in any order: all of
 * ours are deleted, by the count that each has, from the highest down; none of
 * the others.
 */
static void
results_forged_all_go(void **state)
{
	char header[16384], want[1024], got[1024];
	struct made_run run;
	uint32_t seed = 40;
	size_t n, i, round, at, ours, mark[80];

	(void)state;
	made_open(&run, CONF);
	for (round = 0; round < 200; round++) {
		n = round < 70 ? round : 69;
		at = (size_t)sprintf(header, "From: a@example.com\n");
		for (i = 1, ours = 0; i <= n; i++) {
			const char *name;
			size_t form;

			seed = seed * 1664525 + 1013904223;
			form = (seed >> 20) % 9;
			name = (seed >> 16) % 3 ? US : "mail.example.com";
			if (name[1] == 'x')
				mark[ours++] = i;
			at += (size_t)sprintf(header + at,
			    (seed >> 17) % 2 ? AR : "authentication-RESULTS:");
			at += (size_t)sprintf(header + at, "%s%s%s; dkim=pass"
			    "\n%s", openings[form].before, name,
			    openings[form].behind, (seed >> 18) % 2 ?
			    "Received: x\n" : "");
		}
		made_message(&run, OUTSIDE, header, "x\r\n");
		for (want[0] = '\0', i = ours; i-- > 0;)
			sprintf(want + strlen(want), " %zu", mark[i]);
		for (got[0] = '\0', i = 0; i < run.result->n_actions; i++)
			if (run.result->actions[i].kind == SESSION_DELETE)
				sprintf(got + strlen(got), " %u",
				    run.result->actions[i].occurrence);
		test_str("deleted", got, want);
	}
	made_close(&run);
}

/*
 * Row 55: a forged field in mail that we sign, by each way in: kept only where
 * an inner hop, not a person, hands it on.
 */
static void
results_forged_in_signed_mail(void **state)
{
	static const char mail[] = AR " " US "; dkim=pass\n"
	    "From: a@example.org\n";
	static const struct {
		const char	*client, *auth;
		bool		 goes, is_signed;
	} rows[] = {
		{ "127.0.0.1", NULL, false, true },
		{ "127.0.0.1", "PLAIN", true, true },
		{ OUTSIDE, "PLAIN", true, true },
		{ OUTSIDE, NULL, true, false },
		{ NULL, NULL, false, true },
		{ NULL, "EXTERNAL", true, true },
	};
	struct made_run run;
	size_t i;

	(void)state;
	made_open(&run, CONF SIGN);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		made_connect(&run, "c.example.net", rows[i].client);
		session_macro(run.session, "{auth_type}", rows[i].auth);
		made_mail(&run, mail);
		made_header_end(&run);
		session_body(run.session, slice_text("x\r\n"));
		made_end(&run);
		made_finish(&run);
		test_int("goes", made_count(&run, SESSION_DELETE),
		    rows[i].goes);
		test_int("signed", made_inserted(&run, 0, "DKIM-Signature") !=
		    NULL, rows[i].is_signed);
		/* row 56: no result on mail of ours */
		test_true("no result", made_inserted(&run, 0,
		    "Authentication-Results") == NULL);
	}
	made_close(&run);
}

/*
 * Row 56: unsigned mail of ours by each way in, whatever the options say: no
 * Authentication-Results, no action of verification.
 */
static void
results_none_on_ours(void **state)
{
	static const struct {
		const char	*client, *auth;
		bool		 ours;
	} rows[] = {
		{ "127.0.0.1", NULL, true }, { "127.0.0.1", "PLAIN", true },
		{ OUTSIDE, "LOGIN", true }, { NULL, NULL, true },
		{ OUTSIDE, NULL, false },
	};
	struct made_run run;
	size_t i;

	(void)state;
	made_open(&run, CONF SIGN "AlwaysAddARHeader yes\n"
	    "On-NoSignature quarantine\n");
	for (i = 0; i < TEST_COUNT(rows); i++) {
		made_connect(&run, "c.example.net", rows[i].client);
		session_macro(run.session, "{auth_type}", rows[i].auth);
		made_mail(&run, "From: a@nobody.example\n");
		made_header_end(&run);
		made_end(&run);
		made_finish(&run);
		test_int("result", made_count(&run, SESSION_INSERT),
		    !rows[i].ours);
		test_int("action", run.result->outcome.action, rows[i].ours ?
		    ACTION_ACCEPT : ACTION_QUARANTINE);
	}
	made_close(&run);
}

/*
 * The field of a message signed by ourselves; the caller frees.
 */
static char *
signed_mail(const char *mail, const char *body)
{
	struct made_run run;
	char *header;

	made_open(&run, CONF SIGN);
	made_message(&run, "127.0.0.1", mail, body);
	assert_true(asprintf(&header, "DKIM-Signature:%s\n%s", made_inserted(
	    &run, 0, "DKIM-Signature"), mail) > 0);
	made_close(&run);
	return header;
}

/*
 * Row 43: each verdict by its word, and what failed told apart: key, body,
 * header, and nothing at all.
 */
static void
results_tell_apart(void **state)
{
	static const char mail[] = "From: a@example.org\nSubject: x\n";
	char *header = signed_mail(mail, "hello\r\n");
	char *record = made_publish(made.rsa, "sel._domainkey.example.org",
	    false);
	const struct {
		const char		*want, *change, *body, *records;
		enum dkim_answer_state	 state;
	} rows[] = {
		{ "dkim=pass (1024-bit key", NULL, "hello\r\n", record,
		    DKIM_ANSWER_NO_KEY },
		{ "dkim=fail reason=\"body hash did not verify", NULL,
		    "hullo\r\n", record, DKIM_ANSWER_NO_KEY },
		{ "dkim=fail reason=\"signature did not verify", "Subject: x",
		    "hello\r\n", record, DKIM_ANSWER_NO_KEY },
		{ "dkim=permerror reason=\"no key for signature", NULL,
		    "hello\r\n", NULL, DKIM_ANSWER_NO_KEY },
		{ "dkim=temperror reason=\"key unavailable", NULL,
		    "hello\r\n", NULL, DKIM_ANSWER_TEMPERROR },
		{ "dkim=permerror reason=\"key revoked", NULL, "hello\r\n",
		    "sel._domainkey.example.org\tp=\n", DKIM_ANSWER_NO_KEY },
		{ "dkim=permerror reason=\"signature syntax error", "v=1",
		    "hello\r\n", record, DKIM_ANSWER_NO_KEY },
	};
	struct made_run run;
	char *text, *at;
	size_t i;

	(void)state;
	made_open(&run, CONF "On-DNSError accept\n");
	for (i = 0; i < TEST_COUNT(rows); i++) {
		text = strdup(header);
		if (rows[i].change != NULL) {
			at = strstr(text, rows[i].change);
			assert_non_null(at);
			at[strlen(rows[i].change) - 1] = ';';
		}
		made.records = rows[i].records;
		made.state = rows[i].state;
		made_message(&run, OUTSIDE, text, rows[i].body);
		at = strdup(made_inserted(&run, 0, "Authentication-Results"));
		for (char *p = at; *p != '\0'; p++)
			if (*p == '\n' || *p == '\t')
				*p = ' ';
		while (strstr(at, "  ") != NULL)
			memmove(strstr(at, "  "), strstr(at, "  ") + 1,
			    strlen(strstr(at, "  ")));
		if (strstr(at, rows[i].want) == NULL)
			fprintf(stderr, "# got %s\n", at);
		test_true(rows[i].want, strstr(at, rows[i].want) != NULL);
		free(at);
		free(text);
	}
	made_close(&run);
	free(record);
	free(header);
}

/*
 * Row 9: FixCRLF through a session, in pieces that part CR and LF: what the MTA
 * sends on verifies, and without FixCRLF what came does.
 */
static void
session_hashes_what_travels(void **state)
{
	static const char mail[] = "From: a@example.org\nSubject: x\n";
	static const char came[] = "a\nb\r\rc\r\n\n\rd \n";
	static const char sent[] = "a\r\nb\r\n\r\nc\r\n\r\n\r\nd \r\n";
	char *record = made_publish(made.rsa, "sel._domainkey.example.org",
	    false), *header;
	const char *body, *result;
	struct made_run run;
	size_t fix, piece, at, n, other;

	(void)state;
	for (fix = 0; fix < 2; fix++)
	for (piece = 1; piece < sizeof(came); piece++) {
		made_open(&run, fix ? CONF SIGN "FixCRLF yes\n" : CONF SIGN);
		made_connect(&run, "localhost", "127.0.0.1");
		made_mail(&run, mail);
		made_header_end(&run);
		for (at = 0; at < sizeof(came) - 1; at += n) {
			n = sizeof(came) - 1 - at < piece ?
			    sizeof(came) - 1 - at : piece;
			session_body(run.session, slice_of(came + at, n));
		}
		made_end(&run);
		made_finish(&run);
		assert_true(asprintf(&header, "DKIM-Signature:%s\n%s",
		    made_inserted(&run, 0, "DKIM-Signature"), mail) > 0);
		made_close(&run);
		made_open(&run, CONF);
		made.records = record;
		for (other = 0; other < 2; other++) {
			body = fix != other ? sent : came;
			made_message(&run, OUTSIDE, header, body);
			result = made_inserted(&run, 0,
			    "Authentication-Results");
			test_true("what travels passes, no other",
			    (strstr(result, "dkim=pass") != NULL) == !other);
		}
		made_close(&run);
		free(header);
	}
	free(record);
}

/*
 * Row 53: every octet at each kind of place of the domain that "%" would become
 * in a path: asked for is only what a host's name may hold.
 */
static void
session_percent_every_octet(void **state)
{
	static const struct {
		const char	*before, *behind;
		bool		 dot;		/* is well there */
	} rows[] = {
		{ "b", "c.example", true }, { "", "b.example", false },
		{ "b.", "c.example", false }, { "b.exampl", "", false },
		{ "..", "/secret/other", false },
	};
	struct made_run run;
	unsigned octet;
	char from[64];
	bool good;
	size_t i;

	(void)state;
	made_open(&run, MADE_TABLES "SigningTable csl:*=one\n"
	    "KeyTable csl:one=%:sel:/keys/%/key\n");
	for (octet = 1; octet < 256; octet++)
	for (i = 0; i < TEST_COUNT(rows); i++) {
		if (strchr("\r\n", (int)octet) != NULL)
			continue;
		/* white space at the ends is no part of the domain, nor is
		 * the comma behind an address */
		if (strchr(" \t", (int)octet) != NULL &&
		    (i == 1 || i == 2 || i == 3))
			continue;
		if (octet == ',' && i == 3)
			continue;
		snprintf(from, sizeof(from), "From: a@%s%c%s\n",
		    rows[i].before, (char)octet, rows[i].behind);
		good = (octet >= 'a' && octet <= 'z') ||
		    (octet >= 'A' && octet <= 'Z') ||
		    (octet >= '0' && octet <= '9') || octet == '-' ||
		    octet == '_' || (octet == '.' && rows[i].dot);
		made.keys_asked = 0;
		made_message(&run, "127.0.0.1", from, "x\r\n");
		test_int(from, made.keys_asked, good && i < 4);
		test_int(from, made_count(&run, SESSION_INSERT), good &&
		    i < 4);
	}
	made_close(&run);
}

/*
 * A socket in place of syslog's.
 */
static int
open_log(void)
{
	struct options options = { .syslog = true,
	    .syslog_name = (char *)(uintptr_t)"tester" };
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/log", capture_dir());
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	log_open_at(&options, false, at.sun_path);
	return fd;
}

/*
 * Row 11: leading space is asked for in every configuration, and its refusal by
 * the MTA is said aloud, once a minute.
 */
static void
session_leading_space(void **state)
{
	static const char *const confs[] = {
		CONF, CONF SIGN, CONF "KeepAuthResults yes\n",
		CONF "Mode s\n" SIGN, CONF "Canonicalization simple\n" SIGN,
	};
	unsigned long actions, steps;
	int fd = open_log(), lines = 0;
	char line[512] = "";
	struct conf *conf;
	struct terms t;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * TEST_COUNT(confs); i++) {
		bool offered = i < TEST_COUNT(confs);

		conf = made_conf(confs[i % TEST_COUNT(confs)]);
		actions = WIRE_ACTIONS_ALL;
		steps = offered ? WIRE_STEPS_ALL :
		    WIRE_STEPS_ALL & ~(unsigned long)WIRE_HDR_LEADSPC;
		test_true("terms", terms_make(conf, &actions, &steps, &t));
		test_int("asked for", (steps & WIRE_HDR_LEADSPC) != 0,
		    offered);
		test_int("known", t.leading_space, offered);
		while (recv(fd, line, sizeof(line) - 1, 0) > 0)
			lines++;
		test_int("told", lines, !offered);
		conf_unref(conf);
	}
	close(fd);
	/* facility mail (2 << 3), severity warning (4) */
	test_true(line, strncmp(line, "<20>", 4) == 0);
	test_true(line, strstr(line, "MTA refuses HDR_LEADSPC") != NULL &&
	    strstr(line, "will not verify") != NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_every_form),
		cmocka_unit_test(results_every_length),
		cmocka_unit_test(results_forged_all_go),
		cmocka_unit_test(results_forged_in_signed_mail),
		cmocka_unit_test(results_none_on_ours),
		cmocka_unit_test(results_tell_apart),
		cmocka_unit_test(session_hashes_what_travels),
		cmocka_unit_test(session_percent_every_octet),
		cmocka_unit_test(session_leading_space),
	};

	return MADE_RUN(tests);
}
