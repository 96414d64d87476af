/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of bench/standing*.c: fed with the runs of 2009 (tests/vectors/bench)
 * they give the means of the table that was printed in 2009, and its
 * percentages within 1.
 */

/* system */
#include <math.h>
#include <sysexits.h>

/* bench */
#include "bench/standing_report.h"

/* this room */
#include "tests/test.h"

#define HEADER	"#row\tmachine\tmhz\tos\topenssl\tbackend\tmeasure\t" \
    "key_bits\trun\tvalue\tmessages_in_5s\n"

static struct tsv tsv;
static struct standing standing;

/*
 * All rows of octets into standing.
 */
static int
feed(const char *octets, size_t n)
{
	bool is_header, more;
	int status;

	tsv_begin(&tsv, "runs.tsv", octets, n);
	for (;;) {
		status = tsv_next(&tsv, &is_header, &more);
		if (status != 0 || !more)
			return status;
		if (is_header)
			test_true("header", standing_is_header(&tsv));
		else if ((status = standing_add(&standing, &tsv)) != 0)
			return status;
	}
}

static void
feed_2009(void)
{
	size_t n;
	char *octets = (char *)test_file(
	    "vectors/bench/dkimbench-2009-runs.tsv", &n);

	test_int("runs of 2009", feed(octets, n), 0);
	free(octets);
	test_int("compared", standing_compare(&standing, NULL), 0);
}

/*
 * The row that the printed table means: labels there have a = behind them for
 * another build, and a comma within its name.
 */
static const struct standing_row *
row_of(char *label, char *openssl)
{
	char *comma = strchr(openssl, ',');

	label[strcspn(label, "=")] = '\0';
	if (comma != NULL)
		memmove(comma, comma + 1, strlen(comma));
	for (size_t i = 0; i < standing.n; i++)
		if (strcmp(standing.rows[i].row, label) == 0 &&
		    strcmp(standing.rows[i].openssl, openssl) == 0)
			return &standing.rows[i];
	fail_msg("row %s, %s is missing", label, openssl);
	return NULL;
}

static void
check_printed_row(char *line)
{
	char *column[17];
	bool is_build;
	const struct standing_row *row;

	for (size_t i = 0; i < TEST_COUNT(column); i++)
		column[i] = strsep(&line, "\t");
	test_true("columns", column[16] != NULL && line == NULL);
	is_build = strchr(column[0], '=') != NULL;
	row = row_of(column[0], column[3]);
	test_int("mhz", row->mhz, atoi(column[4]));
	for (unsigned m = 0; m < STANDING_MEASURES; m++) {
		const struct standing_figure *f = &row->figure[m];
		char **printed = &column[5 + 3 * m];

		/* DKIM runs of these builds were not printed */
		if (is_build && m < STANDING_RSA_SIGN) {
			test_true("no runs", f->runs == 0 && f->mean < 0);
			continue;
		}
		test_int("runs", f->runs, 3);
		test_int(column[3], lround(f->mean), atoi(printed[0]));
		test_true(column[3],
		    labs(lround(f->percent) - atoi(printed[1])) <= 1);
		test_true(column[3],
		    labs(lround(f->corrected) - atoi(printed[2])) <= 1);
	}
}

static void
standing_compare_table_of_2009(void **state)
{
	size_t n, rows = 0;
	char *text, *line, *rest;

	(void)state;
	feed_2009();
	test_int("rows of the runs", standing.n, 16);
	text = (char *)test_file("vectors/bench/dkimbench-2009-table.tsv", &n);
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	    line = strtok_r(NULL, "\n", &rest)) {
		if (*line == '#')
			continue;
		check_printed_row(line);
		rows++;
	}
	test_int("rows of the table", rows, 13);
	free(text);
	standing_clear(&standing);
}

static const char two[] = HEADER
    "a\tm\t2000\to\ts\tlibcrypto\trsa-sign\t1024\t1\t90\t-\n"
    "a\tm\t2000\to\ts\tlibcrypto\trsa-sign\t1024\t2\t110\t-\n"
    "a\tm\t2000\to\ts\tlibcrypto\trsa-verify\t1024\t1\t0\t-\n"
    "b\tm\t1000\to\ts\tbn64\trsa-sign\t1024\t1\t300\t-\n"
    "b\tm\t1000\to\ts\tbn64\trsa-verify\t1024\t1\t5\t-\n"
    "c\tm\t-\to\ts\tbn64\trsa-sign\t1024\t7\t50\t-\n"
    "c\tm\t-\to\ts\tbn64\tdkim-sign\t1024\t7\tn/a\t-\n"
    "a\tm\t2000\to\ts\tlibcrypto\trsa-sign\t2048\t1\t20\t-\n"
    "b\tm\t1000\to\ts\tbn64\trsa-sign\t2048\t1\t80\t-\n"
    "b\tm\t1000\to\ts\tbn64\trsa-sign\t4096\t1\t8\t-\n";

