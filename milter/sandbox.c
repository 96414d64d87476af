/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rights given up.
 */

/* system */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* this room */
#include "milter/sandbox.h"

static int
set_dumpable(int dumpable)
{
#ifdef PR_SET_DUMPABLE
	return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
#else
	(void)dumpable;
	return 0;
#endif
}

static void
forbid_privileges(struct report *report)
{
#ifdef PR_SET_NO_NEW_PRIVS
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		report_fault(report, FAULT_WARNING, "cannot give up new "
		    "privileges: %s", strerror(errno));
#else
	(void)report;
#endif
}

int
sandbox_hide(void)
{
	const struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_CORE, &none) != 0)
		return -1;
	return set_dumpable(0);
}

void
sandbox_apply(bool coredumps, struct report *report)
{
	if (coredumps) {
		report_fault(report, FAULT_WARNING, "EnableCoredumps: a core "
		    "file holds the private keys");
		/* setuid(2) has taken it away */
		(void)!set_dumpable(1);
	} else if (sandbox_hide() != 0)
		report_fault(report, FAULT_WARNING, "cannot forbid core files "
		    "and other processes' looks at the memory: %s",
		    strerror(errno));
	forbid_privileges(report);
}

void
sandbox_raise_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	/* Less is told by who runs out of them */
	(void)!setrlimit(RLIMIT_NOFILE, &limit);
}
