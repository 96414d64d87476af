/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run as the user of a configuration; see config_user.h.
 */

/* system */
#include <stdlib.h>
#include <sysexits.h>

/* rooms below */
#include "milter/bringup.h"
#include "milter/identity.h"

/* this room */
#include "config_user.h"

int
config_user_become(const struct options *options, struct report *report,
    struct keyfile **key_file)
{
	struct identity self, who;
	struct keyfile *file = NULL;

	*key_file = NULL;
	identity_self(&self);
	if (self.uid != 0 || options->user_id == NULL)
		return 0;
	if (identity_find(options->user_id, report, &who) != 0)
		return EX_CONFIG;
	if (bringup_needs_key_file(options)) {
		file = malloc(sizeof(*file));
		if (file == NULL)
			return EX_OSERR;
		/* what is wrong is found, and told, once more as the user */
		if (bringup_read_key_file(options, &who, file) != 0) {
			free(file);
			file = NULL;
		}
	}
	if (identity_drop(&who, report) != 0) {
		config_user_done(file);
		return EX_NOPERM;
	}
	*key_file = file;
	return 0;
}

void
config_user_done(struct keyfile *key_file)
{
	if (key_file != NULL)
		keyfile_clear(key_file);
	free(key_file);
}
