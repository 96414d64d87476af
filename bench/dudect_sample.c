/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two kinds of input by turns of a coin; see dudect_sample.h.
 */

/* system */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "dudect_sample.h"
#include "random.h"
#include "statistic.h"
#include "stopwatch.h"
#include "welch.h"

#define CROPS		100
#define WARM_UP		100	/* operations */
#define TRIAL		4000	/* that percentiles are taken from */

/* Everything that a timed operation works on, at the same place always. */
struct bench {
	struct path_key	 key;
	struct random	 random;
	uint64_t	*d[2];			/* of p and q; digits */
	uint64_t	*fixed[2];
	size_t		 d_size;
	uint8_t		 message[RSAKEY_OCTETS_MAX];
	uint8_t		 out[RSAKEY_OCTETS_MAX];
};

static int
bench_init(struct bench *b, const struct dudect_sample *sample)
{
	int status = path_key_init(&b->key, sample->path, sample->reference);
	struct rsakey_private *private = &b->key.private;

	if (status != 0)
		return status;
	b->random.state = sample->seed;
	b->d_size = rsakey_number_size(sample->path, private->n);
	for (unsigned i = 0; i < 2; i++) {
		b->d[i] = malloc(b->d_size);
		b->fixed[i] = malloc(b->d_size);
		if (b->d[i] == NULL || b->fixed[i] == NULL) {
			warnx("no memory for exponents");
			return EX_OSERR;
		}
	}
	memcpy(b->fixed[0], private->p.d, b->d_size);
	memcpy(b->fixed[1], private->q.d, b->d_size);
	private->p.d = b->d[0];
	private->q.d = b->d[1];
	return 0;
}

static void
bench_clear(struct bench *b)
{
	for (unsigned i = 0; i < 2; i++) {
		free(b->d[i]);
		free(b->fixed[i]);
	}
	path_key_clear(&b->key);
}

/*
 * Fill in what is fixed or random. Both kinds do the same work for it: a
 * number is made in any case, and copied to the same place.
 */
static void
prepare(struct bench *b, const struct dudect_sample *sample, unsigned kind)
{
	const struct rsakey_private *private = &b->key.private;
	const struct path *path = sample->path;
	size_t size = sample->reference->size;
	size_t octets = (private->bits - 1) / 8;
	uint8_t number[RSAKEY_OCTETS_MAX];
	uint64_t digits[RSAKEY_OCTETS_MAX / 4];

	for (unsigned i = 0; i < 2; i++) {
		random_fill(&b->random, number, octets);
		path->from_octets(digits, private->n, number, octets);
		memcpy(b->d[i], sample->is_exponent && kind == 1 ?
		    digits : b->fixed[i], b->d_size);
	}
	/* below the modulus: its first octet is at least 80 in hexadecimal */
	random_fill(&b->random, number, size);
	number[0] &= 0x7f;
	memcpy(b->message, !sample->is_exponent && kind == 1 ? number :
	    b->key.em[0], size);
}

/*
 * The planted leak: a comparison with the fixed input that ends at the first
 * octet that differs, a slow one, so that a few thousand operations show it.
 */
static void
leak(const struct bench *b, const struct dudect_sample *sample)
{
	const uint8_t *x = sample->is_exponent ? (const uint8_t *)b->d[0] :
	    b->message;
	const uint8_t *y = sample->is_exponent ?
	    (const uint8_t *)b->fixed[0] : b->key.em[0];
	size_t n = sample->is_exponent ? b->d_size : sample->reference->size;

	for (size_t i = 0; i < n && x[i] == y[i]; i++)
		for (volatile unsigned k = 0; k < 200; k++)
			;
}

/*
 * Ticks of one operation of a kind.
 */
static double
operation(struct bench *b, const struct dudect_sample *sample, unsigned kind)
{
	struct rsasign_request request = { .key = &b->key.private,
	    .in = b->message, .out = b->out };
	uint64_t begin;

	prepare(b, sample, kind);
	begin = stopwatch_ticks();
	rsasign_run(&request, 1, b->key.scratch);
	if (sample->leak)
		leak(b, sample);
	return (double)(stopwatch_ticks() - begin);
}

static unsigned
coin(struct bench *b)
{
	return (unsigned)(random_next(&b->random) >> 63);
}

/*
 * The values up to which times are looked at: the percentiles 6.7, 12.9, ...
 * 99.9 of a first lot, most of them near the top.
 */
static int
find_crops(struct bench *b, const struct dudect_sample *sample,
    double crop[CROPS], double percent[CROPS])
{
	double *v = calloc(TRIAL, sizeof *v);

	if (v == NULL) {
		warnx("no memory for times");
		return EX_OSERR;
	}
	for (size_t i = 0; i < TRIAL; i++)
		v[i] = operation(b, sample, coin(b));
	statistic_sort(v, TRIAL);
	for (unsigned i = 0; i < CROPS; i++) {
		percent[i] = 100 * (1 - pow(0.5, 10.0 * (i + 1) / CROPS));
		crop[i] = statistic_percentile(v, TRIAL, percent[i]);
	}
	free(v);
	return 0;
}

/*
 * The t that is furthest from zero, of all values and of those cropped.
 */
static void
judge(struct dudect_sample *sample, const struct welch *all,
    const struct welch *cropped, const double *percent)
{
	sample->t = welch_t(all);
	sample->crop = 100;
	for (unsigned i = 0; i < CROPS; i++) {
		double t = welch_t(&cropped[i]);

		if (fabs(t) > fabs(sample->t)) {
			sample->t = t;
			sample->crop = percent[i];
		}
	}
}

static int
measure(struct bench *b, struct dudect_sample *sample)
{
	static const struct welch nothing;
	struct welch all = nothing, cropped[CROPS];
	double crop[CROPS], percent[CROPS];
	int status;

	for (unsigned i = 0; i < WARM_UP; i++)
		(void)operation(b, sample, coin(b));
	status = find_crops(b, sample, crop, percent);
	if (status != 0)
		return status;
	for (unsigned i = 0; i < CROPS; i++)
		cropped[i] = nothing;
	for (uint64_t i = 0; i < sample->runs; i++) {
		unsigned kind = coin(b);
		double ticks = operation(b, sample, kind);

		welch_add(&all, kind, ticks);
		for (unsigned k = CROPS; k-- > 0 && ticks < crop[k];)
			welch_add(&cropped[k], kind, ticks);
	}
	judge(sample, &all, cropped, percent);
	return 0;
}

int
dudect_sample_run(struct dudect_sample *sample)
{
	static struct bench bench;
	int status;

	memset(&bench, 0, sizeof bench);
	status = bench_init(&bench, sample);
	if (status == 0)
		status = measure(&bench, sample);
	bench_clear(&bench);
	return status;
}
