/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a configuration file: name, blanks, value (MIGRATION 2a).
 */
#ifndef CONF_FILE_H
#define CONF_FILE_H

#include "options.h"
#include "report.h"

#define CONF_FILE_MAX		16777216	/* octets of one file */
#define CONF_FILE_LINE_MAX	65536		/* octets of one line */
#define CONF_FILE_NESTED	5		/* files inside each other */
#define CONF_FILE_COUNT		1000		/* files in all */

/*
 * Is given one setting; place.file lives as long as files.
 *   returns  0, DKIM_ERR_SYNTAX (reported, reading goes on), _NOMEM
 */
typedef int (*conf_file_fn)(void *context, struct option_place place,
    struct slice name, struct slice value);

/*
 * Read a file, with those that it includes (relative to its own folder).
 *   files    list to which the paths of all files read are added; the caller
 *            frees it with conf_file_free, also after an error
 *   errors   DKIM_ERR_SYNTAX: everything that is wrong has been reported;
 *            _NOMEM
 */
int conf_file_read(const char *path, conf_file_fn set, void *context,
    struct report *report, struct option_file **files) MUSTUSE;

void conf_file_free(struct option_file *files);

#endif
