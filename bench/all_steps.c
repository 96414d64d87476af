/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of dkimbench all; see all_steps.h.
 *
 * What stands in the table of 2009 is measured in three passes, as it was
 * then: a machine that slows down in the meantime does so for all rows.
 */

/* this room */
#include "all_steps.h"
#include "measure.h"

#define COUNT(a)	(sizeof(a) / sizeof(a)[0])
#define PATHS		"--backend libcrypto,bn64:ifma,bn64:adx,bn64:portable"

static const struct all_step full[] = {
	{ ALL_STEPS_TEXT, "trace-sign.txt", "trace sign" },
	{ ALL_STEPS_TEXT, "trace-verify.txt", "trace verify" },
	{ ALL_STEPS_PASS, "rsa", "rsa --bits 1024,2048,4096 --batch 8,1 "
	    "--op sign,verify" },
	{ ALL_STEPS_PASS, "sign", "sign --bits 1024,2048,4096 --batch 8" },
	{ ALL_STEPS_PASS, "verify", "verify --bits 1024,2048 --batch 8" },
	{ ALL_STEPS_ONCE, "paths.tsv", "rsa --bits 2048 --batch 8 --op sign "
	    PATHS },
	{ ALL_STEPS_ONCE, "queue.tsv", "rsa --bits 2048 --rate 50%" },
	{ ALL_STEPS_ONCE, "body.tsv", "body --size 1048576" },
	{ ALL_STEPS_ONCE, "digest.tsv", "digest" },
	{ ALL_STEPS_ONCE, "bn.tsv", "bn --bits 1024,2048" },
	{ ALL_STEPS_TEXT, "legacy-sign.txt", "sign --legacy" },
	{ ALL_STEPS_TEXT, "legacy-verify.txt", "verify --legacy" },
	{ ALL_STEPS_TEXT, "legacy-sign-bn64.txt",
	    "sign --legacy --backend bn64 --batch 8" },
	{ ALL_STEPS_TEXT, "legacy-verify-bn64.txt",
	    "verify --legacy --backend bn64 --batch 8" },
};

static const struct all_step quick[] = {
	{ ALL_STEPS_TEXT, "trace-sign.txt", "trace sign" },
	{ ALL_STEPS_TEXT, "trace-verify.txt", "trace verify" },
	{ ALL_STEPS_PASS, "rsa", "rsa --bits 1024,2048 --batch 8,1 "
	    "--op sign,verify" },
	{ ALL_STEPS_PASS, "sign", "sign --bits 1024,2048 --batch 8" },
	{ ALL_STEPS_PASS, "verify", "verify --bits 1024,2048 --batch 8" },
	{ ALL_STEPS_ONCE, "paths.tsv", "rsa --bits 2048 --batch 8 --op sign "
	    PATHS },
	{ ALL_STEPS_ONCE, "body.tsv", "body --size 1048576" },
	{ ALL_STEPS_ONCE, "digest.tsv", "digest" },
	{ ALL_STEPS_ONCE, "bn.tsv", "bn --bits 1024" },
	{ ALL_STEPS_TEXT, "legacy-sign.txt", "sign --legacy -t 1" },
	{ ALL_STEPS_TEXT, "legacy-verify.txt", "verify --legacy -t 1" },
};

const struct all_steps *
all_steps(bool is_quick)
{
	static const struct all_steps plan[] = {
		{ .step = full, .n = COUNT(full), .passes = 3,
		    .seconds = MEASURE_SECONDS, .runs = MEASURE_RUNS,
		    .load = { 10, 25, 50, 75, 90 }, .loads = 5 },
		{ .step = quick, .n = COUNT(quick), .passes = 1,
		    .seconds = MEASURE_SECONDS / 4, .runs = 3,
		    .load = { 25, 50 }, .loads = 2 },
	};

	return &plan[is_quick];
}

unsigned
all_steps_windows(const struct all_steps *steps, unsigned runs)
{
	return (runs + steps->passes - 1) / steps->passes;
}
