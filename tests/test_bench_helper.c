/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs that dkimbench runs, and how it describes the machine.
 */

/* system */
#include <limits.h>
#include <sysexits.h>

/* bench */
#include "bench/helper.h"
#include "bench/machine.h"

/* this room */
#include "tests/test.h"

static char sh[] = "/bin/sh", option[] = "-c";

/*
 * What a line of shell says and how it ends.
 */
static int
shell(const char *line, const void *in, size_t n, char *out, size_t size)
{
	char copy[200];
	char *argv[] = { sh, option, copy, NULL };

	snprintf(copy, sizeof copy, "%s", line);
	return helper_run(argv, in, n, out, size);
}

static void
helper_run_input_and_output(void **state)
{
	char out[100];

	(void)state;
	test_int("cat", shell("cat", "abc\ndef", 7, out, sizeof out), 0);
	test_str("all of it", out, "abc\ndef");
	test_int("nothing", shell(":", "", 0, out, sizeof out), 0);
	test_str("an empty string", out, "");
	test_int("in two parts", shell("echo a; sleep 0.05; echo b", "", 0,
	    out, sizeof out), 0);
	test_str("both", out, "a\nb\n");
}

static void
helper_run_more_than_fits(void **state)
{
	char out[8];

	(void)state;
	memset(out, 'x', sizeof out);
	test_int("more", shell("echo 123456789; exit 5", "", 0, out, 5), 5);
	test_str("cut", out, "1234");
	test_int("not touched", out[5], 'x');
}

static void
helper_run_ends(void **state)
{
	static char nowhere[] = "/nonexistent/program", much[40000];
	char *argv[] = { nowhere, NULL }, out[10];

	(void)state;
	test_int("its exit status", shell("exit 7", "", 0, out, sizeof out),
	    7);
	test_int("a signal", shell("kill -9 $$", "", 0, out, sizeof out),
	    EX_OSERR);
	test_int("it is not there", helper_run(argv, "", 0, out, sizeof out),
	    EX_OSERR);
	/* who writes into a pipe that nobody reads must not die of it */
	test_int("input that is not read", shell("exec <&-; exit 3", much,
	    sizeof much, out, sizeof out), 3);
}

static void
helper_find_beside(void **state)
{
	char path[PATH_MAX];
	size_t n;

	(void)state;
	test_int("found", helper_find("test_bench_helper", path,
	    sizeof path), 0);
	test_int("a full path", path[0], '/');
	n = strlen(path);
	test_true("ends with the name", n > 18 && strcmp(path + n - 18,
	    "/test_bench_helper") == 0);
	test_int("just too short", helper_find("test_bench_helper", path, n),
	    EX_UNAVAILABLE);
	test_int("long enough", helper_find("test_bench_helper", path,
	    n + 1), 0);
	test_int("nowhere", helper_find("no-such-program", path,
	    sizeof path), EX_UNAVAILABLE);
}

static void
machine_print_lines(void **state)
{
	static const char *const begins[] = { "> dkimbench ", "> processor ",
	    "> kernel ", "> OpenSSL " };
	char text[4000], *line, *end;
	struct pin pin = { .n = 0 };

	(void)state;
	for (int masked = 0; masked < 2; masked++) {
		FILE *out = fmemopen(text, sizeof text, "w");

		if (masked)
			setenv("OPENSSL_ia32cap", ":~0x200000", 1);
		else
			unsetenv("OPENSSL_ia32cap");
		machine_print(out, "> ", &pin);
		fclose(out);
		line = text;
		for (size_t i = 0; i < TEST_COUNT(begins); i++) {
			test_true(begins[i], strncmp(line, begins[i],
			    strlen(begins[i])) == 0);
			end = strchr(line, '\n');
			test_true("a line", end != NULL);
			line = end + 1;
		}
		test_str("no more", line, "");
		test_true("compiler", strstr(text, ", compiler ") != NULL);
		test_true("not pinned", strstr(text, ", not pinned") != NULL);
		test_int("the mask of the environment",
		    strstr(text, ", OPENSSL_ia32cap=:~0x200000") != NULL,
		    masked);
	}
	unsetenv("OPENSSL_ia32cap");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(helper_run_input_and_output),
		cmocka_unit_test(helper_run_more_than_fits),
		cmocka_unit_test(helper_run_ends),
		cmocka_unit_test(helper_find_beside),
		cmocka_unit_test(machine_print_lines),
	};

	return TEST_RUN(tests);
}
