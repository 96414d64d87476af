/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who the daemon runs as: UserID user[:group], its groups, and the drop to it
 * (BEHAVIOUR 4, MIGRATION 2h).
 */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "report.h"

#define IDENTITY_GROUPS_MAX	256
#define IDENTITY_NAME_MAX	64	/* octets of a name, with NUL */

struct identity {
	uid_t	uid;
	gid_t	gid;
	size_t	n;				/* of groups */
	gid_t	groups[IDENTITY_GROUPS_MAX];	/* all, gid too */
	char	user[IDENTITY_NAME_MAX];	/* the number where none */
};

/*
 * The user and groups of this process.
 */
void identity_self(struct identity *out);

/*
 * Look up "user", "user:group", or numbers.
 *   report   FAULT_FATAL: what is not there
 *   errors   -1
 */
int identity_find(const char *text, struct report *report,
    struct identity *out) MUSTUSE;

bool identity_has_group(const struct identity *who, gid_t gid);

/*
 * Could identity_drop work? A process that is no root may only stay what it
 * is.
 *   report   FAULT_FATAL with both names
 *   errors   -1: EX_NOPERM
 */
int identity_may_drop(const struct identity *who,
    struct report *report) MUSTUSE;

/*
 * Become who, for good: groups, group, user; and make sure that there is no
 * way back. A process that is no root may only stay what it is.
 *   report   FAULT_FATAL with both names
 *   errors   -1: EX_NOPERM
 */
int identity_drop(const struct identity *who, struct report *report) MUSTUSE;

/*
 * Name of a user or group, or its number.
 */
void identity_user_name(uid_t uid, char out[IDENTITY_NAME_MAX]);
void identity_group_name(gid_t gid, char out[IDENTITY_NAME_MAX]);

#endif
