/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records over a SOCK_SEQPACKET socket (unix(7)): the kernel keeps their
 * bounds, so there is no half record and nothing to put together.
 */

/* system */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* this room */
#include "token_socket.h"

/* Signals that may cut a wait before it counts as late. */
#define INTERRUPTIONS_MAX	100

/* Descriptors that are taken off a packet at most, to close them. */
#define DESCRIPTORS_MAX		8

union control {
	struct cmsghdr	align;
	uint8_t		octets[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
};

int
token_socket_pair(int out[2])
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, out) != 0)
		return TOKEN_SOCKET_END;
	return 0;
}

/*
 * Wait until a socket is ready, or at its end.
 */
static int
ready(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int n;

	for (int i = 0; i < INTERRUPTIONS_MAX; i++) {
		n = poll(&p, 1, timeout_ms);
		if (n > 0)
			return (p.revents & POLLNVAL) != 0 ?
			    TOKEN_SOCKET_END : 0;
		if (n == 0)
			return TOKEN_SOCKET_LATE;
		if (errno != EINTR)
			return TOKEN_SOCKET_END;
	}
	return TOKEN_SOCKET_LATE;
}

int
token_socket_send(int fd, const uint8_t *record, size_t n, int carry,
    int timeout_ms)
{
	union control control;
	/* iovec has no const; nothing writes there */
	struct iovec iov = { .iov_base = (void *)(uintptr_t)record,
	    .iov_len = n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t sent;
	int r;

	if (carry >= 0) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof control);
		m.msg_control = control.octets;
		m.msg_controllen = CMSG_SPACE(sizeof carry);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof carry);
		memcpy(CMSG_DATA(c), &carry, sizeof carry);
	}
	for (;;) {
		sent = sendmsg(fd, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent >= 0)
			return (size_t)sent == n ? 0 : TOKEN_SOCKET_BAD;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return TOKEN_SOCKET_END;
		if ((r = ready(fd, POLLOUT, timeout_ms)) != 0)
			return r;
	}
}

/*
 * Take the descriptors off a packet: the one that may be there, all others are
 * closed.
 *   carried  out; NULL: none may be there
 */
static int
descriptors(struct msghdr *m, int *carried)
{
	int r = (m->msg_flags & MSG_CTRUNC) != 0 ? TOKEN_SOCKET_BAD : 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL;
	    c = CMSG_NXTHDR(m, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (carried != NULL && *carried < 0) {
				*carried = fd;
				continue;
			}
			close(fd);
			r = TOKEN_SOCKET_BAD;
		}
	}
	return r;
}

int
token_socket_receive(int fd, uint8_t *record, size_t *n, int *carried,
    int timeout_ms)
{
	union control control;
	struct iovec iov = { .iov_base = record, .iov_len = TOKEN_WIRE_MAX };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got;
	int r;

	if (carried != NULL)
		*carried = -1;
	do {
		if ((r = ready(fd, POLLIN, timeout_ms)) != 0)
			return r;
		m.msg_control = control.octets;
		m.msg_controllen = sizeof control.octets;
		got = recvmsg(fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN ||
	    errno == EWOULDBLOCK));
	if (got < 0)
		return TOKEN_SOCKET_END;
	r = descriptors(&m, carried);
	if (got == 0 && r == 0 && (carried == NULL || *carried < 0))
		return TOKEN_SOCKET_END;
	if (r == 0 && (m.msg_flags & MSG_TRUNC) != 0)
		r = TOKEN_SOCKET_BAD;
	if (r != 0) {
		if (carried != NULL && *carried >= 0) {
			close(*carried);
			*carried = -1;
		}
		return r;
	}
	*n = (size_t)got;
	return 0;
}
