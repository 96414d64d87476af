/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SigningTable and KeyTable of a hosting site: 20,000 rows each, or as many as
 * DKIMD_TABLE_ROWS says. From 1,000,000 on (tests/long-tables) the start has to
 * take less than 3 s of processor time, which other work on the machine does
 * not change, and 400 MB (PROBLEMS 48).
 */

/* system */
#include "tests/test.h"
#include <sys/resource.h>
#include <time.h>

/* under test */
#include "milter/conf.h"

/* this room */
#include "tests/capture.h"

static struct capture capture;
static unsigned rows = 20000;

/* Write a table; the row in the middle is bad where bad is set. */
static void
write_table(const char *name, const char *before, const char *middle,
    const char *after, const char *bad)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", capture_dir(), name);
	if ((f = fopen(path, "w")) == NULL)
		abort();
	for (unsigned i = 1; i <= rows; i++)
		if (bad != NULL && i == rows / 2)
			fprintf(f, "%s\n", bad);
		else
			fprintf(f, "%s%u%s%u%s\n", before, i, middle, i, after);
	fclose(f);
}

/* Microseconds of processor time. */
static uint64_t
used_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static struct conf *
start(const char *signing, const char *keys)
{
	struct options options;
	struct conf *conf = NULL;
	char text[900];

	snprintf(text, sizeof(text),
	    "BaseDirectory %s\nSigningTable %s\n"
	    "KeyTable %s\n",
	    capture_dir(), signing, keys);
	capture_init(&capture);
	test_int("options",
	    conf_options_load(capture_text("dkimd.conf", text), NULL, 0,
		&capture.report, &options),
	    0);
	test_int("conf", conf_new(&options, &capture.report, &conf), 0);
	return conf;
}

static void
check_start(
    const char *name, const char *signing, const char *keys, const char *user)
{
	uint64_t begun = used_us(), started, looked;
	struct conf *conf = start(signing, keys);
	struct rusage usage;
	struct row row;
	char key[100], want[100];
	size_t n;

	started = used_us();
	test_int(name, dataset_count(conf->signing_table), rows);
	test_int(name, dataset_linear(conf->signing_table), 0);
	test_int(name, dataset_linear(conf->key_table), 0);
	for (unsigned i = 1; i <= rows; i += rows / 10000) {
		snprintf(key, sizeof(key), "%sD%u.example", user, i);
		test_int(key,
		    dataset_find(conf->signing_table, slice_text(key), true,
			&row, 1, &n),
		    0);
		if (i == rows / 2)
			continue;
		test_int(key, n, 1);
		snprintf(want, sizeof(want), "key%u", i);
		test_octets(key, row.value.p, row.value.n, want, strlen(want));
		test_int(key,
		    dataset_find(
			conf->key_table, row.value, false, &row, 1, &n),
		    0);
		test_int(key, n, 1);
		test_int(key, row.line, i);
	}
	looked = used_us();
	getrusage(RUSAGE_SELF, &usage);
	fprintf(stderr,
	    "# %s: %u rows each: start %.2f s, %.2f us a look-up in "
	    "both, %ld MB at most\n",
	    name, rows, (double)(started - begun) / 1e6,
	    (double)(looked - started) / 10000, usage.ru_maxrss / 1024);
	if (rows >= 1000000) {
		test_true(name, started - begun < 3000000);
		test_true(name, usage.ru_maxrss < 400 * 1024);
	}
	conf_unref(conf);
}

static void
tables_start_literal(void **state)
{
	(void)state;
	write_table("keys", "key", " d",
	    ".example:mail:/etc/dkimd/keys/d/mail.private", NULL);
	write_table("signing", "d", ".example key", "", "bad.example nosuch");
	check_start("file", "file:signing", "file:keys", "");
	test_int("a bad line is found at start", capture.report.rows, 1);
	capture_check("and named", &capture, "\"nosuch\": no row of KeyTable");
}

static void
tables_start_patterns(void **state)
{
	(void)state;
	write_table("keys", "key", " d",
	    ".example:mail:/etc/dkimd/keys/d/mail.private", NULL);
	write_table("signing", "*@d", ".example key", "", "*@x.example key1");
	check_start("refile", "refile:signing", "refile:keys", "user@");
	capture_check("no fault", &capture, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_start_literal),
		cmocka_unit_test(tables_start_patterns),
	};
	const char *text = getenv("DKIMD_TABLE_ROWS");

	if (text != NULL)
		rows = (unsigned)strtoul(text, NULL, 10);
	if (rows < 20000)
		rows = 20000;
	return CAPTURE_RUN(tests);
}
