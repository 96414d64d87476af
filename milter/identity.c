/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Users, groups, and the drop of privileges.
 */

/* system */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this room */
#include "milter/identity.h"

#define RECORD_MAX	16384	/* octets of a passwd or group entry */

void
identity_user_name(uid_t uid, char out[IDENTITY_NAME_MAX])
{
	struct passwd entry, *found = NULL;
	char space[RECORD_MAX];

	if (getpwuid_r(uid, &entry, space, sizeof(space), &found) == 0 &&
	    found != NULL)
		snprintf(out, IDENTITY_NAME_MAX, "%s", entry.pw_name);
	else
		snprintf(out, IDENTITY_NAME_MAX, "%lu", (unsigned long)uid);
}

void
identity_group_name(gid_t gid, char out[IDENTITY_NAME_MAX])
{
	struct group entry, *found = NULL;
	char space[RECORD_MAX];

	if (getgrgid_r(gid, &entry, space, sizeof(space), &found) == 0 &&
	    found != NULL)
		snprintf(out, IDENTITY_NAME_MAX, "%s", entry.gr_name);
	else
		snprintf(out, IDENTITY_NAME_MAX, "%lu", (unsigned long)gid);
}

void
identity_self(struct identity *out)
{
	int n;

	memset(out, 0, sizeof(*out));
	out->uid = geteuid();
	out->gid = getegid();
	identity_user_name(out->uid, out->user);
	n = getgroups(IDENTITY_GROUPS_MAX - 1, out->groups);
	out->n = n < 0 ? 0 : (size_t)n;
	if (!identity_has_group(out, out->gid))
		out->groups[out->n++] = out->gid;
}

bool
identity_has_group(const struct identity *who, gid_t gid)
{
	size_t i;

	for (i = 0; i < who->n; i++)
		if (who->groups[i] == gid)
			return true;
	return false;
}

static bool
parse_number(const char *text, unsigned long *out)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*out = strtoul(text, &end, 10);
	return errno == 0 && *end == '\0' && *out < 0xffffffffu;
}

static bool
find_user(const char *name, struct identity *out)
{
	struct passwd entry, *found = NULL;
	char space[RECORD_MAX];
	unsigned long number;

	if (getpwnam_r(name, &entry, space, sizeof(space), &found) != 0)
		found = NULL;
	if (found == NULL && parse_number(name, &number)) {
		if (getpwuid_r((uid_t)number, &entry, space, sizeof(space),
		    &found) != 0)
			found = NULL;
		out->uid = (uid_t)number;
		out->gid = (gid_t)number;
	} else if (found == NULL)
		return false;
	if (found != NULL) {
		out->uid = entry.pw_uid;
		out->gid = entry.pw_gid;
	}
	snprintf(out->user, sizeof(out->user), "%s",
	    found != NULL ? entry.pw_name : name);
	return true;
}

static bool
find_group(const char *name, gid_t *out)
{
	struct group entry, *found = NULL;
	char space[RECORD_MAX];
	unsigned long number;

	if (getgrnam_r(name, &entry, space, sizeof(space), &found) == 0 &&
	    found != NULL) {
		*out = entry.gr_gid;
		return true;
	}
	if (!parse_number(name, &number))
		return false;
	*out = (gid_t)number;
	return true;
}

int
identity_find(const char *text, struct report *report, struct identity *out)
{
	int n = IDENTITY_GROUPS_MAX;
	char name[IDENTITY_NAME_MAX];
	const char *colon = strchr(text, ':');
	size_t k = colon == NULL ? strlen(text) : (size_t)(colon - text);

	memset(out, 0, sizeof(*out));
	if (k == 0 || k >= sizeof(name)) {
		report_fault(report, FAULT_FATAL, "UserID: \"%s\" names no "
		    "user; wanted is user or user:group", text);
		return -1;
	}
	memcpy(name, text, k);
	name[k] = '\0';
	if (!find_user(name, out)) {
		report_fault(report, FAULT_FATAL, "UserID: there is no user "
		    "\"%s\"; make it, as with \"adduser --system --group "
		    "%s\"", name, name);
		return -1;
	}
	if (colon != NULL && !find_group(colon + 1, &out->gid)) {
		report_fault(report, FAULT_FATAL, "UserID: there is no group "
		    "\"%s\"", colon + 1);
		return -1;
	}
	if (getgrouplist(out->user, out->gid, out->groups, &n) < 0) {
		report_fault(report, FAULT_FATAL, "UserID: user %s is in more "
		    "than %d groups", out->user, IDENTITY_GROUPS_MAX);
		return -1;
	}
	out->n = (size_t)n;
	return 0;
}

static int
refuse(const struct identity *who, struct report *report)
{
	struct identity self;

	identity_self(&self);
	report_fault(report, FAULT_FATAL, "UserID: user %s cannot become %s; "
	    "start as root or as %s, or leave UserID out", self.user,
	    who->user, who->user);
	return -1;
}

int
identity_may_drop(const struct identity *who, struct report *report)
{
	if (geteuid() == 0 || geteuid() == who->uid)
		return 0;
	return refuse(who, report);
}

/* The calls that must all work, or nothing is safe. */
static int
change(const struct identity *who)
{
	if (setgroups(who->n, who->groups) != 0 ||
	    setresgid(who->gid, who->gid, who->gid) != 0 ||
	    setresuid(who->uid, who->uid, who->uid) != 0)
		return -1;
	return 0;
}

int
identity_drop(const struct identity *who, struct report *report)
{
	if (identity_may_drop(who, report) != 0)
		return -1;
	if (geteuid() != 0)
		return 0;
	if (change(who) != 0) {
		report_fault(report, FAULT_FATAL, "UserID: root could not "
		    "become %s: %s", who->user, strerror(errno));
		return -1;
	}
	if (who->uid != 0 && (setuid(0) == 0 || geteuid() != who->uid ||
	    getegid() != who->gid)) {
		report_fault(report, FAULT_FATAL, "UserID: root's rights are "
		    "still there after becoming %s", who->user);
		return -1;
	}
	return 0;
}
