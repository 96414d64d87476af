/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages from files or standard input, streamed; read twice where a command
 * needs that (standard input goes to an unlinked temporary file then).
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdio.h>

#include "dkim/dkim.h"

struct input {
	FILE		*file;
	const char	*name;		/* for messages; "-" is stdin */
};

/*
 * Open; trouble is reported on stderr.
 *   path     "-" or NULL: standard input
 *   twice    it will be read twice
 *   returns  0 or EX_NOINPUT
 */
int input_open(const char *path, bool twice, struct input *in) MUSTUSE;
void input_close(struct input *in);

/*
 * Read from the start to the end and hand all octets to feed.
 *   returns  0, EX_NOINPUT, or what feed returned (stops then)
 */
int input_each(struct input *in, int (*feed)(void *context, struct slice in),
    void *context) MUSTUSE;

/*
 * A whole small file (a key), limited.
 *   out      malloc'd, n octets; the caller wipes and frees
 *   returns  0, EX_NOINPUT or EX_CONFIG (over max octets), reported
 */
int input_read_small(const char *path, size_t max, uint8_t **out, size_t *n)
    MUSTUSE;

/*
 * Read a message through dkim_reader.
 *   is_lf    out, may be NULL: lines end in LF
 *   returns  0, EX_NOINPUT, EX_DATAERR (no message, or over a limit: told on
 *            stderr), EX_OSERR, or, made positive, none else
 */
int input_message(struct input *in, struct dkim_header *header,
    int (*on_header)(void *context), dkim_body_fn on_body, void *context,
    bool *is_lf) MUSTUSE;

#endif
