/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where log lines leave the process: the datagram socket of syslog(3), by
 * RFC 3164 s4.1 as the C library writes it, and standard error. syslog(3)
 * itself is not used: it may block, and holds a lock meanwhile.
 */
#ifndef LOG_SINK_H
#define LOG_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "report.h"

#define LOG_SINK_NAME_MAX	64	/* octets of SyslogName */

struct log_sink {
	bool		 syslog;	/* to the socket */
	bool		 err;		/* to standard error */
	bool		 journal;	/* standard error is the journal: <N> */
	int		 facility;
	int		 fd;		/* of the socket, -1: not connected */
	char		 name[LOG_SINK_NAME_MAX];
	char		 path[108];	/* of the socket */
};

/*
 * Choose the ways out.
 *   path     the socket; NULL: the system's
 */
void log_sink_open(struct log_sink *sink, bool syslog, bool foreground,
    int facility, const char *name, const char *path);
void log_sink_close(struct log_sink *sink);

/*
 * Write one line.
 *   returns   0; -1: syslog takes nothing just now (errno: EAGAIN when it is
 *             full, else it is not there), try again or drop it
 */
int log_sink_write(struct log_sink *sink, int priority, const char *text,
    size_t n) MUSTUSE;

/*
 * Wait until a write may work, at most ms milliseconds.
 */
void log_sink_wait(const struct log_sink *sink, int ms);

#endif
