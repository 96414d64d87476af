/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Socket in any notation, as libmilter takes it.
 */

/* system */
#include <sys/socket.h>
#include <sys/un.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* this room */
#include "socketspec.h"

#define PATH_MAX_UNIX	(sizeof(((struct sockaddr_un *)0)->sun_path) - 1)

static const char wanted[] = "wanted is local:/path or inet:port@host";

static int
refuse(const char *where, const char *text, const char *why,
    struct report *report)
{
	struct report_octets shown;

	report_fault(report, FAULT_FATAL, "%s: \"%s\": %s; %s", where,
	    report_octets(&shown, slice_text(text)), why, wanted);
	return DKIM_ERR_SYNTAX;
}

static int
missing(const char *where, struct report *report)
{
	report_fault(report, FAULT_FATAL, "%s: it is compulsory; for Postfix "
	    "on Debian write\n"
	    "  Socket local:/var/spool/postfix/dkimd/dkimd.sock\n"
	    "and for Sendmail\n"
	    "  Socket local:/run/dkimd/dkimd.sock", where);
	return DKIM_ERR_SYNTAX;
}

static int
check_path(const char *where, const char *text, const char *path,
    struct report *report, struct socketspec *out)
{
	if (path[0] != '/')
		return refuse(where, text, "a path begins with / (relative "
		    "ones are for Postfix, which is in its queue directory)",
		    report);
	if (strlen(path) > PATH_MAX_UNIX)
		return refuse(where, text, "the path is longer than a UNIX "
		    "socket may have (107 octets)", report);
	if (path[strlen(path) - 1] == '/')
		return refuse(where, text, "the path names a folder", report);
	snprintf(out->path, sizeof(out->path), "%s", path);
	snprintf(out->text, sizeof(out->text), "unix:%s", path);
	return 0;
}

static bool
is_port(struct slice s)
{
	unsigned value = 0;
	size_t i;

	for (i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || i > 4)
			return false;
		value = value * 10 + (unsigned)(s.p[i] - '0');
	}
	return s.n > 0 && value > 0 && value < 65536;
}

static bool
is_host(struct slice s)
{
	size_t i;
	uint8_t c;

	for (i = 0; i < s.n; i++) {
		c = slice_lower(s.p[i]);
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		    c == '.' || c == '-' || c == '_' || c == ':'))
			return false;
	}
	return s.n > 0 && s.n < 256;
}

/*
 * "port[@host]", or the reversed "host:port".
 */
static bool
split(struct slice in, struct slice *port, struct slice *host, bool *reversed)
{
	size_t at = slice_find(in, '@'), colon = in.n;

	*reversed = false;
	*port = slice_sub(in, 0, at);
	*host = slice_from(in, at < in.n ? at + 1 : in.n);
	if (at < in.n || is_port(in))
		return is_port(*port) && (at == in.n || host->n > 0);
	while (colon > 0 && in.p[colon - 1] != ':')
		colon--;
	if (colon < 2)
		return false;
	*reversed = true;
	*port = slice_from(in, colon);
	*host = slice_sub(in, 0, colon - 1);
	return is_port(*port);
}

/*
 * Is the host this machine only? A name other than localhost may be anything.
 */
static bool
is_loopback(const char *host)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (strcasecmp(host, "localhost") == 0 ||
	    strcasecmp(host, "localhost.localdomain") == 0 ||
	    strcasecmp(host, "ip6-localhost") == 0)
		return true;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return inet_pton(AF_INET6, host, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static bool
is_literal(const char *host, bool *is_v6)
{
	uint8_t address[16];

	*is_v6 = inet_pton(AF_INET6, host, address) == 1;
	return *is_v6 || inet_pton(AF_INET, host, address) == 1;
}

static int
check_inet(const char *where, const char *text, bool v6, struct slice rest,
    struct report *report, struct socketspec *out)
{
	struct slice port, host;
	bool reversed, literal_v6 = false, literal;
	char name[256];

	if (!split(rest, &port, &host, &reversed))
		return refuse(where, text, "the port is a number from 1 to "
		    "65535", report);
	if (host.n == 0) {
		report_fault(report, FAULT_WARNING, "%s: it listens on all "
		    "interfaces: whoever reaches port %.*s gets signatures; "
		    "write %s:%.*s@localhost", where, (int)port.n,
		    (const char *)port.p, v6 ? "inet6" : "inet", (int)port.n,
		    (const char *)port.p);
		snprintf(out->text, sizeof(out->text), "%s:%.*s",
		    v6 ? "inet6" : "inet", (int)port.n, (const char *)port.p);
		return 0;
	}
	if (host.n > 2 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = slice_sub(host, 1, host.n - 2);
	if (!is_host(host))
		return refuse(where, text, "the host is no name and no address",
		    report);
	memcpy(name, host.p, host.n);
	name[host.n] = '\0';
	literal = is_literal(name, &literal_v6);
	if (literal ? literal_v6 != v6 && !literal_v6 : strchr(name, ':') !=
	    NULL)
		return refuse(where, text, "the host is no address of this "
		    "family", report);
	/* libmilter looks up an address in brackets by itself */
	snprintf(out->text, sizeof(out->text), "%s:%.*s@%s%s%s",
	    v6 || literal_v6 ? "inet6" : "inet", (int)port.n,
	    (const char *)port.p, literal ? "[" : "", name,
	    literal ? "]" : "");
	if (reversed)
		report_fault(report, FAULT_NOTE, "%s: \"%s\" is Postfix's "
		    "notation; taken as %s", where, text, out->text);
	if (!is_loopback(name))
		report_fault(report, FAULT_WARNING, "%s: %s is not loopback: "
		    "whoever reaches it gets signatures and says what the "
		    "client's address is", where, out->text);
	return 0;
}

static bool
has_prefix(const char *text, const char *prefix, const char **rest)
{
	size_t n = strlen(prefix);

	if (strncasecmp(text, prefix, n) != 0)
		return false;
	*rest = text + n;
	return true;
}

int
socketspec_check(const char *where, const char *text, struct report *report,
    struct socketspec *out)
{
	struct socketspec spec = { .path = "" };
	const char *rest;
	int error;

	if (text == NULL)
		return missing(where, report);
	if (strlen(text) >= SOCKETSPEC_MAX - 64)
		return refuse(where, text, "it is too long", report);
	if (has_prefix(text, "local:", &rest) ||
	    has_prefix(text, "unix:", &rest))
		error = check_path(where, text, rest, report, &spec);
	else if (has_prefix(text, "inet:", &rest))
		error = check_inet(where, text, false, slice_text(rest), report,
		    &spec);
	else if (has_prefix(text, "inet6:", &rest))
		error = check_inet(where, text, true, slice_text(rest), report,
		    &spec);
	else if (text[0] == '/')
		error = check_path(where, text, text, report, &spec);
	else
		error = refuse(where, text, "unknown kind of socket", report);
	if (error == 0)
		*out = spec;
	return error;
}
