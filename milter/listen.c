/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket: tries before libmilter opens it, and its file.
 */

/* system */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* this room */
#include "listen.h"
#include "log.h"

const char *
listen_path(const char *socket)
{
	if (strncmp(socket, "local:", 6) == 0)
		return socket + 6;
	if (strncmp(socket, "unix:", 5) == 0)
		return socket + 5;
	return strchr(socket, ':') == NULL ? socket : NULL;
}

/*
 * The folder of path.
 */
static void
folder_of(const char *path, char out[PATH_MAX])
{
	char *slash;

	snprintf(out, PATH_MAX, "%s", path);
	slash = strrchr(out, '/');
	if (slash == NULL)
		snprintf(out, PATH_MAX, ".");
	else if (slash == out)
		out[1] = '\0';
	else
		*slash = '\0';
}

/*
 * 0: somebody listens; else an errno.
 */
static int
try_connect(const char *path)
{
	struct sockaddr_un sun;
	int fd, r;

	memset(&sun, 0, sizeof(sun));
	sun.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(sun.sun_path))
		return ENAMETOOLONG;
	memcpy(sun.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	r = connect(fd, (struct sockaddr *)&sun, sizeof(sun)) == 0 ? 0 : errno;
	close(fd);
	return r;
}

/* ---- tries ------------------------------------------------------------- */

/*
 * The folder must be there: neither libmilter nor the user that dkimd becomes
 * can make it. Postfix's group is for Postfix's own place only.
 */
static int
missing(const struct listen_try *how, const char *folder,
    struct report *report)
{
	static const char postfix[] = "/var/spool/postfix/";
	char group[IDENTITY_NAME_MAX] = "postfix";

	if (strncmp(folder, postfix, sizeof(postfix) - 1) != 0)
		identity_group_name(how->who->gid, group);
	report_fault(report, FAULT_FATAL, "%s: the folder %s is not there; "
	    "make it with\n  install -d -o %s -g %s -m 2750 %s", how->where,
	    folder, how->who->user, group, folder);
	return -1;
}

static int
no_right(const struct listen_try *how, const char *path, const char *bit,
    struct report *report)
{
	report_fault(report, FAULT_FATAL, "%s: %s: user %s may not make the "
	    "socket: %s; needed there is the %s bit", how->where, path,
	    how->who->user, strerror(errno), bit);
	return -1;
}

/*
 * Is there a way into the folder, and may a file be made in it?
 */
static int
try_folder(const struct listen_try *how, const char *folder,
    struct report *report)
{
	char part[PATH_MAX];
	struct stat st;
	size_t n;

