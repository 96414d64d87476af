/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures of one message by one key, made by libcrypto beforehand, and what
 * a verifier says of them: what every contestant's results are compared with.
 * They differ in their time, t=.
 */
#ifndef MESSAGE_REFERENCE_H
#define MESSAGE_REFERENCE_H

/* this room */
#include "message_step.h"
#include "reference.h"

#define MESSAGE_NOW	UINT64_C(1115319549)	/* t= of the first */

struct message_reference {
	const struct reference	*key;
	struct message_task	 task;
	struct dkim_lib		*lib;
	struct dkim_names	*names;
	struct buf		 record;	/* of the key, TXT */
	struct buf		 field[REFERENCE_MESSAGES];
	struct buf		 authres[REFERENCE_MESSAGES];

	/* Octets that libcrypto hashed for each: body and header. */
	size_t			 hashed[2];
};

/*
 * Sign and verify; a corrupted signature must not verify.
 *   key, message  outlive the reference
 *   returns  0, or an exit status (what was wrong is told)
 */
int message_reference_make(const struct reference *key,
    const struct message *message, enum dkim_canon header_canon,
    enum dkim_canon body_canon, struct message_reference **out) MUSTUSE;
void message_reference_free(struct message_reference *r);

/*
 * Turn one bit of the signature in field i, another one for each number; once
 * more puts it right.
 */
void message_reference_corrupt(struct message_reference *r, size_t i,
    size_t number);

/*
 * The keyset of the record, for a backend.
 *   out      one reference
 *   returns  0, or an exit status (what was wrong is told)
 */
int message_reference_keyset(const struct message_reference *r,
    const struct rsab_backend *backend, struct dkim_keyset **out) MUSTUSE;

#endif
