/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is told of a row of measured values.
 */
#ifndef STATISTIC_H
#define STATISTIC_H

/* system */
#include <stddef.h>

/*
 * Put n values in rising order, in place.
 */
void statistic_sort(double *v, size_t n);

/*
 * The middle of n sorted values; the mean of the two in the middle of an even
 * number; 0 of none.
 */
double statistic_median(const double *sorted, size_t n);

/*
 * The smallest of n sorted values that at least percent % of them do not
 * exceed (nearest rank); 0 of none.
 *   percent  above 0, to 100
 */
double statistic_percentile(const double *sorted, size_t n, double percent);

/*
 * The two numbers agree within percent % of the larger; both above 0.
 */
int statistic_agree(double a, double b, double percent);

#endif
