/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UserID, and the drop to it.
 */

/* system */
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "tests/last_fault.h"
#include "milter/identity.h"

static void
identity_find_names(void **state)
{
	static const struct {
		const char	*text;
		int		 r;
		uid_t		 uid;
		gid_t		 gid;
		const char	*part;
	} rows[] = {
		{ "root", 0, 0, 0, NULL },
		{ "root:daemon", 0, 0, 1, NULL },
		{ "daemon", 0, 1, 1, NULL },
		{ "54321", 0, 54321, 54321, NULL },
		{ "54321:54322", 0, 54321, 54322, NULL },
		{ "nosuchuser", -1, 0, 0, "no user \"nosuchuser\"" },
		{ "root:nosuchgroup", -1, 0, 0, "no group \"nosuchgroup\"" },
		{ ":daemon", -1, 0, 0, "names no user" },
		{ "", -1, 0, 0, "names no user" },
	};
	struct identity who;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].text, identity_find(rows[i].text, &report,
		    &who), rows[i].r);
		if (rows[i].r != 0) {
			test_true(rows[i].text, strstr(last, rows[i].part) !=
			    NULL);
			continue;
		}
		test_int(rows[i].text, who.uid, rows[i].uid);
		test_int(rows[i].text, who.gid, rows[i].gid);
		test_true(rows[i].text, identity_has_group(&who, who.gid));
	}
}

static void
identity_self_groups(void **state)
{
	struct identity me;

	(void)state;
	identity_self(&me);
	test_int("uid", me.uid, geteuid());
	test_true("own group", identity_has_group(&me, getegid()));
	test_true("no other", !identity_has_group(&me, 4242424));
}

/* In a child: 0 when all is as it should be. */
static int
drop(const char *text)
{
	const gid_t before[] = { 0, 54399 };
	struct identity who;

	if (setgroups(2, before) != 0)
		return 6;
	if (identity_find(text, &report, &who) != 0 ||
	    identity_drop(&who, &report) != 0)
		return 1;
	if (getuid() != who.uid || geteuid() != who.uid ||
	    getgid() != who.gid || getegid() != who.gid)
		return 2;
	if (setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0)
		return 3;
	/* No group of root's is left */
	gid_t groups[64];
	int n = getgroups(64, groups);
	for (int i = 0; i < n; i++)
		if (!identity_has_group(&who, groups[i]))
			return 4;
	/* And nobody else may be reached from there */
	if (identity_find("root", &report, &who) != 0 ||
	    identity_drop(&who, &report) == 0 ||
	    strstr(last, "cannot become root") == NULL ||
	    strstr(last, "54321") == NULL)
		return 5;
	return 0;
}

static void
identity_drop_for_good(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();		/* needs root, to have something to drop */
	pid = fork();
	if (pid == 0)
		_exit(drop("54321:54322"));
	waitpid(pid, &status, 0);
	test_int("status", WEXITSTATUS(status), 0);
}

/* In a child that is no root: 0 when all is as it should be. */
static int
stay(void)
{
	struct identity me;

	if (geteuid() == 0 && setuid(54321) != 0)
		return 1;
	identity_self(&me);
	if (identity_drop(&me, &report) != 0)
		return 2;
	me.uid++;
	return identity_drop(&me, &report) == -1 ? 0 : 3;
}

static void
identity_drop_self(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0)
		_exit(stay());
	waitpid(pid, &status, 0);
	test_int("status", WEXITSTATUS(status), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity_find_names),
		cmocka_unit_test(identity_self_groups),
		cmocka_unit_test(identity_drop_for_good),
		cmocka_unit_test(identity_drop_self),
	};
	return TEST_RUN(tests);
}
