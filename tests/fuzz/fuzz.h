/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the fuzz targets share: the entry point, a want that ends the program,
 * ways to cut an input.
 */
#ifndef FUZZ_H
#define FUZZ_H

/* system */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* room below */
#include "dkim/dkim.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

/* A property that does not hold is a fault like any other. */
#define FUZZ_WANT(cond) \
	((cond) ? (void)0 : fuzz_fail(#cond, __FILE__, __LINE__))

static inline void
fuzz_fail(const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
	abort();
}

/*
 * Does part lie in whole, or is it empty?
 */
static inline bool
fuzz_inside(struct slice part, struct slice whole)
{
	return part.n == 0 || (part.p >= whole.p && part.n <= whole.n &&
	    (size_t)(part.p - whole.p) <= whole.n - part.n);
}

/*
 * Take the octets up to the first c off in; c itself goes, too.
 */
static inline struct slice
fuzz_until(struct slice *in, uint8_t c)
{
	size_t n = slice_find(*in, c);
	struct slice out = slice_sub(*in, 0, n);

	*in = slice_from(*in, n < in->n ? n + 1 : n);
	return out;
}

/*
 * The octets of in as a string; the caller frees.
 */
static inline char *
fuzz_string(struct slice in)
{
	char *text = malloc(in.n + 1);

	FUZZ_WANT(text != NULL);
	if (in.n > 0)
		memcpy(text, in.p, in.n);
	text[in.n] = '\0';
	return text;
}

static char fuzz_file_path[256];

static inline void
fuzz_file_remove(void)
{
	(void)unlink(fuzz_file_path);
}

/*
 * Put in into the one file of this process, which its exit removes: to make
 * one anew for each input takes longer than to read it.
 */
static inline const char *
fuzz_file(struct slice in)
{
	static int fd = -1;
	const char *folder = getenv("TMPDIR");

	if (fd < 0) {
		snprintf(fuzz_file_path, sizeof(fuzz_file_path),
		    "%s/dkimd-fuzz.XXXXXX", folder == NULL ? "/tmp" : folder);
		fd = mkstemp(fuzz_file_path);
		FUZZ_WANT(fd >= 0 && atexit(fuzz_file_remove) == 0);
	}
	/* to cut it to nothing first makes ext4 write it out at each close */
	FUZZ_WANT(pwrite(fd, in.p, in.n, 0) == (ssize_t)in.n);
	FUZZ_WANT(ftruncate(fd, (off_t)in.n) == 0);
	return fuzz_file_path;
}

#endif
