/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The engine against the corpus of third-party messages, key records and
 * signature fields that lies beside the repository (DKIMD_CORPUS, or
 * ../shared/corpus): each verdict must be the ruling, and each signature whose
 * private key is there must come out again, octet for octet.
 */

/* this room */
#include "tests/replay_run.h"

#define MESSAGES	295
#define KEY_RECORDS	54
#define FIELDS		32

static const char *corpus;

static void
messages_ruling(void **state)
{
	char path[4096], keys_path[4096], *table, *rest;
	char *column[REPLAY_COLUMNS];
	struct replay_tally tally = { 0 };
	struct replay_keys keys;
	struct dirent *entry;
	struct replay r;
	size_t n;
	DIR *d;

	(void)state;
	replay_begin(&r);
	snprintf(keys_path, sizeof(keys_path), "%s/keys", corpus);
	replay_load_keys(&r, keys_path, &keys);
	d = opendir(corpus);
	assert_non_null(d);
	while ((entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", corpus, entry->d_name);
		table = entry->d_name[0] == '.' ? NULL :
		    replay_file(path, "expect.tsv", &n);
		rest = table;
		/* two From fields: a pass becomes policy (BEHAVIOUR 6) */
		while (table != NULL && replay_row(&rest, column))
			replay_row_message(&r, path, column, 6,
			    strcmp(column[0], "added_header-from.eml") == 0 ?
			    "policy" : NULL, &keys, &tally);
		free(table);
	}
	closedir(d);
	replay_unload_keys(&keys);
	replay_end(&r);
	fprintf(stderr, "# messages: %zu agreed, %zu wrong; "
	    "%zu signatures made again\n", tally.agreed, tally.wrong,
	    tally.made);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.agreed, MESSAGES);
	assert_true(tally.made > 100);
}

static void
key_records_ruling(void **state)
{
	struct replay_tally tally = { 0 };
	char path[4096];
	struct replay r;

	(void)state;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/keyrec", corpus);
	replay_key_records(&r, path, &tally);
	replay_end(&r);
	fprintf(stderr, "# key records: %zu agreed, %zu wrong\n",
	    tally.agreed, tally.wrong);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.agreed, KEY_RECORDS);
}

static void
signature_fields_ruling(void **state)
{
	struct replay_tally tally = { 0 };
	char path[4096];
	struct replay r;

	(void)state;
	replay_begin(&r);
	snprintf(path, sizeof(path), "%s/sighdr", corpus);
	replay_fields(&r, path, &tally);
	replay_end(&r);
	fprintf(stderr, "# signature fields: %zu agreed, %zu wrong\n",
	    tally.agreed, tally.wrong);
	assert_int_equal(tally.wrong, 0);
	assert_int_equal(tally.agreed, FIELDS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_ruling),
		cmocka_unit_test(key_records_ruling),
		cmocka_unit_test(signature_fields_ruling),
	};
	DIR *d;

	corpus = getenv("DKIMD_CORPUS");
	if (corpus == NULL)
		corpus = TESTS_SRCDIR "/../../shared/corpus";
	d = opendir(corpus);
	if (d == NULL) {
		printf("1..0 # SKIP no corpus beside the source\n");
		return 0;
	}
	closedir(d);
	return TEST_RUN(tests);
}