static void
test_figures(const char *name, size_t i, double mean, double percent,
    double corrected)
{
	const struct standing_figure *f =
	    &standing.rows[i].figure[STANDING_RSA_SIGN];

	test_int(name, lround(f->mean), lround(mean));
	test_int(name, lround(f->percent), lround(percent));
	test_int(name, lround(f->corrected), lround(corrected));
}

static void
standing_compare_by_hand(void **state)
{
	const struct standing_figure *f;

	(void)state;
	test_int("feed", feed(two, strlen(two)), 0);
	test_int("rows", standing.n, 6);
	test_int("compare", standing_compare(&standing, NULL), 0);
	test_figures("itself", 0, 100, 100, 100);
	test_figures("three times, half the clock", 1, 300, 300, 600);
	test_figures("no clock", 2, 50, 50, -1);
	test_figures("itself, other size", 3, 20, 100, 100);
	test_figures("other size", 4, 80, 400, 800);
	test_figures("a size the baseline lacks", 5, 8, -1, -1);
	f = standing.rows[1].figure;
	test_true("of nothing", f[STANDING_RSA_VERIFY].percent < 0);
	f = standing.rows[2].figure;
	test_true("n/a", f[STANDING_DKIM_SIGN].mean < 0);
	test_int("another baseline", standing_compare(&standing, "b"), 0);
	test_figures("of b", 0, 100, 33, 17);
	test_figures("b itself", 5, 8, 100, 100);
	test_int("no such row", standing_compare(&standing, "z"), EX_USAGE);
	standing_clear(&standing);
	test_int("nothing", standing_compare(&standing, NULL), 0);
}

static void
standing_add_faults(void **state)
{
	static const struct {
		const char	*row, *want;
	} rows[] = {
		{ "a\tm\t1\to\ts\tb\tsign\t1024\t1\t9\t-\n", "runs.tsv:2: "
		    "measure \"sign\": dkim-sign, dkim-verify, rsa-sign and "
		    "rsa-verify are known" },
		{ "a\tm\tfast\to\ts\tb\trsa-sign\t1024\t1\t9\t-\n",
		    "runs.tsv:2: mhz \"fast\": a number from 0 to 1e+15 is "
		    "wanted, - for none" },
		{ "a\tm\t0\to\ts\tb\trsa-sign\t1024\t1\t9\t-\n",
		    "runs.tsv:2: mhz 0: 0.001 to 1e+09 is wanted, - for none" },
		{ "a\tm\t1\to\ts\tb\trsa-sign\t1k\t1\t9\t-\n",
		    "runs.tsv:2: key_bits \"1k\": a whole number from 1 to "
		    "65536 is wanted" },
		{ "a\tm\t1\to\ts\tb\trsa-sign\t1024\t0\t9\t-\n",
		    "runs.tsv:2: run \"0\": a whole number from 1 to 1024 is "
		    "wanted" },
		{ "a\tm\t1\to\ts\tb\trsa-sign\t1024\t1025\t9\t-\n",
		    "runs.tsv:2: run \"1025\": a whole number from 1 to 1024 "
		    "is wanted" },
		{ "a\tm\t1\to\ts\tb\trsa-sign\t1024\t1\t9x\t-\n",
		    "runs.tsv:2: value \"9x\": a number from 0 to 1e+15 is "
		    "wanted, - for none" },
		{ "a\tm\t1\to\ts\t\trsa-sign\t1024\t1\t9\t-\n",
		    "runs.tsv:2: backend is empty; - is for none" },
		{ "a\tm\t1\to\ts\tb\trsa-sign\t1024\t1024\t9\t-\n"
		    "a\tm\t1\to\ts\tb\trsa-sign\t1024\t1024\t9\t-\n",
		    "runs.tsv:3: run 1024 of rsa-sign of row a (b, 1024 bits)"
		    " is there twice" },
		{ "a\tm\t1\to\ts\tb\trsa-sign\t1024\t1\t9\t-\n"
		    "a\tm\t2\to\ts\tb\trsa-sign\t1024\t2\t9\t-\n",
		    "runs.tsv:3: mhz 2; row a had 1 above" },
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof text, HEADER "%s", rows[i].row);
		test_int(rows[i].want, feed(text, strlen(text)), EX_DATAERR);
		test_str(rows[i].row, tsv.error, rows[i].want);
		standing_clear(&standing);
	}
}

