/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder of dkimbench all; see all_folder.h.
 */

/* system */
#include <sys/stat.h>
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "all_folder.h"

/*
 * Figures of another day are worth more than what we are about to write.
 */
static int
check_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int status = 0;

	if (dir == NULL) {
		warn("%s", path);
		return EX_CANTCREAT;
	}
	while ((entry = readdir(dir)) != NULL && status == 0)
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0) {
			warnx("--out %s: there is a file in it already (%s); "
			    "name a folder that is new or empty", path,
			    entry->d_name);
			status = EX_CANTCREAT;
		}
	closedir(dir);
	return status;
}

int
all_folder_open(struct all_folder *folder, const char *path)
{
	folder->path = path;
	folder->fd = -1;
	if (mkdir(path, 0777) != 0) {
		if (errno != EEXIST) {
			warn("--out %s", path);
			return EX_CANTCREAT;
		}
		if (check_empty(path) != 0)
			return EX_CANTCREAT;
	}
	folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd >= 0)
		return 0;
	warn("--out %s", path);
	return EX_CANTCREAT;
}

void
all_folder_close(struct all_folder *folder)
{
	if (folder->fd >= 0)
		close(folder->fd);
	folder->fd = -1;
}

static int
create(const struct all_folder *folder, const char *name)
{
	int fd = openat(folder->fd, name, O_WRONLY | O_CREAT | O_EXCL |
	    O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0)
		warn("%s/%s", folder->path, name);
	return fd;
}

static void
part_name(const char *name, char out[ALL_FOLDER_NAME_MAX + 8])
{
	snprintf(out, ALL_FOLDER_NAME_MAX + 8, "%.*s.part",
	    ALL_FOLDER_NAME_MAX - 1, name);
}

int
all_folder_part(const struct all_folder *folder, const char *name)
{
	char part[ALL_FOLDER_NAME_MAX + 8];

	part_name(name, part);
	return create(folder, part);
}

int
all_folder_keep(const struct all_folder *folder, const char *name)
{
	char part[ALL_FOLDER_NAME_MAX + 8];

	part_name(name, part);
	if (renameat(folder->fd, part, folder->fd, name) == 0)
		return 0;
	warn("%s/%s", folder->path, part);
	return EX_CANTCREAT;
}

FILE *
all_folder_file(const struct all_folder *folder, const char *name)
{
	int fd = create(folder, name);
	FILE *file;

	if (fd < 0)
		return NULL;
	file = fdopen(fd, "a");
	if (file == NULL) {
		warn("%s/%s", folder->path, name);
		close(fd);
		return NULL;
	}
	setvbuf(file, NULL, _IOLBF, BUFSIZ);
	return file;
}

int
all_folder_done(const struct all_folder *folder, const char *name, FILE *file)
{
	bool bad = ferror(file) != 0;

	if (fclose(file) == 0 && !bad)
		return 0;
	warn("%s/%s", folder->path, name);
	return EX_IOERR;
}

void
all_folder_path(const struct all_folder *folder, const char *name,
    char out[PATH_MAX])
{
	snprintf(out, PATH_MAX, "%s/%s", folder->path, name);
}
