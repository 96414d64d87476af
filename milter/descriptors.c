/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A watch on file descriptors.
 */

/* system */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

/* this room */
#include "descriptors.h"
#include "log.h"

int
descriptors_open(struct descriptors *d)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	atomic_store(&d->spare, fd);
	return 0;
}

static bool
are_left(struct descriptors *d)
{
	struct rlimit limit;
	int fd, held = atomic_load(&d->spare);

	if (held < 0)
		return false;
	/* the number tells how many are in use: the lowest free one is taken */
	fd = fcntl(held, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		if (atomic_compare_exchange_strong(&d->spare, &held, -1))
			close(held);
		return false;
	}
	close(fd);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    limit.rlim_cur == RLIM_INFINITY)
		return true;
	return (rlim_t)fd + DESCRIPTORS_RESERVE < limit.rlim_cur;
}

bool
descriptors_are_left(struct descriptors *d)
{
	if (are_left(d))
		return true;
	log_limited(LOG_ERR, "descriptors", "no file descriptors are left for "
	    "a connection: refused for the time being; raise LimitNOFILE");
	return false;
}

void
descriptors_freed(struct descriptors *d)
{
	int none = -1, fd;

	if (atomic_load(&d->spare) >= 0)
		return;
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !atomic_compare_exchange_strong(&d->spare, &none, fd))
		close(fd);
}
