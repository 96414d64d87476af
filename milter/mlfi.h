/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end: libmilter callbacks to session events, session actions to
 * smfi_ calls. mlfi.c is the only file that includes libmilter/mfapi.h, and
 * holds the one context that libmilter's callbacks need (libmilter is one
 * filter a process).
 */
#ifndef MLFI_H
#define MLFI_H

#include "conf.h"

struct signer;

struct mlfi_setup {
	const struct dkim_lib	*lib;
	struct conf_slot	*conf;
	struct signer		*signer;
	const char		*socket;	/* as libmilter wants it */
};

/*
 * Register with libmilter and open the socket (stale socket files go only
 * after ECONNREFUSED); not yet serving.
 *   errors   DKIM_ERR_ARGUMENT: reported with what to do
 */
int mlfi_open(const struct mlfi_setup *setup, struct report *report) MUSTUSE;

/*
 * Serve; smfi_main's result.
 */
int mlfi_run(void);

/*
 * From now on new connections and MAIL get TEMPFAIL; messages past MAIL go on.
 */
void mlfi_drain(void);

/*
 * Messages between MAIL and their end.
 */
unsigned mlfi_messages(void);

/*
 * Version of the milter library: major, minor, patch level.
 */
void mlfi_version(unsigned out[3]);

#endif
