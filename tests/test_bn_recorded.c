/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of bench/bn_recorded.c and bn_year.c: the tables of 2005
 * (tests/vectors/bench) as openssl speed prints them, and their ratios: limbs
 * of 64 bits double sparc64, and the build that was not measured first makes
 * an Alpha five times slower.
 */

/* system */
#include <math.h>
#include <sysexits.h>

/* bench */
#include "bench/bn_recorded.h"

/* this room */
#include "tests/test.h"

#define HEADER	"#system\topenssl\tbn\tkey_bits\tsign_per_s\tverify_per_s\t" \
    "source\n"

static struct tsv tsv;
static struct bn_recorded recorded;
static char text[8000];

static int
feed(const char *octets, size_t n)
{
	bool is_header, more;
	int status;

	tsv_begin(&tsv, "bn.tsv", octets, n);
	for (;;) {
		status = tsv_next(&tsv, &is_header, &more);
		if (status != 0 || !more)
			return status;
		if (is_header)
			test_true("header", bn_recorded_is_header(&tsv));
		else if ((status = bn_recorded_add(&recorded, &tsv)) != 0)
			return status;
	}
}

static void
print_2005(bool for_programs)
{
	size_t n;
	char *octets = (char *)test_file("vectors/bench/netbsd-bn-2005.tsv",
	    &n);
	FILE *out;

	test_int("tables of 2005", feed(octets, n), 0);
	free(octets);
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	bn_recorded_report(&recorded, for_programs, out);
	fclose(out);
	bn_recorded_clear(&recorded);
}

static void
bn_recorded_report_lines_of_2005(void **state)
{
	(void)state;
	print_2005(false);
	test_str("lines", text, "# sparc64 (NetBSD 2.99.12), 0.9.7d in-tree\n"
	    "options:bn(32,32)\n"
	    "                  sign    verify    sign/s verify/s\n"
	    "rsa  512 bits 0.016835s 0.001666s     59.4    600.2\n"
	    "rsa 1024 bits 0.100000s 0.005618s     10.0    178.0\n"
	    "rsa 2048 bits 0.666667s 0.020367s      1.5     49.1\n"
	    "rsa 4096 bits 5.000000s 0.076336s      0.2     13.1\n"
	    "# sparc64 (NetBSD 2.99.12), 0.9.7d patched\n"
	    "options:bn(64,64)\n"
	    "                  sign    verify    sign/s verify/s"
	    "   to the first build\n"
	    "rsa  512 bits 0.008224s 0.000816s    121.6   1225.4"
	    "   sign 2.05x verify 2.04x\n"
	    "rsa 1024 bits 0.045249s 0.002543s     22.1    393.3"
	    "   sign 2.21x verify 2.21x\n"
	    "rsa 2048 bits 0.294118s 0.008834s      3.4    113.2"
	    "   sign 2.27x verify 2.31x\n"
	    "rsa 4096 bits 2.000000s 0.032154s      0.5     31.1"
	    "   sign 2.50x verify 2.37x\n"
	    "# alpha (PC164 500 MHz, NetBSD 2.0BETA), 0.9.7c in-tree\n"
	    "options:in-tree (options not printed)\n"
	    "                  sign    verify    sign/s verify/s\n"
	    "rsa  512 bits 0.003171s 0.000290s    315.4   3451.9\n"
	    "rsa 1024 bits 0.011779s 0.000711s     84.9   1406.1\n"
	    "rsa 2048 bits 0.065789s 0.002097s     15.2    476.9\n"
	    "rsa 4096 bits 0.434783s 0.007047s      2.3    141.9\n"
	    "# alpha (PC164 500 MHz, NetBSD 2.0BETA), 0.9.7e pkgsrc\n"
	    "options:pkgsrc (options not printed)\n"
	    "                  sign    verify    sign/s verify/s"
	    "   to the first build\n"
	    "rsa  512 bits 0.009597s 0.000971s    104.2   1030.3"
	    "   sign 0.33x verify 0.30x\n"
	    "rsa 1024 bits 0.054348s 0.003087s     18.4    323.9"
	    "   sign 0.22x verify 0.23x\n"
	    "rsa 2048 bits 0.357143s 0.010941s      2.8     91.4"
	    "   sign 0.18x verify 0.19x\n"
	    "rsa 4096 bits 2.500000s 0.041152s      0.4     24.3"
	    "   sign 0.17x verify 0.17x\n");
}

/*
 * For programs: the octets of the file, and two columns more.
 */
static void
bn_recorded_report_rows_of_2005(void **state)
{
	size_t n, rows = 0;
	char *octets = (char *)test_file("vectors/bench/netbsd-bn-2005.tsv",
	    &n), *in, *out = text, *rest;

	(void)state;
	print_2005(true);
	for (in = strtok_r(octets, "\n", &rest); in != NULL;
	    in = strtok_r(NULL, "\n", &rest), rows++) {
		test_octets(in, out, strlen(in), in, strlen(in));
		out += strlen(in);
		test_true("ratios", *out == '\t');
		if (rows == 6)
			test_octets("sparc64, 64, 1024 bits", out, 13,
			    "\t2.210\t2.210\n", 13);
		out = strchr(out, '\n') + 1;
	}
	test_int("rows", rows, 17);
	test_true("all", *out == '\0');
	free(octets);
}

