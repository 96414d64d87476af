/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of a refile. Rows marked [V] in MIGRATION 2b and 2c were seen in
 * OpenDKIM 2.11; the sweep compares the index with POSIX regcomp(3) tried row
 * by row.
 */

/* system */
#include "tests/test.h"
#include <regex.h>

/* under test */
#include "milter/dataset.h"
#include "milter/dataset_pattern.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;

static struct dataset *
open_lines(const char *lines)
{
	struct dataset *set = NULL;
	char text[300];

	capture_init(&capture);
	snprintf(
	    text, sizeof(text), "refile:%s", capture_text("patterns", lines));
	test_int(lines,
	    dataset_open("SigningTable", text, NULL, &capture.report, &set), 0);
	return set;
}

static size_t
count_hits(const struct dataset *set, const char *key, bool nocase)
{
	struct row rows[16];
	size_t n;

	test_int(
	    key, dataset_find(set, slice_text(key), nocase, rows, 16, &n), 0);
	return n;
}

static void
refile_find_table(void **state)
{
	const struct {
		const char *pattern;
		const char *yes[4], *no[5];
		bool linear;
	} rows[] = {
		{ "*@ex.org", { "u@ex.org", "U@EX.Org", "@ex.org" },
		    { "u@sub.ex.org", "u@notex.org", "ex.org", "u@exxorg",
			"u@ex.org." },
		    false },
		{ "*@*.ex.org", { "u@sub.ex.org", "u@a.b.ex.org", "u@.ex.org" },
		    { "u@ex.org", "u.sub.ex.org", "u@sub-ex.org",
			"u@notex.org" },
		    false },
		{ "*ex.org",
		    { "u@ex.org", "u@sub.ex.org", "u@notex.org", "ex.org" },
		    { "u@ex.org.uk", "ex.orgs", "exxorg" }, false },
		{ "ex.org", { "ex.org" },
		    { "u@ex.org", "sub.ex.org", "exaorg" }, false },
		{ "@ex.org", { "@ex.org" }, { "u@ex.org" }, false },
		{ ".ex.org", { ".ex.org" }, { "u@ex.org", "u@sub.ex.org" },
		    false },
		{ "*", { "u@ex.org", "x", "" }, { NULL }, true },
		{ "u@ex.org", { "u@ex.org", "U@ex.ORG" },
		    { "xu@ex.org", "u@ex.orgx" }, false },
		{ "u@*", { "u@ex.org", "u@", "U@x" }, { "xu@ex.org", "u" },
		    false },
		{ "u*@*x", { "u@x", "uu@yx", "u@@x" }, { "u@xy", "a@x", "ux" },
		    false },
		{ "a*b*a", { "aba", "abba", "axbya" },
		    { "ab", "aa", "a", "abab" }, false },
		{ "*mid*", { "mid", "amidst", "MIDway" }, { "mi", "dim" },
		    true },
		{ "u+x@ex.org", { "u+x@ex.org" }, { "uux@ex.org", "ux@ex.org" },
		    false },
		{ "u?@ex.org", { "u@ex.org", "@ex.org" },
		    { "u?@ex.org", "uu@ex.org" }, true },
		{ "(x|u)@ex.org", { "x@ex.org", "u@ex.org" },
		    { "xu@ex.org", "y@ex.org" }, true },
		/* anchored as a whole, not "^a" or "c$" */
		{ "a@b|c@d", { "a@b", "c@d" }, { "a@bx", "xc@d", "a@bc@d" },
		    true },
		{ "[ab]*@ex.org", { "a@ex.org", "bob@ex.org", "B@ex.org" },
		    { "c@ex.org", "@ex.org", "ab@exxorg" }, true },
		{ "[a.b]@x", { "a@x", ".@x", "b@x" }, { "c@x", "\\@x" }, true },
		{ "[]x]@x", { "]@x", "x@x" }, { "y@x" }, true },
		{ "[[:digit:]]+@x", { "1+@x" }, { "11@x", "a+@x" }, true },
		{ "a\\.b@x", { "a.b@x" }, { "axb@x", "a\\.b@x" }, true },
		{ "a\\*b@x", { "a*b@x" }, { "axb@x" }, true },
		{ "a{2,3}@x", { "aa@x", "aaa@x" }, { "a@x", "aaaa@x" }, true },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct dataset *set = open_lines(rows[i].pattern);

		test_int(rows[i].pattern, dataset_linear(set), rows[i].linear);
		for (size_t j = 0; j < 4 && rows[i].yes[j] != NULL; j++)
			if (count_hits(set, rows[i].yes[j], true) != 1)
				test_str("should match", rows[i].yes[j],
				    rows[i].pattern);
		for (size_t j = 0; j < 5 && rows[i].no[j] != NULL; j++)
			if (count_hits(set, rows[i].no[j], true) != 0)
				test_str("should not match", rows[i].no[j],
				    rows[i].pattern);
		dataset_free(set);
	}
}

