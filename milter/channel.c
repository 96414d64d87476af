/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socketpair of supervisor and milter process.
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* this room */
#include "milter/channel.h"

static int
set_flags(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -1;
	return 0;
}

int
channel_open(int ends[2])
{
	/* Each message whole, and an end of file when the other side dies */
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
		return -1;
	if (set_flags(ends[0]) != 0 || set_flags(ends[1]) != 0) {
		close(ends[0]);
		close(ends[1]);
		return -1;
	}
	return 0;
}

int
channel_send(int fd, enum channel_kind kind, const char *text)
{
	char packet[1 + CHANNEL_TEXT_MAX];
	size_t n = strnlen(text, CHANNEL_TEXT_MAX - 1);
	ssize_t sent;

	packet[0] = (char)kind;
	memcpy(packet + 1, text, n);
	do
		sent = send(fd, packet, n + 1, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -1 : 0;
}

int
channel_receive(int fd, struct channel_message *out)
{
	char packet[1 + CHANNEL_TEXT_MAX];
	ssize_t n;

	do
		n = recv(fd, packet, sizeof(packet), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n <= 0 || n > CHANNEL_TEXT_MAX || packet[0] < CHANNEL_RELOAD ||
	    packet[0] >= CHANNEL_KINDS)
		return -1;
	out->kind = (enum channel_kind)packet[0];
	memcpy(out->text, packet + 1, (size_t)n - 1);
	out->text[n - 1] = '\0';
	return 1;
}
