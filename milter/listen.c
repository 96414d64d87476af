/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket's file.
 */

/* system */
#include <errno.h>
#include <grp.h>
#include <limits.h>
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

int
listen_prepare(const char *socket, struct report *report)
{
	const char *path = listen_path(socket);
	char folder[PATH_MAX];
	struct stat st;
	int r;

	if (path == NULL)
		return 0;
	folder_of(path, folder);
	if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode)) {
		report_fault(report, FAULT_FATAL, "Socket: %s: the folder %s "
		    "cannot be used: %s; make it: install -d -o dkimd -g "
		    "postfix -m 2750 %s", path, folder, strerror(errno),
		    folder);
		return -1;
	}
	if (lstat(path, &st) != 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		report_fault(report, FAULT_FATAL, "Socket: %s: is there and "
		    "is no socket; remove it or name another path", path);
		return -1;
	}
	r = try_connect(path);
	if (r == ECONNREFUSED && unlink(path) == 0)
		return 0;
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
