/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimd -t: messages from files, signed or verified as by the daemon.
 */
#ifndef DKIMD_TEST_H
#define DKIMD_TEST_H

#include "cmd/dkimd_args.h"
#include "milter/options.h"
#include "milter/report.h"

/*
 * Test the files of -t with the rights of UserID, where it may be become; what
 * comes of it is printed on standard output. Without Mode they are verified.
 *   options   moved
 *   returns   0: all were signed or verified, whatever the verdict; else the
 *             first trouble: 65 (EX_DATAERR) no message, or one that cannot be
 *             signed; 69 (EX_UNAVAILABLE) no such file; 70 (EX_SOFTWARE) not
 *             signed in Mode s, or our fault; EX_CONFIG, EX_NOPERM, EX_OSERR
 *   source    MIGRATION 1k
 */
int dkimd_test(struct options *options /* moved */,
    const struct dkimd_args *args, struct report *report) MUSTUSE;

#endif
