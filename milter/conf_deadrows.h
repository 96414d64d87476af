/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of tables that are well formed and do nothing: patterns that match no
 * mail, signers that are dropped. Warnings, since the mail that they were
 * written for passes unsigned.
 */
#ifndef CONF_DEADROWS_H
#define CONF_DEADROWS_H

#include "conf.h"

/*
 * Warn of each row of a table, and each item of a list of domains, that can
 * match nothing, and say what to write.
 *   errors   DKIM_ERR_NOMEM
 *   source   MIGRATION 2b, 2c
 */
int conf_deadrows_check(const struct conf *conf, struct report *report)
    MUSTUSE;

/*
 * Warn when the signer of a SigningTable row lies outside of the domain of
 * its key, so that no i= is written.
 *   row      of SigningTable: keyname:signer
 *   key      its row of KeyTable
 *   errors   DKIM_ERR_NOMEM
 *   source   RFC 6376 s3.5 i=
 */
int conf_deadrows_signer(const struct conf *conf, const struct row *row,
    const struct row *key, struct report *report) MUSTUSE;

#endif
