/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of a configuration on stderr; see terminal_report.h.
 */

/* system */
#include <stdio.h>
#include <string.h>

/* this room */
#include "terminal_report.h"

static void
write_fault(void *context, enum fault fault, const char *text)
{
	(void)context;
	fprintf(stderr, "%s%s\n", fault == FAULT_WARNING ? "warning: " : "",
	    text);
}

void
terminal_report_init(struct report *report)
{
	memset(report, 0, sizeof(*report));
	report->write = write_fault;
}
