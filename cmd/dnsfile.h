/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of TXT records in a file: name TAB value, one record a line, several
 * lines of one name are several records, "#" begins a comment line. Escapes
 * \\ \t \n \r \xHH. Values !NXDOMAIN, !NODATA, !SERVFAIL, !TIMEOUT.
 */
#ifndef DNSFILE_H
#define DNSFILE_H

#include "dkim/dkim.h"

struct dnsfile;

/*
 *   returns  0, EX_NOINPUT, EX_CONFIG (file:line told on stderr), EX_OSERR
 */
int dnsfile_open(const char *path, struct dnsfile **out) MUSTUSE;
void dnsfile_free(struct dnsfile *file);

/*
 * The answer for one name, lower case; a name not listed does not exist.
 */
struct dkim_answer dnsfile_get(const struct dnsfile *file,
    const struct rsab_backend *backend, const char *name);

#endif
