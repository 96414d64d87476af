/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -e: one option's value, as a configuration file would have it.
 */
#ifndef DKIMD_PRINT_H
#define DKIMD_PRINT_H

#include "milter/conf.h"

/*
 * Print the value and a line end; nothing where the option is not set.
 *   returns  0, or EX_USAGE for a name that is no option
 */
int dkimd_print_option(const struct options *options, const char *name)
    MUSTUSE;

#endif
