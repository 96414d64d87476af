/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/select.c (RFC 6376 s5.4.2).
 */

/* system */
#include "tests/test.h"
#include <time.h>

/* this room */
#include "dkim/select.h"

#define NAMES	8

struct row {
	const char	*name;
	const char	*names[NAMES];	/* of h=, ends with NULL */
	size_t		 own;		/* field, or 99 */
	const char	*want;		/* relaxed, CRLF as "|" */
};

/* fields 0.. of the header that all rows use */
static const char *const fields[][2] = {
	{ "Received", "1" }, { "Subject", "s1" }, { "DKIM-Signature", "b=d1" },
	{ "Received ", "2" }, { "From", "f" }, { "received", "3" },
	{ "DKIM-Signature", "b=d2" }, { "subject", "s2" },
};

/* RFC 6376 s3.7 #6, s3.5 #34, #36, #40, s4.2, s5.4, s6.1.3 #2 */
static const struct row rows[] = {
	{ "order of h=", { "From", "Subject" }, 99, "from:f|subject:s2|" },
	{ "bottom up", { "Received", "RECEIVED", "received" }, 99,
	    "received:3|received:2|received:1|" },
	{ "more than there are", { "Received", "Received", "Received",
	    "Received", "From", "From" }, 99,
	    "received:3|received:2|received:1|from:f|" },
	{ "mixed with another", { "Subject", "received", "subject",
	    "Received" }, 99, "subject:s2|received:3|subject:s1|received:2|" },
	{ "names that are not there", { "To", "From", "", "Fro", "Fromm" }, 99,
	    "from:f|" },
	/* RFC 6376 s3.5 #9, #38, s3.7 #13: others keep their b=, own is none */
	{ "own field below", { "DKIM-Signature", "DKIM-Signature" }, 6,
	    "dkim-signature:b=d1|" },
	{ "own field above", { "DKIM-Signature", "DKIM-Signature" }, 2,
	    "dkim-signature:b=d2|" },
	{ "signatures, none is own", { "DKIM-Signature", "DKIM-Signature" },
	    99, "dkim-signature:b=d2|dkim-signature:b=d1|" },
	{ "no names", { NULL }, 99, "" },
};

struct seen {
	struct buf	octets;
	size_t		calls;
};

static void
keep(void *context, struct slice octets)
{
	struct seen *seen = context;

	buf_add(&seen->octets, octets);
	seen->calls++;
}

/*
 * The header of the rows, and others below it.
 */
static struct dkim_header *
make_header(size_t others)
{
	struct dkim_header *h;
	size_t i;

	test_int("new", dkim_header_new(0, &h), 0);
	for (i = 0; i < TEST_COUNT(fields); i++)
		test_int("add", dkim_header_add(h, slice_text(fields[i][0]),
		    slice_text(fields[i][1])), 0);
	for (i = 0; i < others; i++)
		test_int("add", dkim_header_add(h, slice_text("X-Other"),
		    slice_text("x")), 0);
	return h;
}

static void
check_row(const struct row *row, const struct dkim_header *h)
{
	struct slice names[NAMES];
	struct seen seen = { 0 };
	struct sink sink = { keep, &seen };
	struct buf want;
	size_t i, n;

	buf_init(&seen.octets, 1000);
	buf_init(&want, 1000);
	for (n = 0; n < NAMES && row->names[n] != NULL; n++)
		names[n] = slice_text(row->names[n]);
	test_int(row->name, select_fields(h, names, n, row->own == 99 ?
	    dkim_header_count(h) : row->own, DKIM_RELAXED, &sink), 0);
	for (i = 0; row->want[i] != '\0'; i++)
		if (row->want[i] == '|')
			buf_add_text(&want, "\r\n");
		else
			buf_add_octet(&want, (uint8_t)row->want[i]);
	test_octets(row->name, seen.octets.p, seen.octets.n, want.p, want.n);
	buf_clear(&seen.octets);
	buf_clear(&want);
}

