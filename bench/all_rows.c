/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of TSV files; see all_rows.h.
 */

/* system */
#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sysexits.h>

/* this room */
#include "all_rows.h"

int
all_rows(const char *file, int (*take)(void *arg, struct tsv *tsv), void *arg)
{
	bool is_header, more = true;
	struct tsv tsv;
	char *octets;
	size_t n;
	int status = tsv_load(file, &octets, &n);

	if (status != 0)
		return status;
	tsv_begin(&tsv, file, octets, n);
	while (status == 0 && more) {
		status = tsv_next(&tsv, &is_header, &more);
		if (status == 0 && more && !is_header)
			status = take(arg, &tsv);
	}
	if (status != 0)
		warnx("%s", tsv.error);
	free(octets);
	return status;
}

const char *
all_rows_text(const struct tsv *tsv, const char *column)
{
	const char *text = tsv_field(tsv, column);

	return text != NULL && *text != '\0' ? text : "-";
}
