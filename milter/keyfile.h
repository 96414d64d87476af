/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Private key files: opened once, looked at on the descriptor, no symbolic
 * link as last part; with RequireSafeKeys each part of the path is walked and
 * judged on the way (DESIGN "Threats", MIGRATION 2h).
 */
#ifndef KEYFILE_H
#define KEYFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "identity.h"

#define KEYFILE_LINKS_MAX	16	/* symbolic links followed on the way */
#define KEYFILE_REASON_MAX	6144	/* octets, with NUL: a path and why */

/* What tells that a file has changed. */
struct keyfile_id {
	dev_t		 dev;
	ino_t		 ino;
	off_t		 size;
	struct timespec	 mtime;
};

struct keyfile {
	uint8_t			*octets;	/* keyfile_clear wipes */
	size_t			 n;
	struct keyfile_id	 id;
	int			 error;		/* errno; 0: the file's fault */
	char			 reason[KEYFILE_REASON_MAX];
};

/*
 * Read a key file.
 *   path     absolute, or relative to the working folder
 *   who      whose rights the safety is judged by
 *   safe     an unsafe path is an error; else reason says what is unsafe, ""
 *            when nothing
 *   out      on failure too: reason names the path element, the user and the
 *            bit; besides it only error is set then
 *   errors   -1
 */
int keyfile_read(const char *path, const struct identity *who, bool safe,
    struct keyfile *out) MUSTUSE;
void keyfile_clear(struct keyfile *file);

/*
 * The same without the octets: would keyfile_read refuse the path now?
 *   errors   -1
 */
int keyfile_check(const char *path, const struct identity *who, bool safe,
    struct keyfile *out) MUSTUSE;

/*
 * The file's identity as it is now.
 *   errors   -1, errno
 */
int keyfile_identify(const char *path, struct keyfile_id *out) MUSTUSE;
bool keyfile_is_same(const struct keyfile_id *a, const struct keyfile_id *b);

#endif
