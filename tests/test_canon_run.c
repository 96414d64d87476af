/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of the canon_run, canon_run_pack and canon_run_bare that are linked
 * (dkim/canon_run_*.c).
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/canon_run.h"

static void
canon_run_from_rows(void **state)
{
	static const struct {
		const char	*text;
		size_t		 want;
	} rows[] = {
		{ "", 0 }, { "abc", 3 }, { "a b c", 5 }, { "a  b", 1 },
		{ "a b ", 3 }, { "a\tb", 1 }, { "a \tb", 1 }, { "a\r\nb", 4 },
		{ "a \r\nb", 1 }, { "a \nb", 4 }, { "\r", 1 }, { "a \v", 3 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].text, canon_run_from(slice_text(rows[i].text),
		    0), rows[i].want);
		test_int(rows[i].text, canon_run(slice_text(rows[i].text)),
		    rows[i].want);
	}
}

static void
canon_run_every_place(void **state)
{
	static const char *const events[] = {
		"\t", "  ", " \t", " \r", "\r\n", " \n", " a", " \xa0", "\v\v",
		"\x20\x8d", "\x89\x89", " ", "\xa0 ", "!!",
	};
	uint8_t in[200];
	struct slice s;
	size_t i, n, at;

	(void)state;
	for (i = 0; i < TEST_COUNT(events); i++)
		for (n = strlen(events[i]); n <= sizeof(in); n++)
			for (at = 0; at + strlen(events[i]) <= n; at++) {
				memset(in, 'x', sizeof(in));
				memcpy(in + at, events[i], strlen(events[i]));
				s = slice_of(in, n);
				if (canon_run(s) != canon_run_from(s, 0))
					fail_msg("event %zu at %zu of %zu: got "
					    "%zu, want %zu", i, at, n,
					    canon_run(s), canon_run_from(s, 0));
			}
	test_int("nothing", canon_run(slice_of(in, 0)), 0);
}

#define PACK_MAX	200	/* octets */

/*
 * Pack all of in but what it looks ahead; octets written behind n + SLACK, or
 * in that are changed, fail.
 */
static size_t
pack(struct slice in, size_t n, uint8_t *out, size_t size)
{
	size_t used;

	memset(out, '#', size);
	used = canon_run_pack(in, n, out);
	for (size_t i = n + CANON_RUN_SLACK; i < size; i++)
		if (out[i] != '#')
			fail_msg("%zu octets: octet %zu is written", n, i);
	return used;
}

static void
canon_run_pack_rows(void **state)
{
	/* the last two octets are only looked at */
	static const struct {
		const char	*text, *want;
	} rows[] = {
		{ "..", "" }, { "abc..", "abc" }, { "a b..", "a b" },
		{ "a  b..", "a b" }, { "a\tb..", "a b" }, { "a \t b..", "a b" },
		{ "a \r\nb..", "a\r\nb" }, { "a\t\t\r\nb..", "a\r\nb" },
		{ "a \rb..", "a \rb" }, { "a \nb..", "a \nb" },
		{ "a \r\n", "a" }, { "a\t\r.", "a " }, { "a \t.", "a" },
		{ "a \n.", "a " }, { " a..", " a" }, { "\t\ta..", " a" },
		{ "\r\n \r\n..", "\r\n\r\n" }, { "a\v b..", "a\v b" },
		{ "\xa0 \x89\x8d..", "\xa0 \x89\x8d" },
	};
	uint8_t out[2 * PACK_MAX];
	char name[64];
	size_t i, n, lead;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		/* from the first octet of a vector to beyond the second */
		for (lead = 0; lead < 40; lead++) {
			char in[80], want[80];

			memset(in, 'x', lead);
			memset(want, 'x', lead);
			strcpy(in + lead, rows[i].text);
			strcpy(want + lead, rows[i].want);
			snprintf(name, sizeof(name), "row %zu behind %zu", i,
			    lead);
			n = strlen(in) - CANON_RUN_AHEAD;
			n = pack(slice_text(in), n, out, sizeof(out));
			test_octets(name, out, n, want, strlen(want));
		}
}

