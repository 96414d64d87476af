/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol of sd_notify(3), by hand: a datagram of assignments.
 */

/* system */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "milter/clock.h"
#include "milter/notify.h"

static bool
set_address(struct notify *notify, const char *path)
{
	size_t n = strlen(path);

	if ((path[0] != '/' && path[0] != '@') || n < 2 ||
	    n >= sizeof(notify->to.sun_path))
		return false;
	notify->to.sun_family = AF_UNIX;
	memcpy(notify->to.sun_path, path, n);
	/* unix(7): an abstract name begins with a NUL and has no other */
	if (path[0] == '@')
		notify->to.sun_path[0] = '\0';
	notify->n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
	return true;
}

void
notify_open(struct notify *out)
{
	const char *path = getenv("NOTIFY_SOCKET");
	const char *usec = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");

	memset(out, 0, sizeof(*out));
	out->fd = -1;
	if (path != NULL && set_address(out, path))
		out->fd = socket(AF_UNIX,
		    SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (out->fd >= 0 && usec != NULL &&
	    (pid == NULL || strtol(pid, NULL, 10) == (long)getpid()))
		out->watchdog = strtoull(usec, NULL, 10);
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
notify_close(struct notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}

void
notify_send(const struct notify *notify, const char *text)
{
	if (notify->fd < 0)
		return;
	if (sendto(notify->fd, text, strlen(text), MSG_NOSIGNAL,
	    (const struct sockaddr *)&notify->to, notify->n) < 0)
		return;		/* systemd asks again by its own time-outs */
}

void
notify_ready(const struct notify *notify, const char *status)
{
	char text[1280];

	snprintf(text, sizeof(text), "READY=1\nSTATUS=%s", status);
	notify_send(notify, text);
}

void
notify_reloading(const struct notify *notify)
{
	char text[128];

	snprintf(text, sizeof(text), "RELOADING=1\nMONOTONIC_USEC=%llu\n"
	    "STATUS=reading the configuration",
	    (unsigned long long)clock_us());
	notify_send(notify, text);
}

void
notify_stopping(const struct notify *notify)
{
	notify_send(notify, "STOPPING=1\nSTATUS=finishing messages");
}
