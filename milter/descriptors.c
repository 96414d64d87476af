/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A watch on file descriptors.
 */

/* system */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

/* this room */
#include "descriptors.h"

/*
 * Part of the one context of a front end (mlfi.h): a number, -1 when let go.
 */
static atomic_int spare = -1;

int
descriptors_open(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	atomic_store(&spare, fd);
	return 0;
}

bool
descriptors_are_left(void)
{
	struct rlimit limit;
	int fd, held = atomic_load(&spare);

	if (held < 0)
		return false;
	/* the number tells how many are in use: the lowest free one is taken */
	fd = fcntl(held, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		if (atomic_compare_exchange_strong(&spare, &held, -1))
			close(held);
		return false;
	}
	close(fd);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return true;
	return (rlim_t)fd + DESCRIPTORS_RESERVE < limit.rlim_cur;
}

void
descriptors_freed(void)
{
	int none = -1, fd;

	if (atomic_load(&spare) >= 0)
		return;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !atomic_compare_exchange_strong(&spare, &none, fd))
		close(fd);
}
