/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Phases of a message; see message_phases.h.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <sysexits.h>
#include <openssl/evp.h>

/* this room */
#include "message_phases.h"
#include "statistic.h"
#include "stopwatch.h"

#define BATCHES_MAX	100000		/* that are kept */
#define EVP_RUNS	301

/*
 * Microseconds a message between two borders, in the median of n batches.
 *   v        room for n values
 */
static double
between(const struct message_contestant *c, const uint64_t *laps, size_t n,
    enum message_lap from, enum message_lap to, double *v)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t *lap = laps + i * MESSAGE_LAPS;

		v[i] = (double)(lap[to] - lap[from]) / 1000 / c->batch;
	}
	statistic_sort(v, n);
	return statistic_median(v, n);
}

static void
sum_up(const struct message_contestant *c, const uint64_t *laps, size_t n,
    double *v, struct message_phases *out)
{
	if (c->parse)
		out->key = between(c, laps, n, MESSAGE_BEGUN, MESSAGE_KEYS, v);
	out->hash = between(c, laps, n, MESSAGE_KEYS, MESSAGE_HASHED, v);
	out->rsa = between(c, laps, n, MESSAGE_HASHED, MESSAGE_RUN, v);
	out->field = between(c, laps, n, MESSAGE_RUN, MESSAGE_DONE, v);
	/* v is sorted; a message waits for its whole batch */
	out->p50 = between(c, laps, n, MESSAGE_BEGUN, MESSAGE_DONE, v) *
	    c->batch;
	out->p99 = statistic_percentile(v, n, 99) * c->batch;
}

/*
 * One digest of octets, in a context that is there.
 */
static int
digest(EVP_MD_CTX *context, const EVP_MD *md, const uint8_t *octets, size_t n)
{
	uint8_t out[EVP_MAX_MD_SIZE];

	return EVP_DigestInit_ex2(context, md, NULL) == 1 &&
	    EVP_DigestUpdate(context, octets, n) == 1 &&
	    EVP_DigestFinal_ex(context, out, NULL) == 1;
}

/*
 * The octets that were hashed for a message, body and header, by libcrypto
 * alone: one call of update for each.
 */
static int
evp_look(const struct message_reference *r, double *v, double *out)
{
	size_t most = r->hashed[0] > r->hashed[1] ? r->hashed[0] :
	    r->hashed[1];
	EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t *octets = calloc(1, most + 1);
	int good = md != NULL && context != NULL && octets != NULL;

	for (size_t i = 0; i < EVP_RUNS && good; i++) {
		uint64_t begin = stopwatch_ns();

		good = digest(context, md, octets, r->hashed[0]) &&
		    digest(context, md, octets, r->hashed[1]);
		v[i] = (double)(stopwatch_ns() - begin) / 1000;
	}
	free(octets);
	EVP_MD_CTX_free(context);
	EVP_MD_free(md);
	if (!good) {
		warnx("libcrypto: SHA-256 fails");
		return EX_OSERR;
	}
	statistic_sort(v, EVP_RUNS);
	*out = statistic_median(v, EVP_RUNS);
	return 0;
}

int
message_phases_look(struct message_contestant *c, double seconds,
    struct message_phases *out)
{
	uint64_t *laps = calloc(BATCHES_MAX, MESSAGE_LAPS * sizeof *laps);
	double *v = calloc(BATCHES_MAX, sizeof *v);
	uint64_t end = stopwatch_ns() + (uint64_t)(seconds * 1e9);
	size_t n = 0;
	int status = laps == NULL || v == NULL ? EX_OSERR : 0;

	*out = (struct message_phases){ 0 };
	if (status != 0)
		warnx("no memory for %d batches", BATCHES_MAX);
	while (status == 0 && n < BATCHES_MAX &&
	    (n == 0 || stopwatch_ns() < end)) {
		c->laps = laps + n++ * MESSAGE_LAPS;
		status = message_contestant_run(c, 0, 1);
	}
	c->laps = NULL;
	if (status == 0) {
		sum_up(c, laps, n, v, out);
		status = evp_look(c->reference, v, &out->evp);
	}
	free(v);
	free(laps);
	return status;
}
