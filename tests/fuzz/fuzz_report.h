/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report for fuzz targets: no message holds a control octet but its own line
 * ends, whatever the configuration holds.
 */
#ifndef FUZZ_REPORT_H
#define FUZZ_REPORT_H

/* room below */
#include "milter/report.h"

/* this room */
#include "tests/fuzz/fuzz.h"

static inline void
fuzz_report_write(void *context, enum fault fault, const char *text)
{
	(void)context;
	(void)fault;
	for (; *text != '\0'; text++)
		FUZZ_WANT(*text == '\n' || ((uint8_t)*text >= ' ' &&
		    *text != 0x7f));
}

#endif
