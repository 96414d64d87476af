/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench: statistics by values worked out by hand, and windows under a
 * clock that the test moves.
 */

/* system */
#include <math.h>
#include <sysexits.h>

/* bench */
#include "bench/measure.h"
#include "bench/options.h"
#include "bench/random.h"
#include "bench/statistic.h"
#include "bench/stopwatch.h"
#include "bench/table.h"
#include "bench/welch.h"

/* this room */
#include "tests/test.h"

#define test_figure(row, got, want) \
	test_true(row, fabs((got) - (want)) < 1e-9 * (fabs(want) + 1e-9))

static void
statistic_median_by_hand(void **state)
{
	double odd[] = { 9, 1, 5 }, even[] = { 8, 2, 4, 100 }, one[] = { 7 };

	(void)state;
	statistic_sort(odd, 3);
	test_figure("sorted", odd[0], 1.0);
	test_figure("the middle of three", statistic_median(odd, 3), 5.0);
	statistic_sort(even, 4);
	test_figure("between the two of four", statistic_median(even, 4), 6.0);
	test_figure("one", statistic_median(one, 1), 7.0);
	test_figure("none", statistic_median(one, 0), 0.0);
}

/*
 * Nearest rank: the ceil(p n / 100)-th of n. Values are 10 times their rank.
 */
static void
statistic_percentile_by_hand(void **state)
{
	static const struct {
		const char	*name;
		size_t		 n;
		double		 percent, want;
	} rows[] = {
		{ "p95 of 20: the 19th", 20, 95, 190 },
		{ "p95 of 21: 19.95, the 20th", 21, 95, 200 },
		{ "p95 of 19: 18.05, the 19th", 19, 95, 190 },
		{ "p50 of 4: the 2nd", 4, 50, 20 },
		{ "p50 of 5: 2.5, the 3rd", 5, 50, 30 },
		{ "p100 of 4", 4, 100, 40 },
		{ "p1 of 4: 0.04, the 1st", 4, 1, 10 },
		{ "p95 of one", 1, 95, 10 },
		{ "none", 0, 95, 0 },
	};
	double v[21];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(v); i++)
		v[i] = 10 * (double)(i + 1);
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_figure(rows[i].name, statistic_percentile(v, rows[i].n,
		    rows[i].percent), rows[i].want);
}

static void
statistic_agree_at_its_bound(void **state)
{
	(void)state;
	test_true("2 % of the larger", statistic_agree(98, 100, 2));
	test_true("either order", statistic_agree(100, 98, 2));
	test_true("a little more", !statistic_agree(97.9, 100, 2));
	test_true("not known", !statistic_agree(0, 0, 2));
}

/*
 * Means 2 and 5; sums of squares 2 and 2, so variances 1 and 1 of three
 * values each: error^2 = 1/3 + 1/3, t = -3 / sqrt(2/3).
 */
static void
welch_t_by_hand(void **state)
{
	static const double values[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
	struct welch w = { { 0 }, { 0 }, { 0 } };

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (unsigned k = 0; k < 2; k++)
			welch_add(&w, k, values[k][i]);
	test_figure("t", welch_t(&w), -3.6742346141747673);
	/* 7 more: mean 5.5, squares 5, variance 5/3 of four: 1/3 + 5/12 */
	welch_add(&w, 1, 7);
	test_figure("unequal numbers", welch_t(&w), -4.0414518843273806);
}

static void
welch_t_of_too_little(void **state)
{
	struct welch w = { { 0 }, { 0 }, { 0 } };

	(void)state;
	test_figure("nothing", welch_t(&w), 0.0);
	welch_add(&w, 0, 1);
	welch_add(&w, 0, 1);
	welch_add(&w, 1, 2);
	test_figure("one value", welch_t(&w), 0.0);
	welch_add(&w, 1, 2);
	test_figure("no spread", welch_t(&w), 0.0);
}

/* Outputs of the published splitmix64.c (Vigna) for seed 1234567. */
static void
random_next_published(void **state)
{
	static const uint64_t want[] = { UINT64_C(6457827717110365317),
	    UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
	    UINT64_C(4593380528125082431), UINT64_C(16408922859458223821) };
	struct random r = { 1234567 };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(want); i++)
		test_true("splitmix64", random_next(&r) == want[i]);
}

