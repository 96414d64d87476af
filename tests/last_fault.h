/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A report that keeps the text of its last fault.
 */
#ifndef TESTS_LAST_FAULT_H
#define TESTS_LAST_FAULT_H

/* system */
#include <stdio.h>

/* milter */
#include "milter/report.h"

static char last[8192];

static void
last_fault_write(void *context, enum fault fault, const char *text)
{
	(void)context;
	(void)fault;
	snprintf(last, sizeof(last), "%s", text);
}

static struct report report = { .write = last_fault_write };

#endif