static void
bn_recorded_add_rows(void **state)
{
	static const char rows[] = HEADER "s\to\ta\t512\t10\t-\tx\n"
	    "s\to\tb\t512\t-\t20\tx\ns\to\tb\t1024\t4\t5\tx\n";
	FILE *out;

	(void)state;
	test_int("feed", feed(rows, strlen(rows)), 0);
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	bn_recorded_report(&recorded, false, out);
	fclose(out);
	bn_recorded_clear(&recorded);
	test_str("what is missing", text, "# s, o\noptions:a\n"
	    "                  sign    verify    sign/s verify/s\n"
	    "rsa  512 bits 0.100000s         -     10.0        -\n"
	    "# s, o\noptions:b\n"
	    "                  sign    verify    sign/s verify/s"
	    "   to the first build\n"
	    "rsa  512 bits         - 0.050000s        -     20.0\n"
	    "rsa 1024 bits 0.250000s 0.200000s      4.0      5.0\n");
}

/*
 * The ratio of neighbouring windows is not that of the medians.
 */
static void
bn_recorded_add_ratios(void **state)
{
	static const char rows[] =
	    "#system\topenssl\tbn\tkey_bits\tsign_per_s\tverify_per_s\t"
	    "source\tsign_ratio\tverify_ratio\n"
	    "s\to\ta\t512\t10.0\t30.0\tx\t1.000\t-\n"
	    "s\to\tb\t512\t20.0\t60.0\tx\t2.100\t-\n";
	FILE *out;

	(void)state;
	test_int("feed", feed(rows, strlen(rows)), 0);
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	bn_recorded_report(&recorded, true, out);
	fclose(out);
	bn_recorded_clear(&recorded);
	test_str("recorded, else made", strstr(text, "\tb\t"),
	    "\tb\t512\t20.0\t60.0\tx\t2.100\t2.000\n");
}

static void
bn_recorded_add_faults(void **state)
{
	static const struct {
		const char	*rows, *want;
	} rows[] = {
		{ "s\to\ta\t512\t1\t1\tx\ns\to\ta\t512\t1\t1\ty\n",
		    "bn.tsv:3: 512 bits of o, a are there twice" },
		{ "s\to\ta\tmany\t1\t1\tx\n", "bn.tsv:2: key_bits \"many\": a "
		    "whole number from 1 to 65536 is wanted" },
		{ "s\to\ta\t512\tfast\t1\tx\n", "bn.tsv:2: sign_per_s \"fast\""
		    ": a number from 0 to 1e+15 is wanted, - for none" },
		{ "s\to\t\t512\t1\t1\tx\n",
		    "bn.tsv:2: bn is empty; - is for none" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		snprintf(text, sizeof text, HEADER "%s", rows[i].rows);
		test_int(rows[i].want, feed(text, strlen(text)), EX_DATAERR);
		test_str("told", tsv.error, rows[i].want);
		bn_recorded_clear(&recorded);
	}
}

static void
bn_recorded_add_too_many_rows(void **state)
{
	static char many[100 + 40 * (BN_RECORDED_ROWS_MAX + 1)];
	size_t n = (size_t)sprintf(many, HEADER);

	(void)state;
	for (unsigned i = 1; i <= BN_RECORDED_ROWS_MAX; i++)
		n += (size_t)sprintf(many + n, "s\to\ta\t%u\t1\t1\tx\n", i);
	test_int("so many", feed(many, n), 0);
	bn_recorded_clear(&recorded);
	n += (size_t)sprintf(many + n, "s\to\ta\t2000\t1\t1\tx\n");
	test_int("one more", feed(many, n), EX_DATAERR);
	test_str("one more", tsv.error, "bn.tsv:1026: more than 1024 rows");
	bn_recorded_clear(&recorded);
}

static bool
feed_some(void *arg)
{
	int status = feed(arg, strlen(arg));

	test_true("a code", status == 0 || status == EX_OSERR);
	bn_recorded_clear(&recorded);
	return status == 0;
}

static void
bn_recorded_add_no_memory(void **state)
{
	static char some[] = HEADER "s\to\ta\t512\t1\t1\tx\n"
	    "s\to\tb\t512\t1\t1\tx\n";

	(void)state;
	test_every_allocation(feed_some, some);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bn_recorded_report_lines_of_2005),
		cmocka_unit_test(bn_recorded_report_rows_of_2005),
		cmocka_unit_test(bn_recorded_add_rows),
		cmocka_unit_test(bn_recorded_add_ratios),
		cmocka_unit_test(bn_recorded_add_faults),
		cmocka_unit_test(bn_recorded_add_too_many_rows),
		cmocka_unit_test(bn_recorded_add_no_memory),
	};

	return TEST_RUN(tests);
}
