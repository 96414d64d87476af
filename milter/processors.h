/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROCESSORS_H
#define PROCESSORS_H

/*
 * Processors that this process may run on: what it was bound to (taskset,
 * CPUAffinity=), else those of the machine. At least 1.
 */
unsigned processors(void);

#endif
