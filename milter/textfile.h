/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole text file in memory, and its lines: for the configuration file and
 * for tables.
 */
#ifndef TEXTFILE_H
#define TEXTFILE_H

#include "../dkim/dkim.h"

/*
 * Read a file whole.
 *   max      octets; a longer file is an error
 *   out      the caller frees
 *   reason   on DKIM_ERR_ARGUMENT: why it cannot be read (static text)
 *   errors   DKIM_ERR_ARGUMENT, _NOMEM
 */
int textfile_read(const char *path, size_t max, uint8_t **out, size_t *n,
    const char **reason) MUSTUSE;

/*
 * base/path, or path alone where it is absolute or base is NULL.
 *   out      the caller frees
 */
int textfile_path(const char *base, struct slice path, char **out) MUSTUSE;

/*
 * The next line of text: "#" and a CR cut it anywhere, white space at its ends
 * is out; may be empty. False at the end.
 *   full     octets of the line before anything was cut, without its LF
 */
bool textfile_line(struct slice *rest, struct slice *line, size_t *full);

/*
 * Take the first word off a line: word, blanks, the rest.
 */
struct slice textfile_word(struct slice line, struct slice *rest);

#endif
