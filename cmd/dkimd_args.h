/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of dkimd: OpenDKIM's letters, most of them an option of the
 * configuration that beats the file (BEHAVIOUR 10, MIGRATION 1k).
 */
#ifndef DKIMD_ARGS_H
#define DKIMD_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "milter/conf.h"

#define DKIMD_ARGS_MAX	32	/* options set on a command line */

enum dkimd_mode {
	DKIMD_MODE_RUN,
	DKIMD_MODE_CHECK,		/* -n */
	DKIMD_MODE_PRINT,		/* -e name */
	DKIMD_MODE_TEST,		/* -t files */
	DKIMD_MODE_QUERY,		/* -Q */
	DKIMD_MODE_VERSION,		/* -V */
};

struct dkimd_args {
	enum dkimd_mode	 mode;
	bool		 foreground;
	unsigned	 verbose;
	const char	*conf;		/* -x; NULL: the usual file */
	const char	*print;		/* -e */
	const char	*files;		/* -t, a comma list */
	bool		 has_time;	/* -F */
	uint64_t	 time;
	struct conf_override overrides[DKIMD_ARGS_MAX];
	size_t		 n;
};

/*
 * Read it; what is wrong is told on stderr.
 *   returns  0 or EX_USAGE
 */
int dkimd_args_parse(int argc, char **argv, struct dkimd_args *out) MUSTUSE;

#endif
