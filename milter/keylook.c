/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks at the files of loaded keys.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "milter/keylook.h"
#include "milter/log.h"

int
keylook_compare(const struct identity *self, bool safe,
    struct keyrequest *request, const struct storedkey *old, bool *same)
{
	struct keyfile *file;
	int r;

	*same = true;
	file = malloc(sizeof(*file));
	if (file == NULL)
		return DKIM_ERR_NOMEM;
	r = keyfile_check(request->path, self, safe, file);
	if (r == 0)
		*same = keyfile_is_same(&file->id, &old->id);
	else if (!storedkey_is_foreign(old))
		r = keyrequest_fault(request, "%s", file->reason);
	else
		/* A KeyFile that only root sees stays as it was at start */
		r = 0;
	free(file);
	return r;
}

bool
keylook_can_read(const struct identity *self, bool safe, const char *path)
{
	struct keyfile *file = malloc(sizeof(*file));
	bool can = file != NULL && keyfile_check(path, self, safe,
	    file) == 0;

	free(file);
	return can;
}

void
keylook_tell_change(const struct storedkey *old, const struct storedkey *new)
{
	char was[STOREDKEY_HEX], is[STOREDKEY_HEX];

	storedkey_print(old, was);
	storedkey_print(new, is);
	if (strcmp(was, is) != 0)
		log_line(LOG_NOTICE, "key %s has changed: was SHA256:%s, is "
		    "SHA256:%s", new->path != NULL ? new->path : "in a token",
		    was, is);
}

void
keylook_tell_stays(const struct keyrequest *request, int error)
{
	char where[1024];

	keyrequest_place(request, where, sizeof(where));
	log_limited(LOG_ERR, where, "%s: %s" KEYLOOK_STAYS, where,
	    error == DKIM_ERR_SYNTAX ? request->reason : "no memory");
}
