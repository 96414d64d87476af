/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report whose messages are kept, and files in a scratch folder, for tests of
 * the configuration.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include "milter/report.h"
#include "tests/test.h"

struct capture {
	struct report report;
	char text[200000]; /* "W text\n", "R ", "F ", "N " */
	size_t n;
};

static inline void
capture_write(void *context, enum fault fault, const char *text)
{
	struct capture *c = context;
	static const char letters[] = "WRFN";
	int n;

	n = snprintf(c->text + c->n, sizeof(c->text) - c->n, "%c %s\n",
	    letters[fault], text);
	if (n > 0 && (size_t)n < sizeof(c->text) - c->n)
		c->n += (size_t)n;
}

static inline void
capture_init(struct capture *c)
{
	memset(c, 0, sizeof(*c));
	c->report.write = capture_write;
	c->report.context = c;
}

/* Fail, naming the row, unless the messages hold want; NULL: there are none. */
#define capture_check(row, c, want)                                            \
	capture_check_at(row, c, want, __FILE__, __LINE__)
static inline void
capture_check_at(const char *row, const struct capture *c, const char *want,
    const char *file, int line)
{
	if (want == NULL ? c->n == 0 : strstr(c->text, want) != NULL)
		return;
	fprintf(stderr, "# %s: got messages \"%s\", want %s%s\n", row, c->text,
	    want == NULL ? "none" : "one with ", want == NULL ? "" : want);
	_fail(file, line);
}

static char capture_folder[64];

/* A scratch folder, made at the first call. */
static inline const char *
capture_dir(void)
{
	if (capture_folder[0] == '\0') {
		strcpy(capture_folder, "/tmp/dkimd-test-XXXXXX");
		if (mkdtemp(capture_folder) == NULL) {
			perror("mkdtemp");
			exit(1);
		}
	}
	return capture_folder;
}

/* Write a file there; gives its path, in one of a few static places. */
static inline const char *
capture_file(const char *name, const void *octets, size_t n)
{
	static char paths[16][256];
	static unsigned next;
	char *path = paths[next++ % 16];
	FILE *f;

	snprintf(path, sizeof(paths[0]), "%s/%s", capture_dir(), name);
	f = fopen(path, "wb");
	if (f == NULL || fwrite(octets, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		exit(1);
	}
	return path;
}

static inline const char *
capture_text(const char *name, const char *text)
{
	return capture_file(name, text, strlen(text));
}

static inline int
capture_remove(
    const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* The group's teardown: the scratch folder goes. */
static inline int
capture_clean(void **state)
{
	(void)state;
	if (capture_folder[0] != '\0')
		nftw(capture_folder, capture_remove, 8, FTW_DEPTH | FTW_PHYS);
	return 0;
}

#define CAPTURE_RUN(tests)                                                     \
	(cmocka_run_group_tests(tests, NULL, capture_clean) != 0)

#endif
