/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Order statistics; see statistic.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "statistic.h"

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
statistic_sort(double *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof *v, compare);
}

double
statistic_median(const double *sorted, size_t n)
{
	if (n == 0)
		return 0;
	return n % 2 == 1 ? sorted[n / 2] :
	    (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double
statistic_percentile(const double *sorted, size_t n, double percent)
{
	double rank = percent * (double)n / 100;
	size_t i = (size_t)rank;

	if (n == 0)
		return 0;
	/* rank counts from 1 and is rounded up; i counts from 0 */
	if ((double)i >= rank && i > 0)
		i--;
	return sorted[i < n ? i : n - 1];
}

int
statistic_agree(double a, double b, double percent)
{
	double high = a > b ? a : b, low = a > b ? b : a;

	return low > 0 && high - low <= high * percent / 100;
}
