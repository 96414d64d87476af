/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log: syslog, or standard error (for the journal). Lines go into a
 * bounded queue that a thread of its own writes out, so that a syslog that
 * stands still costs lines (counted), never mail. The lock guards queue and
 * held-back lines; it is a leaf: nothing is taken under it, nothing written.
 * The one mutable global beside stats.c.
 */
#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <syslog.h>

#include "options.h"

#define LOG_TEXT_MAX	4096	/* octets of a line; the rest becomes "..." */
#define LOG_QUEUE_MAX	4096	/* lines waiting for the writer */
#define LOG_KEYS_MAX	256	/* kinds of fault remembered at a time */
#define LOG_KEY_MAX	128	/* octets of a key that are compared */
#define LOG_PERIOD	60	/* seconds that a kind is held back */

/*
 * The program's name in front of lines on standard error before log_open, or
 * without it.
 *   name     constant; dkimd where it is not called
 */
void log_as(const char *name);

/*
 * Open by the options Syslog, SyslogFacility, SyslogName; again at reload.
 *   foreground   also to standard error when it is a terminal; only there
 *                when it is the journal, when Syslog is no, or when there is
 *                no syslog
 */
void log_open(const struct options *options, bool foreground);

/*
 * The same with another socket than the system's, for tests.
 */
void log_open_at(const struct options *options, bool foreground,
    const char *path);

/*
 * Start the writer thread; not before the last fork. Until then, and when no
 * thread is to be had, lines are written at once or not at all.
 */
void log_start(void);

/*
 * Does the log go to standard error?
 */
bool log_shows(void);

/*
 * One line; format is constant, untrusted octets escaped before
 * (buf_add_escaped). Control octets that got here all the same are escaped.
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
 * Counts of lines held back, and text queued, out; before _exit. Waits two
 * seconds at most.
 */
void log_flush(void);

#endif
