/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows parted by TABs; see tsv.h.
 */

/* system */
#include <err.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "tsv.h"

#define FIGURE_MAX	1e15
#define SHOWN		60	/* octets of a value in an error */

static int
load_stream(FILE *in, const char *file, char **octets, size_t *n)
{
	char *p = NULL, *more;
	size_t size = 0, used = 0;

	do {
		size = size == 0 ? 65536 : 2 * size;
		if ((more = realloc(p, size)) == NULL) {
			warnx("%s: no memory for %zu octets", file, size);
			free(p);
			return EX_OSERR;
		}
		p = more;
		used += fread(p + used, 1, size - used, in);
	} while (used == size && used <= TSV_FILE_MAX);
	if (ferror(in) || used > TSV_FILE_MAX) {
		if (ferror(in))
			warn("%s", file);
		else
			warnx("%s: longer than %d octets", file,
			    TSV_FILE_MAX);
		free(p);
		return ferror(in) ? EX_NOINPUT : EX_DATAERR;
	}
	*octets = p;
	*n = used;
	return 0;
}

int
tsv_load(const char *file, char **octets, size_t *n)
{
	FILE *in = strcmp(file, "-") == 0 ? stdin : fopen(file, "rb");
	int status;

	if (in == NULL) {
		warn("%s", file);
		return EX_NOINPUT;
	}
	status = load_stream(in, file, octets, n);
	if (in != stdin)
		fclose(in);
	return status;
}

void
tsv_begin(struct tsv *tsv, const char *file, const char *octets, size_t n)
{
	memset(tsv, 0, sizeof *tsv);
	tsv->file = file;
	tsv->octets = octets;
	tsv->n = n;
}