/* KeyTable names have case, live patterns too. */
static void
refile_find_case(void **state)
{
	const char *const patterns[] = { "Key", "*Key", "Key*", "*Key*",
		"(Key|x)" };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(patterns); i++) {
		struct dataset *set = open_lines(patterns[i]);

		test_int(patterns[i], count_hits(set, "Key", false), 1);
		test_int(patterns[i], count_hits(set, "key", false), 0);
		test_int(patterns[i], count_hits(set, "kEY", true), 1);
		dataset_free(set);
	}
}

/* Rows come in file order, whatever index they are in; a limit takes the first
 * ones. */
static void
refile_find_order(void **state)
{
	struct dataset *set =
	    open_lines("*@ex.org 1\nu@ex.org 2\n* 3\nx@ex.org 4\n(u|v)@* 5\n"
		       "u@* 6\n*.org 7\n*@ex.org 8\n*@* 9\n");
	const char want[] = "12356789";
	struct row rows[16];
	size_t n;

	(void)state;
	for (size_t max = 1; max <= 16; max++) {
		test_int("max",
		    dataset_find(
			set, slice_text("u@ex.org"), true, rows, max, &n),
		    0);
		test_int("rows", n, max < 8 ? max : 8);
		for (size_t i = 0; i < n; i++) {
			test_octets("order", rows[i].value.p, rows[i].value.n,
			    want + i, 1);
			test_int("line", rows[i].line, want[i] - '0');
		}
	}
	dataset_free(set);
}

/* What a bad pattern matches is not known, so its mail would go out unsigned:
 * it stops the start, with file and line, and all of them are named. */
static void
refile_open_bad_patterns(void **state)
{
	const struct {
		const char *name, *pattern, *message;
	} rows[] = {
		{ "parenthesis", "(a@x", "Unmatched" },
		{ "bracket", "[a@x", "Unmatched" },
		{ "back-reference", "(a)\\1@x",
		    "back-references are not supported" },
		{ "repetition", "((a{1,100}){1,100})@x", "of more than 1000" },
		{ "huge repetition", "a{99999999}@x", "of more than 1000" },
	};
	char lines[200], want[200], text[300];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct dataset *set = NULL;

		snprintf(lines, sizeof(lines), "*@y 1\n%s 2\nz@x 3\n[z 4\n",
		    rows[i].pattern);
		snprintf(text, sizeof(text), "refile:%s",
		    capture_text("patterns", lines));
		capture_init(&capture);
		test_int(rows[i].name,
		    dataset_open("t.conf:1: SigningTable", text, NULL,
			&capture.report, &set),
		    DKIM_ERR_SYNTAX);
		test_true(rows[i].name, set == NULL);
		test_int(rows[i].name, capture.report.rows, 0);
		test_int(rows[i].name, capture.report.fatals, 2);
		capture_check(rows[i].name, &capture, rows[i].message);
		snprintf(want, sizeof(want),
		    "F %s/patterns:2: SigningTable: pattern \"", capture_dir());
		capture_check(rows[i].name, &capture, want);
		capture_check(rows[i].name, &capture, "/patterns:4: ");
	}
}

/* A key with a NUL is not cut for the regular expressions. */
static void
refile_find_nul(void **state)
{
	struct dataset *set = open_lines("(u|v)@ex.org 1\n");
	struct row row;
	size_t n;

	(void)state;
	test_int("nul",
	    dataset_find(
		set, slice_of("u@ex.org\0.net", 13), true, &row, 1, &n),
	    0);
	test_int("nul", n, 0);
	dataset_free(set);
}

static uint32_t seed;

