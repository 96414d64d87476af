/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading recorded figures: rows parted by TABs under a line that begins with
 * "#" and names the columns. Every octet is untrusted; every error names file,
 * line and value.
 */
#ifndef TSV_H
#define TSV_H

/* system */
#include <stdbool.h>
#include <stddef.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define TSV_FILE_MAX	16777216	/* octets of a file */
#define TSV_LINE_MAX	4096		/* octets of a line */
#define TSV_COLUMNS_MAX	64
#define TSV_ERROR_SIZE	256		/* octets of an error and its NUL */

struct tsv {
	const char	*file;		/* for errors */
	const char	*octets;
	size_t		 n, at;
	unsigned	 line;		/* from 1, of the row that is held */

	/* The row that is held: strings, within text. */
	char		 text[TSV_LINE_MAX + 1];
	const char	*field[TSV_COLUMNS_MAX];
	size_t		 fields;

	/* The columns, as the last header names them. */
	char		 header[TSV_LINE_MAX + 1];
	const char	*column[TSV_COLUMNS_MAX];
	size_t		 columns;	/* 0: no header yet */

	char		 error[TSV_ERROR_SIZE];
};

/*
 * Read a whole file; "-" is standard input.
 *   octets   malloc'd; the caller frees
 *   returns  0; EX_NOINPUT, EX_DATAERR (too long), EX_OSERR: told
 */
int tsv_load(const char *file, char **octets, size_t *n) MUSTUSE;

/*
 * Begin to read n octets; file and octets outlive it.
 */
void tsv_begin(struct tsv *tsv, const char *file, const char *octets,
    size_t n);

/*
 * The next row, or the next header: a line that begins with # and has a TAB.
 * Other lines that begin with #, and empty ones, are skipped.
 *   is_header  the columns are new, no row is held
 *   more     false: there are no more lines
 *   returns  0; EX_DATAERR: error says why
 */
int tsv_next(struct tsv *tsv, bool *is_header, bool *more) MUSTUSE;

/*
 * The field of the row under that column; NULL: no such column.
 */
const char *tsv_field(const struct tsv *tsv, const char *column);

/*
 * Does the header name all of n columns?
 */
bool tsv_has(const struct tsv *tsv, const char *const names[], size_t n);

/*
 * A text of 1 to size - 1 octets.
 *   returns  0; EX_DATAERR: error says why
 */
int tsv_text(struct tsv *tsv, const char *column, char *out, size_t size)
    MUSTUSE;

/*
 * A number that is 0 or more, or "-" or "n/a" for none (-1); a whole number
 * from min to max.
 *   returns  0; EX_DATAERR: error says why
 */
int tsv_figure(struct tsv *tsv, const char *column, double *out) MUSTUSE;
int tsv_whole(struct tsv *tsv, const char *column, unsigned min, unsigned max,
    unsigned *out) MUSTUSE;

/*
 * Room for one row more of those that a reader keeps.
 *   rows     n of them, each so large, malloc'd; NULL: none yet
 *   max      that it keeps
 *   status   out: 0; EX_DATAERR (max are there), EX_OSERR: error says why
 *   returns  rows, moved where they had to grow; as they were on failure
 */
void *tsv_room(struct tsv *tsv, void *rows, size_t n, size_t max, size_t each,
    int *status) MUSTUSE;

/*
 * Compose error: "file:line: ", then what is wrong.
 *   returns  EX_DATAERR
 */
int tsv_fail(struct tsv *tsv, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
