/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Carries a session's wants to whoever answers: data set, resolver, keystore,
 * signer. For front ends.
 */
#ifndef ASK_H
#define ASK_H

#include "want.h"

struct signer;

/*
 * Ask. True: answered at once, both references are still the caller's, who
 * gives one to session_answer. False: one reference has moved, the answer
 * comes by the inbox.
 */
bool ask(struct signer *signer, struct want *want) MUSTUSE;

/*
 * A want that the session has given up: tell who works on it.
 */
void ask_cancel(struct want *want);

#endif
