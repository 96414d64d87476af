/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key records from a file, OpenDKIM's TestPublicKeys: a line has the name
 * ("sel._domainkey.example.com"), blanks, and the record; a line that begins
 * with "#" is a comment. Several lines of one name are several TXT records. A
 * name that is not there does not exist.
 */
#ifndef TESTKEYS_H
#define TESTKEYS_H

#include "../dkim/dkim.h"

#define TESTKEYS_FILE_MAX	16777216	/* octets of the file */
#define TESTKEYS_LINE_MAX	65536		/* octets of a line */

struct testkeys;

/*
 * Parse the text of such a file; it is copied.
 *   line     out, on DKIM_ERR_SYNTAX and _LIMIT: number of the bad line
 *   errors   DKIM_ERR_SYNTAX (no record behind the name), _LIMIT, _NOMEM
 */
int testkeys_parse(struct slice text, struct testkeys **out, unsigned *line)
    MUSTUSE;
void testkeys_free(struct testkeys *keys);

/*
 * The records of a name, in file order.
 *   out      room for max; slices live as long as keys
 *   returns  records there are, which may be more than max
 */
size_t testkeys_find(const struct testkeys *keys, struct slice name,
    struct slice *out, size_t max);

#endif
