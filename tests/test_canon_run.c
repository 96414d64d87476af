/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of the canon_run that is linked (dkim/canon_run_*.c).
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(canon_run_every_place),
		cmocka_unit_test(canon_run_from_rows),
	};

	return TEST_RUN(tests);
}
