/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks what dkimbench table reads: recorded runs and tables of limbs. What
 * is taken is compared, sorted and printed; every error names file and line.
 */

/* system */
#include <math.h>

/* bench */
#include "bench/bn_recorded.h"
#include "bench/standing_report.h"

/* this room */
#include "tests/fuzz/fuzz.h"

/*
 * All rows; the status of the first that is refused.
 */
static int
read_rows(struct tsv *tsv, struct standing *standing,
    struct bn_recorded *recorded)
{
	bool is_header, is_run = false, more;
	int status;

	for (;;) {
		status = tsv_next(tsv, &is_header, &more);
		if (status != 0 || !more)
			return status;
		FUZZ_WANT(tsv->columns <= TSV_COLUMNS_MAX);
		if (is_header) {
			is_run = standing_is_header(tsv);
			if (!is_run && !bn_recorded_is_header(tsv))
				return 0;
			continue;
		}
		FUZZ_WANT(tsv->fields == tsv->columns);
		status = is_run ? standing_add(standing, tsv) :
		    bn_recorded_add(recorded, tsv);
		if (status != 0)
			return status;
	}
}

static void
check_standing(const struct standing *standing)
{
	for (size_t i = 0; i < standing->n; i++)
		for (unsigned m = 0; m < STANDING_MEASURES; m++) {
			const struct standing_figure *f =
			    &standing->rows[i].figure[m];

			FUZZ_WANT(isfinite(f->mean));
			FUZZ_WANT(!isnan(f->percent));
			FUZZ_WANT(!isnan(f->corrected));
		}
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct standing standing = { NULL, 0 };
	struct bn_recorded recorded = { NULL, 0 };
	static struct tsv tsv;
	static FILE *nowhere;
	int status;

	if (nowhere == NULL)
		nowhere = fopen("/dev/null", "w");
	FUZZ_WANT(nowhere != NULL);
	tsv_begin(&tsv, "runs", (const char *)p, n);
	status = read_rows(&tsv, &standing, &recorded);
	FUZZ_WANT((status != 0) == (tsv.error[0] != '\0'));
	if (status != 0)
		FUZZ_WANT(strncmp(tsv.error, "runs:", 5) == 0);
	FUZZ_WANT(standing_compare(&standing, NULL) == 0);
	FUZZ_WANT(standing_sort(&standing, "row,dkim_sign_cor,mhz") == 0);
	check_standing(&standing);
	standing_report(&standing, (n & 1) != 0, nowhere);
	bn_recorded_report(&recorded, (n & 1) != 0, nowhere);
	standing_clear(&standing);
	bn_recorded_clear(&recorded);
	return 0;
}