int
tsv_fail(struct tsv *tsv, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(tsv->error, sizeof tsv->error, "%.100s:%u: ", tsv->file,
	    tsv->line);
	va_start(args, format);
	if (n > 0 && (size_t)n < sizeof tsv->error)
		vsnprintf(tsv->error + n, sizeof tsv->error - (size_t)n,
		    format, args);
	va_end(args);
	/* an error goes to a terminal, a value may come from anywhere */
	for (char *p = tsv->error; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	return EX_DATAERR;
}

/*
 * Copy the next line into text, without what ends it.
 *   size     its octets
 */
static int
take_line(struct tsv *tsv, char text[TSV_LINE_MAX + 1], size_t *size)
{
	const char *p = tsv->octets + tsv->at, *nul;
	const char *end = memchr(p, '\n', tsv->n - tsv->at);
	size_t n = end != NULL ? (size_t)(end - p) : tsv->n - tsv->at;

	tsv->at += n + (end != NULL);
	tsv->line++;
	if (n > 0 && p[n - 1] == '\r')
		n--;
	if (n > TSV_LINE_MAX)
		return tsv_fail(tsv, "a line of %zu octets; %d at most", n,
		    TSV_LINE_MAX);
	if (n > 0 && (nul = memchr(p, '\0', n)) != NULL)
		return tsv_fail(tsv, "octet %zu is NUL", (size_t)(nul - p) + 1);
	memcpy(text, p, n);
	text[n] = '\0';
	*size = n;
	return 0;
}

/*
 * Part a line at its TABs, in place.
 */
static int
part(struct tsv *tsv, char *text, const char *field[TSV_COLUMNS_MAX],
    size_t *fields)
{
	size_t n = 0;

	for (char *p = text; p != NULL; n++) {
		if (n == TSV_COLUMNS_MAX)
			return tsv_fail(tsv, "more than %d columns",
			    TSV_COLUMNS_MAX);
		field[n] = p;
		if ((p = strchr(field[n], '\t')) != NULL)
			*p++ = '\0';
	}
	*fields = n;
	return 0;
}

static int
take_header(struct tsv *tsv, char *text)
{
	int status;

	/* behind the # */
	memcpy(tsv->header, text + 1, strlen(text + 1) + 1);
	tsv->columns = 0;
	status = part(tsv, tsv->header, tsv->column, &tsv->columns);
	for (size_t i = 0; i < tsv->columns && status == 0; i++)
		for (size_t k = 0; k < i && status == 0; k++)
			if (strcmp(tsv->column[i], tsv->column[k]) == 0)
				status = tsv_fail(tsv, "column \"%.*s\" is "
				    "there twice", SHOWN, tsv->column[i]);
	return status;
}

int
tsv_next(struct tsv *tsv, bool *is_header, bool *more)
{
	size_t n = 0;
	int status = 0;

	*more = false;
	*is_header = false;
	tsv->fields = 0;
	while (tsv->at < tsv->n && status == 0) {
		status = take_line(tsv, tsv->text, &n);
		if (status != 0 || n == 0)
			continue;
		*is_header = tsv->text[0] == '#';
		if (*is_header && strchr(tsv->text, '\t') == NULL)
			continue;
		*more = true;
		if (*is_header)
			return take_header(tsv, tsv->text);
		if (tsv->columns == 0)
			return tsv_fail(tsv, "a line that begins with # and "
			    "names the columns must come first");
		status = part(tsv, tsv->text, tsv->field, &tsv->fields);
		if (status == 0 && tsv->fields != tsv->columns)
			status = tsv_fail(tsv, "%zu fields; the header names "
			    "%zu columns", tsv->fields, tsv->columns);
		return status;
	}
	return status;
}

const char *
tsv_field(const struct tsv *tsv, const char *column)
{
	for (size_t i = 0; i < tsv->fields; i++)
		if (strcmp(tsv->column[i], column) == 0)
			return tsv->field[i];
	return NULL;
}

/*
 * A field that must be there.
 */
static int
need(struct tsv *tsv, const char *column, const char **out)
{
	*out = tsv_field(tsv, column);
	return *out != NULL ? 0 : tsv_fail(tsv, "no column \"%s\"", column);
}

bool
tsv_has(const struct tsv *tsv, const char *const names[], size_t n)
{
	size_t k;

	for (size_t i = 0; i < n; i++) {
		for (k = 0; k < tsv->columns; k++)
			if (strcmp(tsv->column[k], names[i]) == 0)
				break;
		if (k == tsv->columns)
			return false;
	}
	return true;
}

int
tsv_text(struct tsv *tsv, const char *column, char *out, size_t size)
{
	const char *text;

	if (need(tsv, column, &text) != 0)
		return EX_DATAERR;
	if (*text == '\0')
		return tsv_fail(tsv, "%s is empty; - is for none", column);
	if (strlen(text) >= size)
		return tsv_fail(tsv, "%s \"%.40s...\" has %zu octets; %zu at "
		    "most", column, text, strlen(text), size - 1);
	memcpy(out, text, strlen(text) + 1);
	return 0;
}

int
tsv_figure(struct tsv *tsv, const char *column, double *out)
{
	const char *text;
	char *end;
	double figure;

	if (need(tsv, column, &text) != 0)
		return EX_DATAERR;
	if (strcmp(text, "-") == 0 || strcmp(text, "n/a") == 0) {
		*out = -1;
		return 0;
	}
	/* digits alone may begin it: no sign, no blank, no name of a number */
	if (text[0] >= '0' && text[0] <= '9' &&
	    text[strspn(text, "0123456789.eE+-")] == '\0') {
		figure = strtod(text, &end);
		if (*end == '\0' && figure >= 0 && figure <= FIGURE_MAX) {
			*out = figure;
			return 0;
		}
	}
	return tsv_fail(tsv, "%s \"%.*s\": a number from 0 to %g is wanted, "
	    "- for none", column, SHOWN, text, FIGURE_MAX);
}

int
tsv_whole(struct tsv *tsv, const char *column, unsigned min, unsigned max,
    unsigned *out)
{
	const char *text;
	unsigned long n;

	if (need(tsv, column, &text) != 0)
		return EX_DATAERR;
	/* nine digits fit in any unsigned long */
	if (text[0] != '\0' && strlen(text) <= 9 &&
	    text[strspn(text, "0123456789")] == '\0') {
		n = strtoul(text, NULL, 10);
		if (n >= min && n <= max) {
			*out = (unsigned)n;
			return 0;
		}
	}
	return tsv_fail(tsv, "%s \"%.*s\": a whole number from %u to %u is "
	    "wanted", column, SHOWN, text, min, max);
}

void *
tsv_room(struct tsv *tsv, void *rows, size_t n, size_t max, size_t each,
    int *status)
{
	void *more;

	*status = 0;
	if (n == max) {
		*status = tsv_fail(tsv, "more than %zu rows", max);
		return rows;
	}
	/* doubled at each power of two, from none to one */
	if ((n & (n - 1)) != 0)
		return rows;
	more = realloc(rows, (n == 0 ? 1 : 2 * n) * each);
	if (more != NULL)
		return more;
	tsv_fail(tsv, "no memory for %zu rows", n == 0 ? 1 : 2 * n);
	*status = EX_OSERR;
	return rows;
}
