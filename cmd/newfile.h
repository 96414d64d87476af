/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file that appears whole under its name or not at all: written under a
 * temporary name, synced, then linked, so that never overwriting holds in a
 * race.
 */
#ifndef NEWFILE_H
#define NEWFILE_H

#include <sys/types.h>

#include "dkim/dkim.h"

struct newfile {
	const char	*path;
	mode_t		 mode;
	uid_t		 uid;		/* owner and group; (uid_t)-1: as is */
	gid_t		 gid;
	bool		 force;		/* replace what is there */
};

/*
 *   returns  0 or EX_CANTCREAT, told on stderr
 */
int newfile_write(const struct newfile *file, struct slice octets) MUSTUSE;

#endif
