/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The milter process's parts, for daemon*.c. Made once, never freed: threads
 * of libmilter may use them until _exit.
 */
#ifndef DAEMON_STATE_H
#define DAEMON_STATE_H

#include <stdatomic.h>

#include "bringup.h"
#include "daemon.h"
#include "mlfi.h"
#include "socketspec.h"

struct daemon {
	struct daemon_setup	*setup;
	int			 channel;
	int			 ended[2];	/* pipe: mlfi_run returned */
	struct dkim_lib		*lib;
	struct loop		*loop;
	struct signer		*signer;
	struct conf_slot	 slot;
	struct socketspec	 socket;
	uint64_t		 socket_file[2]; /* device, inode; 0: none */
	struct mlfi_setup	 mlfi;
	struct mlfi		*front;
	atomic_uint		 reloads;	/* asked for, not yet done */
	atomic_bool		 stopping;
};

/*
 * Start everything up to the listening socket.
 *   options  moved
 *   returns  0 or an exit code; reported
 */
int daemon_start(struct daemon *d, struct options *options,
    struct report *report) MUSTUSE;

/*
 * Load the keys of all rows on a thread of its own, where CheckSigningTable
 * says so.
 */
void daemon_check_keys(struct daemon *d);

/*
 * Reload on a thread of its own; one asked for meanwhile follows.
 */
void daemon_reload(struct daemon *d);

/*
 * Tell the supervisor; that it is gone is seen elsewhere.
 */
void daemon_tell(struct daemon *d, int kind, const char *text);

/*
 * Take our own socket file away, if it is still ours.
 */
void daemon_remove_socket(struct daemon *d);

#endif
