/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Welch's t; see welch.h.
 */

/* system */
#include <math.h>

/* this room */
#include "welch.h"

void
welch_add(struct welch *w, unsigned sample, double value)
{
	double before = value - w->mean[sample];

	w->n[sample]++;
	w->mean[sample] += before / w->n[sample];
	w->squares[sample] += before * (value - w->mean[sample]);
}

double
welch_t(const struct welch *w)
{
	double error;

	if (w->n[0] < 2 || w->n[1] < 2)
		return 0;
	error = w->squares[0] / (w->n[0] - 1) / w->n[0] +
	    w->squares[1] / (w->n[1] - 1) / w->n[1];
	return error > 0 ? (w->mean[0] - w->mean[1]) / sqrt(error) : 0;
}
