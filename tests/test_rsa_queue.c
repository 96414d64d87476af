/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench rsa --rate: arrivals at random, signatures through the daemon's
 * queue, and what is told of them. Nothing here asks how fast anything is.
 */

/* system */
#include <math.h>
#include <stdio.h>
#include <sysexits.h>
#include <unistd.h>

/* rooms */
#include "bench/rsa_queue_load.h"
#include "bench/rsa_queue_report.h"

/* this room */
#include "tests/fake_backend.h"

#define BITS	512
#define MANY	100000

static struct reference *reference;
static struct pin pin;

static struct rsab_group
fake_group(const struct rsab_key *key, enum rsab_op op)
{
	(void)key;
	return (struct rsab_group){ .id = 77u + (uint32_t)op, .batch = 4 };
}

static int
set_up(void **state)
{
	(void)state;
	fake_init();
	fake.group = fake_group;
	if (pin_init(&pin, PIN_ANY) != 0)
		return -1;
	return reference_make(BITS, 7, &reference);
}

static int
tear_down(void **state)
{
	(void)state;
	reference_free(reference);
	return 0;
}

/*
 * The exponential distribution by its own formula: mean and variance 1, and
 * the part above x is e^-x. Bounds are five standard deviations.
 */
static void
random_gap_is_exponential(void **state)
{
	struct random random = { 1 };
	double sum = 0, squares = 0, above[3] = { 0 };

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		double gap = random_gap(&random);

		test_true("never below 0, never endless", gap >= 0 &&
		    gap < 37);
		sum += gap;
		squares += gap * gap;
		for (int x = 1; x <= 3; x++)
			above[x - 1] += gap > x;
	}
	test_true("mean", fabs(sum / MANY - 1) < 5 / sqrt(MANY));
	/* of squares: mean 2, variance 24 - 4 */
	test_true("squares", fabs(squares / MANY - 2) < 5 * sqrt(20. / MANY));
	for (int x = 1; x <= 3; x++) {
		double p = exp(-x);

		test_true("above", fabs(above[x - 1] / MANY - p) <
		    5 * sqrt(p * (1 - p) / MANY));
	}
}

static struct rsa_entrant
entrant_of(const struct rsab_backend *backend)
{
	return (struct rsa_entrant){ .name = backend->name,
	    .backend = backend };
}

static void
load_init(struct rsa_queue_load *load, const struct rsab_backend *backend)
{
	const struct rsa_entrant entrant = entrant_of(backend);

	test_int("init", rsa_queue_load_init(load, &entrant, reference, &pin,
	    1, 3), 0);
}

static void
load_batch_of_full_passes(void **state)
{
	struct rsa_queue_load load;

	(void)state;
	load_init(&load, &backend_libcrypto);
	test_int("one by one", rsa_queue_load_batch(&load), 1);
	rsa_queue_load_clear(&load);
	load_init(&load, &fake);
	test_int("two passes of 4", rsa_queue_load_batch(&load), 8);
	rsa_queue_load_clear(&load);
}

static void
load_windows_answer_all(void **state)
{
	struct rsa_queue_load load;
	double ns = 0;

	(void)state;
	habit = HONEST;
	load_init(&load, &fake);
	test_int("pass", rsa_queue_load_pass(&load, 0.001, &ns), 0);
	test_true("it took time", ns > 0);
	for (int i = 0; i < 2; i++) {
		test_int("full", rsa_queue_load_full(&load, 0.001), 0);
		test_int("all answered", load.asked - load.taken, 0);
		test_true("so many a second", load.per_s > 0);
		test_int("nothing that counts", load.n, 0);
	}
	test_int("arrivals", rsa_queue_load_at(&load, 1e5, 0.001), 0);
	test_int("all answered", load.asked - load.taken, 0);
	test_true("some count", load.n + load.failures > 0);
	if (load.n > 0)		/* not all found the queue full */
		test_int("the first do not", load.n + load.failures,
		    load.late_n);
	for (size_t i = 0; i < load.late_n; i++)
		test_true("never before their time", load.late[i] >= 0);
	rsa_queue_load_clear(&load);
	test_true("nothing is left", load.key == NULL && load.signer == NULL);
}

/* 220 of them, and as many as come in the time. */
static void
load_at_lasts_long_enough(void **state)
{
	struct rsa_queue_load load;

	(void)state;
	habit = HONEST;
	load_init(&load, &backend_libcrypto);
	test_int("short", rsa_queue_load_at(&load, 4000, 0.001), 0);
	/* Poisson: 220 +- 5 * 15 */
	test_true("220 arrivals", load.late_n + RSA_QUEUE_SKIP > 145 &&
	    load.late_n + RSA_QUEUE_SKIP < 295);
	test_int("longer", rsa_queue_load_at(&load, 4000, 0.2), 0);
	/* 800 +- 5 * 28 */
	test_true("800 arrivals", load.late_n + RSA_QUEUE_SKIP > 658 &&
	    load.late_n + RSA_QUEUE_SKIP < 942);
	rsa_queue_load_clear(&load);
}

