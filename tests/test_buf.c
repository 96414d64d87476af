/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/buf.c.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/dkim.h"

#define CAP	100	/* octets */

static void
test_text(const char *row, const struct buf *b, const char *want)
{
	test_octets(row, b->p, b->n, want, strlen(want));
}

static void
buf_add_appends(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, CAP);
	buf_add(&b, slice_text("one"));
	buf_add_octet(&b, ' ');
	buf_add_text(&b, "two ");
	buf_add_number(&b, 0);
	buf_add_octet(&b, ' ');
	buf_add_number(&b, UINT64_MAX);
	buf_add_format(&b, " %s%04d", "f", 42);
	buf_add_format(&b, "%s", "");
	buf_add(&b, slice_of(NULL, 0));
	test_int("all", buf_end(&b), 0);
	test_text("all", &b, "one two 0 18446744073709551615 f0042");
	buf_clear(&b);
	test_int("after clear", b.n, 0);
	test_int("cap after clear", b.cap, CAP);
}

static void
buf_add_stops_at_cap(void **state)
{
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, CAP);
	for (i = 0; i < CAP; i++)
		buf_add_octet(&b, 'x');
	test_int("full", buf_end(&b), 0);
	test_int("full", b.n, CAP);
	buf_add_octet(&b, 'y');
	test_int("one more", buf_end(&b), DKIM_ERR_LIMIT);
	test_int("one more", b.n, CAP);
	buf_reset(&b);
	test_int("after reset", buf_end(&b), 0);
	buf_add_text(&b, "again");
	test_text("after reset", &b, "again");
	buf_clear(&b);
}

static void
buf_add_remembers_failure(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	buf_add_text(&b, "abc");
	buf_add_text(&b, "too much");
	buf_add_octet(&b, 'd');
	test_int("first failure", buf_end(&b), DKIM_ERR_LIMIT);
	test_text("nothing behind it", &b, "abc");
	buf_clear(&b);
	buf_init(&b, 4);
	buf_add_format(&b, "%s", "12345");
	test_int("format", buf_end(&b), DKIM_ERR_LIMIT);
	buf_clear(&b);
}

static void
buf_add_escaped_hides_controls(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, CAP);
	buf_add_escaped(&b, slice_of("a ~\\\n\x1b\x7f\x80\xff\0", 10));
	test_int("escaped", buf_end(&b), 0);
	test_text("escaped", &b,
	    "a ~\\x5c\\x0a\\x1b\\x7f\\x80\\xff\\x00");
	buf_clear(&b);
}

static void
buf_add_nul_ends_string(void **state)
{
	struct buf b;
	uint8_t *p;
	size_t i;

	(void)state;
	buf_init(&b, 512);
	for (i = 0; i < 512; i++)
		buf_add_octet(&b, 'x');
	/* the NUL fits behind the last octet of the cap and of a power of 2 */
	buf_add_nul(&b);
	test_int("nul", buf_end(&b), 0);
	test_int("nul is not counted", b.n, 512);
	test_true("nul has room", b.space > 512);
	test_int("string", strlen((const char *)b.p), 512);
	p = buf_take(&b);
	test_true("taken", b.p == NULL && b.n == 0);
	free(p);
}

static bool
fill(void *arg)
{
	struct buf b;
	size_t i;
	int r;

	(void)arg;
	buf_init(&b, 10000);
	for (i = 0; i < 1000; i++)
		buf_add_text(&b, "octets");
	r = buf_end(&b);
	test_true("code", r == 0 || r == DKIM_ERR_NOMEM);
	test_true("octets", r != 0 || b.n == 6000);
	buf_clear(&b);
	return r == 0;
}

static void
buf_add_no_memory(void **state)
{
	(void)state;
	test_every_allocation(fill, NULL);
}

static void
buf_cut_ends_in_mark(void **state)
{
	static const struct {
		const char	*name, *first, *second, *want;
	} rows[] = {
		{ "nothing", "", "", "" },
		{ "fits", "abcdefgh", "", "abcdefgh" },
		{ "an append too long", "ab", "0123456789", "ab..." },
		{ "no room for the mark", "abcdefgh", "0", "abcde..." },
		{ "too long at once", "0123456789", "", "..." },
	};
	struct buf b;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		buf_init(&b, 8);
		buf_add_text(&b, rows[i].first);
		buf_add_text(&b, rows[i].second);
		buf_cut(&b, "...");
		buf_add_nul(&b);
		test_int(rows[i].name, buf_end(&b), 0);
		test_str(rows[i].name, (char *)b.p, rows[i].want);
		buf_clear(&b);
	}
	/* what was lost for another reason stays lost */
	buf_init(&b, 8);
	failmalloc_at(1);
	buf_add_text(&b, "abc");
	failmalloc_off();
	buf_cut(&b, "...");
	test_int("no memory", buf_end(&b), DKIM_ERR_NOMEM);
	buf_clear(&b);
}

static void
strerror_has_text_for_each(void **state)
{
	int e, f;

	(void)state;
	for (e = DKIM_ERR_STATE; e <= 0; e++)
		for (f = DKIM_ERR_STATE - 1; f < e; f++)
			test_true("texts differ", strcmp(dkim_strerror(e),
			    dkim_strerror(f)) != 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buf_add_appends),
		cmocka_unit_test(buf_add_stops_at_cap),
		cmocka_unit_test(buf_add_remembers_failure),
		cmocka_unit_test(buf_add_escaped_hides_controls),
		cmocka_unit_test(buf_add_nul_ends_string),
		cmocka_unit_test(buf_add_no_memory),
		cmocka_unit_test(buf_cut_ends_in_mark),
		cmocka_unit_test(strerror_has_text_for_each),
	};

	return TEST_RUN(tests);
}
