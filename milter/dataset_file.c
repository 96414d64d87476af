/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data set kind "file": key, blanks, value a line, hashed by key
 * (MIGRATION 2b). Its rows and its hash serve the other kinds, too.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "dataset_index.h"
#include "textfile.h"

/*
 * Lines of text, empty ones, too: memory of rows that are not used is never
 * touched.
 */
static size_t
count_lines(struct slice text)
{
	size_t n = 1, at;

	while ((at = slice_find(text, '\n')) < text.n) {
		text = slice_from(text, at + 1);
		n++;
	}
	return n;
}

/*
 * Why a line is at fault, or NULL. What is left of its row has no value, so
 * that mail which needs it is tempfailed rather than sent unsigned.
 */
static const char *
line_fault(struct slice line, size_t full)
{
	if (full > DATASET_LINE_MAX)
		return "line of more than 65536 octets";
	if (slice_find(line, '\0') < line.n)
		return "a NUL in the line";
	return NULL;
}

int
dataset_file_rows(struct dataset *set, size_t n, size_t key_max,
    const char *option, struct report *report)
{
	struct slice rest = { set->text, n }, line, key, value;
	const char *fault;
	uint32_t number = 0;
	size_t full, count = count_lines(rest);

	if (count > DATASET_ROWS_MAX) {
		report_fault(report, FAULT_FATAL,
		    "%s: %s has more than %d lines", option, set->file,
		    DATASET_ROWS_MAX);
		return DKIM_ERR_SYNTAX;
	}
	set->rows = calloc(count + 1, sizeof(*set->rows));
	set->next = calloc(count + 1, sizeof(*set->next));
	if (set->rows == NULL || set->next == NULL)
		return DKIM_ERR_NOMEM;
	while (textfile_line(&rest, &line, &full)) {
		number++;
		if (line.n == 0)
			continue;
		key = textfile_word(line, &value);
		fault = line_fault(line, full);
		if (key.n > key_max || slice_find(key, '\0') < key.n) {
			/* nobody knows whose row it is: no mail can wait */
			report_fault(report, FAULT_FATAL, "%s:%u: %s: key of "
			    "%zu octets or with a NUL; wanted are %zu at most",
			    set->file, number, report_name(option), key.n,
			    key_max);
			continue;
		}
		if (fault != NULL) {
			report_fault(report, FAULT_ROW, "%s:%u: %s: %s",
			    set->file, number, report_name(option), fault);
			value.n = 0;
		}
		set->rows[set->n++] = (struct dataset_row){
			.p = key.p,
			.line = number,
			.value_at = value.n == 0 ? 0 :
			    (uint32_t)(value.p - key.p),
			.value_n = (uint32_t)value.n,
			.key_n = (uint16_t)key.n,
		};
	}
	return 0;
}

int
dataset_file_index(struct dataset *set)
{
	size_t i;
	int error;

	if ((error = dataset_index_init(&set->literal, set->n)) != 0)
		return error;
	for (i = set->n; i > 0; i--)
		dataset_index_put(&set->literal, set->next,
		    dataset_index_backward(dataset_row_key(&set->rows[i - 1])),
		    (uint32_t)(i - 1));
	return 0;
}

int
dataset_file_find(const struct dataset *set, struct slice key, bool nocase,
    struct row *out, size_t max, size_t *n)
{
	struct slice have;
	uint32_t at;

	*n = 0;
	at = dataset_index_first(&set->literal, dataset_index_backward(key));
	for (; at != 0 && *n < max; at = set->next[at - 1]) {
		have = dataset_row_key(&set->rows[at - 1]);
		if (nocase ? slice_equal_nocase(have, key) :
		    slice_equal(have, key))
			dataset_at(set, at - 1, &out[(*n)++]);
	}
	return 0;
}

static int
file_open(struct dataset *set, size_t n, const char *option,
    struct report *report)
{
	int error;

	error = dataset_file_rows(set, n, DATASET_KEY_MAX, option, report);
	return error != 0 ? error : dataset_file_index(set);
}

const struct dataset_ops dataset_file_ops = {
	.prefix = "file",
	.kind = DATASET_FILE,
	.is_file = true,
	.open = file_open,
	.find = dataset_file_find,
};
