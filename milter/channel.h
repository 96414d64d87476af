/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages on the socketpair between supervisor and milter process: one octet
 * of kind, and text for people. End of file on either side ends the other.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include "report.h"

#define CHANNEL_TEXT_MAX	1024	/* octets, with NUL */

enum channel_kind {
	/* down */
	CHANNEL_RELOAD = 1,
	CHANNEL_STOP,		/* the second one: at once */
	/* up */
	CHANNEL_READY,
	CHANNEL_RELOADED,
	CHANNEL_RELOAD_FAILED,	/* the old configuration stays */
	CHANNEL_WATCHDOG,
	CHANNEL_KINDS
};

struct channel_message {
	enum channel_kind	kind;
	char			text[CHANNEL_TEXT_MAX];
};

/*
 * A pair of ends, close-on-exec, neither of which ever blocks.
 *   errors   -1, errno
 */
int channel_open(int ends[2]) MUSTUSE;

/*
 * Send; text is cut at CHANNEL_TEXT_MAX - 1 octets. Any thread.
 *   errors   -1: the other side is gone, or takes nothing
 */
int channel_send(int fd, enum channel_kind kind, const char *text) MUSTUSE;

/*
 *   returns  1: out is set; 0: nothing is there now; -1: end of file, or not
 *            one of our messages
 */
int channel_receive(int fd, struct channel_message *out) MUSTUSE;

#endif
