/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -Q.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* room below */
#include "milter/dataset.h"

/* this room */
#include "cmd/dkimd_query.h"

#define PARTS_MAX	1000	/* of a value that a query may want */

/*
 * The next line without its end; -1: none. Whoever types is asked for it.
 */
static ssize_t
read_line(const char *prompt, char **line, size_t *space)
{
	ssize_t n;

	if (isatty(STDIN_FILENO)) {
		fputs(prompt, stderr);
		fflush(stderr);
	}
	n = getline(line, space, stdin);
	while (n > 0 && ((*line)[n - 1] == '\n' || (*line)[n - 1] == '\r'))
		(*line)[--n] = '\0';
	return n;
}

/*
 * "key/n"; the key may have slashes itself.
 */
static bool
take_apart(char *line, size_t n, struct slice *key, unsigned long *parts)
{
	char *slash, *end;

	slash = strrchr(line, '/');
	if (slash == NULL || strlen(line) != n || slash[1] < '0' ||
	    slash[1] > '9')
		return false;
	*parts = strtoul(slash + 1, &end, 10);
	*key = slice_of(line, (size_t)(slash - line));
	return *end == '\0' && *parts <= PARTS_MAX;
}

static void
print_part(struct slice part)
{
	putchar('\'');
	fwrite(part.p, 1, part.n, stdout);
	fputs("'\n", stdout);
}

/*
 * As many parts as there are, at most wanted ones.
 */
static void
print_value(struct slice value, unsigned long wanted)
{
	size_t colon;

	while (wanted > 1) {
		colon = slice_find(value, ':');
		if (colon == value.n)
			break;
		print_part(slice_sub(value, 0, colon));
		value = slice_from(value, colon + 1);
		wanted--;
	}
	if (wanted > 0)
		print_part(value);
}

static int
answer(const struct dataset *set, char *line, size_t n)
{
	struct slice key;
	struct row row;
	unsigned long parts;
	size_t found;

	if (!take_apart(line, n, &key, &parts)) {
		fprintf(stderr, "dkimd: invalid query '%s': KEY/N is wanted, "
		    "N being how many parts of the value (0 to %d)\n", line,
		    PARTS_MAX);
		return EX_USAGE;
	}
	/* as SigningTable is asked: without case */
	if (dataset_find(set, key, true, &row, 1, &found) != 0) {
		fputs("dkimd: no memory\n", stderr);
		return EX_OSERR;
	}
	if (found == 0)
		fprintf(stderr, "dkimd: '%.*s': record not found\n",
		    (int)key.n, (const char *)key.p);
	else
		print_value(row.value, parts);
	fflush(stdout);
	return 0;
}

int
dkimd_query(struct report *report)
{
	struct dataset *set = NULL;
	char *line = NULL;
	size_t space = 0;
	ssize_t n;
	int r, status = 0;

	n = read_line("data set (csl:a,b=c  file:path  refile:path) > ", &line,
	    &space);
	if (n <= 0) {
		fputs("dkimd: the first line of standard input must be a data "
		    "set, as in refile:/path\n", stderr);
		status = EX_NOINPUT;
		goto out;
	}
	r = dataset_open("-Q", line, NULL, report, &set);
	if (r != 0) {
		status = r == DKIM_ERR_NOMEM ? EX_OSERR : EX_CONFIG;
		goto out;
	}
	while (status != EX_OSERR && (n = read_line("key/parts > ", &line,
	    &space)) >= 0) {
		r = n == 0 ? 0 : answer(set, line, (size_t)n);
		if (r != 0)
			status = r;
	}
out:
	dataset_free(set);
	free(line);
	return status;
}
