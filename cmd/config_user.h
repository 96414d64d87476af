/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run with a configuration as dkimd would: KeyFile is read, then UserID
 * become, for good, when this is root.
 */
#ifndef CONFIG_USER_H
#define CONFIG_USER_H

#include "milter/keyfile.h"
#include "milter/options.h"
#include "milter/report.h"

/*
 *   key_file  out: what was read, config_user_done wipes and frees it; NULL:
 *             KeyFile is to be read as this user
 *   returns   0, EX_CONFIG, EX_NOPERM (reported), EX_OSERR
 */
int config_user_become(const struct options *options, struct report *report,
    struct keyfile **key_file) MUSTUSE;
void config_user_done(struct keyfile *key_file);

#endif
