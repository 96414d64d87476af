/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of bench/tsv.c: recorded figures as rows, and every error by the file,
 * the line and the value it names.
 */

/* system */
#include <sysexits.h>
#include <unistd.h>

/* bench */
#include "bench/tsv.h"

/* this room */
#include "tests/test.h"

static struct tsv tsv;

static void
begin(const char *octets)
{
	tsv_begin(&tsv, "runs.tsv", octets, strlen(octets));
}

/*
 * The next row of the file.
 */
static bool
next(const char *row, bool want_header)
{
	bool is_header, more;

	test_int(row, tsv_next(&tsv, &is_header, &more), 0);
	test_true(row, is_header == want_header);
	return more;
}

static void
fails(const char *row, const char *want)
{
	bool is_header, more;

	test_int(row, tsv_next(&tsv, &is_header, &more), EX_DATAERR);
	test_str(row, tsv.error, want);
}

static void
tsv_next_rows(void **state)
{
	static const char text[] = "# made here\n#a\tb\n\n1\t2\r\nx y\t\n"
	    "# a word\n#b\tc\n3\t4";
	static const char *const names[] = { "b", "a" };
	unsigned n;

	(void)state;
	begin(text);
	test_true("header", next("header", true));
	test_int("columns", tsv.columns, 2);
	test_true("names", tsv_has(&tsv, names, 2));
	test_true("no row is held", tsv_field(&tsv, "a") == NULL);
	test_true("row", next("row", false));
	test_int("line", tsv.line, 4);
	test_str("a", tsv_field(&tsv, "a"), "1");
	test_str("b, CRLF", tsv_field(&tsv, "b"), "2");
	test_true("no such column", tsv_field(&tsv, "c") == NULL);
	test_true("row", next("row", false));
	test_str("blank", tsv_field(&tsv, "a"), "x y");
	test_str("empty", tsv_field(&tsv, "b"), "");
	test_true("second header", next("second header", true));
	test_true("no a", !tsv_has(&tsv, names, 2));
	test_true("last row", next("last row", false));
	test_int("without LF", tsv_whole(&tsv, "c", 0, 9, &n), 0);
	test_int("its value", n, 4);
	test_true("end", !next("end", false));
	test_true("end again", !next("end again", false));
	begin("");
	test_true("nothing", !next("nothing", false));
}

static void
tsv_next_faults(void **state)
{
	static char octets[2 * TSV_LINE_MAX];

	(void)state;
	begin("1\t2\n");
	fails("no header", "runs.tsv:1: a line that begins with # and names "
	    "the columns must come first");
	begin("#a\tb\n1\t2\t3\n");
	next("header", true);
	fails("a field too many", "runs.tsv:2: 3 fields; the header names 2 "
	    "columns");
	begin("#a\tb\n\n1\n");
	next("header", true);
	fails("too few", "runs.tsv:3: 1 fields; the header names 2 columns");
	begin("#a\tb\ta\n");
	fails("twice", "runs.tsv:1: column \"a\" is there twice");
	tsv_begin(&tsv, "x", "#a\tb\n1\0\t2\n", 10);
	next("header", true);
	fails("NUL", "x:2: octet 2 is NUL");
	memset(octets, '\t', sizeof octets);
	octets[0] = '#';
	tsv_begin(&tsv, "x", octets, TSV_COLUMNS_MAX + 1);
	fails("columns", "x:1: more than 64 columns");
	memset(octets, 'y', sizeof octets);
	octets[0] = '#';
	octets[9] = '\t';
	tsv_begin(&tsv, "x", octets, TSV_LINE_MAX + 1);
	fails("line", "x:1: a line of 4097 octets; 4096 at most");
	tsv_begin(&tsv, "x", octets, TSV_LINE_MAX);
	test_true("the longest line", next("the longest line", true));
	test_int("whole", strlen(tsv.column[1]), TSV_LINE_MAX - 10);
}

static void
tsv_figure_rows(void **state)
{
	static const struct {
		const char	*text;
		double		 want;
	} rows[] = {
		{ "0", 0 }, { "549.0", 549 }, { "31259.8", 31259.8 },
		{ "1e3", 1000 }, { "-", -1 }, { "n/a", -1 }, { "1e15", 1e15 },
	};
	static const char *const bad[] = {
		"", " 1", "1 ", "+1", "-1", "nan", "inf", "0x10", "1e16",
		"1e999", "1.2.3", "1,5", "--", "N/A", "1e", ".5",
	};
	char text[100], want[200];
	double got;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof text, "#a\tv\n1\t%s\n", rows[i].text);
		begin(text);
		next(text, true);
		next(text, false);
		test_int(text, tsv_figure(&tsv, "v", &got), 0);
		test_true(text, got >= rows[i].want && got <= rows[i].want);
	}
	for (size_t i = 0; i < TEST_COUNT(bad); i++) {
		snprintf(text, sizeof text, "#a\tv\n1\t%s\n", bad[i]);
		begin(text);
		next(text, true);
		next(text, false);
		got = 7;
		test_int(text, tsv_figure(&tsv, "v", &got), EX_DATAERR);
		snprintf(want, sizeof want, "runs.tsv:2: v \"%s\": a number "
		    "from 0 to 1e+15 is wanted, - for none", bad[i]);
		test_str(text, tsv.error, want);
		test_true("out is left", got >= 7 && got <= 7);
	}
	test_int("no column", tsv_figure(&tsv, "w", &got), EX_DATAERR);
	test_str("no column", tsv.error, "runs.tsv:2: no column \"w\"");
}

