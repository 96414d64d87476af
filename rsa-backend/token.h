/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A token as the program with the keys sees it: connections to its helper, and
 * questions with a deadline.
 *
 * The lock guards the idle connections, the counts and the last detail; it is
 * held for copies only, never over a system call that may wait.
 */
#ifndef TOKEN_H
#define TOKEN_H

/* this room */
#include "rsab.h"
#include "token_wire.h"

/* Connections above rsab_token_options.sessions, for loads under full load. */
#define TOKEN_SPARE	4

/*
 * Ask the helper and wait for its answer. A connection that has died while it
 * was idle is replaced once by a new one; a helper that is late or answers
 * nonsense is told of to the peer, and nothing is asked again.
 *   request  its id is set here
 *   buffer   TOKEN_WIRE_MAX octets for the answer; wiped by the caller where
 *            secret
 *   answer   out: fields lie within buffer
 *   detail   out, on errors
 *   errors   RSAB_ERR_TOKEN, or what the answer says
 */
int token_ask(struct rsab_token *token, struct token_wire *request,
    uint8_t *buffer, struct token_wire *answer,
    struct rsab_token_detail *detail) MUSTUSE;

/*
 * The caller's number of a token.
 */
uint16_t token_number(const struct rsab_token *token);

/*
 * Keep what went wrong in a job, for rsab_token_detail.
 */
void token_note(struct rsab_token *token,
    const struct rsab_token_detail *detail);

#endif