/* A clock that only contestants move, and what they did, by their names. */
static uint64_t fake_now;
static double fake_ghz;
static char order[200];
static size_t turns;

static uint64_t
fake_ns(void)
{
	return fake_now;
}

/* Read before each window: counts them. */
static double
fake_clock(void)
{
	return fake_ghz;
}

static const struct measure_clock fake = { fake_ns, fake_clock };

struct runner {
	char		 name;
	uint64_t	 ns;		/* a round takes */
	uint64_t	 drift;		/* ns more with each call */
	size_t		 fail_at;	/* call that fails, from 1; 0: none */
	size_t		 calls, rounds;
};

static int
runner_run(void *arg, unsigned thread, size_t rounds)
{
	struct runner *r = arg;

	(void)thread;
	if (++r->calls == r->fail_at)
		return EX_SOFTWARE;
	fake_now += rounds * r->ns;
	r->ns += r->drift;
	r->rounds += rounds;
	if (turns < sizeof order - 1 &&
	    (turns == 0 || order[turns - 1] != r->name)) {
		order[turns++] = r->name;
		order[turns] = '\0';
	}
	return 0;
}

static struct measure_contestant
contestant(struct runner *r, unsigned per_round)
{
	struct measure_contestant c = { .run = runner_run, .arg = r,
	    .per_round = per_round };

	return c;
}

static struct pin nowhere;

static struct measure_plan
plan_of(double seconds, unsigned runs)
{
	struct measure_plan plan = { .seconds = seconds, .runs = runs,
	    .threads = 1, .pin = &nowhere, .clock = &fake };

	fake_now = 1000000;
	fake_ghz = 2;
	turns = 0;
	return plan;
}

/*
 * 3 ms a round: a look at the clock after each, and 67 rounds are the first
 * that fill 200 ms.
 */
static void
measure_heat_fills_windows(void **state)
{
	struct runner a = { .name = 'A', .ns = 3000000 };
	struct measure_contestant c[] = { contestant(&a, 8) };
	struct measure_plan plan = plan_of(0.2, 20);

	(void)state;
	test_int("measured", measure_heat(&plan, c, 1), 0);
	test_int("windows", c[0].n, 20);
	for (size_t i = 0; i < c[0].n; i++) {
		test_figure("operations", c[0].windows[i].ops, 67.0 * 8);
		test_figure("true time", c[0].windows[i].ns, 201e6);
	}
	measure_clear(c, 1);
}

/*
 * 10 us a round: 128 of them are the first doubling that takes 1 ms.
 */
static void
measure_heat_finds_rounds(void **state)
{
	struct runner a = { .name = 'A', .ns = 10000 };
	struct measure_contestant c[] = { contestant(&a, 1) };
	struct measure_plan plan = plan_of(0.2, 1);

	(void)state;
	test_int("measured", measure_heat(&plan, c, 1), 0);
	test_int("rounds between looks", c[0].rounds, 128);
	measure_clear(c, 1);
}

static void
measure_heat_by_turns(void **state)
{
	struct runner a = { .name = 'A', .ns = 5000000 };
	struct runner b = { .name = 'B', .ns = 5000000 };
	struct runner d = { .name = 'D', .ns = 5000000 };
	struct measure_contestant c[] = { contestant(&a, 1),
	    contestant(&b, 1), contestant(&d, 1) };
	struct measure_plan plan = plan_of(0.01, 2);

	(void)state;
	test_int("measured", measure_heat(&plan, c, 3), 0);
	/* each warms up, then A has a window before each of the others' */
	test_str("turns", order, "ABDABADABAD");
	test_int("windows of A", c[0].n, 4);
	test_int("windows of D", c[2].n, 2);
	measure_clear(c, 3);
}