static void
tsv_whole_rows(void **state)
{
	static const struct {
		const char	*text;
		unsigned	 want;	/* 0: wrong */
	} rows[] = {
		{ "1", 1 }, { "1024", 1024 }, { "0512", 512 }, { "0", 0 },
		{ "1025", 0 }, { "", 0 }, { "-1", 0 }, { "1.0", 0 },
		{ "-", 0 }, { "4294967297", 0 }, { "1e2", 0 },
	};
	char text[100];
	unsigned got;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof text, "#a\tv\n1\t%s\n", rows[i].text);
		begin(text);
		next(text, true);
		next(text, false);
		got = 0;
		test_int(text, tsv_whole(&tsv, "v", 1, 1024, &got),
		    rows[i].want == 0 ? EX_DATAERR : 0);
		test_int(text, got, rows[i].want);
	}
	test_str("told", tsv.error, "runs.tsv:2: v \"1e2\": a whole number "
	    "from 1 to 1024 is wanted");
}

static void
tsv_text_rows(void **state)
{
	char out[5] = "left";

	(void)state;
	begin("#a\tb\n\tabcde\nabcd\t\x1b\x9f\n");
	next("header", true);
	next("row", false);
	test_int("empty", tsv_text(&tsv, "a", out, sizeof out), EX_DATAERR);
	test_str("empty", tsv.error, "runs.tsv:2: a is empty; - is for none");
	test_int("long", tsv_text(&tsv, "b", out, sizeof out), EX_DATAERR);
	test_str("long", tsv.error,
	    "runs.tsv:2: b \"abcde...\" has 5 octets; 4 at most");
	test_str("out is left", out, "left");
	next("row", false);
	test_int("fits", tsv_text(&tsv, "a", out, sizeof out), 0);
	test_str("fits", out, "abcd");
	/* nothing of a file moves a terminal's cursor */
	tsv_fail(&tsv, "%s", tsv_field(&tsv, "b"));
	test_str("escapes", tsv.error, "runs.tsv:3: ??");
}

/*
 * A file of n octets.
 */
static const char *
file_of(size_t n)
{
	static char name[] = "test_tsv.XXXXXX", block[65536];
	int fd;
	FILE *f;

	memcpy(name, "test_tsv.XXXXXX", sizeof name);
	fd = mkstemp(name);
	f = fdopen(fd, "wb");
	memset(block, 'x', sizeof block);
	for (size_t k; n > 0; n -= k) {
		k = n < sizeof block ? n : sizeof block;
		test_int("write", fwrite(block, 1, k, f), k);
	}
	fclose(f);
	return name;
}

static void
tsv_load_sizes(void **state)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537,
	    TSV_FILE_MAX, TSV_FILE_MAX + 1, 2 * TSV_FILE_MAX + 9 };
	const char *name;
	char *octets;
	size_t n;
	int status;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		name = file_of(sizes[i]);
		status = tsv_load(name, &octets, &n);
		unlink(name);
		test_int("size", status, sizes[i] <= TSV_FILE_MAX ? 0 :
		    EX_DATAERR);
		if (status != 0)
			continue;
		test_int("octets", n, sizes[i]);
		free(octets);
	}
	test_int("no file", tsv_load("/nonexistent/runs.tsv", &octets, &n),
	    EX_NOINPUT);
	test_int("a folder", tsv_load("/", &octets, &n), EX_NOINPUT);
}

static bool
load(void *arg)
{
	char *octets;
	size_t n;
	int status = tsv_load(arg, &octets, &n);

	test_true("a code", status == 0 || status == EX_OSERR);
	if (status == 0)
		free(octets);
	return status == 0;
}

static void
tsv_load_no_memory(void **state)
{
	const char *name = file_of(300000);

	(void)state;
	test_every_allocation(load, (void *)(uintptr_t)name);
	unlink(name);
}

/*
 * Rows of an odd size, each with its number all over.
 */
static void
tsv_room_grows(void **state)
{
	enum { EACH = 13, ROWS = 100 };
	uint8_t *rows = NULL, want[EACH];
	int status;

	(void)state;
	begin("");
	for (size_t n = 0; n < ROWS; n++) {
		rows = tsv_room(&tsv, rows, n, ROWS, EACH, &status);
		test_int("room", status, 0);
		memset(rows + n * EACH, (int)n, EACH);
	}
	for (size_t n = 0; n < ROWS; n++) {
		memset(want, (int)n, EACH);
		test_octets("kept", rows + n * EACH, EACH, want, EACH);
	}
	test_true("no more than these", tsv_room(&tsv, rows, ROWS, ROWS, EACH,
	    &status) == rows);
	test_int("no more than these", status, EX_DATAERR);
	test_str("why", tsv.error, "runs.tsv:0: more than 100 rows");
	free(rows);
}

static void
tsv_room_no_memory(void **state)
{
	static const size_t full[] = { 0, 1, 2, 4, 64 };
	char *rows;
	int status;

	(void)state;
	begin("");
	for (size_t i = 0; i < TEST_COUNT(full); i++) {
		rows = full[i] == 0 ? NULL : malloc(full[i]);
		failmalloc_at(1);
		test_true("as it was", tsv_room(&tsv, rows, full[i], 1000, 1,
		    &status) == rows);
		failmalloc_off();
		test_int("status", status, EX_OSERR);
		free(rows);
	}
	test_str("why", tsv.error, "runs.tsv:0: no memory for 128 rows");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tsv_next_rows),
		cmocka_unit_test(tsv_next_faults),
		cmocka_unit_test(tsv_figure_rows),
		cmocka_unit_test(tsv_whole_rows),
		cmocka_unit_test(tsv_text_rows),
		cmocka_unit_test(tsv_load_sizes),
		cmocka_unit_test(tsv_load_no_memory),
		cmocka_unit_test(tsv_room_grows),
		cmocka_unit_test(tsv_room_no_memory),
	};

	return TEST_RUN(tests);
}
