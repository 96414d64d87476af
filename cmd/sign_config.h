/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sign a message as dkimd would: a session with the given configuration, fed
 * with the message as local mail.
 */
#ifndef SIGN_CONFIG_H
#define SIGN_CONFIG_H

#include "input.h"

/*
 *   path     the configuration file
 *   now      t=
 *   header   empty; the message's fields are put here
 *   fields   out: the DKIM-Signature fields, line ends as read
 *   returns  0, EX_CONFIG (configuration or key), EX_DATAERR (not to be
 *            signed: told why), EX_NOINPUT, EX_OSERR
 */
int sign_config(const char *path, uint64_t now, struct dkim_header *header,
    struct input *in, struct buf *fields) MUSTUSE;

#endif
