/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The folder of the socket.
 */

/* system */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* room below */
#include "milter/identity.h"
#include "milter/socketspec.h"

/* this room */
#include "cmd/dkimd_folder.h"

static void
drop_fault(void *context, enum fault fault, const char *text)
{
	(void)context;
	(void)fault;
	(void)text;
}

/*
 * What is wrong was told before; this is the path alone.
 */
static bool
socket_path(const char *socket, struct socketspec *spec)
{
	struct report report = { .write = drop_fault };

	return socketspec_check("Socket", socket, &report, spec) == 0 &&
	    spec->path[0] == '/';
}

static bool
is_user(const char *user, const struct identity *self)
{
	struct report report = { .write = drop_fault };
	struct identity who;

	return user == NULL || (identity_find(user, &report, &who) == 0 &&
	    who.uid == self->uid);
}

static void
tell(struct report *report, const char *path, const char *bits,
    const struct identity *self)
{
	report_fault(report, FAULT_FATAL, "Socket: %s: user %s may not make "
	    "the socket: %s; needed there is %s", path, self->user,
	    strerror(errno), bits);
}

void
dkimd_folder_check(const char *socket, const char *user,
    struct report *report)
{
	struct identity self;
	struct socketspec spec;
	char *slash;

	identity_self(&self);
	if (socket == NULL || !is_user(user, &self) ||
	    !socket_path(socket, &spec))
		return;
	/* each folder on the way, the root folder being open to all */
	for (slash = strchr(spec.path + 1, '/'); slash != NULL;
	    slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (access(spec.path, X_OK) != 0) {
			tell(report, spec.path, "the x bit", &self);
			return;
		}
		*slash = '/';
	}
	slash = strrchr(spec.path, '/');
	slash[slash == spec.path ? 1 : 0] = '\0';
	if (access(spec.path, W_OK) != 0)
		tell(report, spec.path, "the w bit", &self);
}
