/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MTA's side of a milter connection; see milter_client.h.
 */

/* system */
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "milter_client.h"

#define TIMEOUT		120	/* seconds of silence */
#define CHUNK		65536	/* octets received at once */

static int
connect_unix(const char *path, int *fd)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path)) {
		warnx("%s: the path is longer than %zu octets", path,
		    sizeof(address.sun_path) - 1);
		return EX_USAGE;
	}
	memcpy(address.sun_path, path, strlen(path));
	*fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (*fd >= 0 && connect(*fd, (struct sockaddr *)&address,
	    sizeof(address)) == 0)
		return 0;
	warn("%s", path);
	return EX_UNAVAILABLE;
}

static int
connect_inet(const char *host, const char *port, int family, int *fd)
{
	struct addrinfo hints = { .ai_family = family,
	    .ai_socktype = SOCK_STREAM };
	struct addrinfo *list, *at;
	int error = getaddrinfo(host, port, &hints, &list);

	if (error != 0) {
		warnx("%s port %s: %s", host, port, gai_strerror(error));
		return EX_NOHOST;
	}
	for (at = list; at != NULL; at = at->ai_next) {
		*fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC,
		    at->ai_protocol);
		if (*fd >= 0 && connect(*fd, at->ai_addr,
		    at->ai_addrlen) == 0)
			break;
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
	freeaddrinfo(list);
	if (*fd >= 0)
		return 0;
	warn("%s port %s", host, port);
	return EX_UNAVAILABLE;
}

static bool
is_number(const char *text)
{
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/*
 * port@host as libmilter writes it, host:port as Postfix does; the host may
 * stand in brackets.
 */
static int
parse_inet(const char *text, char *host, size_t size, const char **port)
{
	const char *at = strchr(text, '@'), *colon = strrchr(text, ':');
	const char *from, *end;

	if (at != NULL) {
		from = at + 1;
		end = from + strlen(from);
		*port = text;
	} else if (colon != NULL) {
		from = text;
		end = colon;
		*port = colon + 1;
	} else {
		from = "localhost";
		end = from + strlen(from);
		*port = text;
	}
	if (end - from > 1 && *from == '[' && end[-1] == ']') {
		from++;
		end--;
	}
	if (end == from || (size_t)(end - from) >= size)
		return EX_USAGE;
	memcpy(host, from, (size_t)(end - from));
	host[end - from] = '\0';
	return 0;
}

static int
connect_socket(const char *spec, int *fd)
{
	char host[256], port[16];
	const char *from;
	int family = AF_UNSPEC;

	if (strncmp(spec, "unix:", 5) == 0)
		return connect_unix(spec + 5, fd);
	if (strncmp(spec, "local:", 6) == 0)
		return connect_unix(spec + 6, fd);
	if (spec[0] == '/' || spec[0] == '.')
		return connect_unix(spec, fd);
	if (strncmp(spec, "inet6:", 6) == 0) {
		family = AF_INET6;
		spec += 6;
	} else if (strncmp(spec, "inet:", 5) == 0) {
		family = AF_INET;
		spec += 5;
	}
	if (family != AF_UNSPEC &&
	    parse_inet(spec, host, sizeof(host), &from) == 0) {
		snprintf(port, sizeof(port), "%.*s",
		    (int)strcspn(from, "@"), from);
		if (is_number(port))
			return connect_inet(host, port, family, fd);
	}
	warnx("--socket %s: wanted is unix:PATH, local:PATH, "
	    "inet:PORT@HOST or inet:HOST:PORT", spec);
	return EX_USAGE;
}

int
milter_client_send(struct milter_client *c)
{
	struct slice s = buf_slice(&c->out);

	if (buf_end(&c->out) != 0) {
		warnx("a header field or an option is too long for the "
		    "milter protocol (%d octets)", WIRE_DATA_MAX);
		return EX_DATAERR;
	}
	while (s.n > 0) {
		ssize_t n = send(c->fd, s.p, s.n, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			warn("%s: sending", c->socket);
			return EX_UNAVAILABLE;
		}
		s = slice_from(s, (size_t)n);
	}
	buf_reset(&c->out);
	return 0;
}

static int
receive(struct milter_client *c)
{
	static uint8_t chunk[CHUNK];
	ssize_t n;

	do
		n = recv(c->fd, chunk, sizeof(chunk), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0) {
		warn("%s: waiting for an answer", c->socket);
		return EX_UNAVAILABLE;
	}
	if (n == 0) {
		warnx("%s: the filter closed the connection", c->socket);
		return EX_UNAVAILABLE;
	}
	/* keep only what no packet has taken yet */
	if (c->used > 0) {
		c->in.n -= c->used;
		memmove(c->in.p, c->in.p + c->used, c->in.n);
		c->used = 0;
	}
	buf_add(&c->in, slice_of(chunk, (size_t)n));
	return buf_end(&c->in) == 0 ? 0 : EX_PROTOCOL;
}

int
milter_client_reply(struct milter_client *c, struct wire_reply *reply)
{
	struct wire_packet packet;
	struct slice rest;
	int error, status;

	for (;;) {
		rest = slice_from(buf_slice(&c->in), c->used);
		if (wire_next(&rest, &packet, &error))
			break;
		if (error != 0) {
			warnx("%s: no milter packet: is this a milter?",
			    c->socket);
			return EX_PROTOCOL;
		}
		status = receive(c);
		if (status != 0)
			return status;
	}
	c->used = c->in.n - rest.n;
	if (wire_parse_reply(packet, reply) == 0)
		return 0;
	warnx("%s: a milter reply that is none (code 0x%02x)", c->socket,
	    packet.kind);
	return EX_PROTOCOL;
}

int
milter_client_open(const char *socket, struct milter_client *c)
{
	struct timeval timeout = { .tv_sec = TIMEOUT };
	struct wire_optneg ours = { WIRE_VERSION, WIRE_ACTIONS_ALL,
	    WIRE_STEPS_ALL };
	struct wire_reply reply;
	int status;

	memset(c, 0, sizeof(*c));
	c->fd = -1;
	c->socket = socket;
	buf_init(&c->out, 4 << 20);
	buf_init(&c->in, 4 << 20);
	status = connect_socket(socket, &c->fd);
	if (status != 0)
		return status;
	setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	wire_put_optneg(WIRE_OPTNEG, ours, &c->out);
	status = milter_client_send(c);
	if (status == 0)
		status = milter_client_reply(c, &reply);
	if (status != 0)
		return status;
	if (reply.kind != WIRE_REPLY_OPTNEG) {
		warnx("%s: the filter refuses to negotiate", socket);
		return EX_PROTOCOL;
	}
	c->actions = reply.optneg.actions;
	c->steps = reply.optneg.steps;
	return 0;
}

void
milter_client_close(struct milter_client *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	buf_clear(&c->out);
	buf_clear(&c->in);
}
