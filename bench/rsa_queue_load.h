/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Load on the queue that dkimd signs by: its signer, workers and batches
 * (milter/signer.h), without the mail around it. Every signature is compared
 * with the reference's.
 */
#ifndef RSA_QUEUE_LOAD_H
#define RSA_QUEUE_LOAD_H

/* this room */
#include "pin.h"
#include "random.h"
#include "rsa_entrant.h"

struct signer;
struct inbox;
struct want;

/* Arrivals of a window that find the queue not yet as it will be. */
#define RSA_QUEUE_SKIP		20
#define RSA_QUEUE_SAMPLES	200	/* of a window, at least */
#define RSA_QUEUE_SAMPLES_MAX	65536	/* of a window; it ends then */

/* Each message has one in dkimd; with a single one its lock would be what is
 * measured. */
#define RSA_QUEUE_INBOXES	64

struct rsa_queue_load {
	const struct reference	*reference;
	const struct pin	*pin;
	unsigned		 threads;
	struct rsa_token	 token;		/* place is NULL: none */
	struct rsab_key		*key;
	struct signer		*signer;	/* NULL: the token's own */
	struct inbox		*inbox[RSA_QUEUE_INBOXES];
	struct rsab_worker	*worker;	/* of rsa_queue_load_pass */
	struct random		 random;	/* of the arrivals */
	size_t			 at;		/* next message */
	size_t			 asked, taken;	/* answers; from the inboxes by
						 * turns */
	size_t			 skip;		/* answers not to be counted */

	/* Of the last window: microseconds. */
	double			*latency, *late;
	size_t			 n, late_n, failures;
	double			 per_s;		/* arrivals, answers */
};

/*
 * Load the key and start the workers, on the first processors of pin.
 *   returns  0, or an exit status: EX_UNAVAILABLE with a reason in load->token
 *            where a token takes no such key; else it is told
 */
int rsa_queue_load_init(struct rsa_queue_load *load,
    const struct rsa_entrant *entrant, const struct reference *reference,
    const struct pin *pin, unsigned threads, uint64_t seed) MUSTUSE;
void rsa_queue_load_clear(struct rsa_queue_load *load);

/*
 * Jobs that a worker takes at once when enough of them wait; 1 where a backend
 * has no lanes.
 */
unsigned rsa_queue_load_batch(const struct rsa_queue_load *load);

/*
 * The time of one such batch, alone on a processor.
 *   ns       out: median
 *   returns  0, or an exit status (told)
 */
int rsa_queue_load_pass(struct rsa_queue_load *load, double seconds,
    double *ns) MUSTUSE;

/*
 * A window in which as many wait as fill all batches: what is possible.
 *   load     out: per_s
 */
int rsa_queue_load_full(struct rsa_queue_load *load, double seconds) MUSTUSE;

/*
 * A window of arrivals at random (Poisson), which wait for nobody.
 *   rate     a second
 *   load     out: latency, from queueing to result; late, by which arrivals
 *            came after their time, the fault of this side; failures: the
 *            queue was full
 */
int rsa_queue_load_at(struct rsa_queue_load *load, double rate,
    double seconds) MUSTUSE;

#endif
