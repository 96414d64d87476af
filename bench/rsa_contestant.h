/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One backend with one key and one operation, in batches, as rsab_run does it
 * for the daemon: blinding, and the check of each signature, included.
 */
#ifndef RSA_CONTESTANT_H
#define RSA_CONTESTANT_H

/* this room */
#include "measure.h"
#include "reference.h"
#include "rsa_token.h"

#define RSA_BATCH_MAX	REFERENCE_MESSAGES

/* A thread's workspace and jobs. */
struct rsa_seat {
	struct rsab_worker	*worker;
	struct rsab_job		 job[REFERENCE_MESSAGES];
	struct rsab_job		*ring[REFERENCE_MESSAGES];
	unsigned		 at;	/* next batch of the ring */
};

struct rsa_contestant {
	const struct rsab_backend	*backend;
	const struct reference		*reference;
	struct rsab_key			*key;
	enum rsab_op			 op;
	unsigned			 batch, threads;
	unsigned			 in_ring;	/* jobs: full batches */
	struct rsa_seat			*seat;		/* one a thread */

	/* In a token: place is not NULL; what it said last before it ran. */
	struct rsa_token		 token;
	struct rsab_token_detail	 said;
};

/*
 * Load the key into the backend (verifying: its public half), make the jobs,
 * and show that every one comes out right, and verifying, that none does
 * whose signature has one bit turned.
 *   batch    1 to RSA_BATCH_MAX
 *   reference outlives the contestant
 *   returns  0, or an exit status (what was wrong is told)
 */
int rsa_contestant_init(struct rsa_contestant *c,
    const struct rsab_backend *backend, const struct reference *reference,
    enum rsab_op op, unsigned batch, unsigned threads) MUSTUSE;

/*
 * The same for a token's key. Verifying, too, the token must do it itself:
 * RSABackend pkcs11 falls back to libcrypto.
 *   returns  as above; EX_UNAVAILABLE: this token does not do that, the reason
 *            is in c->token
 */
int rsa_contestant_init_token(struct rsa_contestant *c,
    const struct rsa_token_place *place, const struct pin *pin,
    const struct reference *reference, enum rsab_op op, unsigned batch,
    unsigned threads) MUSTUSE;
void rsa_contestant_clear(struct rsa_contestant *c);

/*
 * After the last run: was all of it done in the token?
 *   returns  0, or EX_SOFTWARE (told)
 */
int rsa_contestant_end(const struct rsa_contestant *c) MUSTUSE;

/*
 * What runs its batches: "evp", "ifma", ...
 */
const char *rsa_contestant_path(const struct rsa_contestant *c);

/*
 * The run of struct measure_contestant: rounds batches. Signatures are
 * compared octet by octet; a wrong result ends the run.
 *   arg      a struct rsa_contestant
 */
int rsa_contestant_run(void *arg, unsigned thread, size_t rounds) MUSTUSE;

#endif
