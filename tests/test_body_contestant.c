/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of bench/body_contestant.c and body_kind.c: what the bodies of
 * dkimbench body look like, and that a wrong hash ends the run. The engine is
 * compared with a second way to canonicalize, which is tested here by rows of
 * RFC 6376 s3.4.5.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/body_contestant.h"
#include "bench/body_kind.h"
#include "bench/options.h"

/* this room */
#include "tests/test.h"

static struct dkim_lib *lib;

static const char *const kinds[] = { "text", "base64", "long", "trailing",
    "doubled" };

static uint8_t octets[70000];

/*
 * Lines of octets: each at least so long, and how many there are.
 */
static size_t
count_lines(const char *kind, size_t n, size_t most, bool blank_behind)
{
	size_t lines = 0, from = 0;

	for (size_t i = 1; i < n; i++) {
		if (octets[i] != '\n')
			continue;
		test_true(kind, octets[i - 1] == '\r');
		test_true(kind, i - 1 - from <= most);
		if (i - 1 > from)
			test_true(kind, (octets[i - 2] == ' ') ==
			    blank_behind);
		from = i + 1;
		lines++;
	}
	return lines;
}

static void
body_kind_fill_kinds(void **state)
{
	size_t n = sizeof octets;

	(void)state;
	test_int("text", body_kind_fill("text", 1, octets, n), 0);
	test_true("lines", count_lines("text", n, 72, false) > n / 74);
	test_true("no doubled blank", memmem(octets, n, "  ", 2) == NULL);
	test_true("empty lines", memmem(octets, n, "\r\n\r\n", 4) != NULL);
	test_int("base64", body_kind_fill("base64", 1, octets, n), 0);
	test_int("lines", count_lines("base64", n, 76, false), n / 78);
	test_true("no blank", memchr(octets, ' ', n) == NULL);
	test_int("long", body_kind_fill("long", 1, octets, n), 0);
	test_true("lines", count_lines("long", n, 990, false) < n / 800);
	test_int("trailing", body_kind_fill("trailing", 1, octets, n), 0);
	test_true("lines", count_lines("trailing", n, 73, true) > n / 75);
	test_int("doubled", body_kind_fill("doubled", 1, octets, n), 0);
	test_true("lines", count_lines("doubled", n, 72, false) > n / 74);
	test_true("doubled", memmem(octets, n, "  ", 2) != NULL);
	test_true("no more", memmem(octets, n, "   ", 3) == NULL);
	test_int("no such kind", body_kind_fill("html", 1, octets, n),
	    EX_USAGE);
}

/*
 * The same for the same seed, a shorter one is the beginning of a longer one,
 * and no length ends within CRLF.
 */
static void
body_kind_fill_lengths(void **state)
{
	static uint8_t other[400];

	(void)state;
	for (size_t k = 0; k < TEST_COUNT(kinds); k++) {
		test_int(kinds[k], body_kind_fill(kinds[k], 5, octets, 400),
		    0);
		for (size_t n = 0; n <= 400; n++) {
			test_int(kinds[k], body_kind_fill(kinds[k], 5, other,
			    n), 0);
			if (n == 0)
				continue;
			test_true(kinds[k], other[n - 1] != '\r');
			test_octets(kinds[k], other, n - 1, octets, n - 1);
		}
		test_int(kinds[k], body_kind_fill(kinds[k], 6, other, 400), 0);
		test_true("by seed", memcmp(octets, other, 400) != 0);
	}
}

static void
check(const char *form, const char *body, size_t chunk,
    const char *canonical)
{
	struct body_contestant c;
	uint8_t want[DIGEST_SIZE];
	struct digest d;

	test_int(form, body_contestant_init(&c, lib, form, slice_text(body),
	    chunk), 0);
	test_int("digest", digest_init(&d, lib), 0);
	digest_add(&d, slice_text(canonical));
	test_int("digest", digest_finish(&d, want), 0);
	digest_clear(&d);
	test_octets(form, c.want[0].value, DIGEST_SIZE, want, DIGEST_SIZE);
	test_int(form, body_contestant_run(&c, 0, 2), 0);
}

