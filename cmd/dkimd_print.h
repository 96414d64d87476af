/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -e: one option's value, as a configuration file would have it.
 */
#ifndef DKIMD_PRINT_H
#define DKIMD_PRINT_H

#include "milter/conf.h"

/*
 * Print the value, also a built-in one, and a line end.
 *   returns  0; EX_CONFIG, nothing printed: it is not set; EX_DATAERR: the name
 *            is no option (OpenDKIM's codes)
 */
int dkimd_print_option(const struct options *options, const char *name)
    MUSTUSE;

/*
 * The word of an action; static.
 */
const char *dkimd_print_action(enum action action);

#endif
