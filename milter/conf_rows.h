/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every row of every table looked at when a configuration is made, so that a
 * bad one is known at start and not at the first mail.
 */
#ifndef CONF_ROWS_H
#define CONF_ROWS_H

#include "conf.h"

/*
 * Report each row at fault with file:line: key names without a KeyTable row,
 * KeyTable rows that do not parse, domains that can never match. A row whose
 * mail is known is FAULT_ROW, that mail is tempfailed; one whose mail is not
 * known stops the start.
 *   errors   DKIM_ERR_SYNTAX: one stops the start; _NOMEM
 *   source   BEHAVIOUR 3, 4
 */
int conf_rows_check(const struct conf *conf, struct report *report) MUSTUSE;

#endif
