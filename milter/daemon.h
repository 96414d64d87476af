/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The milter process: reads KeyFile with the rights it was started with, drops
 * them, builds the configuration, serves, reloads, drains and leaves (DESIGN
 * "Processes", BEHAVIOUR 4). Told by the supervisor's socketpair only; a
 * signal that strays here never cuts a message short.
 */
#ifndef DAEMON_H
#define DAEMON_H

#include "conf.h"

struct daemon_setup {
	const char	*config_path;	/* NULL: command line only */
	const struct conf_override *overrides;	/* of the command line */
	size_t		 overrides_n;
	struct options	*options;	/* read before the fork; moved */
	bool		 foreground;
	uint64_t	 watchdog;	/* microseconds between signs of life;
					 * 0: none */
};

/*
 * Run in the process made for it; nothing of it is freed at the end.
 *   channel  the supervisor's socketpair (channel.h)
 *   again    restarted: read the options from the file anew
 *   returns  exit code: 0, EX_CONFIG, EX_NOPERM, EX_OSERR, EX_SOFTWARE
 */
int daemon_run(struct daemon_setup *setup, int channel, bool again);

/*
 * Before the fork, with the rights of the supervisor: may it become UserID,
 * and may it write PidFile?
 *   returns  0; EX_CONFIG, EX_NOPERM, EX_CANTCREAT: reported
 */
int daemon_check_first(const struct options *options,
    struct report *report) MUSTUSE;

/*
 * What dkimd -n found besides faults.
 */
struct daemon_found {
	size_t		 keys;		/* that were loaded */
	const char	*backend;	/* static; NULL: it came not so far */
};

/*
 * dkimd -n: everything that a start would read, and each key, with the rights
 * that the daemon would have. The process keeps those rights.
 *   found    set in any case
 *   returns  0; 1: rows or keys are at fault; EX_CONFIG, EX_NOPERM
 */
int daemon_check(struct daemon_setup *setup, struct report *report,
    struct daemon_found *found) MUSTUSE;

#endif
