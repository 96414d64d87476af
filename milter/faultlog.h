/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of a configuration to the log, and at start to the terminal, too.
 */
#ifndef FAULTLOG_H
#define FAULTLOG_H

#include "report.h"

/*
 *   terminal   also to standard error, where the log does not go there
 */
void faultlog_init(struct report *report, bool terminal);

#endif
