/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message through the engine in two steps, with its RSA operation between
 * them, so that the operations of several messages can run in one pass.
 */
#ifndef MESSAGE_STEP_H
#define MESSAGE_STEP_H

/* rooms below */
#include "rsa-backend/rsab.h"
#include "dkim/dkim.h"

/* this room */
#include "message.h"

#define MESSAGE_CHUNK	65535	/* octets of a body at once, as libmilter */

/* What all messages have in common. */
struct message_task {
	const struct dkim_lib	*lib;
	const struct message	*message;
	const struct dkim_names	*names;		/* to be signed */
	enum dkim_canon		 header_canon, body_canon;
};

struct message_signing {
	struct dkim_header	*header;
	struct dkim_signer	*signer;
	struct rsab_job		 job;
};

struct message_verifying {
	struct dkim_header	*header;
	struct dkim_verifier	*verifier;
	struct rsab_job		*job;	/* the verifier's */
};

/*
 * Everything before the signature: the header is taken in, the body hashed,
 * the job made.
 *   now      t= of the signature
 *   key      borrowed until the job has run
 *   returns  0, or a code of the engine; message_sign_drop cleans up
 */
int message_sign_begin(const struct message_task *task, uint64_t now,
    struct rsab_key *key, struct message_signing *s) MUSTUSE;

/*
 * The field body of DKIM-Signature, behind what out holds; then all is freed.
 *   returns  0, or a code of the engine; all is freed then too
 */
int message_sign_end(struct message_signing *s, struct buf *out) MUSTUSE;

/*
 * Free what a zeroed or begun struct holds.
 */
void message_sign_drop(struct message_signing *s);

/*
 * The same for verifying: from the header, with the DKIM-Signature field on
 * top, to the job; from the job to the field body of Authentication-Results.
 *   field    the field body of DKIM-Signature
 *   keyset   one reference moves to the step
 *   verdict  a pass, without any but
 *   returns  0, or a code of the engine (DKIM_ERR_STATE: there is not one job
 *            to run, so it was judged without)
 */
int message_verify_begin(const struct message_task *task, uint64_t now,
    struct slice field, struct dkim_keyset *keyset,
    struct message_verifying *v) MUSTUSE;
int message_verify_end(struct message_verifying *v, bool *verdict,
    struct buf *out) MUSTUSE;
void message_verify_drop(struct message_verifying *v);

#endif
