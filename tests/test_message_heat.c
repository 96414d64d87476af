/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heat of dkimbench sign and verify by a clock that the fakes turn: rates,
 * ratios and the part of raw RSA are known beforehand.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/legacy_key.h"
#include "bench/message_heat.h"

/* this room */
#include "tests/fake_backend.h"

#define JOB_NS	1000	/* of a signature by fake; slow takes four times this */
#define KEY_NS	2000	/* of a key that is loaded */
#define KEY_JOBS 2	/* by which its load sees that it is whole */

static struct reference *key;
static struct message message;
static struct message_reference *reference;
static struct rsab_backend slow;
static struct pin pin;
static uint64_t clock_now;

static uint64_t
clock_ns(void)
{
	/* time goes on even where nothing is done */
	return ++clock_now;
}

static double
clock_ghz(void)
{
	return 0;
}

static const struct measure_clock clock_made = { clock_ns, clock_ghz };

static void
timed_run(void *worker_state, struct rsab_job *const *jobs, backend_em em,
    size_t n)
{
	clock_now += n * JOB_NS;
	fake_run(worker_state, jobs, em, n);
}

static void
slow_run(void *worker_state, struct rsab_job *const *jobs, backend_em em,
    size_t n)
{
	clock_now += n * 4 * JOB_NS;
	fake_run(worker_state, jobs, em, n);
}

static int
timed_load(struct rsab_key *private, const struct pkcs8 *pkcs8)
{
	clock_now += KEY_NS;
	return backend_libcrypto.load_private(private, pkcs8);
}

static int
set_up(void **state)
{
	(void)state;
	fake_init();
	fake.run = timed_run;
	fake.load_private = timed_load;
	slow = fake;
	slow.name = "slow";
	slow.run = slow_run;
	if (pin_init(&pin, PIN_ANY) != 0 ||
	    reference_parse(legacy_key, 1, &key) != 0 ||
	    message_make(&message, 500, true, 1) != 0)
		return -1;
	return message_reference_make(key, &message, DKIM_SIMPLE,
	    DKIM_RELAXED, &reference);
}

static int
tear_down(void **state)
{
	(void)state;
	message_reference_free(reference);
	message_clear(&message);
	reference_free(key);
	return 0;
}

/*
 * A heat of these; what it prints, a field a TAB and a row a line.
 *   second   NULL: it is not here
 */
static const char *
heat_of(enum rsab_op op, const struct rsab_backend *second, bool key_load,
    int *status)
{
	static char text[8192];
	FILE *out = fmemopen(text, sizeof(text), "w");
	struct message_heat heat = {
		.op = op, .key_load = key_load, .canon = "simple/relaxed",
		.backends = {
			.names = { { "fake", "other" }, 2 },
			.backend = { &fake, second },
			.reason = { NULL, second == NULL ? "it is not here" :
			    NULL },
		},
		.plan = { .seconds = 0.0002, .runs = 4, .threads = 1,
		    .pin = &pin, .clock = &clock_made },
	};

	assert_non_null(out);
	memset(text, 0, sizeof(text));
	message_report_begin(&heat.table, true, out);
	*status = message_heat_run(&heat, reference, 4);
	fclose(out);
	return text;
}

/*
 * Field of a row, both from 0; row 0 is the header.
 */
static const char *
field(const char *text, size_t row, size_t column)
{
	static char out[64];
	const char *at = text;
	size_t n;

	for (; row > 0 && at != NULL; row--)
		at = (at = strchr(at, '\n')) == NULL ? NULL : at + 1;
	for (; column > 0 && at != NULL; column--)
		at = (at = strchr(at, '\t')) == NULL ? NULL : at + 1;
	if (at == NULL)
		return "";
	n = strcspn(at, "\t\n");
	snprintf(out, sizeof(out), "%.*s", n < sizeof(out) ? (int)n : 0, at);
	return out;
}

/* Columns of --tsv. */
enum { BACKEND = 0, CANON = 4, PER_S = 8, RATIO = 13, KEY = 15, PERCENT = 16 };

/*
 * A figure within one percent.
 */
static void
is_near(const char *row, const char *got, double want)
{
	double figure = strtod(got, NULL);

	if (figure > want * 0.99 && figure < want * 1.01)
		return;
	fprintf(stderr, "# %s: got %s, want about %g\n", row, got, want);
	fail();
}

static void
message_heat_rows(void **state)
{
	const char *text;
	int status;

	(void)state;
	text = heat_of(RSAB_OP_SIGN, &slow, true, &status);
	test_int("status", status, 0);
	test_str("first", field(text, 1, BACKEND), "fake");
	test_str("canonicalization", field(text, 1, CANON), "simple/relaxed");
	test_str("its key is held", field(text, 1, KEY), "cached");
	is_near("a job a microsecond", field(text, 1, PER_S), 1e6);
	is_near("first to first", field(text, 1, RATIO), 1);
	is_near("of raw RSA", field(text, 1, PERCENT), 100);
	test_str("then with its key parsed", field(text, 2, KEY), "parsed");
	is_near("a job and a key", field(text, 2, PER_S), 1e9 / (KEY_NS +
	    (1 + KEY_JOBS) * JOB_NS));
	is_near("to the first", field(text, 2, RATIO), 0.2);
	is_near("of raw RSA", field(text, 2, PERCENT), 20);
	test_str("second", field(text, 3, BACKEND), "other");
	is_near("slow", field(text, 3, PER_S), 1e9 / (4 * JOB_NS));
	is_near("to the first", field(text, 3, RATIO), 0.25);
	is_near("of its own raw RSA", field(text, 3, PERCENT), 100);
	is_near("a slow job and a key", field(text, 4, RATIO), 1.0 / 14);
	is_near("of its own raw RSA", field(text, 4, PERCENT), 400.0 / 14);
	test_str("no more", field(text, 5, BACKEND), "");
}

static void
message_heat_absent(void **state)
{
	const char *text;
	int status;

	(void)state;
	text = heat_of(RSAB_OP_VERIFY, NULL, false, &status);
	test_int("status", status, 0);
	test_str("first", field(text, 1, BACKEND), "fake");
	test_str("second", field(text, 2, BACKEND), "other");
	test_str("has no figure", field(text, 2, PER_S), "n/a");
	test_str("nor a part", field(text, 2, PERCENT), "n/a");
}

static void
message_heat_wrong(void **state)
{
	const char *text;
	int status;

	(void)state;
	habit = LAZY;
	text = heat_of(RSAB_OP_SIGN, NULL, false, &status);
	habit = HONEST;
	test_int("status", status, EX_SOFTWARE);
	test_str("no row", field(text, 1, BACKEND), "");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_heat_rows),
		cmocka_unit_test(message_heat_absent),
		cmocka_unit_test(message_heat_wrong),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
