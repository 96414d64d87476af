/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks a pattern file and its look-up with a key: the index finds the rows
 * that are found when each pattern is tried by itself, and a glob matches what
 * its regular expression does. Input: an octet of options, the key up to a
 * line end, then the file.
 */

/* system */
#include <regex.h>

/* this room */
#include "milter/dataset.h"
#include "milter/dataset_pattern.h"
#include "tests/fuzz/fuzz_report.h"

#define ROWS	64

/*
 * Does a pattern match all of key? By regular expression where there is one.
 */
static bool
matches(struct slice pattern, const char *key, bool nocase)
{
	char ere[DATASET_PATTERN_ERE_MAX];
	const char *reason;
	bool hit, glob;
	regex_t re;

	if (dataset_pattern_ere(pattern, ere, &reason) != 0 ||
	    regcomp(&re, ere, REG_EXTENDED | REG_NOSUB |
	    (nocase ? REG_ICASE : 0)) != 0)
		return false;
	hit = regexec(&re, key, 0, NULL, 0) == 0;
	regfree(&re);
	if (dataset_pattern_form(pattern) != DATASET_FORM_LIVE) {
		glob = dataset_pattern_glob(pattern, slice_text(key), nocase);
		FUZZ_WANT(glob == hit);
	}
	return hit;
}

static void
check_refile(const struct dataset *set, const char *key, bool nocase)
{
	struct row rows[ROWS], row;
	size_t i, n = 0, k = 0;

	FUZZ_WANT(dataset_find(set, slice_text(key), nocase, rows, ROWS,
	    &n) == 0);
	if (strlen(key) > DATASET_KEY_MAX) {
		FUZZ_WANT(n == 0);
		return;
	}
	for (i = 0; i < dataset_count(set) && k < ROWS; i++) {
		dataset_at(set, i, &row);
		if (row.key.n == 0 || !matches(row.key, key, nocase))
			continue;
		FUZZ_WANT(k < n && rows[k].line == row.line);
		k++;
	}
	FUZZ_WANT(k == n);
}

/*
 * Octets of ASCII only: what a locale makes of others is not our matter.
 */
static bool
is_plain(struct slice in)
{
	size_t i;

	for (i = 0; i < in.n; i++)
		if (in.p[i] == '\0' || in.p[i] > 0x7f)
			return false;
	return true;
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	static const char *const prefix[] = { "refile", "file" };
	struct report report = { .write = fuzz_report_write };
	struct dataset *set = NULL;
	struct slice in, key;
	struct row rows[ROWS];
	char spec[300], *text;
	const char *path;
	size_t found;
	bool nocase;

	if (n < 1 || n > 4096 || !is_plain(slice_of(p + 1, n - 1)))
		return 0;
	nocase = (p[0] & 1) != 0;
	in = slice_of(p + 1, n - 1);
	key = fuzz_until(&in, '\n');
	text = fuzz_string(key);
	path = fuzz_file(in);
	snprintf(spec, sizeof(spec), "%s:%s", prefix[p[0] >> 1 & 1], path);
	if (dataset_open("SigningTable", spec, NULL, &report, &set) != 0)
		FUZZ_WANT(report.fatals > 0);
	else if (dataset_kind(set) == DATASET_REFILE)
		check_refile(set, text, nocase);
	else
		FUZZ_WANT(dataset_find(set, key, nocase, rows, ROWS,
		    &found) == 0);
	dataset_free(set);
	free(text);
	return 0;
}
