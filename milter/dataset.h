/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Data sets: file, refile, csl (later lmdb, SQL, LDAP, Redis), one const table
 * of kinds. Immutable once open; may be used by many threads.
 */
#ifndef DATASET_H
#define DATASET_H

#include "../dkim/dkim.h"
#include "report.h"

#define DATASET_KEY_MAX		320	/* octets of a look-up key */
#define DATASET_LINE_MAX	65536	/* octets of a line in a flat file */
#define DATASET_PATTERN_MAX	1024	/* octets of a pattern in a refile */
#define DATASET_FILE_MAX	1073741824 /* octets of a flat file */
#define DATASET_ROWS_MAX	100000000 /* lines of one flat file */

struct dataset;

enum dataset_kind {
	DATASET_FILE,		/* key, blanks, value; hashed */
	DATASET_REFILE,		/* patterns, in file order */
	DATASET_CSL,		/* comma list, k or k=v; hashed */
};

/*
 * One row; slices live as long as the data set.
 */
struct row {
	struct slice	 key;
	struct slice	 value;		/* empty where the line has none */
	const char	*file;		/* of the row; NULL for csl */
	unsigned	 line;
};

/*
 * Open what an option names: "refile:/path", "file:/path", "csl:a,b", "/path",
 * "a,b", IPv6 text (csl). Other known prefixes are "not supported yet".
 *   option   its name, for messages
 *   base     BaseDirectory for relative paths, or NULL
 *   report   faults with file:line; a key or pattern that cannot be used is
 *            fatal, since the mail it is for would pass unsigned
 *   errors   DKIM_ERR_SYNTAX: reported as fatal; _NOMEM
 *   source   MIGRATION 2b
 */
int dataset_open(const char *option, const char *text, const char *base,
    struct report *report, struct dataset **out) MUSTUSE;
void dataset_free(struct dataset *set);
enum dataset_kind dataset_kind(const struct dataset *set);
size_t dataset_count(const struct dataset *set);

/*
 * Row i in file order, for start-up checks (patterns, too). A row whose line
 * was at fault (too long, a NUL) is there with an empty value.
 */
void dataset_at(const struct dataset *set, size_t i, struct row *out);

/*
 * Find rows for a key, without case where nocase is set (domains, addresses).
 * Rows come in file order; a hashed kind has the rows of equal keys, a refile
 * all whose pattern matches.
 *   out      room for max rows
 *   n        rows found; 0 for a key above DATASET_KEY_MAX
 *   errors   DKIM_ERR_NOMEM: a regular expression could not be run; n is 0
 */
int dataset_find(const struct dataset *set, struct slice key, bool nocase,
    struct row *out, size_t max, size_t *n) MUSTUSE;

/*
 * Rows that every look-up has to try one by one: patterns that are live
 * regular expressions, or have no literal text at either end.
 */
size_t dataset_linear(const struct dataset *set);

#endif