	/* Each folder on the way, the root folder being open to all */
	for (n = 1; how->can_try && folder[n] != '\0'; n++) {
		n += strcspn(folder + n, "/");
		snprintf(part, sizeof(part), "%.*s", (int)n, folder);
		if (access(part, X_OK) != 0 && errno != ENOENT &&
		    errno != ENOTDIR)
			return no_right(how, part, "x", report);
		if (folder[n] == '\0')
			break;
	}
	if (stat(folder, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR ?
		    missing(how, folder, report) : how->can_try ?
		    no_right(how, folder, "x", report) : 0;
	if (!S_ISDIR(st.st_mode))
		return missing(how, folder, report);
	if (how->can_try && access(folder, W_OK) != 0)
		return no_right(how, folder, "w", report);
	if ((st.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
		report_fault(report, FAULT_WARNING, "%s: every user can put a "
		    "socket of his own in place of this one; chmod o-w %s",
		    how->where, folder);
	return 0;
}

static int
try_path(const struct listen_try *how, const char *path,
    struct report *report)
{
	char folder[PATH_MAX];
	struct stat st;
	int r;

	folder_of(path, folder);
	if (try_folder(how, folder, report) != 0)
		return -1;
	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		report_fault(report, FAULT_FATAL, "%s: %s: is there and is no "
		    "socket; remove it or name another path", how->where,
		    path);
		return -1;
	}
	r = how->can_try ? try_connect(path) : ECONNREFUSED;
	if (r == ECONNREFUSED || ((r == 0 || r == EAGAIN) && how->running))
		return 0;
	report_fault(report, FAULT_FATAL, "%s: %s: %s", how->where, path,
	    r == 0 || r == EAGAIN ? "another process is listening on it; stop "
	    "it or name another path" : strerror(r));
	return -1;
}

/*
 * 0, or the errno of a bind as libmilter does it.
 */
static int
try_bind(const struct addrinfo *to)
{
	int fd, error = 0, on = 1;

	fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
	    bind(fd, to->ai_addr, to->ai_addrlen) != 0)
		error = errno;
	close(fd);
	return error;
}

/*
 *   text     inet:port[@host], inet6:port[@host], hosts of digits in brackets
 */
static int
try_inet(const struct listen_try *how, const char *text,
    struct report *report)
{
	const char *port = strchr(text, ':') + 1, *at = strchr(port, '@');
	char number[8], host[256] = "";
	struct addrinfo hints = {
		.ai_family = text[4] == '6' ? AF_INET6 : AF_INET,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
	}, *found;
	size_t n;
	int r;

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(port, "@"),
	    port);
	if (at != NULL) {
		snprintf(host, sizeof(host), "%s", at + 1 + (at[1] == '['));
		n = strcspn(host, "]");
		host[n] = '\0';
	}
	r = getaddrinfo(at == NULL ? NULL : host, number, &hints, &found);
	if (r != 0) {
		report_fault(report, FAULT_FATAL, "%s: %s: the host %s does "
		    "not resolve: %s; write inet:port@localhost, or an "
		    "address of this machine", how->where, text, host,
		    gai_strerror(r));
		return -1;
	}
	r = how->can_try ? try_bind(found) : 0;
	freeaddrinfo(found);
	if (r == 0 || (r == EADDRINUSE && how->running))
		return 0;
	report_fault(report, FAULT_FATAL, "%s: %s: user %s cannot open it: %s"
	    "%s", how->where, text, how->who->user, strerror(r),
	    r == EADDRINUSE ? "; another process is listening on it, stop it "
	    "or name another port" : r == EACCES ? "; ports below 1024 are "
	    "root's" : "; the host must be an address of this machine");
	return -1;
}

int
listen_check(const struct listen_try *how, const struct socketspec *spec,
    struct report *report)
{
	if (spec->path[0] != '\0')
		return try_path(how, spec->path, report);
	return try_inet(how, spec->text, report);
}

/* ---- the file ---------------------------------------------------------- */

int
listen_prepare(const char *socket, struct report *report)
{
	const char *path = listen_path(socket);
	struct stat st;
	int r;

	if (path == NULL || lstat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		report_fault(report, FAULT_FATAL, "Socket: %s: is there and "
		    "is no socket; remove it or name another path", path);
		return -1;
	}
	r = try_connect(path);
	if (r == ECONNREFUSED && unlink(path) == 0)
		return 0;
	if (r == ECONNREFUSED)
		r = errno;
	report_fault(report, FAULT_FATAL, "Socket: %s: %s", path,
	    r == 0 || r == EAGAIN ? "another process is listening on it; stop "
	    "it or name another path" : strerror(r));
	return -1;
}

void
listen_describe(const char *socket)
{
	const char *path = listen_path(socket);
	char folder[PATH_MAX], owner[64], group[64];
	struct stat st, dir;
	struct passwd *pw;
	struct group *gr;

	if (path == NULL || lstat(path, &st) != 0)
		return;
	pw = getpwuid(st.st_uid);
	snprintf(owner, sizeof(owner), "%u", (unsigned)st.st_uid);
	gr = getgrgid(st.st_gid);
	snprintf(group, sizeof(group), "%u", (unsigned)st.st_gid);
	log_line(LOG_INFO, "socket %s: owner %s, group %s, mode %04o", path,
	    pw == NULL ? owner : pw->pw_name, gr == NULL ? group : gr->gr_name,
	    (unsigned)(st.st_mode & 07777));
	if ((st.st_mode & S_IWOTH) != 0)
		log_line(LOG_WARNING, "socket %s: every local user can "
		    "connect and have mail signed; set UMask 007", path);
	if ((st.st_mode & S_IWGRP) == 0 && (st.st_mode & S_IWOTH) == 0)
		log_line(LOG_WARNING, "socket %s: group %s cannot connect; "
		    "set UMask 007", path, gr == NULL ? group : gr->gr_name);
	folder_of(path, folder);
	if (stat(folder, &dir) != 0 || (dir.st_mode & S_IXOTH) != 0)
		return;
	if ((dir.st_mode & S_IXGRP) == 0 || dir.st_gid != st.st_gid)
		log_line(LOG_WARNING, "socket %s: group %s cannot pass the "
		    "folder %s (mode %04o)", path,
		    gr == NULL ? group : gr->gr_name, folder,
		    (unsigned)(dir.st_mode & 07777));
}
