/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parent process: one thread, a poll loop. It forks the milter process,
 * passes on what signals ask for, tells systemd, keeps the PID file and starts
 * the milter process again where AutoRestart says so (DESIGN "Processes",
 * BEHAVIOUR 4). It parses no table and holds no key.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include "notify.h"
#include "restart.h"

struct supervisor_setup {
	/*
	 * The milter process, in a session of its own; its exit code.
	 *   channel   the end of the socketpair (channel.h)
	 *   again     it is a restarted one: read the file anew
	 */
	int		(*run)(void *context, int channel, bool again);
	/*
	 * Is told once, at the first READY.
	 */
	void		(*ready)(void *context);
	void		*context;
	const char	*pid_file;	/* NULL: none */
	bool		 coredumps;	/* EnableCoredumps */
	uint64_t	 stop_timeout;	/* seconds */
	struct restart	 restart;
	struct notify	 notify;	/* open */
};

/*
 * Run until the milter process has ended for good. SIGTERM and SIGINT stop it,
 * a second one at once; SIGHUP and SIGUSR1 reload it, several that come
 * meanwhile are one.
 *   returns  exit code: the milter process's; EX_SOFTWARE when a signal
 *            killed it; EX_OSERR, EX_CANTCREAT
 */
int supervisor_run(struct supervisor_setup *setup);

#endif
