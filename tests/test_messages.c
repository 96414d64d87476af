/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench sign and verify from their command line: a row for each of what
 * was asked, and what is not taken.
 */

/* system */
#include <getopt.h>
#include <sysexits.h>

/* this room: before the module, which has a run of its own */
#include "tests/stdout_kept.h"

/* the module: no library has it */
#include "bench/messages.c"

#define WORDS_MAX	24

static int
messages(const char *line, int (*subcommand)(int argc, char **argv))
{
	static char text[256];
	char *argv[WORDS_MAX];
	int argc = 0, status;

	snprintf(text, sizeof(text), "%s", line);
	for (char *at = strtok(text, " "); at != NULL && argc < WORDS_MAX - 1;
	    at = strtok(NULL, " "))
		argv[argc++] = at;
	argv[argc] = NULL;
	optind = 1;
	stdout_keep();
	status = subcommand(argc, argv);
	stdout_restore();
	return status;
}

static void
messages_refuses(void **state)
{
	static const char *const rows[] = {
		"sign --canon relaxed", "sign --canon strict/simple",
		"sign --canon simple/simple,simple/simple", "sign --bits 100",
		"sign --size 1073741825", "sign --batch 0",
		"sign --batch 33", "sign --backend openssl",
		"sign --runs 0", "sign word",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i], messages(rows[i], subcommand_sign),
		    EX_USAGE);
		test_str(rows[i], stdout_kept, "");
	}
}

/*
 * The slowest changes last: sizes, then forms, then batches.
 */
static void
messages_row_for_each(void **state)
{
	static const char *const want[] = {
		"simple/simple\t0\t1", "simple/simple\t0\t3",
		"relaxed/simple\t0\t1", "relaxed/simple\t0\t3",
		"simple/simple\t1\t1", "simple/simple\t1\t3",
		"relaxed/simple\t1\t1", "relaxed/simple\t1\t3",
		"simple/simple\t2\t1", "simple/simple\t2\t3",
		"relaxed/simple\t2\t1", "relaxed/simple\t2\t3",
		"simple/simple\t100\t1", "simple/simple\t100\t3",
		"relaxed/simple\t100\t1", "relaxed/simple\t100\t3",
	};
	char head[64];
	const char *at;

	(void)state;
	test_int("status", messages("verify --backend libcrypto --bits 1024 "
	    "--size 0,1,2,100 --canon simple/simple,relaxed/simple --batch "
	    "1,3 --seconds 0.001 --runs 1 --tsv", subcommand_verify), 0);
	at = stdout_kept;
	for (size_t i = 0; i < TEST_COUNT(want); i++) {
		at = strchr(at, '\n');
		test_true("a row", at != NULL);
		snprintf(head, sizeof(head),
		    "\nlibcrypto\tevp\t1024\tverify\t%s\t1\t", want[i]);
		if (strncmp(at, head, strlen(head)) != 0)
			test_str(want[i], at, head);
		at++;
	}
	test_str("no more", strchr(at, '\n'), "\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_refuses),
		cmocka_unit_test(messages_row_for_each),
	};

	return TEST_RUN(tests);
}
