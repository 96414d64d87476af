/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A session without an MTA: messages from files go through tables, keys and
 * resolver of a configuration, as dkimd would send them through. For dkim sign
 * --config and dkimd -t.
 */
#ifndef SESSION_RUN_H
#define SESSION_RUN_H

#include "cmd/input.h"
#include "milter/keyfile.h"
#include "milter/policy.h"
#include "milter/session.h"

struct session_run;

/*
 * Who sends the message.
 */
enum session_run_origin {
	SESSION_RUN_SUBMITTED,	/* an authenticated user: always ours */
	SESSION_RUN_LOCAL,	/* localhost: InternalHosts decides */
	SESSION_RUN_OUTSIDE,	/* an address that is nobody's peer */
};

/*
 * Build the configuration and what answers its wants.
 *   options   moved, also on failure
 *   key_file  KeyFile, read before; NULL: read it here
 *   errors    EX_CONFIG: reported; EX_OSERR: told on stderr
 */
int session_run_new(struct options *options /* moved */,
    struct keyfile *key_file, struct report *report,
    struct session_run **out) MUSTUSE;
void session_run_free(struct session_run *run);

/*
 * Send a message through.
 *   now       t= of signatures, and when those of the message are judged
 *   header    empty; the message's fields are put here
 *   is_lf     out, may be NULL: lines end in LF
 *   result    lives until the next message; header is not needed for it
 *   errors    as input_message; EX_OSERR: no memory, told; EX_CONFIG: no
 *             address is OUTSIDE, told
 */
int session_run_message(struct session_run *run, enum session_run_origin from,
    uint64_t now, struct dkim_header *header, struct input *in, bool *is_lf,
    const struct session_result **result) MUSTUSE;

/*
 * What became of the last message.
 */
enum policy_role session_run_role(const struct session_run *run);

/*
 * Why it was neither signed nor verified; static, "" where there is no reason.
 */
const char *session_run_reason(const struct session_run *run);

/*
 * Its verdict i, from the top; NULL: no more.
 */
const struct dkim_verdict *session_run_verdict(const struct session_run *run,
    size_t i);

#endif
