/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of hosts (MIGRATION 2d, PROBLEMS 47). What is inside which network
 * follows RFC 4632 and RFC 4291; host bits and text compare are where we differ
 * from OpenDKIM on purpose.
 */

/* system */
#include "tests/test.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

/* under test */
#include "milter/hostset.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

/* The address of text, in a static place; "" is none, "unix" a UNIX socket. */
static const struct sockaddr *
address_of(const char *text)
{
	static struct sockaddr_storage storage;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&storage;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&storage;

	memset(&storage, 0, sizeof(storage));
	if (text[0] == '\0')
		return NULL;
	if (strcmp(text, "unix") == 0)
		storage.ss_family = AF_UNIX;
	else if (inet_pton(AF_INET, text, &v4->sin_addr) == 1)
		storage.ss_family = AF_INET;
	else {
		test_int(text, inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
		storage.ss_family = AF_INET6;
	}
	return (const struct sockaddr *)&storage;
}

static bool
has(const struct hostset *set, const char *name, const char *address)
{
	return hostset_has(set, slice_text(name), address_of(address));
}

static void
hostset_has_table(void **state)
{
	const struct {
		const char *list, *name, *address;
		bool want;
	} rows[] = {
		{ "127.0.0.1,::1", "localhost", "127.0.0.1", true },
		{ "127.0.0.1,::1", "", "::1", true },
		{ "127.0.0.1,::1", "", "127.0.0.2", false },
		{ "127.0.0.1,::1", "", "", true }, /* a local pipe */
		{ "127.0.0.1", "", "unix", true },
		{ "192.0.2.1", "", "", false },
		{ "127.0.0.1", "", "::ffff:127.0.0.1", true },
		{ "[::1]", "", "::1", true },
		{ "[192.0.2.1]", "", "192.0.2.1", true },
		{ "192.0.2.1", "[192.0.2.1]", "192.0.2.1", true },
		{ "2001:db8:0:0::1", "", "2001:db8::1",
		    true }, /* not by text */
		{ "192.0.2.0/24", "", "192.0.2.255", true },
		{ "192.0.2.0/24", "", "192.0.3.0", false },
		{ "192.0.2.0/255.255.255.0", "", "192.0.2.7", true },
		{ "192.0.2.128/25", "", "192.0.2.127", false },
		{ "192.0.2.128/25", "", "192.0.2.128", true },
		{ "10.0.0.1/8", "", "10.200.0.9", true }, /* host bits */
		{ "192.168.0.0/16, 10.0.0.0/8, 172.16.0.0/12", "",
		    "172.31.255.255", true },
		{ "192.168.0.0/16, 10.0.0.0/8, 172.16.0.0/12", "", "172.32.0.0",
		    false },
		{ "0.0.0.0/0", "", "198.51.100.1", true },
		{ "0.0.0.0/0", "", "2001:db8::1", false },
		{ "::/0", "", "2001:db8::1", true },
		{ "2001:db8::/32", "", "2001:db8:ffff::1", true },
		{ "2001:db8::/32", "", "2001:db9::1", false },
		{ "[2001:db8::]/33", "", "2001:db8:7fff::1", true },
		{ "[2001:db8::/33]", "", "2001:db8:8000::1", false },
		/* narrow before wide, "!" first */
		{ "192.0.2.0/24,!192.0.2.7", "", "192.0.2.7", false },
		{ "192.0.2.0/24,!192.0.2.7", "", "192.0.2.8", true },
		{ "!192.0.2.0/24,192.0.2.7", "", "192.0.2.7", true },
		{ "!192.0.2.0/25,192.0.2.0/24,!192.0.0.0/16", "", "192.0.2.1",
		    false },
		{ "!192.0.2.0/25,192.0.2.0/24,!192.0.0.0/16", "", "192.0.2.129",
		    true },
		{ "!192.0.2.0/25,192.0.2.0/24,!192.0.0.0/16", "", "192.0.3.1",
		    false },
		{ "192.0.2.7,!192.0.2.7", "", "192.0.2.7", false },
		/* names */
		{ "mx.example.com", "MX.Example.COM", "192.0.2.1", true },
		{ "mx.example.com", "mx.example.com.", "192.0.2.1", true },
		{ "mx.example.com", "a.mx.example.com", "192.0.2.1", false },
		{ "example.com", "mx.example.com", "192.0.2.1", false },
		{ ".example.com", "mx.example.com", "192.0.2.1", true },
		{ ".example.com", "a.b.example.com", "192.0.2.1", true },
		{ ".example.com", "example.com", "192.0.2.1", false },
		{ ".example.com", "notexample.com", "192.0.2.1", false },
		{ ".example.com,!bad.example.com", "bad.example.com",
		    "192.0.2.1", false },
		{ ".example.com,!.sub.example.com", "x.sub.example.com",
		    "192.0.2.1", false },
		{ ".example.com,!.sub.example.com", "sub.example.com",
		    "192.0.2.1", true },
		{ "!bad.example.com,192.0.2.0/24", "bad.example.com",
		    "192.0.2.1", false },
		{ "example.com", "", "192.0.2.1", false },
		{ "-", "localhost", "127.0.0.1", false },
		{ "-", "", "", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct hostset *set = NULL;
		char row[200];

		snprintf(row, sizeof(row), "%s: %s %s", rows[i].list,
		    rows[i].name, rows[i].address);
		capture_init(&capture);
		test_int(row,
		    hostset_open("InternalHosts", rows[i].list, NULL,
			&capture.report, &set),
		    0);
		test_int(
		    row, has(set, rows[i].name, rows[i].address), rows[i].want);
		hostset_free(set);
	}
	test_int("no set", has(NULL, "localhost", "127.0.0.1"), false);
}

static void
hostset_open_faults(void **state)
{
	const struct {
		const char *list, *message;
		int error;
	} rows[] = {
		{ "10.0.0.1/8",
		    "W InternalHosts: \"10.0.0.1/8\": the address has bits "
		    "below",
		    0 },
		{ "2001:db8::1/32",
		    "W InternalHosts: \"2001:db8::1/32\": the address has", 0 },
		{ "10.0.0.0/33", "F InternalHosts: \"10.0.0.0/33\": the width",
		    DKIM_ERR_SYNTAX },
		{ "10.0.0.0/", "the width", DKIM_ERR_SYNTAX },
		{ "10.0.0.0/255.0.255.0", "the width", DKIM_ERR_SYNTAX },
		{ "2001:db8::/129", "the width", DKIM_ERR_SYNTAX },
		{ "10.0.0.256", "no address", DKIM_ERR_SYNTAX },
		{ "10.0.0", "no address", DKIM_ERR_SYNTAX },
		{ "2001:db8::zz", "no address", DKIM_ERR_SYNTAX },
		{ "[::1", "no address", DKIM_ERR_SYNTAX },
		{ "ex ample.com", "by commas", DKIM_ERR_SYNTAX },
		{ "a@b", "no address", DKIM_ERR_SYNTAX },
		{ "*.example.com", "write .example.com", DKIM_ERR_SYNTAX },
		{ "ldap:x", "not supported yet", DKIM_ERR_SYNTAX },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct hostset *set = NULL;

		capture_init(&capture);
		test_int(rows[i].list,
		    hostset_open("InternalHosts", rows[i].list, NULL,
			&capture.report, &set),
		    rows[i].error);
		capture_check(rows[i].list, &capture, rows[i].message);
		hostset_free(set);
	}
}

/* The file that many sites use with refile:, as TrustedHosts. */
static void
hostset_open_files(void **state)
{
	const char lines[] =
	    "# hosts\n127.0.0.1\nlocalhost\n192.168.0.1/24\n"
	    "*.example.com\n!10.0.0.1\n10.0.0.0/8\n";
	struct hostset *set = NULL;
	char text[300];

	(void)state;
	snprintf(text, sizeof(text), "refile:%s", capture_text("hosts", lines));
	capture_init(&capture);
	test_int("refile",
	    hostset_open("InternalHosts", text, NULL, &capture.report, &set),
	    0);
	capture_check("refile", &capture,
	    "hosts:4: InternalHosts: \"192.168.0.1/24\": the");
	test_int("rows at fault", capture.report.rows, 0);
	test_int("glob", has(set, "mx.example.com", "192.0.2.1"), true);
	test_int("glob, not the domain", has(set, "example.com", "192.0.2.1"),
	    false);
	test_int("network", has(set, "x", "192.168.0.77"), true);
	test_int("negated", has(set, "", "10.0.0.1"), false);
	test_int("around it", has(set, "", "10.0.0.2"), true);
	hostset_free(set);
}

/* Which hosts a bad entry means is not known: their mail would be verified
 * and not signed, so it stops the start, and all are named. */
static void
hostset_open_bad_rows(void **state)
{
	const struct {
		const char *name, *lines, *message;
	} rows[] = {
		{ "width", "10.0.0.0/8\n192.168.1.0/33\n",
		    "hosts:2: InternalHosts: \"192.168.1.0/33\": the width" },
		{ "address", "300.1.1.1\n10.0.0.0/8\n",
		    "hosts:1: InternalHosts: \"300.1.1.1\": no address" },
		{ "negated", "10.0.0.0/8\n!10.0.0\n",
		    "hosts:2: InternalHosts: \"!10.0.0\"" },
		{ "glob in a file", "10.0.0.0/8\n*.example.com\n",
		    "hosts:2: InternalHosts: \"*.example.com\": a name with" },
	};
	struct hostset *set = NULL;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		capture_init(&capture);
		test_int(rows[i].name,
		    hostset_open("InternalHosts",
			capture_text("hosts", rows[i].lines), NULL,
			&capture.report, &set),
		    DKIM_ERR_SYNTAX);
		test_int(rows[i].name, capture.report.fatals, 1);
		test_int(rows[i].name, capture.report.rows, 0);
		capture_check(rows[i].name, &capture, rows[i].message);
	}
	capture_init(&capture);
	test_int("all",
	    hostset_open("InternalHosts", capture_text("hosts", "1/99\n2/99\n"),
		NULL, &capture.report, &set),
	    DKIM_ERR_SYNTAX);
	test_int("all are named", capture.report.fatals, 2);
}

/* A forgotten comma is named, not the width behind it. */
static void
hostset_open_blanks(void **state)
{
	struct hostset *set = NULL;

	(void)state;
	capture_init(&capture);
	test_int("blank",
	    hostset_open("InternalHosts", "::1,192.168.1.0/24 10.0.0.0/8", NULL,
		&capture.report, &set),
	    DKIM_ERR_SYNTAX);
	capture_check("blank", &capture,
	    "F InternalHosts: \"192.168.1.0/24 10.0.0.0/8\": separate the "
	    "entries of a list by commas");
}

/* Every address of a /24 against every width: compared with plain arithmetic.
 */
static void
hostset_has_sweep(void **state)
{
	(void)state;
	for (unsigned bits = 24; bits <= 32; bits++)
		for (unsigned base = 0; base < 256; base += 37) {
			unsigned mask =
			    bits == 24 ? 0 : 0xffu << (32 - bits) & 0xff;
			struct hostset *set = NULL;
			char text[40];

			snprintf(text, sizeof(text), "192.0.2.%u/%u",
			    base & mask, bits);
			capture_init(&capture);
			test_int(text,
			    hostset_open(
				"T", text, NULL, &capture.report, &set),
			    0);
			capture_check(text, &capture, NULL);
			for (unsigned host = 0; host < 256; host++) {
				snprintf(
				    text, sizeof(text), "192.0.2.%u", host);
				test_int(text, has(set, "", text),
				    (host & mask) == (base & mask));
			}
			hostset_free(set);
		}
}

static bool
run_open(void *arg)
{
	struct hostset *set = NULL;
	int error;

	capture_init(&capture);
	error = hostset_open("InternalHosts", arg, NULL, &capture.report, &set);
	hostset_free(set);
	return error == 0;
}

static void
hostset_open_no_memory(void **state)
{
	char text[] = "127.0.0.1,.example.com,!10.0.0.0/8";

	(void)state;
	test_every_allocation(run_open, text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostset_has_table),
		cmocka_unit_test(hostset_open_faults),
		cmocka_unit_test(hostset_open_files),
		cmocka_unit_test(hostset_open_bad_rows),
		cmocka_unit_test(hostset_open_blanks),
		cmocka_unit_test(hostset_has_sweep),
		cmocka_unit_test(hostset_open_no_memory),
	};

	return CAPTURE_RUN(tests);
}
