/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The front end: what an MTA says to session events, session actions to
 * answers. There are two, of which configure chooses one (--with-milter):
 * front.c speaks the protocol itself; mlfi.c, the only file that includes
 * libmilter/mfapi.h, has libmilter do it.
 */
#ifndef MLFI_H
#define MLFI_H

#include "conf.h"

struct mlfi;
struct signer;

struct mlfi_setup {
	const struct dkim_lib	*lib;
	struct conf_slot	*conf;
	struct signer		*signer;
	const char		*socket;	/* as libmilter wants it */
};

/*
 * Open the socket (stale socket files go only after ECONNREFUSED); not yet
 * serving.
 *   out      never freed: the process ends with it
 *   errors   DKIM_ERR_ARGUMENT: reported with what to do
 */
int mlfi_open(const struct mlfi_setup *setup, struct report *report,
    struct mlfi **out) MUSTUSE;

/*
 * Serve; returns only where that fails.
 */
int mlfi_run(struct mlfi *front);

/*
 * From now on new connections and MAIL get TEMPFAIL; messages past MAIL go on.
 */
void mlfi_drain(struct mlfi *front);

/*
 * Messages between MAIL and their end.
 */
unsigned mlfi_messages(const struct mlfi *front);

/*
 * What speaks the protocol, and its version, in words.
 */
void mlfi_describe(char *out, size_t size);

#endif
