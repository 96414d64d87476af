/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TXT answers in wire format (RFC 1035 s4.1): good ones, and hostile octets.
 */

#include "tests/test.h"
#include "milter/dnspacket.h"

#define NAME	"s._domainkey.example.com"
/* Header: id, flags, counts; question s._domainkey.example.com TXT IN */
#define HEAD(flags, answers) "\x12\x34" flags "\0\1" answers "\0\0\0\0"
#define QUESTION "\1s\12_domainkey\7example\3com\0\0\20\0\1"
#define HERE	"\xc0\x0c"		/* pointer to the question's name */
#define OK	"\x81\x80"
#define TXT(owner, ttl, length) owner "\0\20\0\1" ttl length

struct row {
	const char	*name;
	const char	*wire;
	size_t		 n;
	int		 r;
	unsigned	 rcode;
	size_t		 records;
	const char	*first;
	uint32_t	 ttl;
};

#define WIRE(text) text, sizeof(text) - 1

static const struct row rows[] = {
	{ "one record", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT(HERE, "\0\0\1\0", "\0\6") "\5v=abc"), 0, 0, 1, "v=abc", 256 },
	/* RFC 6376 s3.6.2.2: nothing between the strings */
	{ "strings joined", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT(HERE, "\0\0\0\7", "\0\10") "\2ab\0\3cde"), 0, 0, 1, "abcde",
	    7 },
	{ "empty record", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT(HERE, "\0\0\0\7", "\0\1") "\0"), 0, 0, 1, "", 7 },
	{ "two records, least TTL", WIRE(HEAD(OK, "\0\2") QUESTION
	    TXT(HERE, "\0\0\0\x64", "\0\2") "\1a"
	    TXT(HERE, "\0\0\0\x32", "\0\2") "\1b"), 0, 0, 2, "a", 50 },
	{ "owner in full, other case", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT("\1S\12_DOMAINKEY\7Example\3COM\0", "\0\0\0\1", "\0\2") "\1a"),
	    0, 0, 1, "a", 1 },
	{ "record of another name", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT("\1x\xc0\x0e", "\0\0\0\1", "\0\2") "\1a"), 0, 0, 0, NULL, 0 },
	/* RFC 6376 s3.6.2, s3.6.2.2: TXT records alone */
	{ "another type", WIRE(HEAD(OK, "\0\1") QUESTION
	    HERE "\0\1\0\1\0\0\0\1\0\4\1\2\3\4"), 0, 0, 0, NULL, 0 },
	{ "another class", WIRE(HEAD(OK, "\0\1") QUESTION
	    HERE "\0\20\0\3\0\0\0\1\0\2\1a"), 0, 0, 0, NULL, 0 },
	{ "alias", WIRE(HEAD(OK, "\0\2") QUESTION
	    HERE "\0\5\0\1\0\0\0\x05\0\4\1t\xc0\x0e"
	    TXT("\1t\xc0\x0e", "\0\0\0\x63", "\0\2") "\1a"), 0, 0, 1, "a",
	    5 },
	{ "alias behind its target", WIRE(HEAD(OK, "\0\2") QUESTION
	    TXT("\1t\xc0\x0e", "\0\0\0\x63", "\0\2") "\1a"
	    HERE "\0\5\0\1\0\0\0\x05\0\4\1t\xc0\x0e"), 0, 0, 1, "a", 5 },
	{ "alias to itself", WIRE(HEAD(OK, "\0\1") QUESTION
	    HERE "\0\5\0\1\0\0\0\x05\0\2\xc0\x0c"), 0, 0, 0, NULL, 5 },
	{ "NXDOMAIN", WIRE(HEAD("\x81\x83", "\0\0") QUESTION), 0, 3, 0, NULL,
	    0 },
	{ "SERVFAIL", WIRE(HEAD("\x81\x82", "\0\0") QUESTION), 0, 2, 0, NULL,
	    0 },
	{ "TTL with the high bit", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT(HERE, "\x80\0\0\1", "\0\2") "\1a"), 0, 0, 1, "a", 0 },
	/* hostile */
	{ "a question, not an answer", WIRE(HEAD("\1\0", "\0\0") QUESTION),
	    DKIM_ERR_SYNTAX, 0, 0, NULL, 0 },
	{ "no question", WIRE("\0\0" OK "\0\0\0\0\0\0\0\0"), DKIM_ERR_SYNTAX,
	    0, 0, NULL, 0 },
	{ "answer to another name", WIRE(HEAD(OK, "\0\0")
	    "\1t\12_domainkey\7example\3com\0\0\20\0\1"), DKIM_ERR_SYNTAX, 0,
	    0, NULL, 0 },
	{ "count lies", WIRE(HEAD(OK, "\0\2") QUESTION
	    TXT(HERE, "\0\0\1\0", "\0\2") "\1a"), DKIM_ERR_SYNTAX, 0, 0, NULL,
	    0 },
	{ "string longer than the record", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT(HERE, "\0\0\1\0", "\0\2") "\2a" "zzzz"), DKIM_ERR_SYNTAX, 0, 0,
	    NULL, 0 },
	{ "record longer than the packet", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT(HERE, "\0\0\1\0", "\xff\xff") "\1a"), DKIM_ERR_SYNTAX, 0, 0,
	    NULL, 0 },
	{ "pointer to itself", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT("\xc0\x2a", "\0\0\1\0", "\0\2") "\1a"), DKIM_ERR_SYNTAX, 0, 0,
	    NULL, 0 },
	{ "pointer forward", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT("\xc0\x30", "\0\0\1\0", "\0\2") "\1a"), DKIM_ERR_SYNTAX, 0, 0,
	    NULL, 0 },
	{ "label of 64 octets", WIRE(HEAD(OK, "\0\1") QUESTION
	    TXT("\x40zzzz", "\0\0\1\0", "\0\2") "\1a"), DKIM_ERR_SYNTAX, 0, 0,
	    NULL, 0 },
	{ "empty", WIRE(""), DKIM_ERR_SYNTAX, 0, 0, NULL, 0 },
};

