/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the configuration file: options are read or at least one fault is
 * reported, and no message holds a control octet.
 */

/* this room */
#include "milter/conf.h"
#include "tests/fuzz/fuzz_report.h"

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct report report = { .write = fuzz_report_write };
	struct options options;
	const char *path;
	int r;

	path = fuzz_file(slice_of(p, n));
	r = conf_options_load(path, NULL, 0, &report, &options);
	FUZZ_WANT(r == 0 || report.fatals > 0);
	if (r == 0)
		conf_options_clear(&options);
	return 0;
}
