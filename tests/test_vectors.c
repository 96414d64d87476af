/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * NIST, Wycheproof and RFC vectors through rsab_run (vectors/rsa/README), with
 * each backend and path that this machine has. RSAB_VECTORS names another
 * folder with a verify.tsv and a sign.tsv.
 */

/* rsa-backend */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/test.h"

#define COLUMNS_MAX	7
#define KEY_OCTETS	4096

/* The rows of a file, cut at tabs; the text they lie in. */
struct table {
	uint8_t	*text;
	char	*at;
	char	*column[COLUMNS_MAX];
};

static const char *const backends[] = {
	"libcrypto", "bn64:portable", "bn64:adx", "bn64:emulated",
	"bn64:ifma",
};

static struct rsab_worker *worker;

static void
table_open(struct table *table, const char *name)
{
	const char *folder = getenv("RSAB_VECTORS");
	char path[1024];
	FILE *f;
	size_t n;

	if (folder == NULL) {
		snprintf(path, sizeof path, "vectors/rsa/%s", name);
		table->text = test_file(path, &n);
	} else {
		n = (size_t)64 << 20;
		table->text = calloc(1, n);
		snprintf(path, sizeof path, "%s/%s", folder, name);
		f = fopen(path, "rb");
		test_true(path, f != NULL);
		test_true(path, fread(table->text, 1, n - 1, f) > 0);
		fclose(f);
	}
	table->at = (char *)table->text;
}

/*
 * Go to the next row of that many columns; the title is passed over.
 */
static bool
table_next(struct table *table, size_t columns)
{
	char *line;

	do {
		line = strsep(&table->at, "\n");
	} while (line != NULL && (*line == '#' || *line == '\0'));
	if (line == NULL)
		return false;
	for (size_t i = 0; i < columns; i++) {
		table->column[i] = strsep(&line, "\t");
		test_true("a row has all columns", table->column[i] != NULL);
	}
	return true;
}

static size_t
hex(const char *row, const char *text, uint8_t *out, size_t max)
{
	size_t n = strlen(text) / 2;

	if (strcmp(text, "-") == 0)
		return 0;
	test_true(row, n <= max && strlen(text) % 2 == 0);
	for (size_t i = 0; i < n; i++) {
		char pair[3] = { text[2 * i], text[2 * i + 1], '\0' };

		out[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return n;
}

static enum rsab_key_type
type(const char *text)
{
	return strcmp(text, "rsa") == 0 ? RSAB_RSA : RSAB_ED25519;
}

/*
 * Columns 3 and 4: hash and digest.
 */
static void
job_set(struct rsab_job *job, char *const *column)
{
	bool sha1 = strcmp(column[3], "sha1") == 0;

	memset(job, 0, sizeof *job);
	job->hash = sha1 ? RSAB_SHA1 : RSAB_SHA256;
	test_int(column[0], hex(column[0], column[4], job->digest,
	    sizeof job->digest), sha1 ? 20 : 32);
}

/*
 * Verify what waits, by one call, and let the keys go. Rows next to each
 * other have keys of one size more often than not: they fill lanes.
 */
static void
batch_verify(struct rsab_job *jobs, const bool *valid, size_t n)
{
	struct rsab_job *pointers[RSAB_PASS_MAX] = { NULL };

	for (size_t i = 0; i < n; i++)
		pointers[i] = &jobs[i];
	rsab_run(worker, pointers, n);
	for (size_t i = 0; i < n; i++) {
		test_int("batch", jobs[i].result, valid[i] ? RSAB_OK :
		    RSAB_ERR_SIGNATURE);
		rsab_key_unref(jobs[i].key);
	}
}

/*
 * Each row alone, then among its neighbours.
 */
static void
vectors_verify(const struct rsab_backend *backend)
{
	struct rsab_job jobs[RSAB_PASS_MAX], *job = jobs;
	bool valid[RSAB_PASS_MAX];
	uint8_t octets[KEY_OCTETS];
	size_t rows[2] = { 0, 0 }, waiting = 0;
	struct table table;

	table_open(&table, "verify.tsv");
	while (table_next(&table, 7)) {
		char **column = table.column;
		size_t n = hex(column[0], column[2], octets, sizeof octets);

		job = &jobs[waiting];
		valid[waiting] = strcmp(column[6], "valid") == 0;
		job_set(job, column);
		job->op = RSAB_OP_VERIFY;
		job->signature_len = hex(column[0], column[5], job->signature,
		    sizeof job->signature);
		test_int(column[0], rsab_key_load_public(backend,
		    type(column[1]), octets, n, &job->key), RSAB_OK);
		rsab_run(worker, &job, 1);
		test_int(column[0], job->result,
		    valid[waiting] ? RSAB_OK : RSAB_ERR_SIGNATURE);
		rows[valid[waiting]]++;
		if (++waiting == RSAB_PASS_MAX) {
			batch_verify(jobs, valid, waiting);
			waiting = 0;
		}
	}
	batch_verify(jobs, valid, waiting);
	print_message("%zu valid, %zu invalid\n", rows[1], rows[0]);
	test_true("rows of both kinds", rows[0] >= 100 && rows[1] >= 50);
	free(table.text);
}

static void
vectors_sign(const struct rsab_backend *backend)
{
	struct rsab_job job, *jobs[] = { &job };
	uint8_t octets[KEY_OCTETS], want[RSAB_SIGNATURE_MAX];
	struct table table;
	size_t rows = 0;

	table_open(&table, "sign.tsv");
	while (table_next(&table, 6)) {
		char **column = table.column;
		size_t n = hex(column[0], column[2], octets, sizeof octets);

		job_set(&job, column);
		job.op = RSAB_OP_SIGN;
		test_int(column[0], rsab_key_load_private(backend, octets, n,
		    &job.key), RSAB_OK);
		test_int(column[0], rsab_key_type(job.key), type(column[1]));
		rsab_run(worker, jobs, 1);
		test_int(column[0], job.result, RSAB_OK);
		n = hex(column[0], column[5], want, sizeof want);
		test_octets(column[0], job.signature, job.signature_len, want,
		    n);
		rsab_key_unref(job.key);
		rows++;
	}
	print_message("%zu signed\n", rows);
	test_true("rows", rows >= 30);
	test_int("faults", rsab_worker_faults(worker), 0);
	free(table.text);
}

static void
each_backend(void (*test)(const struct rsab_backend *backend))
{
	for (size_t i = 0; i < TEST_COUNT(backends); i++) {
		const struct rsab_backend *backend;

		if (rsab_backend_find(backends[i], &backend) != 0) {
			print_message("skipped: this machine has no %s\n",
			    backends[i]);
			continue;
		}
		print_message("%s\n", rsab_backend_name(backend));
		test(backend);
	}
}

/*
 * RFC 8301 s3.2 #3: keys of 1024 to 4096 bits among them.
 */
static void
vectors_verify_each_backend(void **state)
{
	(void)state;
	each_backend(vectors_verify);
}

static void
vectors_sign_each_backend(void **state)
{
	(void)state;
	each_backend(vectors_sign);
}

static int
setup(void **state)
{
	(void)state;
	return rsab_worker_new(&worker) != 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_worker_free(worker);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors_verify_each_backend),
		cmocka_unit_test(vectors_sign_each_backend),
	};

	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
