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

static void
forbid_debugging(bool coredumps, struct report *report)
{
#ifdef PR_SET_DUMPABLE
	if (prctl(PR_SET_DUMPABLE, coredumps ? 1 : 0, 0, 0, 0) != 0)
		report_fault(report, FAULT_WARNING, "cannot keep other "
		    "processes from reading memory: %s", strerror(errno));
#else
	(void)coredumps;
	(void)report;
#endif
#ifdef PR_SET_NO_NEW_PRIVS
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		report_fault(report, FAULT_WARNING, "cannot give up new "
		    "privileges: %s", strerror(errno));
#endif
}

void
sandbox_apply(bool coredumps, struct report *report)
{
	const struct rlimit none = { 0, 0 };

	if (coredumps)
		report_fault(report, FAULT_WARNING, "EnableCoredumps: a core "
		    "file holds the private keys");
	else if (setrlimit(RLIMIT_CORE, &none) != 0)
		report_fault(report, FAULT_WARNING, "cannot forbid core "
		    "files: %s", strerror(errno));
	forbid_debugging(coredumps, report);
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