static void
select_fields_rows(void **state)
{
	/* up to 64 fields are chained in another way than more are */
	static const size_t totals[] = { TEST_COUNT(fields), 63, 64, 65, 300 };
	struct dkim_header *h;
	size_t i, k;

	(void)state;
	for (k = 0; k < TEST_COUNT(totals); k++) {
		h = make_header(totals[k] - TEST_COUNT(fields));
		for (i = 0; i < TEST_COUNT(rows); i++)
			check_row(&rows[i], h);
		dkim_header_free(h);
	}
}

static void
select_fields_simple(void **state)
{
	struct slice names[] = { slice_text("received"), slice_text("X") };
	struct seen seen = { 0 };
	struct sink sink = { keep, &seen };
	struct dkim_header *h;

	(void)state;
	buf_init(&seen.octets, 1000);
	test_int("new", dkim_header_new(0, &h), 0);
	test_int("empty header", select_fields(h, names, 2, 0, DKIM_SIMPLE,
	    &sink), 0);
	test_int("empty header", seen.octets.n, 0);
	test_int("add", dkim_header_add(h, slice_text("Received \t"),
	    slice_text("  a\r\n b ")), 0);
	test_int("simple", select_fields(h, names, 2, 1, DKIM_SIMPLE, &sink),
	    0);
	test_octets("simple", seen.octets.p, seen.octets.n,
	    "Received \t:  a\r\n b \r\n", 21);
	buf_clear(&seen.octets);
	dkim_header_free(h);
}

/*
 * Hundreds of names over thousands of fields, of one name and of names that
 * differ at their ends only: each field is taken once, in far less time than
 * names times fields would take.
 */
static void
select_fields_many(void **state)
{
	static struct slice names[DKIM_SIGNED_NAMES_MAX];
	static char texts[DKIM_SIGNED_NAMES_MAX][64];
	struct seen seen = { 0 };
	struct sink sink = { keep, &seen };
	struct dkim_header *h;
	clock_t begin;
	char name[64];
	size_t i, kind;

	(void)state;
	buf_init(&seen.octets, 1 << 20);
	for (kind = 0; kind < 2; kind++) {
		test_int("new", dkim_header_new(0, &h), 0);
		for (i = 0; i < DKIM_FIELDS_MAX; i++) {
			snprintf(name, sizeof(name), "x%060zu",
			    kind == 0 ? 0 : i);
			test_int("add", dkim_header_add(h, slice_text(name),
			    slice_text("")), 0);
		}
		for (i = 0; i < DKIM_SIGNED_NAMES_MAX; i++) {
			snprintf(texts[i], sizeof(texts[i]), "X%060zu",
			    kind == 0 ? 0 : i / 2 * 7);
			names[i] = slice_text(texts[i]);
		}
		begin = clock();
		for (i = 0; i < 10; i++) {
			seen.calls = 0;
			buf_reset(&seen.octets);
			test_int("select", select_fields(h, names,
			    DKIM_SIGNED_NAMES_MAX, DKIM_FIELDS_MAX,
			    DKIM_RELAXED, &sink), 0);
		}
		test_true("2 s for ten is far beyond any machine's need",
		    clock() - begin < 2 * CLOCKS_PER_SEC);
		test_int("fields taken", seen.calls, kind == 0 ? 1000 : 500);
		test_int("octets", seen.octets.n, seen.calls * 64);
		dkim_header_free(h);
	}
	buf_clear(&seen.octets);
}

static bool
select_one(void *arg)
{
	struct slice names[] = { slice_text("From"), slice_text("Received") };
	struct seen seen = { 0 };
	struct sink sink = { keep, &seen };
	int r;

	buf_init(&seen.octets, 1000);
	r = select_fields(arg, names, 2, 99, DKIM_RELAXED, &sink);
	test_true("a code", r == 0 || r == DKIM_ERR_NOMEM);
	if (r == 0)
		r = buf_end(&seen.octets);
	buf_clear(&seen.octets);
	return r == 0;
}

static void
select_fields_no_memory(void **state)
{
	struct dkim_header *h = make_header(0);

	(void)state;
	test_every_allocation(select_one, h);
	dkim_header_free(h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(select_fields_rows),
		cmocka_unit_test(select_fields_simple),
		cmocka_unit_test(select_fields_many),
		cmocka_unit_test(select_fields_no_memory),
	};

	return TEST_RUN(tests);
}
