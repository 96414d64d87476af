/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the engine asks of libcrypto for one message: each call of a digest with
 * its octets, as it is made, and the RSA operation; in the words of a file of
 * 2009 that did the same.
 */
#ifndef DIGEST_TRACE_H
#define DIGEST_TRACE_H

/* this room */
#include "message_reference.h"
#include "table.h"

/*
 * Sign or verify the first message of a reference, and print.
 *   tsv      columns call, octets, digest; else "SHA256_Update 47"
 *   returns  0, or an exit status (what was wrong is told)
 */
int digest_trace_print(const struct message_reference *reference,
    enum rsab_op op, bool tsv, FILE *out) MUSTUSE;

#endif
