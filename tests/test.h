/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every unit test includes: cmocka with the headers it wants before it,
 * checks that name the row and say got and want, and the loops over split
 * points and failing allocations.
 */
#ifndef TEST_H
#define TEST_H

/* system: this order is cmocka's */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* this room */
#include "tests/failmalloc.h"

#define TEST_COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/*
 * The main of a test program is
 *	int
 *	main(void)
 *	{
 *		const struct CMUnitTest tests[] = { ... };
 *
 *		return TEST_RUN(tests);
 *	}
 * It must return 0 or 1: an exit code is eight bits, and cmocka counts
 * failures.
 */
#define TEST_RUN(tests) (cmocka_run_group_tests(tests, NULL, NULL) != 0)

/* An octet string literal as pointer and length, without the ending NUL. */
#define TEST_OCTETS(literal) (const uint8_t *)(literal), sizeof(literal) - 1

/* Print n octets so that each can be told: \r, \n, \t, \xHH. Cut at 400. */
static inline void
test_print_octets(const char *what, const uint8_t *p, size_t n)
{
	fprintf(stderr, "# %s (%zu octets): \"", what, n);
	for (size_t i = 0; i < n && i < 400; i++) {
		if (p[i] == '\r')
			fputs("\\r", stderr);
		else if (p[i] == '\n')
			fputs("\\n", stderr);
		else if (p[i] == '\t')
			fputs("\\t", stderr);
		else if (p[i] < 0x20 || p[i] > 0x7e || p[i] == '\\' ||
		    p[i] == '"')
			fprintf(stderr, "\\x%02x", p[i]);
		else
			fputc(p[i], stderr);
	}
	fprintf(stderr, "\"%s\n", n > 400 ? " ..." : "");
}

#define test_octets(row, got, got_n, want, want_n) \
	test_octets_at(row, got, got_n, want, want_n, __FILE__, __LINE__)
#define test_int(row, got, want) \
	test_int_at(row, (long long)(got), (long long)(want), __FILE__, \
	    __LINE__)
#define test_str(row, got, want) test_str_at(row, got, want, __FILE__, __LINE__)
#define test_true(row, condition) \
	test_true_at(row, condition, #condition, __FILE__, __LINE__)

/* Fail, naming the row, unless got is want. */
static inline void
test_octets_at(const char *row, const void *got, size_t got_n, const void *want,
    size_t want_n, const char *file, int line)
{
	size_t i = 0;

	if (got_n == want_n && (got_n == 0 || memcmp(got, want, got_n) == 0))
		return;
	while (i < got_n && i < want_n &&
	    ((const uint8_t *)got)[i] == ((const uint8_t *)want)[i])
		i++;
	test_print_octets("got ", got, got_n);
	test_print_octets("want", want, want_n);
	fprintf(stderr, "# %s: they differ from octet %zu on\n", row, i);
	_fail(file, line);
}

static inline void
test_int_at(const char *row, long long got, long long want, const char *file,
    int line)
{
	if (got == want)
		return;
	fprintf(stderr, "# %s: got %lld, want %lld\n", row, got, want);
	_fail(file, line);
}

static inline void
test_str_at(const char *row, const char *got, const char *want,
    const char *file, int line)
{
	if (got == want ||
	    (got != NULL && want != NULL && strcmp(got, want) == 0))
		return;
	fprintf(stderr, "# %s: got \"%s\", want \"%s\"\n", row,
	    got == NULL ? "(null)" : got, want == NULL ? "(null)" : want);
	_fail(file, line);
}

static inline void
test_true_at(const char *row, bool condition, const char *text,
    const char *file, int line)
{
	if (condition)
		return;
	fprintf(stderr, "# %s: not so: %s\n", row, text);
	_fail(file, line);
}

/*
 * Call run(arg, cut) for every place 0..n where n octets can be cut in two.
 */
static inline void
test_every_split(size_t n, void (*run)(void *arg, size_t cut), void *arg)
{
	for (size_t cut = 0; cut <= n; cut++)
		run(arg, cut);
}

/*
 * Call run(arg) with the first allocation failing, then the second, and so on,
 * until a run needs no more; that last one sees no failure.
 *   run      must return true when what it called succeeded, false when it
 *            reported failure; it frees what it made either way
 *   result   the number of allocation sites met; 0 (nothing was tested) fails
 */
static inline size_t
test_every_allocation(bool (*run)(void *arg), void *arg)
{
	for (size_t n = 1;; n++) {
		bool done, hit;

		failmalloc_at(n);
		done = run(arg);
		hit = failmalloc_hit();
		failmalloc_off();
		if (!hit) {
			test_true("no allocation fails", done);
			test_true("something was allocated", n > 1);
			return n - 1;
		}
		if (done) {
			fprintf(stderr,
			    "# allocation %zu failed and nobody said so\n", n);
			_fail(__FILE__, __LINE__);
		}
	}
}

/*
 * Read a whole file of tests/, as "vectors/rfc6376/example.eml". A NUL follows
 * the octets.
 *   n        out: octets without the NUL
 *   result   the caller frees it; a file that is not there fails the test
 */
static inline uint8_t *
test_file(const char *name, size_t *n)
{
	char path[4096];
	uint8_t *p = NULL;
	FILE *f;
	long size;

	snprintf(path, sizeof(path), "%s/%s", TESTS_SRCDIR, name);
	f = fopen(path, "rb");
	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 ||
	    fseek(f, 0, SEEK_SET) != 0) {
		fprintf(stderr, "# cannot read %s\n", path);
		_fail(__FILE__, __LINE__);
		return NULL;
	}
	p = malloc((size_t)size + 1);
	*n = fread(p, 1, (size_t)size, f);
	p[*n] = '\0';
	fclose(f);
	test_int(name, *n, size);
	return p;
}

#endif
