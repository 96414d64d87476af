/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole text file in memory, and its lines (MIGRATION 2a: `#` cuts anywhere).
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* this room */
#include "textfile.h"

static const char *
reason_of(int error)
{
	switch (error) {
	case ENOENT:
		return "no such file";
	case ENOTDIR:
		return "a part of its path is no folder";
	case EACCES:
	case EPERM:
		return "no permission";
	case EISDIR:
		return "it is a folder";
	case ELOOP:
		return "too many symbolic links";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case EIO:
		return "input/output error";
	default:
		return "it cannot be read";
	}
}

static int
read_all(int fd, uint8_t *p, size_t n, const char **reason)
{
	size_t at = 0;
	ssize_t got;

	while (at < n) {
		got = read(fd, p + at, n - at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			*reason = reason_of(errno);
			return DKIM_ERR_ARGUMENT;
		}
		if (got == 0) {
			*reason = "it became shorter while it was read";
			return DKIM_ERR_ARGUMENT;
		}
		at += (size_t)got;
	}
	return 0;
}

static int
read_fd(int fd, size_t max, uint8_t **out, size_t *n, const char **reason)
{
	struct stat st;
	uint8_t *p;
	int error;

	if (fstat(fd, &st) != 0) {
		*reason = reason_of(errno);
		return DKIM_ERR_ARGUMENT;
	}
	if (!S_ISREG(st.st_mode)) {
		*reason = S_ISDIR(st.st_mode) ? "it is a folder" :
		    "it is no plain file";
		return DKIM_ERR_ARGUMENT;
	}
	if ((uintmax_t)st.st_size > max) {
		*reason = "it is too large";
		return DKIM_ERR_ARGUMENT;
	}
	/* one more, so that an empty file has memory, too */
	if ((p = malloc((size_t)st.st_size + 1)) == NULL)
		return DKIM_ERR_NOMEM;
	error = read_all(fd, p, (size_t)st.st_size, reason);
	if (error != 0) {
		free(p);
		return error;
	}
	*out = p;
	*n = (size_t)st.st_size;
	return 0;
}

int
textfile_read(const char *path, size_t max, uint8_t **out, size_t *n,
    const char **reason)
{
	int fd, error;

	/* O_NONBLOCK: a FIFO of that name must not stop the start */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		*reason = reason_of(errno);
		return DKIM_ERR_ARGUMENT;
	}
	error = read_fd(fd, max, out, n, reason);
	close(fd);
	return error;
}

int
textfile_path(const char *base, struct slice path, char **out)
{
	size_t base_n = 0, n;
	char *p;

	if (base != NULL && (path.n == 0 || path.p[0] != '/'))
		base_n = strlen(base);
	n = base_n + (base_n > 0) + path.n + 1;
	if ((p = malloc(n)) == NULL)
		return DKIM_ERR_NOMEM;
	snprintf(p, n, "%.*s%s%.*s", (int)base_n, base == NULL ? "" : base,
	    base_n > 0 ? "/" : "", (int)path.n, (const char *)path.p);
	*out = p;
	return 0;
}

bool
textfile_line(struct slice *rest, struct slice *line, size_t *full)
{
	struct slice text;
	size_t n;

	if (rest->n == 0)
		return false;
	n = slice_find(*rest, '\n');
	text = slice_sub(*rest, 0, n);
	*rest = slice_from(*rest, n < rest->n ? n + 1 : n);
	*full = n;
	text = slice_sub(text, 0, slice_find(text, '#'));
	text = slice_sub(text, 0, slice_find(text, '\r'));
	*line = slice_trim(text);
	return true;
}

struct slice
textfile_word(struct slice line, struct slice *rest)
{
	size_t n = 0;

	while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t')
		n++;
	*rest = slice_trim(slice_from(line, n));
	return slice_sub(line, 0, n);
}
