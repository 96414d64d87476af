/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine against messages, key records and signature fields of RFCs and of
 * other programs' tests (tests/vectors/{messages,keyrec,sighdr}/README).
 */

/* this room */
#include "tests/replay_run.h"

/*
 * Verdicts of others, and their b= made again: RFC 6376 s3.4 #3, s3.7 #8, #11,
 * s6.1.2 #6; RFC 8463 s5, sA; RFC 8616 s5 #5, #7.
 */
static void
messages_expected(void **state)
{
	static const char folder[] = TESTS_SRCDIR "/vectors/messages";
	char *table, *rest, *column[REPLAY_COLUMNS];
	struct replay_tally tally = { 0 };
	struct replay_keys keys;
	struct replay r;
	size_t n;

	(void)state;
	replay_begin(&r);
	replay_load_keys(&r, TESTS_SRCDIR "/vectors/messages/keys", &keys);
	test_int("keys", keys.n, 3);
	table = replay_file(folder, "expect.tsv", &n);
	assert_non_null(table);
	rest = table;
	while (replay_row(&rest, column))
		replay_row_message(&r, folder, column, 4, NULL, &keys, &tally);
	free(table);
	replay_unload_keys(&keys);
	replay_end(&r);
	test_int("wrong", tally.wrong, 0);
	test_int("agreed", tally.agreed, 21);
	test_true("signatures made again", tally.made >= 10);
}

/*
 * RFC 6376 A.2 and RFC 8463 A.3: b= as the RFCs print it, so both hashes are as
 * RFC 6376 s3.3.2, s3.5 #5, #6, s3.7 #1, #2, #6, #7, #8, #9, #11, #12, s5.5,
 * s5.6 #3, RFC 8463 s3, s4.1 and sA say.
 */
static void
sign_rfc_examples(void **state)
{
	static const char *const rows[][2] = {
		{ "rfc6376-A.2.eml", "1" },
		{ "rfc8463-A.3.eml", "2" },
	};
	static const char folder[] = TESTS_SRCDIR "/vectors/messages";
	struct replay_tally tally;
	struct replay_keys keys;
	struct replay r;
	size_t i;

	(void)state;
	replay_begin(&r);
	replay_load_keys(&r, TESTS_SRCDIR "/vectors/messages/keys", &keys);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		char name[64], verdicts[16];
		char *column[REPLAY_COLUMNS] = { name, verdicts };

		snprintf(name, sizeof(name), "%s", rows[i][0]);
		snprintf(verdicts, sizeof(verdicts), "%s",
		    rows[i][1][0] == '1' ? "pass" : "pass pass");
		tally = (struct replay_tally){ 0 };
		replay_row_message(&r, folder, column, 4, NULL, &keys, &tally);
		test_int(name, tally.made, rows[i][1][0] - '0');
		test_int(name, tally.agreed, 1);
	}
	replay_unload_keys(&keys);
	replay_end(&r);
}

static void
key_records_expected(void **state)
{
	struct replay_tally tally = { 0 };
	struct replay r;

	(void)state;
	replay_begin(&r);
	replay_key_records(&r, TESTS_SRCDIR "/vectors/keyrec", &tally);
	replay_end(&r);
	test_int("wrong", tally.wrong, 0);
	test_int("agreed", tally.agreed, 32);
}

static void
signature_fields_expected(void **state)
{
	struct replay_tally tally = { 0 };
	struct replay r;

	(void)state;
	replay_begin(&r);
	replay_fields(&r, TESTS_SRCDIR "/vectors/sighdr", &tally);
	replay_end(&r);
	test_int("wrong", tally.wrong, 0);
	test_int("agreed", tally.agreed, 29);
}

/*
 * Body and header cut at every octet, the verdict stays.
 */
static void
verify_every_split(void **state)
{
	static const char folder[] = TESTS_SRCDIR "/vectors/messages";
	struct replay_message m;
	struct replay r;
	char line[REPLAY_LINE];
	char *octets, *dns;
	size_t n, dns_n, cut;

	(void)state;
	replay_begin(&r);
	octets = replay_file(folder, "rfc8463-A.3.eml", &n);
	dns = replay_file(folder, "rfc8463-A.3.eml.dns.tsv", &dns_n);
	assert_non_null(octets);
	assert_non_null(dns);
	for (cut = 1; cut < n; cut++) {
		test_int("verify", replay_verify(&r, slice_of(octets, n), cut,
		    dns, &replay_plain, &m), 0);
		replay_results(&m, line, sizeof(line));
		test_str("verdicts", line, "pass pass");
		replay_done(&m);
	}
	free(octets);
	free(dns);
	replay_end(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_expected),
		cmocka_unit_test(sign_rfc_examples),
		cmocka_unit_test(key_records_expected),
		cmocka_unit_test(signature_fields_expected),
		cmocka_unit_test(verify_every_split),
	};

	return TEST_RUN(tests);
}
