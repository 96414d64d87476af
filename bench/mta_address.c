/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a milter listens; see mta_address.h.
 */

/* system */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>
#include <err.h>
#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "mta_address.h"

#define HOST_SIZE	256	/* octets of a host name, with its NUL */
#define PORT_SIZE	6	/* of a port */

static int
parse_unix(const char *text, const char *path, struct mta_address *out)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	if (*path == '\0' || strlen(path) >= sizeof un.sun_path) {
		warnx("--socket %s: a path of 1 to %zu octets is wanted", text,
		    sizeof un.sun_path - 1);
		return EX_USAGE;
	}
	memcpy(un.sun_path, path, strlen(path) + 1);
	memcpy(&out->storage, &un, sizeof un);
	out->n = sizeof un;
	return 0;
}

/*
 * Copy n octets as a string, unless they are too many or none.
 */
static int
copy(char *to, size_t size, const char *from, size_t n)
{
	if (n == 0 || n >= size)
		return -1;
	memcpy(to, from, n);
	to[n] = '\0';
	return 0;
}

/*
 * PORT@HOST of libmilter, HOST:PORT of Postfix, or a port alone.
 */
static int
split(const char *text, char host[HOST_SIZE], char port[PORT_SIZE])
{
	const char *at = strchr(text, '@'), *colon = strrchr(text, ':');
	size_t n = strlen(text), host_n;
	const char *name = "localhost";

	if (at != NULL) {
		n = (size_t)(at - text);
		name = at + 1;
		host_n = strlen(name);
	} else if (colon != NULL) {
		name = text;
		host_n = (size_t)(colon - text);
		text = colon + 1;
		n = strlen(text);
	} else {
		host_n = strlen(name);
	}
	if (host_n > 2 && name[0] == '[' && name[host_n - 1] == ']') {
		name++;
		host_n -= 2;
	}
	if (copy(host, HOST_SIZE, name, host_n) != 0 ||
	    copy(port, PORT_SIZE, text, n) != 0)
		return -1;
	return port[strspn(port, "0123456789")] == '\0' ? 0 : -1;
}

static int
look_up(const char *host, const char *port, int family,
    struct mta_address *out)
{
	struct addrinfo hints = { .ai_family = family,
	    .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int error = getaddrinfo(host, port, &hints, &list);

	if (error != 0) {
		warnx("--socket: %s port %s: %s", host, port,
		    gai_strerror(error));
		return EX_NOHOST;
	}
	memcpy(&out->storage, list->ai_addr, list->ai_addrlen);
	out->n = list->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

int
mta_address_parse(const char *text, struct mta_address *out)
{
	char host[HOST_SIZE], port[PORT_SIZE];
	int family = AF_UNSPEC;

	memset(out, 0, sizeof *out);
	if (strncmp(text, "unix:", 5) == 0)
		return parse_unix(text, text + 5, out);
	if (strncmp(text, "local:", 6) == 0)
		return parse_unix(text, text + 6, out);
	if (text[0] == '/' || text[0] == '.')
		return parse_unix(text, text, out);
	if (strncmp(text, "inet6:", 6) == 0)
		family = AF_INET6;
	else if (strncmp(text, "inet:", 5) == 0)
		family = AF_INET;
	if (family != AF_UNSPEC &&
	    split(strchr(text, ':') + 1, host, port) == 0)
		return look_up(host, port, family, out);
	warnx("--socket %s: wanted is unix:PATH, inet:PORT@HOST or "
	    "inet6:PORT@HOST", text);
	return EX_USAGE;
}

int
mta_address_connect(const struct mta_address *address, int *fd)
{
	int one = 1, error;

	*fd = socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC |
	    SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return errno;
	/* as Postfix and Sendmail have it: small packets go out at once */
	if (address->storage.ss_family != AF_UNIX)
		(void)setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &one,
		    sizeof one);
	if (connect(*fd, (const struct sockaddr *)&address->storage,
	    address->n) == 0 || errno == EINPROGRESS)
		return 0;
	error = errno;
	close(*fd);
	return error;
}
