/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of dkimbench all; see all_runs.h.
 */

/* system */
#include <stdbool.h>
#include <string.h>

/* this room */
#include "all_rows.h"
#include "all_runs.h"

void
all_runs_begin(struct all_runs *runs, const struct machine_facts *facts,
    FILE *out)
{
	memset(runs, 0, sizeof *runs);
	runs->out = out;
	runs->facts = facts;
	fprintf(out, "#row\tmachine\tmhz\tos\topenssl\tbackend\tmeasure\t"
	    "key_bits\trun\tvalue\tmessages_in_5s\tpath\tbatch\tthreads\t"
	    "canon\tsize\n");
}

/*
 * The row of the table that a backend has, a new one where it has none.
 */
static int
find_row(struct all_runs *runs, struct tsv *tsv, size_t *out)
{
	const char *name = tsv_field(tsv, "backend");
	const char *batch = tsv_field(tsv, "batch");
	char backend[ALL_RUNS_BACKEND_SIZE];
	int length = snprintf(backend, sizeof backend, "%s x%s", name, batch);

	if (length < 0 || (size_t)length >= sizeof backend)
		return tsv_fail(tsv, "the backend's name is too long");
	for (*out = 0; *out < runs->n; ++*out)
		if (strcmp(runs->backend[*out], backend) == 0)
			return 0;
	if (runs->n == ALL_RUNS_ROWS_MAX)
		return tsv_fail(tsv, "more than %d backends and batches",
		    ALL_RUNS_ROWS_MAX);
	memcpy(runs->backend[runs->n++], backend, sizeof backend);
	return 0;
}

static bool
is_wanted(const struct tsv *tsv)
{
	const char *op = all_rows_text(tsv, "op");

	return (strcmp(op, "sign") == 0 || strcmp(op, "verify") == 0) &&
	    strcmp(all_rows_text(tsv, "key"), "parsed") != 0;
}

static int
take_row(struct all_runs *runs, struct tsv *tsv, unsigned run)
{
	bool is_mail = tsv_field(tsv, "canon") != NULL;
	const struct machine_facts *f = runs->facts;
	double value;
	size_t row = 0;
	int status = tsv_figure(tsv, "per_s_median", &value);

	if (status == 0)
		status = find_row(runs, tsv, &row);
	if (status != 0)
		return status;
	fprintf(runs->out, "%c\t%s\t", 'a' + (int)row, f->model);
	if (f->ghz > 0)
		fprintf(runs->out, "%.0f", f->ghz * 1000);
	else
		fputc('-', runs->out);
	fprintf(runs->out, "\t%s\t%s\t%s\t%s-%s\t%s\t%u\t", f->os, f->openssl,
	    runs->backend[row], is_mail ? "dkim" : "rsa",
	    all_rows_text(tsv, "op"), all_rows_text(tsv, "bits"), run);
	if (value < 0)
		fputc('-', runs->out);
	else
		fprintf(runs->out, "%.1f", value);
	fprintf(runs->out, "\t-\t%s\t%s\t%s\t%s\t%s\n",
	    all_rows_text(tsv, "path"), all_rows_text(tsv, "batch"),
	    all_rows_text(tsv, "threads"), all_rows_text(tsv, "canon"),
	    all_rows_text(tsv, "size"));
	return 0;
}

static int
check_columns(struct tsv *tsv)
{
	static const char *const names[] = { "backend", "path", "bits", "op",
	    "batch", "threads", "per_s_median" };

	if (tsv_has(tsv, names, sizeof names / sizeof names[0]))
		return 0;
	return tsv_fail(tsv, "these columns are not those of dkimbench rsa, "
	    "sign or verify");
}

struct taker {
	struct all_runs	*runs;
	unsigned	 run;
};

/*
 * As take of all_rows.
 */
static int
take(void *arg, struct tsv *tsv)
{
	const struct taker *t = arg;
	int status = check_columns(tsv);

	if (status == 0 && is_wanted(tsv))
		status = take_row(t->runs, tsv, t->run);
	return status;
}

int
all_runs_take(struct all_runs *runs, const char *file, unsigned run)
{
	struct taker t = { runs, run };

	return all_rows(file, take, &t);
}
