/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder that dkimbench all fills. A file has its name as soon as it is
 * whole; before it ends in .part.
 */
#ifndef ALL_FOLDER_H
#define ALL_FOLDER_H

/* system */
#include <limits.h>
#include <stdio.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define ALL_FOLDER_NAME_MAX	64	/* octets of a name, with its NUL */

struct all_folder {
	const char	*path;
	int		 fd;
};

/*
 * Make it; one that is there must be empty.
 *   path     outlives it
 *   returns  0; EX_CANTCREAT: told, with what to do
 */
int all_folder_open(struct all_folder *folder, const char *path) MUSTUSE;
void all_folder_close(struct all_folder *folder);

/*
 * A new file, open for writing, as NAME.part.
 *   returns  its descriptor; -1: told
 */
int all_folder_part(const struct all_folder *folder, const char *name)
    MUSTUSE;

/*
 * NAME.part is whole.
 *   returns  0; EX_CANTCREAT: told
 */
int all_folder_keep(const struct all_folder *folder, const char *name)
    MUSTUSE;

/*
 * A new file under its own name, to be written a line at a time.
 *   returns  NULL: told
 */
FILE *all_folder_file(const struct all_folder *folder, const char *name)
    MUSTUSE;

/*
 * Close one of these.
 *   returns  0; EX_IOERR: not all of it could be written (told)
 */
int all_folder_done(const struct all_folder *folder, const char *name,
    FILE *file) MUSTUSE;

/*
 * The path of a file in it.
 */
void all_folder_path(const struct all_folder *folder, const char *name,
    char out[PATH_MAX]);

#endif
