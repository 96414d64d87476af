/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The listening socket of the front end.
 */

/* system */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* this room */
#include "front_socket.h"

#define BACKLOG	1024

/*
 *   returns  0 or errno
 */
static int
open_at(int family, const struct sockaddr *address, socklen_t n, int *out)
{
	int fd, on = 1, error;

	fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	if ((family == AF_UNIX || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR,
	    &on, sizeof(on)) == 0) && bind(fd, address, n) == 0 &&
	    listen(fd, BACKLOG) == 0) {
		*out = fd;
		return 0;
	}
	error = errno;
	close(fd);
	return error;
}

static int
open_unix(const char *path, int *out)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(sun.sun_path))
		return ENAMETOOLONG;
	memcpy(sun.sun_path, path, strlen(path));
	return open_at(AF_UNIX, (const struct sockaddr *)(const void *)&sun,
	    sizeof(sun), out);
}

/*
 *   text     port[@host], hosts of digits in brackets or not
 */
static int
open_inet(const char *text, int family, int *out)
{
	char port[8], host[256];
	const char *at = strchr(text, '@');
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	}, *found;
	int error;

	snprintf(port, sizeof(port), "%.*s", (int)strcspn(text, "@"), text);
	if (at != NULL) {
		at += 1 + (at[1] == '[');
		snprintf(host, sizeof(host), "%.*s", (int)strcspn(at, "]"),
		    at);
	}
	error = getaddrinfo(at == NULL ? NULL : host, port, &hints, &found);
	if (error != 0)
		return error == EAI_SYSTEM ? errno : EADDRNOTAVAIL;
	error = open_at(found->ai_family, found->ai_addr, found->ai_addrlen,
	    out);
	freeaddrinfo(found);
	return error;
}

int
front_socket_open(const char *text, struct report *report, int *out)
{
	int error;

	if (strncmp(text, "unix:", 5) == 0)
		error = open_unix(text + 5, out);
	else if (strncmp(text, "inet6:", 6) == 0)
		error = open_inet(text + 6, AF_INET6, out);
	else
		error = open_inet(text + strcspn(text, ":") + 1, AF_INET,
		    out);
	if (error == 0)
		return 0;
	report_fault(report, FAULT_FATAL, "Socket: %s: cannot be opened: %s; "
	    "write local:/path/of/socket or inet:port@host", text,
	    strerror(error));
	return -1;
}

int
front_socket_accept(int listener)
{
	/* a peer for which there is no address is a local one */
	struct sockaddr_storage peer = { .ss_family = AF_UNIX };
	socklen_t n = sizeof(peer);
	int fd, on = 1;

	fd = accept4(listener, (struct sockaddr *)&peer, &n,
	    SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return -1;
	if (peer.ss_family != AF_UNIX) {
		/* an MTA that is gone without a word is told from a quiet
		 * one; answers go out at once */
		(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on,
		    sizeof(on));
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on,
		    sizeof(on));
	}
	return fd;
}