static void
canon_run_pack_every_place(void **state)
{
	static const char *const events[] = {
		"\t", "  ", " \t", " \r\n", "\r\n", " \n", " \ra", "\t \t\r\n",
		"\x20\x8d\x0a", "\xa0 \x89", " \r\n \r\n", "\r \n", "!!",
	};
	uint8_t in[PACK_MAX + CANON_RUN_AHEAD], got[2 * PACK_MAX];
	uint8_t want[2 * PACK_MAX];
	size_t i, n, at, got_n, want_n;
	struct slice s;

	(void)state;
	for (i = 0; i < TEST_COUNT(events); i++)
		for (n = strlen(events[i]); n <= sizeof(in); n++)
			for (at = 0; at + strlen(events[i]) <= n; at++) {
				memset(in, (at & 1) != 0 ? 'x' : ' ', n);
				memcpy(in + at, events[i], strlen(events[i]));
				if (n < CANON_RUN_AHEAD)
					continue;
				s = slice_of(in, n);
				got_n = pack(s, n - CANON_RUN_AHEAD, got,
				    sizeof(got));
				want_n = canon_run_pack_from(s, 0,
				    n - CANON_RUN_AHEAD, want);
				test_octets(events[i], got, got_n, want,
				    want_n);
			}
}

static void
canon_run_bare_rows(void **state)
{
	static const struct {
		const char	*text;
		size_t		 want;
	} rows[] = {
		{ "", 0 }, { "abc", 3 }, { "a\r\nb", 4 }, { "a\r\n", 3 },
		{ "\n", 0 }, { "\r", 0 }, { "\r\n", 2 }, { "a\n", 1 },
		{ "a\r", 1 }, { "a\r\r\n", 1 }, { "a\r\n\n", 3 },
		{ "\r\n\r\n\r", 4 }, { "a\rb\n", 1 }, { "\n\r", 0 },
		{ "\x0d\x0a\x8a\x8d", 4 },
	};
	char in[200];
	size_t i, lead, tail, want, got;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		for (lead = 0; lead < 90; lead++)
			for (tail = 0; tail < 90; tail += 89) {
				size_t n = strlen(rows[i].text);

				memset(in, 'x', sizeof(in));
				memcpy(in + lead, rows[i].text, n);
				want = lead + rows[i].want;
				/* nothing bare: all of it */
				if (rows[i].want == n)
					want += tail;
				got = canon_run_bare(slice_of(in,
				    lead + n + tail));
				if (got != want)
					fail_msg("row %zu behind %zu: got %zu, "
					    "want %zu", i, lead, got, want);
			}
}

/*
 * Every text of 4 octets, at every place; the wanted index from the words of
 * canon_run.h.
 */
static void
canon_run_bare_every_place(void **state)
{
	uint8_t in[150];
	unsigned number;
	size_t at, i, want, got;

	(void)state;
	for (number = 0; number < 81; number++)
		for (at = 0; at + 4 <= sizeof(in); at++) {
			memset(in, 'x', sizeof(in));
			for (i = 0, want = number; i < 4; i++, want /= 3)
				in[at + i] = (uint8_t)"x\r\n"[want % 3];
			for (want = 0; want < sizeof(in); want++)
				if ((in[want] == '\r' &&
				    (want + 1 == sizeof(in) ||
				    in[want + 1] != '\n')) ||
				    (in[want] == '\n' &&
				    (want == 0 || in[want - 1] != '\r')))
					break;
			got = canon_run_bare(slice_of(in, sizeof(in)));
			if (got != want)
				fail_msg("%u at %zu: got %zu, want %zu",
				    number, at, got, want);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canon_run_bare_every_place),
		cmocka_unit_test(canon_run_bare_rows),
		cmocka_unit_test(canon_run_every_place),
		cmocka_unit_test(canon_run_from_rows),
		cmocka_unit_test(canon_run_pack_every_place),
		cmocka_unit_test(canon_run_pack_rows),
	};

	return TEST_RUN(tests);
}
