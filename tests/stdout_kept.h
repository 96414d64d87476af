/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a subcommand prints, kept for a test to look at.
 */
#ifndef TESTS_STDOUT_KEPT_H
#define TESTS_STDOUT_KEPT_H

/* system */
#include <unistd.h>

/* this room */
#include "tests/test.h"

static char stdout_kept[16384];
static FILE *stdout_file;
static int stdout_before;

/*
 * From now on standard output goes to a file without a name.
 */
static void
stdout_keep(void)
{
	fflush(stdout);
	stdout_file = tmpfile();
	assert_non_null(stdout_file);
	stdout_before = dup(STDOUT_FILENO);
	assert_true(stdout_before >= 0 &&
	    dup2(fileno(stdout_file), STDOUT_FILENO) >= 0);
}

/*
 * Back again; what went there is in stdout_kept.
 */
static void
stdout_restore(void)
{
	size_t n;

	fflush(stdout);
	rewind(stdout_file);
	n = fread(stdout_kept, 1, sizeof(stdout_kept) - 1, stdout_file);
	stdout_kept[n] = '\0';
	fclose(stdout_file);
	assert_true(dup2(stdout_before, STDOUT_FILENO) >= 0);
	close(stdout_before);
}

#endif