static void
body_contestant_run_forms(void **state)
{
	/* RFC 6376 s3.4.5, and s3.4.3 and s3.4.4 for what is empty */
	static const char example[] = " C \r\nD \t E\r\n\r\n\r\n";

	(void)state;
	for (size_t chunk = 1; chunk < 20; chunk++) {
		check("relaxed", example, chunk, " C\r\nD E\r\n");
		check("simple", example, chunk, " C \r\nD \t E\r\n");
		check("sha256", example, chunk, example);
		check("simple-fixcrlf", example, chunk,
		    " C \r\nD \t E\r\n");
		check("relaxed-fixcrlf", example, chunk, " C\r\nD E\r\n");
		check("relaxed", " \t\r\n\r\n", chunk, "");
		check("simple", "\r\n\r\n", chunk, "\r\n");
		check("relaxed", "a  b ", chunk, "a b\r\n");
		check("simple", "a  b ", chunk, "a  b \r\n");
	}
}

static void
body_contestant_run_kinds(void **state)
{
	static const size_t sizes[] = { 1, 2, 1024, 65536 };
	struct options_names forms;
	struct body_contestant c;

	(void)state;
	test_int("forms", options_names("", BODY_CONTESTANT_FORMS, &forms), 0);
	for (size_t s = 0; s < TEST_COUNT(sizes); s++)
		for (size_t k = 0; k < TEST_COUNT(kinds); k++) {
			test_int(kinds[k], body_kind_fill(kinds[k], 1, octets,
			    sizes[s]), 0);
			for (size_t f = 0; f < forms.n; f++) {
				test_int(forms.v[f], body_contestant_init(&c,
				    lib, forms.v[f], slice_of(octets,
				    sizes[s]), 1000), 0);
				test_int(forms.v[f],
				    body_contestant_run(&c, 0, 1), 0);
			}
		}
	test_int("no such form", body_contestant_init(&c, lib, "nofws",
	    slice_of(octets, 1), 1), EX_USAGE);
}

/*
 * A hash that is not the one wanted ends the run: each of a form's.
 */
static void
body_contestant_run_wrong(void **state)
{
	static const char *const forms[] = { "sha256", "simple", "relaxed-l",
	    "both" };
	struct body_contestant c;

	(void)state;
	for (size_t f = 0; f < TEST_COUNT(forms); f++) {
		test_int(forms[f], body_contestant_init(&c, lib, forms[f],
		    slice_text("a b  c\r\n"), 3), 0);
		for (size_t i = 0; i < c.n; i++) {
			c.want[i].value[31] ^= 1;
			test_int(forms[f], body_contestant_run(&c, 0, 1),
			    EX_SOFTWARE);
			c.want[i].value[31] ^= 1;
		}
		test_int(forms[f], body_contestant_run(&c, 0, 1), 0);
	}
	test_int("l= and all", c.n, 2);
}

static bool
make(void *arg)
{
	struct body_contestant c;
	int status = body_contestant_init(&c, lib, arg, slice_text("a b"), 1);

	test_true("a code", status == 0 || status == EX_OSERR);
	if (status == 0)
		status = body_contestant_run(&c, 0, 1);
	test_true("a code", status == 0 || status == EX_OSERR ||
	    status == EX_SOFTWARE);
	return status == 0;
}

static void
body_contestant_no_memory(void **state)
{
	static char form[] = "both";

	(void)state;
	test_every_allocation(make, form);
}

static int
set_up(void **state)
{
	(void)state;
	return dkim_lib_new(&lib);
}

static int
tear_down(void **state)
{
	(void)state;
	dkim_lib_free(lib);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(body_kind_fill_kinds),
		cmocka_unit_test(body_kind_fill_lengths),
		cmocka_unit_test(body_contestant_run_forms),
		cmocka_unit_test(body_contestant_run_kinds),
		cmocka_unit_test(body_contestant_run_wrong),
		cmocka_unit_test(body_contestant_no_memory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
