/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals as octets in a pipe, for a poll loop. C gives a handler nothing but
 * a global, so signals.c has one: the pipe's writing end, one a process.
 */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>
#include <stddef.h>

#include "report.h"

/*
 * Catch n signals from now on, in whichever thread they arrive. A handler is
 * never blocked by its own signal: else another thread that waits for it
 * (libmilter's, MILTER 1.2) would be given the next one.
 *   returns  the pipe's reading end, which never blocks; -1: errno
 */
int signals_open(const int *list, size_t n) MUSTUSE;

/*
 * The next signal that came, or 0. Equal ones that waited together may count
 * as one.
 */
int signals_next(int fd);

/*
 * In a child: default actions again, ends closed.
 */
void signals_close(int fd, const int *list, size_t n);

/*
 * Block n signals in this thread and those that it makes; or let them through.
 */
void signals_block(const int *list, size_t n);
void signals_unblock(const int *list, size_t n);

#endif