static unsigned
draw(unsigned below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

/* Text of letters that make hits likely. */
static void
draw_text(char *out, size_t max, const char *letters)
{
	size_t n = 1 + draw((unsigned)max - 1);

	for (size_t i = 0; i < n; i++)
		out[i] = letters[draw((unsigned)strlen(letters))];
	out[n] = '\0';
}

#define SWEEP_ROWS 40

/* 2,000 sets of 40 random patterns: the rows found are those of regexec(3), in
 * file order. */
static void
refile_find_sweep(void **state)
{
	static regex_t compiled[SWEEP_ROWS];
	static char lines[4000], patterns[SWEEP_ROWS][12];
	struct row rows[SWEEP_ROWS];
	char key[12], ere[40];
	size_t n, at, want, hits = 0;

	(void)state;
	seed = 6376;
	for (int round = 0; round < 2000; round++) {
		struct dataset *set;

		at = 0;
		for (int i = 0; i < SWEEP_ROWS; i++) {
			draw_text(
			    patterns[i], 8, round % 2 ? "ab@.**" : "ab.*");
			at += (size_t)snprintf(lines + at, sizeof(lines) - at,
			    "%s %d\n", patterns[i], i);
			n = 0;
			ere[n++] = '^';
			for (const char *p = patterns[i]; *p != '\0'; p++) {
				if (*p == '*')
					ere[n++] = '.';
				if (*p == '.')
					ere[n++] = '\\';
				ere[n++] = *p;
			}
			ere[n++] = '$';
			ere[n] = '\0';
			test_int(ere,
			    regcomp(
				&compiled[i], ere, REG_EXTENDED | REG_NOSUB),
			    0);
		}
		set = open_lines(lines);
		for (int k = 0; k < 20; k++) {
			draw_text(key, 10, "ab@.");
			test_int(key,
			    dataset_find(set, slice_text(key), false, rows,
				SWEEP_ROWS, &n),
			    0);
			want = 0;
			for (int i = 0; i < SWEEP_ROWS; i++)
				if (regexec(&compiled[i], key, 0, NULL, 0) ==
				    0) {
					test_true(patterns[i], want < n);
					test_int(patterns[i], rows[want].line,
					    i + 1);
					want++;
				}
			test_int(key, n, want);
			hits += n;
		}
		for (int i = 0; i < SWEEP_ROWS; i++)
			regfree(&compiled[i]);
		dataset_free(set);
	}
	test_true("the sweep hits something", hits > 10000);
}

/* The translation itself, for the forms that regexec cannot tell apart. */
static void
pattern_ere_text(void **state)
{
	const struct {
		const char *pattern, *ere;
	} rows[] = {
		{ "*@ex.org", "^(.*@ex\\.org)$" },
		{ "a+b", "^(a\\+b)$" },
		{ "[.+*]x.", "^([.+*]x\\.)$" },
		{ "[[:alpha:].]", "^([[:alpha:].])$" },
		{ "[^]*]*", "^([^]*].*)$" },
		{ "\\.x", "^(\\.x)$" },
		{ "[a", "^([a)$" },
		{ "x\\", "^(x\\)$" },
	};
	char out[DATASET_PATTERN_ERE_MAX];
	static char longest[DATASET_PATTERN_MAX + 1];
	const char *reason;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].pattern,
		    dataset_pattern_ere(
			slice_text(rows[i].pattern), out, &reason),
		    0);
		test_str(rows[i].pattern, out, rows[i].ere);
	}
	memset(longest, '*', sizeof(longest));
	test_int("1024",
	    dataset_pattern_ere(
		slice_of(longest, DATASET_PATTERN_MAX), out, &reason),
	    0);
	test_int("1024", strlen(out), 2 * DATASET_PATTERN_MAX + 4);
	test_int("1025",
	    dataset_pattern_ere(
		slice_of(longest, DATASET_PATTERN_MAX + 1), out, &reason),
	    DKIM_ERR_SYNTAX);
}

/* The shapes of a hosting table in 20,000 rows: all indexed. */
static void
refile_find_many(void **state)
{
	static char octets[2000000];
	struct dataset *set = NULL;
	char text[300], key[64];
	struct row rows[4];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(octets + n, sizeof(octets) - n,
		    "*@d%d.ex k\n*@*.d%d.ex k\n"
		    "u%d@lit.ex k\n*s%d.ex k\n",
		    i, i, i, i);
	snprintf(
	    text, sizeof(text), "refile:%s", capture_file("many", octets, n));
	capture_init(&capture);
	test_int(
	    "open", dataset_open("T", text, NULL, &capture.report, &set), 0);
	test_int("rows", dataset_count(set), 20000);
	test_int("linear", dataset_linear(set), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(key, sizeof(key), "User@D%d.Ex", i);
		test_int(key, count_hits(set, key, true), 1);
		snprintf(key, sizeof(key), "user@a.b.d%d.ex", i);
		test_int(key,
		    dataset_find(set, slice_text(key), true, rows, 4, &n), 0);
		test_int(key, n, 1);
		test_int(key, rows[0].line, i * 4 + 2);
		snprintf(key, sizeof(key), "u%d@lit.ex", i);
		test_int(key, count_hits(set, key, true), 1);
	}
	dataset_free(set);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refile_find_table),
		cmocka_unit_test(refile_find_case),
		cmocka_unit_test(refile_find_order),
		cmocka_unit_test(refile_open_bad_patterns),
		cmocka_unit_test(refile_find_nul),
		cmocka_unit_test(refile_find_sweep),
		cmocka_unit_test(pattern_ere_text),
		cmocka_unit_test(refile_find_many),
	};

	return CAPTURE_RUN(tests);
}
