/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Socket in every notation that MIGRATION 2h lists; what libmilter takes is
 * smfi_setconn(3)'s "unix:path", "inet:port@host", "inet6:port@host".
 */

/* system */
#include "tests/test.h"

/* under test */
#include "milter/socketspec.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

static void
socketspec_check_inet(void **state)
{
	const struct {
		const char *text, *want, *message; /* NULL: none */
	} rows[] = {
		{ "inet:8891@localhost", "inet:8891@localhost", NULL },
		{ "INET:8891@LocalHost", "inet:8891@LocalHost", NULL },
		{ "inet:8891@127.0.0.1", "inet:8891@[127.0.0.1]", NULL },
		{ "inet:8891@[127.0.0.1]", "inet:8891@[127.0.0.1]", NULL },
		{ "inet:8891@127.9.9.9", "inet:8891@[127.9.9.9]", NULL },
		{ "inet6:8891@::1", "inet6:8891@[::1]", NULL },
		{ "inet6:8891@[::1]", "inet6:8891@[::1]", NULL },
		{ "inet6:8891@localhost", "inet6:8891@localhost", NULL },
		{ "inet:8891@[::1]", "inet6:8891@[::1]", NULL },
		/* all interfaces */
		{ "inet:8891", "inet:8891",
		    "W T: it listens on all interfaces" },
		{ "inet6:8891", "inet6:8891", "write inet6:8891@localhost" },
		{ "inet:8891@0.0.0.0", "inet:8891@[0.0.0.0]",
		    "W T: inet:8891@[0.0.0.0] is not" },
		{ "inet:8891@192.0.2.1", "inet:8891@[192.0.2.1]",
		    "is not loopback" },
		{ "inet:8891@milter.example.com",
		    "inet:8891@milter.example.com", "is not loopback" },
		{ "inet:8891@localhost.example.com",
		    "inet:8891@localhost.example.com", "is not loopback" },
		/* Postfix's notation */
		{ "inet:localhost:8891", "inet:8891@localhost",
		    "N T: \"inet:localhost:8891\" is" },
		{ "inet:127.0.0.1:8891", "inet:8891@[127.0.0.1]", "N T: " },
		{ "inet:[::1]:8891", "inet6:8891@[::1]", "N T: " },
		{ "inet6:::1:8891", "inet6:8891@[::1]", "N T: " },
		{ "inet:192.0.2.1:8891", "inet:8891@[192.0.2.1]", "W T: " },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct socketspec spec;

		capture_init(&capture);
		test_int(rows[i].text,
		    socketspec_check("T", rows[i].text, &capture.report, &spec),
		    0);
		test_str(rows[i].text, spec.text, rows[i].want);
		test_str(rows[i].text, spec.path, "");
		capture_check(rows[i].text, &capture, rows[i].message);
	}
}

static void
socketspec_check_unix(void **state)
{
	const char *const forms[] = { "local:", "unix:", "", "LOCAL:" };
	char text[200], want[200];
	struct socketspec spec;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(forms); i++) {
		snprintf(text, sizeof(text), "%s%s/s", forms[i], capture_dir());
		snprintf(want, sizeof(want), "unix:%s/s", capture_dir());
		capture_init(&capture);
		test_int(text,
		    socketspec_check("T", text, &capture.report, &spec), 0);
		test_str(text, spec.text, want);
		test_str(text, spec.path, want + 5);
		capture_check(text, &capture, NULL);
	}
	test_int(
	    "root", socketspec_check("T", "/s", &capture.report, &spec), 0);
	/* one octet less than sun_path has, and one more */
	memset(text, 0, sizeof(text));
	snprintf(text, sizeof(text), "/tmp/");
	memset(text + 5, 's', 102);
	test_int("107", socketspec_check("T", text, &capture.report, &spec), 0);
	text[107] = 's';
	test_int("108", socketspec_check("T", text, &capture.report, &spec),
	    DKIM_ERR_SYNTAX);
}

static void
socketspec_check_bad(void **state)
{
	const struct {
		const char *text, *message;
	} rows[] = {
		{ NULL,
		    "F T: it is compulsory; for Postfix on Debian write\n"
		    "  Socket local:/var/spool/postfix/dkimd/dkimd.sock\n"
		    "and for Sendmail\n  Socket "
		    "local:/run/dkimd/dkimd.sock\n" },
		{ "unix:dkimd/dkimd.sock", "a path begins with /" },
		{ "local:", "a path begins with /" },
		{ "local:/tmp/", "names a folder" },
		{ "inet:", "the port is a number" },
		{ "inet:@localhost", "the port is a number" },
		{ "inet:8891@", "the port is a number" },
		{ "inet:0@localhost", "the port is a number" },
		{ "inet:65536@localhost", "the port is a number" },
		{ "inet:milter@localhost", "the port is a number" },
		{ "inet:localhost", "the port is a number" },
		{ "inet::8891", "the port is a number" },
		{ "inet:8891@a b", "no name and no address" },
		{ "inet:8891@a@b", "no name and no address" },
		{ "inet6:8891@127.0.0.1", "no address of this family" },
		{ "smtp://localhost", "unknown kind of socket" },
		{ "8891@localhost", "unknown kind of socket" },
		{ "dkimd.sock", "unknown kind of socket" },
	};
	char longest[600];
	struct socketspec spec;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const char *row =
		    rows[i].text == NULL ? "absent" : rows[i].text;

		capture_init(&capture);
		test_int(row,
		    socketspec_check("T", rows[i].text, &capture.report, &spec),
		    DKIM_ERR_SYNTAX);
		capture_check(row, &capture, rows[i].message);
		test_int(row, capture.report.fatals, 1);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memcpy(longest, "inet:1@", 7);
	test_int("too long",
	    socketspec_check("T", longest, &capture.report, &spec),
	    DKIM_ERR_SYNTAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(socketspec_check_inet),
		cmocka_unit_test(socketspec_check_unix),
		cmocka_unit_test(socketspec_check_bad),
	};

	return CAPTURE_RUN(tests);
}
