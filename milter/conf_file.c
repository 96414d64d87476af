/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines of a configuration file, and Include.
 */

/* system */
#include <stdlib.h>

/* room below */
#include "../rsa-backend/rsab.h"

/* this room */
#include "conf_file.h"
#include "textfile.h"

struct reader {
	conf_file_fn		 set;
	void			*context;
	struct report		*report;
	struct option_file	**files;
	unsigned		 depth, count;
};

static int read_file(struct reader *r, const char *path,
    struct option_place from);

static void
fault_at(struct reader *r, struct option_place place, const char *text,
    const char *what)
{
	if (place.file == NULL)
		report_fault(r->report, FAULT_FATAL, "%s: %s", text, what);
	else
		report_fault(r->report, FAULT_FATAL, "%s:%u: %s: %s",
		    place.file, place.line, text, what);
}

/*
 * An Include line: a relative path is relative to the including file.
 */
static int
include(struct reader *r, struct option_place place, struct slice value)
{
	char *folder, *path = NULL, *slash;
	int error;

	if (r->depth >= CONF_FILE_NESTED || r->count >= CONF_FILE_COUNT) {
		fault_at(r, place, "Include", "files are nested more than 5 "
		    "deep, or more than 1000 in all");
		return DKIM_ERR_SYNTAX;
	}
	if ((folder = strdup(place.file)) == NULL)
		return DKIM_ERR_NOMEM;
	if ((slash = strrchr(folder, '/')) != NULL)
		*slash = '\0';
	error = textfile_path(slash == NULL ? "." : folder, value, &path);
	if (error == 0)
		error = read_file(r, path, place);
	free(path);
	free(folder);
	return error;
}

static int
read_line(struct reader *r, struct option_place place, struct slice line,
    size_t full)
{
	struct slice name, value;

	if (full > CONF_FILE_LINE_MAX || slice_find(line, '\0') < line.n) {
		fault_at(r, place, "line", "it has more than 65536 octets, or "
		    "a NUL");
		return DKIM_ERR_SYNTAX;
	}
	name = textfile_word(line, &value);
	if (slice_equal_nocase(name, slice_text("Include")) && value.n > 0)
		return include(r, place, value);
	return r->set(r->context, place, name, value);
}

static int
read_lines(struct reader *r, const char *path, struct slice rest)
{
	struct option_place place = { path, 0 };
	struct slice line;
	size_t full;
	int error = 0, one;

	while (textfile_line(&rest, &line, &full)) {
		place.line++;
		if (line.n == 0)
			continue;
		one = read_line(r, place, line, full);
		if (one == DKIM_ERR_NOMEM)
			return one;
		/* go on: all faults are named in one run */
		if (one != 0)
			error = one;
	}
	return error;
}

/*
 * Keep a path for places.
 */
static int
keep_path(struct reader *r, const char *path, const char **out)
{
	struct option_file *file;
	size_t n = strlen(path) + 1;

	if ((file = malloc(sizeof(*file) + n)) == NULL)
		return DKIM_ERR_NOMEM;
	memcpy(file->path, path, n);
	file->next = *r->files;
	*r->files = file;
	*out = file->path;
	return 0;
}

static int
read_file(struct reader *r, const char *path, struct option_place from)
{
	const char *kept, *reason;
	struct report_octets shown;
	uint8_t *text;
	size_t n;
	int error;

	if ((error = keep_path(r, path, &kept)) != 0)
		return error;
	error = textfile_read(path, CONF_FILE_MAX, &text, &n, &reason);
	if (error == DKIM_ERR_ARGUMENT) {
		fault_at(r, from, report_octets(&shown, slice_text(path)),
		    reason);
		return DKIM_ERR_SYNTAX;
	}
	if (error != 0)
		return error;
	r->depth++;
	r->count++;
	error = read_lines(r, kept, slice_of(text, n));
	r->depth--;
	/* A PIN may stand in it */
	rsab_wipe_free(text, n);
	return error;
}

int
conf_file_read(const char *path, conf_file_fn set, void *context,
    struct report *report, struct option_file **files)
{
	struct reader r = { set, context, report, files, 0, 0 };

	return read_file(&r, path, (struct option_place){ NULL, 0 });
}

void
conf_file_free(struct option_file *files)
{
	struct option_file *next;

	for (; files != NULL; files = next) {
		next = files->next;
		free(files);
	}
}
