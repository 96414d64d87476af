/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench gives no figure for messages that come out wrong: backends that
 * are wrong, lazy or credulous; and what it prints of those that are right.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/legacy_key.h"
#include "bench/message_report.h"

/* this room */
#include "tests/fake_backend.h"

static struct reference *key;
static struct message message;
static struct message_reference *reference;

static int
set_up(void **state)
{
	(void)state;
	fake_init();
	if (reference_parse(legacy_key, 1, &key) != 0 ||
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

static void
contestant_every_way(void **state)
{
	static const unsigned batches[] = { 1, 3, 8, 32 };
	struct message_contestant c;

	(void)state;
	for (size_t i = 0; i < 4 * TEST_COUNT(batches); i++) {
		unsigned batch = batches[i / 4];

		test_int("init", message_contestant_init(&c,
		    &backend_libcrypto, reference, i % 2 == 0 ? RSAB_OP_SIGN :
		    RSAB_OP_VERIFY, batch, 1, i % 4 / 2 != 0), 0);
		test_str("path", message_contestant_path(&c), "evp");
		/* round the ring and on */
		test_int("run", message_contestant_run(&c, 0,
		    32 / batch + 1), 0);
		test_true("at a batch", c.seat[0].at % batch == 0 &&
		    c.seat[0].at + batch <= REFERENCE_MESSAGES);
		message_contestant_clear(&c);
	}
}

static void
contestant_wrong_messages(void **state)
{
	static const struct {
		const char	*name;
		enum habit	 habit;
		int		 sign, verify;
	} rows[] = {
		{ "honest", HONEST, 0, 0 },
		/* what verifying says without looking, control tells */
		{ "lazy", LAZY, EX_SOFTWARE, 0 },
		{ "wrong", WRONG, EX_SOFTWARE, 0 },
		{ "failing", FAILING, EX_SOFTWARE, EX_SOFTWARE },
		{ "absent", ABSENT, EX_SOFTWARE, 0 },
	};
	struct message_contestant c;

	(void)state;
	for (size_t i = 0; i < 2 * TEST_COUNT(rows); i++) {
		bool sign = i % 2 == 0;

		habit = HONEST;
		test_int("begins well", message_contestant_init(&c, &fake,
		    reference, sign ? RSAB_OP_SIGN : RSAB_OP_VERIFY, 4, 1,
		    false), 0);
		habit = rows[i / 2].habit;
		test_int(rows[i / 2].name, message_contestant_run(&c, 0, 3),
		    sign ? rows[i / 2].sign : rows[i / 2].verify);
		message_contestant_clear(&c);
	}
}

static void
contestant_verify_wrong_field(void **state)
{
	struct message_contestant c;

	(void)state;
	test_int("begins well", message_contestant_init(&c,
	    &backend_libcrypto, reference, RSAB_OP_VERIFY, 4, 1, false), 0);
	message_reference_corrupt(reference, 5, 2);
	test_int("the first batch is right", message_contestant_run(&c, 0, 1),
	    0);
	test_int("the second is not", message_contestant_run(&c, 0, 1),
	    EX_SOFTWARE);
	message_reference_corrupt(reference, 5, 2);
	message_contestant_clear(&c);
}

static void
contestant_control_of_credulous(void **state)
{
	struct message_contestant c;

	(void)state;
	habit = LAZY;
	test_int("all signatures verify", message_contestant_init(&c, &fake,
	    reference, RSAB_OP_VERIFY, 4, 1, false), EX_SOFTWARE);
	test_true("nothing is left", c.key == NULL && c.seat == NULL &&
	    c.keyset == NULL);
}

static int
takes_no_key(struct rsab_key *public)
{
	(void)public;
	return RSAB_ERR_KEY;
}

static void
contestant_verify_refused_key(void **state)
{
	struct rsab_backend strict = fake;
	struct dkim_keyset *keyset = NULL;
	struct message_contestant c;

	(void)state;
	strict.load_public = takes_no_key;
	test_int("refused", message_reference_keyset(reference, &strict,
	    &keyset), EX_SOFTWARE);
	test_true("no reference is given", keyset == NULL);
	for (int parse = 0; parse < 2; parse++) {
		test_int("init", message_contestant_init(&c, &strict,
		    reference, RSAB_OP_VERIFY, 4, 1, parse != 0), EX_SOFTWARE);
		test_true("nothing is left", c.key == NULL && c.seat == NULL &&
		    c.keyset == NULL);
	}
}

static void
phases_of_both_keys(void **state)
{
	struct message_contestant c;
	struct message_phases p;

	(void)state;
	for (int parse = 0; parse < 2; parse++) {
		test_int("init", message_contestant_init(&c,
		    &backend_libcrypto, reference, RSAB_OP_SIGN, 2, 1,
		    parse != 0), 0);
		test_int("look", message_phases_look(&c, 0.01, &p), 0);
		test_true("key", parse != 0 ? p.key > 0 : p.key == 0);
		test_true("hash", p.hash > 0);
		test_true("rsa", p.rsa > 0);
		test_true("field", p.field > 0);
		test_true("evp", p.evp > 0);
		/* of the batch: both messages' share of RSA, at least */
		test_true("p50", p.p50 > p.rsa && p.p99 >= p.p50);
		test_true("no laps any more", c.laps == NULL);
		message_contestant_clear(&c);
	}
}

static void
message_report_tsv(void **state)
{
	struct message_result r = { .backend = "bn64", .path = "ifma",
	    .bits = 1024, .batch = 8, .threads = 1, .op = RSAB_OP_SIGN,
	    .canon = "relaxed/simple", .size = 1024, .raw_percent = 80.04,
	    .summary = { .per_s_median = 50000, .per_s_min = 40000,
	    .per_s_max = 60000, .ns_median = 20000, .ratio = 5.25,
	    .cycles = 65000 },
	    .phases = { .hash = 2.5, .rsa = 10.25, .field = 0.5, .evp = 1.25,
	    .p50 = 100, .p99 = 150 } };
	char text[2000] = "";
	struct table table;
	FILE *out = fmemopen(text, sizeof text, "w");

	(void)state;
	message_report_begin(&table, true, out);
	test_int("row", message_report_add(&table, &r), 0);
	r.op = RSAB_OP_VERIFY;
	r.parse = true;
	r.phases.key = 7;
	test_int("parsed", message_report_add(&table, &r), 0);
	r.reason = "it is not here";
	r.path = NULL;
	test_int("not here", message_report_add(&table, &r), 0);
	fclose(out);
	test_str("tsv", text, "#backend\tpath\tbits\top\tcanon\tsize\tbatch\t"
	    "threads\tper_s_median\tper_s_min\tper_s_max\tp50_us\tp99_us\t"
	    "ratio\tcycles\tkey\trsa_percent\tkey_us\thash_us\trsa_us\t"
	    "field_us\tevp_us\n"
	    "bn64\tifma\t1024\tsign\trelaxed/simple\t1024\t8\t1\t50000.0\t"
	    "40000.0\t60000.0\t100.00\t150.00\t5.250\t65000\tcached\t80.0\t-\t"
	    "2.50\t10.25\t0.50\t1.25\n"
	    "bn64\tifma\t1024\tverify\trelaxed/simple\t1024\t8\t1\t50000.0\t"
	    "40000.0\t60000.0\t100.00\t150.00\t5.250\t65000\tparsed\t80.0\t"
	    "7.00\t2.50\t10.25\t0.50\t1.25\n"
	    "bn64\t-\t1024\tverify\trelaxed/simple\t1024\t8\t1\tn/a\tn/a\tn/a\t"
	    "n/a\tn/a\tn/a\tn/a\tparsed\tn/a\tn/a\tn/a\tn/a\tn/a\tn/a\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contestant_every_way),
		cmocka_unit_test(contestant_wrong_messages),
		cmocka_unit_test(contestant_verify_wrong_field),
		cmocka_unit_test(contestant_control_of_credulous),
		cmocka_unit_test(contestant_verify_refused_key),
		cmocka_unit_test(phases_of_both_keys),
		cmocka_unit_test(message_report_tsv),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
