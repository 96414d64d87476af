/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log: syslog, or standard error (for the journal). Never blocks on
 * anything but its own lock, which is a leaf. The one mutable global beside
 * stats.c.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <syslog.h>

#include "options.h"

/*
 * Open by the options Syslog, SyslogFacility, SyslogName; again at reload.
 *   foreground   also to standard error when it is a terminal or the journal
 */
void log_open(const struct options *options, bool foreground);

/*
 * One line; format is constant, untrusted octets escaped before
 * (buf_add_escaped).
 *   priority   LOG_ERR, ... of syslog.h
 */
void log_line(int priority, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The same, held back to one a minute and key, with a count of those left out.
 *   key   names the kind of fault and its object ("key /etc/..", "dns")
 */
void log_limited(int priority, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Text queued out; before _exit.
 */
void log_flush(void);

#endif
