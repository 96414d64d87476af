/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Log lines to the syslog socket and to standard error; RFC 3164 s4.1.
 */

/* system */
#include <errno.h>
#include <inttypes.h>
#include <paths.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

/* this room */
#include "milter/log_sink.h"

#ifndef _PATH_LOG
#define _PATH_LOG "/dev/log"
#endif

/*
 * Standard error is the journal's when it is the stream that JOURNAL_STREAM
 * names (systemd.exec(5)).
 */
static bool
is_journal(void)
{
	const char *text = getenv("JOURNAL_STREAM");
	uintmax_t device, inode;
	struct stat st;

	return text != NULL &&
	    sscanf(text, "%" SCNuMAX ":%" SCNuMAX, &device, &inode) == 2 &&
	    fstat(STDERR_FILENO, &st) == 0 &&
	    (uintmax_t)st.st_dev == device && (uintmax_t)st.st_ino == inode;
}

static int
attach(struct log_sink *sink)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	memcpy(to.sun_path, sink->path, sizeof(to.sun_path) - 1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0) {
		close(fd);
		return -1;
	}
	sink->fd = fd;
	return 0;
}

static void
detach(struct log_sink *sink)
{
	if (sink->fd >= 0)
		close(sink->fd);
	sink->fd = -1;
}

static int
write_syslog(struct log_sink *sink, int priority, const char *text, size_t n)
{
	char stamp[32], head[160];
	struct iovec part[2];
	struct msghdr message = { .msg_iov = part, .msg_iovlen = 2 };
	struct tm tm;
	time_t now;
	int tries, k;

	now = time(NULL);
	if (localtime_r(&now, &tm) == NULL ||
	    strftime(stamp, sizeof(stamp), "%b %e %H:%M:%S", &tm) == 0)
		stamp[0] = '\0';
	k = snprintf(head, sizeof(head), "<%d>%s %s[%ld]: ",
	    sink->facility | priority, stamp, sink->name, (long)getpid());
	part[0].iov_base = head;
	part[0].iov_len = (size_t)k;
	part[1].iov_base = (void *)(uintptr_t)text;
	part[1].iov_len = n;
	for (tries = 0; tries < 2; tries++) {
		if (sink->fd < 0 && attach(sink) != 0)
			return -1;
		if (sendmsg(sink->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >=
		    0)
			return 0;
		if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) {
			errno = EAGAIN;
			return -1;
		}
		/* A syslog that was started anew has another socket */
		detach(sink);
	}
	return -1;
}

static void
write_err(const struct log_sink *sink, int priority, const char *text,
    size_t n)
{
	char head[160];
	struct iovec part[3];
	int k;

	if (sink->journal)
		k = snprintf(head, sizeof(head), "<%d>", priority);
	else
		k = snprintf(head, sizeof(head), "%s: ", sink->name);
	part[0].iov_base = head;
	part[0].iov_len = (size_t)k;
	part[1].iov_base = (void *)(uintptr_t)text;
	part[1].iov_len = n;
	part[2].iov_base = (void *)(uintptr_t)"\n";
	part[2].iov_len = 1;
	if (writev(STDERR_FILENO, part, 3) < 0)
		return;		/* nobody is left to be told */
}

void
log_sink_open(struct log_sink *sink, bool syslog, bool foreground,
    int facility, const char *name, const char *path)
{
	memset(sink, 0, sizeof(*sink));
	sink->fd = -1;
	sink->syslog = syslog;
	sink->facility = facility;
	snprintf(sink->name, sizeof(sink->name), "%s", name);
	snprintf(sink->path, sizeof(sink->path), "%s",
	    path == NULL ? _PATH_LOG : path);
	sink->journal = is_journal();
	if (sink->journal)
		sink->syslog = false;
	else if (sink->syslog && attach(sink) != 0 && foreground)
		sink->err = true;
	if (foreground && (!sink->syslog || isatty(STDERR_FILENO)))
		sink->err = true;
	if (sink->journal)
		sink->err = true;
}

void
log_sink_close(struct log_sink *sink)
{
	detach(sink);
}

int
log_sink_write(struct log_sink *sink, int priority, const char *text,
    size_t n)
{
	/* With both ways, syslog first: a line tried again is shown once */
	if (sink->syslog && write_syslog(sink, priority, text, n) != 0 &&
	    !(sink->err && errno != EAGAIN))
		return -1;
	if (sink->err)
		write_err(sink, priority, text, n);
	return 0;
}

void
log_sink_wait(const struct log_sink *sink, int ms)
{
	struct pollfd p = { .fd = sink->fd, .events = POLLOUT };

	/* A negative descriptor only waits */
	if (poll(&p, 1, ms) < 0 && errno != EINTR)
		return;
}