static void
standing_add_too_many_rows(void **state)
{
	static char text[200 + 50 * (STANDING_ROWS_MAX + 1)];
	size_t n = (size_t)sprintf(text, HEADER);

	(void)state;
	for (unsigned i = 0; i < STANDING_ROWS_MAX; i++)
		n += (size_t)sprintf(text + n,
		    "%u\tm\t1\to\ts\tb\trsa-sign\t1024\t1\t9\t-\n", i);
	test_int("so many", feed(text, n), 0);
	test_int("rows", standing.n, STANDING_ROWS_MAX);
	standing_clear(&standing);
	n += (size_t)sprintf(text + n,
	    "x\tm\t1\to\ts\tb\trsa-sign\t1024\t1\t9\t-\n");
	test_int("one more", feed(text, n), EX_DATAERR);
	test_str("one more", tsv.error,
	    "runs.tsv:1026: more than 1024 rows");
	standing_clear(&standing);
}

static void
standing_sort_keys(void **state)
{
	/* rows of 2009 without those of 0.9.8k, as labels in order */
	static const struct {
		const char	*keys, *want;
	} rows[] = {
		{ "row", "1 1 1 1 2 3 4 5 5 5 5 6 7 8 9 10 " },
		{ "row:down", "10 9 8 7 6 5 5 5 5 4 3 2 1 1 1 1 " },
		{ "dkim_sign", "2 10 3 4 1 6 8 5 7 9 1 1 1 5 5 5 " },
		{ "dkim_verify_cor", "4 10 7 5 6 8 9 2 3 1 1 1 1 5 5 5 " },
		{ "rsa_sign_pct:up", "7 9 5 5 5 5 8 6 10 1 4 1 1 2 3 1 " },
		{ "backend,mhz:down,row", "1 10 9 7 1 2 3 4 5 5 8 6 1 1 5 5 " },
	};
	char got[100];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		feed_2009();
		test_int(rows[i].keys, standing_sort(&standing, rows[i].keys),
		    0);
		got[0] = '\0';
		for (size_t k = 0; k < standing.n; k++) {
			strcat(got, standing.rows[k].row);
			strcat(got, " ");
		}
		test_str(rows[i].keys, got, rows[i].want);
		standing_clear(&standing);
	}
	feed_2009();
	test_int("unknown", standing_sort(&standing, "speed"), EX_USAGE);
	test_int("no clock in percent", standing_sort(&standing, "mhz_pct"),
	    EX_USAGE);
	test_int("direction", standing_sort(&standing, "mhz:best"), EX_USAGE);
	test_int("empty", standing_sort(&standing, "mhz,"), EX_USAGE);
	standing_clear(&standing);
}

static void
standing_report_paper(void **state)
{
	static char text[4000];
	FILE *out;

	(void)state;
	test_int("feed", feed(two, strlen(two)), 0);
	test_int("compare", standing_compare(&standing, NULL), 0);
	standing.n = 3;
	out = fmemopen(text, sizeof text, "w");
	standing_report(&standing, true, out);
	fclose(out);
	test_str("tsv", text, "#row\tos\tmachine\topenssl\tbackend\tmhz\t"
	    "key_bits\tdkim_sign\tdkim_sign_pct\tdkim_sign_cor\tdkim_verify\t"
	    "dkim_verify_pct\tdkim_verify_cor\trsa_sign\trsa_sign_pct\t"
	    "rsa_sign_cor\trsa_verify\trsa_verify_pct\trsa_verify_cor\n"
	    "a\to\tm\ts\tlibcrypto\t2000\t1024\t-\t-\t-\t-\t-\t-\t100\t100\t"
	    "100\t0\t-\t-\n"
	    "b\to\tm\ts\tbn64\t1000\t1024\t-\t-\t-\t-\t-\t-\t300\t300\t600\t"
	    "5\t-\t-\n"
	    "c\to\tm\ts\tbn64\t-\t1024\t-\t-\t-\t-\t-\t-\t50\t50\t-\t-\t-\t"
	    "-\n");
	memset(text, 0, sizeof text);
	standing.n = 1;
	out = fmemopen(text, sizeof text, "w");
	standing_report(&standing, false, out);
	fclose(out);
	test_str("people", text, "row os machine openssl backend     mhz "
	    "key_bits dkim_sign     %  cor% dkim_verify     %  cor%  rsa_sign"
	    "     %  cor% rsa_verify     %  cor%\n"
	    "a   o  m       s       libcrypto  2000     1024         -     -"
	    "     -           -     -     -       100   100   100          0"
	    "     -     -\n");
	standing_clear(&standing);
}

static bool
feed_two(void *arg)
{
	int status = feed(two, strlen(two));

	(void)arg;
	test_true("a code", status == 0 || status == EX_OSERR);
	standing_clear(&standing);
	return status == 0;
}

static void
standing_add_no_memory(void **state)
{
	(void)state;
	test_every_allocation(feed_two, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standing_compare_table_of_2009),
		cmocka_unit_test(standing_compare_by_hand),
		cmocka_unit_test(standing_add_faults),
		cmocka_unit_test(standing_add_too_many_rows),
		cmocka_unit_test(standing_sort_keys),
		cmocka_unit_test(standing_report_paper),
		cmocka_unit_test(standing_add_no_memory),
	};

	return TEST_RUN(tests);
}