static void
measure_heat_wrong_result(void **state)
{
	struct runner a = { .name = 'A', .ns = 5000000 };
	struct runner b = { .name = 'B', .ns = 5000000, .fail_at = 5 };
	struct measure_contestant c[] = { contestant(&a, 1),
	    contestant(&b, 1) };
	struct measure_plan plan = plan_of(0.01, 3);

	(void)state;
	test_int("the run ends", measure_heat(&plan, c, 2), EX_SOFTWARE);
	test_int("at once", b.calls, 5);
	measure_clear(c, 2);
}

/* A thousand operations a second; B 2, 4 and 8 times as many. */
static void
measure_summarize_by_hand(void **state)
{
	struct measure_window first[] = { { 200, 2e8, 2, 2 },
	    { 400, 2e8, 2, 2 }, { 100, 2e8, 2, 2 } };
	struct measure_window second[] = { { 400, 2e8, 2.0, 2.0 },
	    { 1600, 2e8, 1.2, 1.0 }, { 800, 2e8, 1.0, 1.0 } };
	struct measure_contestant c[] = {
		{ .windows = first, .n = 3 }, { .windows = second, .n = 3 },
	};
	struct measure_plan plan = plan_of(0.2, 3);
	struct measure_summary s;

	(void)state;
	test_int("second", measure_summarize(&plan, c, 2, 1, &s), 0);
	test_figure("median", s.per_s_median, 4000.0);
	test_figure("min", s.per_s_min, 2000.0);
	test_figure("max", s.per_s_max, 8000.0);
	test_figure("ns, median", s.ns_median, 250000.0);
	test_figure("ns, p95", s.ns_p95, 500000.0);
	/* 2, 4, 8: not 4000 / 1000 */
	test_figure("ratio of neighbours", s.ratio, 4.0);
	/* the best window's clock changed; then 250000 ns at 1 GHz */
	test_figure("cycles", s.cycles, 250000.0);
	test_int("first", measure_summarize(&plan, c, 2, 0, &s), 0);
	test_figure("ratio to itself", s.ratio, 1.0);
	plan.threads = 2;
	test_int("threads", measure_summarize(&plan, c, 2, 1, &s), 0);
	test_figure("no cycles of threads", s.cycles, 0.0);
}

/* Three contestants: windows 0, 2 of the first stand before those of B. */
static void
measure_summarize_neighbours(void **state)
{
	struct measure_window first[] = { { 100, 1e8, 2, 2 },
	    { 200, 1e8, 2, 2 }, { 400, 1e8, 2, 2 }, { 800, 1e8, 2, 2 } };
	struct measure_window b[] = { { 300, 1e8, 2, 2 },
	    { 1200, 1e8, 2, 2 } };
	struct measure_window d[] = { { 1000, 1e8, 2, 2 },
	    { 4000, 1e8, 2, 2 } };
	struct measure_contestant c[] = { { .windows = first, .n = 4 },
	    { .windows = b, .n = 2 }, { .windows = d, .n = 2 } };
	struct measure_plan plan = plan_of(0.1, 2);
	struct measure_summary s;

	(void)state;
	test_int("b", measure_summarize(&plan, c, 3, 1, &s), 0);
	test_figure("300/100, 1200/400", s.ratio, 3.0);
	test_int("d", measure_summarize(&plan, c, 3, 2, &s), 0);
	test_figure("1000/200, 4000/800", s.ratio, 5.0);
}

/* Each contestant alone in its thread; windows end by the true clock. */
static int
threads_run(void *arg, unsigned thread, size_t rounds)
{
	unsigned long *count = arg;
	uint64_t begin = stopwatch_ns();

	while (stopwatch_ns() - begin < 1000 * rounds)
		;
	count[16 * thread] += rounds;
	return 0;
}

