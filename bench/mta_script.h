/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an MTA sends over one milter connection, packet by packet and ready to
 * go: made once for each message and for what was negotiated, so that sending
 * costs the load generator a system call where the filter answers, and nothing
 * else. Macros are those that Postfix gives.
 */
#ifndef MTA_SCRIPT_H
#define MTA_SCRIPT_H

/* rooms below */
#include "milter/wire.h"

/* this room */
#include "mta_mail.h"

/* A packet that the filter answers: the MTA waits there. */
struct mta_stop {
	size_t	end;		/* octets of the script up to here */
	uint8_t	command;	/* enum wire_command_kind */
};

struct mta_script {
	struct buf	 octets;
	struct mta_stop	*stops;
	size_t		 n, space;
};

/*
 * Connection and HELO of a client.
 *   steps    as negotiated (WIRE_NO*, WIRE_NR_*)
 *   client   its IPv4 address
 *   errors   DKIM_ERR_NOMEM, _LIMIT (a packet over WIRE_DATA_MAX)
 *   out      mta_script_clear frees, also after a failure
 */
int mta_script_connect(uint32_t steps, const char *client,
    struct mta_script *out) MUSTUSE;

/*
 * A whole message: envelope, header, body in chunks of 65535 octets, end. The
 * last packet is the end of the body, and the only one of its kind.
 */
int mta_script_message(uint32_t steps, const struct mta_mail *mail,
    const char *sender, const char *queue_id, struct mta_script *out)
    MUSTUSE;

void mta_script_clear(struct mta_script *script);

#endif
