/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One value of an option, from text to its member (MIGRATION 2a).
 */
#ifndef CONF_VALUE_H
#define CONF_VALUE_H

#include "conf_options.h"

/*
 * Parse text as option says and put it into options. Options without a member
 * (ignored, not supported yet) are reported here, too.
 *   where    "file:line: Option", for messages
 *   errors   DKIM_ERR_SYNTAX: reported; _NOMEM
 */
int conf_value_set(const struct option *option, struct slice text,
    const char *where, struct report *report, struct options *options)
    MUSTUSE;

/*
 * Whole numbers as strtol(3) base 0 reads them: 10, 0x10, 010.
 */
int conf_value_number(struct slice text, uint64_t *out) MUSTUSE;

#endif