static void
measure_heat_threads(void **state)
{
	unsigned long count[32] = { 0 };
	struct measure_contestant c[] = { { .run = threads_run, .arg = count,
	    .per_round = 1 } };
	struct measure_plan plan = plan_of(0.002, 2);

	(void)state;
	plan.threads = 2;
	plan.clock = &measure_clock_real;
	test_int("measured", measure_heat(&plan, c, 1), 0);
	test_true("both ran", count[0] > 0 && count[16] > 0);
	for (size_t i = 0; i < c[0].n; i++)
		test_true("as long as asked", c[0].windows[i].ns >= 2e6);
	measure_clear(c, 1);
}

static void
pin_init_sets(void **state)
{
	struct pin pin, chosen;

	(void)state;
	test_int("any", pin_init(&pin, PIN_ANY), 0);
	if (pin.n == 0)
		return;
	for (unsigned i = 0; i < pin.n; i++) {
		test_int("each allowed one", pin_init(&chosen,
		    (int)pin.cpu[i]), 0);
		test_int("comes first", chosen.cpu[0], pin.cpu[i]);
		test_int("of as many", chosen.n, pin.n);
		test_int("the next one follows", chosen.cpu[1 % pin.n],
		    pin.cpu[(i + 1) % pin.n]);
	}
	test_int("one that is not there", pin_init(&chosen, PIN_CPUS), -1);
	pin_thread(&pin, 0);
	test_int("only that one is left", pin_init(&chosen, PIN_ANY), 0);
	test_int("the same", chosen.cpu[0], pin.cpu[0]);
	test_int("alone", chosen.n, 1);
}

static void
options_lists(void **state)
{
	static const struct {
		const char	*name, *text;
		int		 want;
		size_t		 n;
		unsigned	 last;
	} rows[] = {
		{ "one", "1024", 0, 1, 1024 },
		{ "the bounds", "512,8192", 0, 2, 8192 },
		{ "below", "511", EX_USAGE, 0, 0 },
		{ "above", "1024,8193", EX_USAGE, 0, 0 },
		{ "twice", "1024,2048,1024", EX_USAGE, 0, 0 },
		{ "empty", "", EX_USAGE, 0, 0 },
		{ "empty element", "1024,,2048", EX_USAGE, 0, 0 },
		{ "comma at the end", "1024,", EX_USAGE, 0, 0 },
		{ "no number", "1024,big", EX_USAGE, 0, 0 },
		{ "a sign", "+1024", EX_USAGE, 0, 0 },
		{ "more behind it", "1024 ", EX_USAGE, 0, 0 },
		{ "16 elements", "600,601,602,603,604,605,606,607,608,609,610,"
		    "611,612,613,614,615", 0, 16, 615 },
		{ "17 elements", "600,601,602,603,604,605,606,607,608,609,610,"
		    "611,612,613,614,615,616", EX_USAGE, 0, 0 },
	};
	struct options_numbers numbers;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, options_numbers("--bits",
		    rows[i].text, 512, 8192, &numbers), rows[i].want);
		if (rows[i].want != 0)
			continue;
		test_int(rows[i].name, numbers.n, rows[i].n);
		test_int(rows[i].name, numbers.v[numbers.n - 1],
		    rows[i].last);
	}
}

