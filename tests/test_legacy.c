/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench sign|verify --legacy: arguments as the old programs took them, and
 * their two lines. Nothing here asks how fast anything is.
 */

/* system */
#include <getopt.h>
#include <sysexits.h>

/* bench */
#include "bench/legacy.h"

/* this room */
#include "tests/stdout_kept.h"

#define WORDS_MAX	16

/*
 * The words of a line as arguments.
 */
static int
words_of(const char *line, char *argv[WORDS_MAX])
{
	static char text[256];
	int argc = 0;

	snprintf(text, sizeof(text), "%s", line);
	for (char *at = strtok(text, " "); at != NULL && argc < WORDS_MAX - 1;
	    at = strtok(NULL, " "))
		argv[argc++] = at;
	argv[argc] = NULL;
	return argc;
}

static int
legacy(const char *line, enum rsab_op op)
{
	char *argv[WORDS_MAX];
	int argc = words_of(line, argv), status;

	optind = 1;
	stdout_keep();
	status = legacy_run(argc, argv, op);
	stdout_restore();
	return status;
}

static void
legacy_is_wanted_rows(void **state)
{
	static const struct {
		const char	*line;
		bool		 want;
	} rows[] = {
		{ "sign --legacy", true },
		{ "sign -t 1 --legacy", true },
		{ "sign", false },
		{ "--legacy", false },
		{ "sign --legacy=1", false },
	};
	char *argv[WORDS_MAX];
	int argc;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		argc = words_of(rows[i].line, argv);
		test_int(rows[i].line, legacy_is_wanted(argc, argv),
		    rows[i].want);
	}
}

static void
legacy_run_refuses(void **state)
{
	static const struct {
		const char	*line;
		int		 status;
		const char	*out;
	} rows[] = {
		{ "sign --legacy -b strict", EX_USAGE, "" },
		{ "sign --legacy -h relaxed/simple", EX_USAGE, "" },
		{ "sign --legacy -m 1k", EX_USAGE, "" },
		{ "sign --legacy -s rsa-md5", EX_USAGE, "" },
		{ "sign --legacy -t 0", EX_USAGE, "" },
		{ "sign --legacy --batch 33", EX_USAGE, "" },
		{ "sign --legacy --backend libcrypto,bn64", EX_USAGE, "" },
		{ "sign --legacy word", EX_USAGE, "" },
		/* RFC 8301 s3.1: MUST NOT be used for signing or verifying */
		{ "sign --legacy -s rsa-sha1", 1, "### requested signing "
		    "algorithm not available\n" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].line, legacy(rows[i].line, RSAB_OP_SIGN),
		    rows[i].status);
		test_str(rows[i].line, stdout_kept, rows[i].out);
	}
}

/*
 * Messages are counted, not batches, and the time is the true one.
 */
static void
legacy_run_counts(void **state)
{
	static const char first[] = "*** VERIFYING SPEED TEST: "
	    "simple/relaxed with rsa-sha256, size 64 for 1s\n";
	unsigned long messages = 0, rate = 0;

	(void)state;
	test_int("status", legacy("verify --legacy -t 1 -m 64 -h simple "
	    "-b relaxed --batch 32", RSAB_OP_VERIFY), 0);
	test_true("first line", strncmp(stdout_kept, first,
	    sizeof(first) - 1) == 0);
	test_int("second line", sscanf(stdout_kept + sizeof(first) - 1,
	    "*** %lu messages verified (%lu msgs/sec)", &messages, &rate), 2);
	test_true("whole batches", messages >= 32 && messages % 32 == 0);
	test_true("a second at least", rate <= messages && rate > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(legacy_is_wanted_rows),
		cmocka_unit_test(legacy_run_refuses),
		cmocka_unit_test(legacy_run_counts),
	};

	return TEST_RUN(tests);
}
