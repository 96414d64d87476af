/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers to the MTA, put into c->out.
 */
#ifndef FRONT_ANSWER_H
#define FRONT_ANSWER_H

#include "front_own.h"

/*
 * One without data.
 */
void front_answer(struct front_conn *c, enum wire_reply_kind kind);

/*
 * A reply in words: refuses the command.
 *   text     "%" as it is
 */
void front_answer_code(struct front_conn *c, const char *code,
    const char *xcode, const char *text);

/*
 * What is agreed, and the macros that are wanted, where they may be named.
 */
void front_answer_terms(struct front_conn *c, const struct conf *conf,
    struct wire_optneg terms);

/*
 * Changes of the header, and the end of the message.
 */
void front_answer_result(struct front_conn *c,
    const struct session_result *result);

#endif
