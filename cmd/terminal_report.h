/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of a configuration, told on stderr.
 */
#ifndef TERMINAL_REPORT_H
#define TERMINAL_REPORT_H

#include "milter/report.h"

void terminal_report_init(struct report *report);

#endif
