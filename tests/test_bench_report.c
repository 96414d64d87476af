/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What dkimbench rsa and dkimbench bn print, by figures of the old tables
 * (openssl speed, 2009; NetBSD's bignums, 2005).
 */

/* bench */
#include "bench/bn_report.h"
#include "bench/rsa_report.h"

/* this room */
#include "tests/test.h"

static char text[4000];

static FILE *
paper(void)
{
	memset(text, 0, sizeof text);
	return fmemopen(text, sizeof text, "w");
}

static struct measure_summary
summary_of(double per_s, double ratio)
{
	struct measure_summary s = { .per_s_median = per_s,
	    .per_s_min = per_s / 2, .per_s_max = per_s * 2,
	    .ns_median = 1e9 / per_s, .ns_p95 = 2e9 / per_s, .ratio = ratio,
	    .cycles = 4e9 / per_s };

	return s;
}

static const struct rsa_result sign = { .backend = "bn64:ifma",
    .path = "ifma", .bits = 1024, .batch = 8, .threads = 1,
    .op = "sign" };

static void
rsa_report_tsv(void **state)
{
	struct rsa_report report;
	struct rsa_result r = sign;
	FILE *out = paper();

	(void)state;
	rsa_report_begin(&report, RSA_REPORT_TSV, out);
	r.summary = summary_of(2000, 6.5);
	test_int("a row", rsa_report_add(&report, &r), 0);
	r.summary.cycles = 0;
	r.op = "verify";
	test_int("no cycles", rsa_report_add(&report, &r), 0);
	r.reason = "it is not here";
	r.path = NULL;
	test_int("not here", rsa_report_add(&report, &r), 0);
	rsa_report_batch(&report);
	fclose(out);
	test_str("tsv", text, "#backend\tpath\tbits\top\tbatch\tthreads\t"
	    "per_s_median\tper_s_min\tper_s_max\tratio\tcycles\t"
	    "ns_each\tns_p95\n"
	    "bn64:ifma\tifma\t1024\tsign\t8\t1\t2000.0\t1000.0\t4000.0\t"
	    "6.500\t2000000\t500000\t1000000\n"
	    "bn64:ifma\tifma\t1024\tverify\t8\t1\t2000.0\t1000.0\t4000.0\t"
	    "6.500\t-\t500000\t1000000\n"
	    "bn64:ifma\t-\t1024\tverify\t8\t1\tn/a\tn/a\tn/a\tn/a\tn/a\t"
	    "n/a\tn/a\n");
}

/* A run of openssl speed of 2009: 0.000505 s, 0.000032 s. */
static void
rsa_report_openssl_form(void **state)
{
	struct rsa_report report;
	struct rsa_result r = sign;
	FILE *out = paper();

	(void)state;
	rsa_report_begin(&report, RSA_REPORT_OPENSSL, out);
	r.summary = summary_of(1981.8, 1);
	test_int("sign", rsa_report_add(&report, &r), 0);
	r.entrant = 1;
	r.backend = "libcrypto";
	r.reason = "it is not here";
	test_int("another", rsa_report_add(&report, &r), 0);
	r.op = "verify";
	test_int("another", rsa_report_add(&report, &r), 0);
	r.entrant = 0;
	r.backend = "bn64:ifma";
	r.reason = NULL;
	r.path = "adx";
	r.summary = summary_of(31259.8, 1);
	test_int("verify", rsa_report_add(&report, &r), 0);
	rsa_report_batch(&report);
	/* nothing is left for the next size */
	rsa_report_batch(&report);
	fclose(out);
	test_str("openssl", text,
	    "                  sign    verify    sign/s verify/s\n"
	    "# bn64:ifma, sign by ifma, verify by adx, batch 8, threads 1\n"
	    "rsa 1024 bits 0.000505s 0.000032s   1981.8  31259.8\n"
	    "# libcrypto: n/a: it is not here\n");
}

/* sparc64 of 2005: 512 and 1024 bits, limbs of 32 and 64 bits. */
static void
bn_of_2005(struct bn_report *report)
{
	struct measure_summary s[2];

	s[0] = summary_of(59.4, 1);
	s[1] = summary_of(121.6, 2.047);
	test_int("sign", bn_report_add(report, 512, "sign", s), 0);
	s[0] = summary_of(600.2, 1);
	s[1] = summary_of(1225.4, 2.042);
	test_int("verify", bn_report_add(report, 512, "verify", s), 0);
	s[0] = summary_of(10.0, 1);
	s[1] = summary_of(22.1, 2.21);
	test_int("sign", bn_report_add(report, 1024, "sign", s), 0);
	s[0] = summary_of(178.0, 1);
	s[1] = summary_of(393.3, 2.21);
	test_int("verify", bn_report_add(report, 1024, "verify", s), 0);
	bn_report_end(report);
}

static const struct options_numbers limbs = { { 32, 64 }, 2 };

static void
bn_report_lines(void **state)
{
	static struct bn_report report;
	FILE *out = paper();

	(void)state;
	bn_report_begin(&report, &limbs, false, false, out);
	bn_of_2005(&report);
	fclose(out);
	test_str("lines", text, "options:bn(64,32)\n"
	    "                  sign    verify    sign/s verify/s\n"
	    "rsa  512 bits 0.016835s 0.001666s     59.4    600.2\n"
	    "rsa 1024 bits 0.100000s 0.005618s     10.0    178.0\n"
	    "options:bn(128,64)\n"
	    "                  sign    verify    sign/s verify/s"
	    "   to 32-bit limbs\n"
	    "rsa  512 bits 0.008224s 0.000816s    121.6   1225.4"
	    "   sign 2.05x verify 2.04x\n"
	    "rsa 1024 bits 0.045249s 0.002543s     22.1    393.3"
	    "   sign 2.21x verify 2.21x\n");
}

static bool
begins(const char *all, const char *beginning)
{
	return all != NULL &&
	    strncmp(all, beginning, strlen(beginning)) == 0;
}

static void
bn_report_tsv(void **state)
{
	static struct bn_report report;
	FILE *out = paper();

	(void)state;
	bn_report_begin(&report, &limbs, false, true, out);
	bn_of_2005(&report);
	fclose(out);
	test_true("header", begins(text, "#system\topenssl\tbn\tkey_bits\t"
	    "sign_per_s\tverify_per_s\tsource\tsign_ratio\tverify_ratio\n"));
	test_true("of the first width", begins(strstr(text,
	    "\tbn(64,32)\t1024"), "\tbn(64,32)\t1024\t10.0\t178.0\t"
	    "dkimbench\t1.000\t1.000\n"));
	test_true("of the second", begins(strstr(text, "\tbn(128,64)\t512"),
	    "\tbn(128,64)\t512\t121.6\t1225.4\tdkimbench\t2.047\t2.042\n"));
}

static void
bn_report_parts(void **state)
{
	static struct bn_report report;
	struct measure_summary s[2] = { summary_of(1000, 1),
	    summary_of(2000, 2) };
	FILE *out = paper();

	(void)state;
	bn_report_begin(&report, &limbs, true, true, out);
	test_int("a row each", bn_report_add(&report, 2048, "modmul", s), 0);
	bn_report_end(&report);
	fclose(out);
	test_str("parts", text, "#limb\tbits\top\tper_s_median\tper_s_min\t"
	    "per_s_max\tratio\tcycles\n"
	    "32\t2048\tmodmul\t1000.0\t500.0\t2000.0\t1.000\t4000000\n"
	    "64\t2048\tmodmul\t2000.0\t1000.0\t4000.0\t2.000\t2000000\n");
}

static void
report_full_disk(void **state)
{
	struct rsa_report report;
	struct rsa_result r = sign;
	FILE *out = fopen("/dev/full", "w");

	(void)state;
	if (out == NULL)
		return;
	r.summary = summary_of(1000, 1);
	rsa_report_begin(&report, RSA_REPORT_TSV, out);
	test_true("said", rsa_report_add(&report, &r) != 0);
	fclose(out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rsa_report_tsv),
		cmocka_unit_test(rsa_report_openssl_form),
		cmocka_unit_test(bn_report_lines),
		cmocka_unit_test(bn_report_tsv),
		cmocka_unit_test(bn_report_parts),
		cmocka_unit_test(report_full_disk),
	};

	return TEST_RUN(tests);
}