static void
options_measure_limits(void **state)
{
	static const struct {
		const char	*name;
		int		 option;
		const char	*text;
		int		 want;
	} rows[] = {
		{ "seconds", OPTIONS_SECONDS, "0.25", 0 },
		{ "seconds, least", OPTIONS_SECONDS, "0.001", 0 },
		{ "seconds, less", OPTIONS_SECONDS, "0.0009", EX_USAGE },
		{ "seconds, most", OPTIONS_SECONDS, "3600", 0 },
		{ "seconds, more", OPTIONS_SECONDS, "3600.1", EX_USAGE },
		{ "seconds, nan", OPTIONS_SECONDS, "nan", EX_USAGE },
		{ "seconds, none", OPTIONS_SECONDS, "", EX_USAGE },
		{ "runs, none", OPTIONS_RUNS, "0", EX_USAGE },
		{ "runs", OPTIONS_RUNS, "1", 0 },
		{ "threads", OPTIONS_THREADS, "64", 0 },
		{ "threads, more", OPTIONS_THREADS, "65", EX_USAGE },
		{ "cpu", OPTIONS_CPU, "0", 0 },
		{ "cpu, more", OPTIONS_CPU, "1024", EX_USAGE },
		{ "seed", OPTIONS_SEED, "18446744073709551615", 0 },
		{ "seed, more", OPTIONS_SEED, "18446744073709551616",
		    EX_USAGE },
	};
	struct options_measure options = OPTIONS_MEASURE_DEFAULT;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, options_measure(&options,
		    rows[i].option, rows[i].text), rows[i].want);
	test_figure("seconds", options.seconds, 3600.0);
	test_true("seed", options.seed == UINT64_MAX);
}

static void
table_both_forms(void **state)
{
	static const struct table_column columns[] = {
		{ "name", -6, false }, { "own", 4, true }, { "n", 3, false },
		{ "x", 7, false },
	};
	static const char *const want[] = {
		"name    own   n       x\n"
		"a_b       7  12   3.142\n"
		"-       n/a   0       -  why\n",
		"#name\tn\tx\na_b\t12\t3.142\n-\t0\t-\n",
	};
	struct table table;

	(void)state;
	for (int tsv = 0; tsv < 2; tsv++) {
		char text[400] = "";
		FILE *out = fmemopen(text, sizeof text, "w");

		table_init(&table, columns, 4, tsv, out);
		table_header(&table);
		table_text(&table, "a\tb");
		table_number(&table, 7);
		table_number(&table, 12);
		table_figure(&table, 3.14159, 3);
		table_end(&table, NULL);
		table_text(&table, NULL);
		table_text(&table, "n/a");
		table_number(&table, 0);
		table_figure(&table, 0, 3);
		table_end(&table, "why");
		fclose(out);
		test_str(tsv ? "tsv" : "people", text, want[tsv]);
	}
}

static void
stopwatch_goes_on(void **state)
{
	uint64_t ns = stopwatch_ns(), ticks = stopwatch_ticks();
	double ghz = stopwatch_ghz();

	(void)state;
	test_true("nanoseconds", stopwatch_ns() > ns);
	test_true("ticks", stopwatch_ticks() > ticks);
#if defined(__x86_64__)
	test_true("a clock of our days", ghz > 0.2 && ghz < 10);
#else
	test_figure("not known elsewhere", ghz, 0.0);
#endif
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistic_median_by_hand),
		cmocka_unit_test(statistic_percentile_by_hand),
		cmocka_unit_test(statistic_agree_at_its_bound),
		cmocka_unit_test(welch_t_by_hand),
		cmocka_unit_test(welch_t_of_too_little),
		cmocka_unit_test(random_next_published),
		cmocka_unit_test(measure_heat_fills_windows),
		cmocka_unit_test(measure_heat_finds_rounds),
		cmocka_unit_test(measure_heat_by_turns),
		cmocka_unit_test(measure_heat_wrong_result),
		cmocka_unit_test(measure_summarize_by_hand),
		cmocka_unit_test(measure_summarize_neighbours),
		cmocka_unit_test(measure_heat_threads),
		cmocka_unit_test(options_lists),
		cmocka_unit_test(options_measure_limits),
		cmocka_unit_test(table_both_forms),
		cmocka_unit_test(stopwatch_goes_on),
		/* the last one: it pins the whole program */
		cmocka_unit_test(pin_init_sets),
	};

	return TEST_RUN(tests);
}
