/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One window of the scalar arithmetic in plain C, with limbs of BN_LIMB_BITS:
 * the program that dkimbench bn runs, once for each width.
 *
 *	dkimbench-bnN OPERATION SECONDS CPU SEED <KEY
 *
 *	sign, verify	RSA with that private key (PEM); each result is checked
 *	mul, sqr	product and square of numbers as long as the modulus
 *	modmul, modsqr	the same by Montgomery, reduced
 *
 * CPU: "-" for any. Warms up, then prints operations, nanoseconds, and the
 * clock before and after in GHz. Exit: as dkimbench bn.
 */
#ifndef BN_WINDOW_H
#define BN_WINDOW_H

/* system */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/bn/path.h"
#include "rsa-backend/bn/row_portable.h"
#include "rsa-backend/bn/scalar.h"

/* this room */
#include "measure.h"
#include "options.h"
#include "path_key.h"
#include "random.h"

static const struct path bn_window_path = {
	.name = "portable",
	SCALAR_PATH,
};

/* Operands of the parts. */
struct bn_window_parts {
	struct mont	 mont;
	limb		*a, *b, *z;
	enum { BN_MUL, BN_SQR, BN_MODMUL, BN_MODSQR } op;
};

/*
 * A round of parts. Results are not checked here: signatures made of the same
 * code are, and tests/test_scalar.c has every operand.
 */
static int
bn_window_part(void *arg, unsigned thread, size_t rounds)
{
	struct bn_window_parts *parts = arg;
	struct mont *c = &parts->mont;

	(void)thread;
	while (rounds-- > 0)
		switch (parts->op) {
		case BN_MUL:
			row_product(parts->z, parts->a, parts->b, c->n);
			break;
		case BN_SQR:
			row_square(parts->z, parts->a, c->n);
			break;
		case BN_MODMUL:
			mont_multiply(c, parts->a, parts->a, parts->b);
			break;
		case BN_MODSQR:
			mont_square(c, parts->a, parts->a);
			break;
		}
	/* so that nothing is left out as unused */
	__asm__ volatile("" : : "r" (parts->z), "r" (parts->a) : "memory");
	return 0;
}

/*
 * Room for the parts; below the modulus by a limb that is less than its top.
 */
static int
bn_window_parts_init(struct bn_window_parts *parts,
    const struct path_key *key, uint64_t seed)
{
	struct random random = { seed };
	unsigned n = key->public.n;
	limb *room = calloc(4 * (size_t)n + mont_scratch(n), LIMB_SIZE);

	if (room == NULL) {
		warnx("no memory for operands");
		return EX_OSERR;
	}
	parts->a = room;
	parts->b = room + n;
	parts->z = room + 2 * n;
	parts->mont = (struct mont){ .m = key->public.modulus.m,
	    .k0 = (limb)key->public.modulus.k0, .n = n, .t = room + 4 * n };
	for (unsigned i = 0; i + 1 < n; i++) {
		parts->a[i] = (limb)random_next(&random);
		parts->b[i] = (limb)random_next(&random);
	}
	return 0;
}

static int
bn_window_choose(const char *op, struct path_key *key, uint64_t seed,
    struct bn_window_parts *parts, struct measure_contestant *out)
{
	static const char *const names[] = { "mul", "sqr", "modmul",
	    "modsqr" };

	*out = (struct measure_contestant){ .arg = key, .per_round = 1 };
	if (strcmp(op, "sign") == 0) {
		out->run = path_key_sign;
		return 0;
	}
	if (strcmp(op, "verify") == 0) {
		out->run = path_key_verify;
		return path_key_control(key);
	}
	for (unsigned i = 0; i < 4; i++)
		if (strcmp(op, names[i]) == 0) {
			out->run = bn_window_part;
			out->arg = parts;
			parts->op = i;
			return bn_window_parts_init(parts, key, seed);
		}
	warnx("%s: no such operation", op);
	return EX_USAGE;
}

static int
bn_window_run(const char *op, const struct options_measure *options,
    const struct reference *reference)
{
	struct bn_window_parts parts = { .a = NULL };
	struct measure_contestant c = { .n = 0 };
	static struct path_key key;
	struct measure_plan plan;
	struct pin pin;
	int status;

	status = path_key_init(&key, &bn_window_path, reference);
	if (status != 0)
		return status;
	if (pin_init(&pin, options->cpu) != 0) {
		warnx("CPU %d: this process may not run there", options->cpu);
		status = EX_USAGE;
	}
	plan = (struct measure_plan){ .seconds = options->seconds, .runs = 1,
	    .threads = 1, .pin = &pin, .clock = &measure_clock_real };
	if (status == 0)
		status = bn_window_choose(op, &key, options->seed, &parts, &c);
	if (status == 0)
		status = measure_heat(&plan, &c, 1);
	if (status == 0)
		printf("%.0f %.0f %.6f %.6f\n", c.windows[0].ops,
		    c.windows[0].ns, c.windows[0].ghz_before,
		    c.windows[0].ghz_after);
	measure_clear(&c, 1);
	free(parts.a);
	path_key_clear(&key);
	return status;
}

static inline int
bn_window_main(int argc, char **argv)
{
	struct options_measure options = OPTIONS_MEASURE_DEFAULT;
	struct reference *reference;
	int status;

	if (argc != 5) {
		warnx("run by dkimbench bn: see dkimbench(1)");
		return EX_USAGE;
	}
	status = options_measure(&options, OPTIONS_SECONDS, argv[2]);
	if (status == 0 && strcmp(argv[3], "-") != 0)
		status = options_measure(&options, OPTIONS_CPU, argv[3]);
	if (status == 0)
		status = options_measure(&options, OPTIONS_SEED, argv[4]);
	if (status == 0)
		status = reference_load("-", options.seed, &reference);
	if (status != 0)
		return status;
	status = bn_window_run(argv[1], &options, reference);
	reference_free(reference);
	return fflush(stdout) == 0 || status != 0 ? status : EX_IOERR;
}

#endif