static void
dnspacket_parse_rows(void **state)
{
	struct dnspacket p;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		const struct row *row = &rows[i];

		test_int(row->name, dnspacket_parse(slice_of(row->wire,
		    row->n), NAME, &p), row->r);
		if (row->r != 0)
			continue;
		test_int(row->name, p.rcode, row->rcode);
		test_int(row->name, p.n, row->records);
		test_int(row->name, p.ttl, row->ttl);
		if (row->first != NULL)
			test_octets(row->name, p.records[0].p, p.records[0].n,
			    row->first, strlen(row->first));
		dnspacket_clear(&p);
	}
}

/* Cut anywhere, in memory of just that size, so that a sanitizer sees. */
static void
dnspacket_parse_cut(void **state)
{
	struct dnspacket p;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		for (size_t n = 0; n < rows[i].n; n++) {
			uint8_t *copy = malloc(n + 1);

			memcpy(copy, rows[i].wire, n);
			copy = realloc(copy, n == 0 ? 1 : n);
			if (dnspacket_parse(slice_of(copy, n), NAME, &p) == 0)
				dnspacket_clear(&p);
			free(copy);
		}
}

/* Every octet of every row changed: it ends, and inside its memory. */
static void
dnspacket_parse_changed(void **state)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xc0, 0xff, 0x3f };
	struct dnspacket p;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		for (size_t at = 0; at < rows[i].n * TEST_COUNT(flips); at++) {
			uint8_t *copy = malloc(rows[i].n);

			memcpy(copy, rows[i].wire, rows[i].n);
			copy[at / TEST_COUNT(flips)] ^=
			    flips[at % TEST_COUNT(flips)];
			if (dnspacket_parse(slice_of(copy, rows[i].n), NAME,
			    &p) == 0)
				dnspacket_clear(&p);
			free(copy);
		}
}

/* More records than are kept are counted; joined text is never cut. */
static void
dnspacket_parse_many(void **state)
{
	static const char head[] = HEAD(OK, "\0\24") QUESTION;
	static const char record[] = TXT(HERE, "\0\0\0\1", "\0\2") "\1x";
	uint8_t wire[1024];
	size_t n = sizeof(head) - 1;
	struct dnspacket p;

	(void)state;
	memcpy(wire, head, n);
	for (int i = 0; i < 20; i++, n += sizeof(record) - 1)
		memcpy(wire + n, record, sizeof(record) - 1);
	test_int("parse", dnspacket_parse(slice_of(wire, n), NAME, &p), 0);
	test_int("all counted", p.n, 20);
	test_octets("last kept", p.records[DKIM_TXT_RECORDS_MAX - 1].p,
	    p.records[DKIM_TXT_RECORDS_MAX - 1].n, "x", 1);
	dnspacket_clear(&p);
}

static void
dnspacket_parse_aliases(void **state)
{
	static const char head[] = HEAD(OK, "\0\21") QUESTION;
	uint8_t wire[2048];
	struct dnspacket p;

	(void)state;
	/* a0 .. a15 in a row (16 aliases), then the record at a15 */
	for (int aliases = 16; aliases <= 17; aliases++) {
		size_t n = sizeof(head) - 1;

		memcpy(wire, head, n);
		wire[7] = (uint8_t)(aliases + 1);
		for (int i = 0; i < aliases; i++) {
			if (i == 0) {
				memcpy(wire + n, HERE, 2);
				n += 2;
			} else {
				memcpy(wire + n, "\2a?\xc0\x0e", 5);
				wire[n + 2] = (uint8_t)('A' + i);
				n += 5;
			}
			memcpy(wire + n, "\0\5\0\1\0\0\0\1\0\5\2a?\xc0\x0e",
			    15);
			wire[n + 12] = (uint8_t)('A' + i + 1);
			n += 15;
		}
		memcpy(wire + n, "\2a?\xc0\x0e\0\20\0\1\0\0\0\1\0\2\1z", 17);
		wire[n + 2] = (uint8_t)('A' + aliases);
		n += 17;
		test_int("parse", dnspacket_parse(slice_of(wire, n), NAME, &p),
		    0);
		test_int(aliases == 16 ? "16 aliases" : "17 aliases", p.n,
		    aliases == 16 ? 1 : 0);
		dnspacket_clear(&p);
	}
}

static bool
one_run(void *unused)
{
	struct dnspacket p;

	(void)unused;
	if (dnspacket_parse(slice_of(rows[0].wire, rows[0].n), NAME, &p) != 0)
		return false;
	dnspacket_clear(&p);
	return true;
}

static void
dnspacket_no_memory(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(one_run, NULL), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dnspacket_parse_rows),
		cmocka_unit_test(dnspacket_parse_cut),
		cmocka_unit_test(dnspacket_parse_changed),
		cmocka_unit_test(dnspacket_parse_many),
		cmocka_unit_test(dnspacket_parse_aliases),
		cmocka_unit_test(dnspacket_no_memory),
	};
	return TEST_RUN(tests);
}
