/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Do two kinds of input take the same time? Welch's t of two samples, one
 * value after the other.
 */
#ifndef WELCH_H
#define WELCH_H

/* Two samples; all zero is a fresh one. */
struct welch {
	double	n[2], mean[2];
	double	squares[2];	/* sums of (value - mean)^2 */
};

/*
 * Take a value into sample 0 or 1.
 *   source   Welford 1962
 */
void welch_add(struct welch *w, unsigned sample, double value);

/*
 * Difference of the means (0 less 1) over its standard error; 0 when a sample
 * has fewer than two values or no spread.
 *   source   Welch 1947
 */
double welch_t(const struct welch *w);

#endif
