/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Words to systemd over NOTIFY_SOCKET, sd_notify(3). Only the supervisor
 * talks to it.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
	int			 fd;		/* -1: nobody listens */
	struct sockaddr_un	 to;
	socklen_t		 n;
	uint64_t		 watchdog;	/* microseconds; 0: none */
};

/*
 * Read NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and take them out of the
 * environment.
 */
void notify_open(struct notify *out);
void notify_close(struct notify *notify);

/*
 * Send assignments ("READY=1", one a line). Never blocks; without systemd it
 * does nothing.
 */
void notify_send(const struct notify *notify, const char *text);

/*
 * The usual ones; status is text for `systemctl status`.
 */
void notify_ready(const struct notify *notify, const char *status);
void notify_reloading(const struct notify *notify);
void notify_stopping(const struct notify *notify);

#endif