static void
load_wrong_signatures(void **state)
{
	struct rsa_queue_load load;
	double ns;

	(void)state;
	habit = HONEST;
	load_init(&load, &fake);
	test_int("begins well", rsa_queue_load_full(&load, 0.001), 0);
	habit = WRONG;
	test_int("a batch", rsa_queue_load_pass(&load, 0.001, &ns),
	    EX_SOFTWARE);
	test_int("a window", rsa_queue_load_full(&load, 0.001), EX_SOFTWARE);
	rsa_queue_load_clear(&load);
	habit = HONEST;
	load_init(&load, &fake);
	habit = WRONG;
	test_int("arrivals", rsa_queue_load_at(&load, 1e4, 0.001),
	    EX_SOFTWARE);
	rsa_queue_load_clear(&load);
	habit = HONEST;
}

static void
report_tsv(void **state)
{
	static char text[2000];
	struct rsa_queue_result r = { .backend = "bn64", .path = "ifma",
	    .bits = 2048, .threads = 1, .batch = 8, .p99_all = 2500,
	    .samples = 4000, .failures = 3 };
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	for (size_t i = 0; i < RSA_QUEUE_FIGURES; i++)
		r.figure[i] = (double)(i + 1);
	rsa_queue_report_begin(true, out);
	test_int("a row", rsa_queue_report_add(true, out, &r), 0);
	r.reason = "it is not here";
	r.path = NULL;
	test_int("not here", rsa_queue_report_add(true, out, &r), 0);
	fclose(out);
	test_str("tsv", text, "#backend\tpath\tbits\tthreads\tbatch\t"
	    "capacity_per_s\trate_per_s\tload\tp50_us\tp95_us\tp99_us\t"
	    "pass_us\tp99_passes\tp99_all_us\tlate_p99_us\tsamples\t"
	    "failures\n"
	    "bn64\tifma\t2048\t1\t8\t1.0\t2.0\t3.00\t4.0\t5.0\t6.0\t7.0\t"
	    "8.00\t2500.0\t9.0\t4000\t3\n"
	    "bn64\t-\t2048\t1\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\t"
	    "n/a\tn/a\tn/a\tn/a\n");
}

static void
token_place_names(void **state)
{
	static const struct {
		const char	*module, *name;
	} rows[] = {
		{ "/usr/lib/softhsm/libsofthsm2.so", "softhsm2" },
		{ "/usr/lib/x86_64-linux-gnu/libsoftokn3.so", "softokn3" },
		{ "/opt/hsm/cryptoki.so.2.1", "cryptoki" },
		{ "/module", "module" },
		{ "/usr/lib/abcdefghijabcdefghijabcdefghijabcdefghij.so",
		    "abcdefghijabcdefghijabcdefghija" },
	};
	struct rsa_token_place place;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		rsa_token_place(&place, rows[i].module);
		test_str(rows[i].module, place.name, rows[i].name);
		test_str("module", place.module, rows[i].module);
		test_true("nothing else", place.uri == NULL &&
		    place.init_args == NULL && place.pin[0] == '\0');
	}
}

static void
token_pin_first_line(void **state)
{
	static const struct {
		const char	*name, *file, *pin;
		int		 want;
	} rows[] = {
		{ "a line", "1234\n", "1234", 0 },
		{ "no end", "1234", "1234", 0 },
		{ "the first", "1234\n5678\n", "1234", 0 },
		{ "blanks belong to it", " 12 \n", " 12 ", 0 },
		{ "nothing", "", NULL, EX_DATAERR },
		{ "an empty line", "\n1234\n", NULL, EX_DATAERR },
	};
	struct rsa_token_place place;
	char path[] = "/tmp/rsa-queue-pin-XXXXXX";
	int fd = mkstemp(path);
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		rsa_token_place(&place, "/m.so");
		assert_non_null(f = fopen(path, "w"));
		fputs(rows[i].file, f);
		fclose(f);
		test_int(rows[i].name, rsa_token_pin(&place, path),
		    rows[i].want);
		if (rows[i].pin != NULL)
			test_str(rows[i].name, place.pin, rows[i].pin);
	}
	unlink(path);
	test_int("no file", rsa_token_pin(&place, path), EX_NOINPUT);
}

/* 255 octets are a PIN, with the end of the line or without; 256 are not. */
static void
token_pin_limit(void **state)
{
	struct rsa_token_place place;
	char path[] = "/tmp/rsa-queue-pin-XXXXXX";
	int fd = mkstemp(path);
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (int n = 254; n <= 257; n++)
		for (int end = 0; end < 2; end++) {
			rsa_token_place(&place, "/m.so");
			assert_non_null(f = fopen(path, "w"));
			for (int i = 0; i < n; i++)
				fputc('9', f);
			if (end)
				fputc('\n', f);
			fclose(f);
			test_int("limit", rsa_token_pin(&place, path),
			    n <= RSAB_TOKEN_PIN_MAX ? 0 : EX_DATAERR);
			if (n <= RSAB_TOKEN_PIN_MAX)
				test_int("octets", strlen(place.pin), n);
		}
	unlink(path);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_gap_is_exponential),
		cmocka_unit_test(load_batch_of_full_passes),
		cmocka_unit_test(load_windows_answer_all),
		cmocka_unit_test(load_at_lasts_long_enough),
		cmocka_unit_test(load_wrong_signatures),
		cmocka_unit_test(report_tsv),
		cmocka_unit_test(token_place_names),
		cmocka_unit_test(token_pin_first_line),
		cmocka_unit_test(token_pin_limit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
