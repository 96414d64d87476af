/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What options mean beyond their type: ranges with a meaning, options that
 * need each other, small grammars.
 */
#ifndef CONF_CHECK_H
#define CONF_CHECK_H

#include "conf.h"

/*
 * Check all options and put right those that have a floor or a default for 0.
 *   errors   DKIM_ERR_SYNTAX: all faults are reported; _NOMEM
 *   source   BEHAVIOUR 1, 2, 3, 5, 6; MIGRATION 2c, 2e
 */
int conf_check_options(struct options *options, struct report *report) MUSTUSE;

/*
 * Minimum: "n" octets, "n%" of the body, "n+": at most n octets unsigned.
 *   errors   DKIM_ERR_SYNTAX
 */
int conf_check_minimum(struct slice text, struct dkim_minimum *out) MUSTUSE;

/*
 * AutoRestartRate: "count/time[s|m|h|d]".
 *   seconds  of the time
 *   errors   DKIM_ERR_SYNTAX
 */
int conf_check_rate(struct slice text, uint64_t *count, uint64_t *seconds)
    MUSTUSE;

/*
 * One item of Nameservers: address[@port].
 */
bool conf_check_nameserver(struct slice item);

/*
 * The number that syslog(3) has for a facility's name, or -1.
 */
int conf_check_facility(const char *name);

#endif
