/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that appear whole; see newfile.h.
 */

/* system */
#include <sys/stat.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "newfile.h"

static int
write_all(int fd, struct slice s)
{
	while (s.n > 0) {
		ssize_t n = write(fd, s.p, s.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		s = slice_from(s, (size_t)n);
	}
	return 0;
}

/*
 * The name itself must reach the disk, too.
 */
static int
sync_folder(const char *path)
{
	char copy[PATH_MAX];
	int fd, r;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	r = fsync(fd);
	close(fd);
	/* some file systems do not sync folders */
	return r == 0 || errno == EINVAL ? 0 : -1;
}

static int
fill(int fd, const struct newfile *file, struct slice octets)
{
	if (fchmod(fd, file->mode) != 0)
		return -1;
	if (file->uid != (uid_t)-1 && fchown(fd, file->uid, file->gid) != 0)
		return -1;
	if (write_all(fd, octets) != 0)
		return -1;
	return fsync(fd);
}

int
newfile_write(const struct newfile *file, struct slice octets)
{
	char temporary[PATH_MAX];
	int fd, n, r, saved;

	n = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", file->path);
	if (n < 0 || (size_t)n >= sizeof(temporary)) {
		warnx("%s: the path is too long", file->path);
		return EX_CANTCREAT;
	}
	/* made 0600: nobody else reads it before fchmod either */
	fd = mkstemp(temporary);
	if (fd < 0) {
		warn("%s", temporary);
		return EX_CANTCREAT;
	}
	r = fill(fd, file, octets);
	saved = errno;
	close(fd);
	if (r == 0) {
		r = file->force ? rename(temporary, file->path) :
		    link(temporary, file->path);
		saved = errno;
	}
	if (r != 0 || !file->force)
		unlink(temporary);
	if (r == 0 && sync_folder(file->path) != 0) {
		r = -1;
		saved = errno;
	}
	if (r == 0)
		return 0;
	errno = saved;
	if (errno == EEXIST)
		warnx("%s: is there already and stays as it is; --force "
		    "replaces it", file->path);
	else
		warn("%s", file->path);
	return EX_CANTCREAT;
}
