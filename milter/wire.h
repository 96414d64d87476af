/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Milter packets to and from structs, both ends, no I/O. A packet is four
 * octets of length (big-endian, of what follows), one of command, the data.
 * Everything read here is hostile: lengths are checked before each read, and
 * what is left over behind the last field is an error.
 *
 * source: the protocol that libmilter and Postfix speak, version 6
 */
#ifndef WIRE_H
#define WIRE_H

#include "dkim/dkim.h"

#define WIRE_DATA_MAX		65535	/* octets of a packet's data */
#define WIRE_PACKET_MAX		(WIRE_DATA_MAX + 5)
#define WIRE_VERSION		6
#define WIRE_MACROS_MAX		64	/* macros in one packet */
/* ESMTP arguments of MAIL or RCPT, which strangers write: as many as fit into a
 * line of the 2048 octets that MTAs take. */
#define WIRE_ARGS_MAX		1024

/* Commands: MTA to filter. */
enum wire_command_kind {
	WIRE_OPTNEG = 'O',
	WIRE_MACRO = 'D',
	WIRE_CONNECT = 'C',
	WIRE_HELO = 'H',
	WIRE_MAIL = 'M',
	WIRE_RCPT = 'R',
	WIRE_DATA = 'T',
	WIRE_HEADER = 'L',
	WIRE_EOH = 'N',
	WIRE_BODY = 'B',
	WIRE_BODYEOB = 'E',
	WIRE_ABORT = 'A',
	WIRE_QUIT = 'Q',
	WIRE_QUIT_NC = 'K',
	WIRE_UNKNOWN = 'U',
};

/* Replies: filter to MTA. */
enum wire_reply_kind {
	WIRE_CONTINUE = 'c',
	WIRE_ACCEPT = 'a',
	WIRE_REJECT = 'r',
	WIRE_DISCARD = 'd',
	WIRE_TEMPFAIL = 't',
	WIRE_REPLYCODE = 'y',
	WIRE_SKIP = 's',
	WIRE_PROGRESS = 'p',
	WIRE_CONN_FAIL = 'f',
	WIRE_SHUTDOWN = '4',
	WIRE_ADDHEADER = 'h',
	WIRE_INSHEADER = 'i',
	WIRE_CHGHEADER = 'm',
	WIRE_ADDRCPT = '+',
	WIRE_DELRCPT = '-',
	WIRE_REPLBODY = 'b',
	WIRE_QUARANTINE = 'q',
	WIRE_CHGFROM = 'e',
	WIRE_REPLY_OPTNEG = 'O',
};

/* Actions asked for, and steps left out, in negotiation. */
#define WIRE_ACTIONS_ALL	0x000001ffu
#define WIRE_STEPS_ALL		0x001fffffu
#define WIRE_NOCONNECT		0x00000001u
#define WIRE_NOHELO		0x00000002u
#define WIRE_NOMAIL		0x00000004u
#define WIRE_NORCPT		0x00000008u
#define WIRE_NOBODY		0x00000010u
#define WIRE_NOHDRS		0x00000020u
#define WIRE_NOEOH		0x00000040u
#define WIRE_NR_HDR		0x00000080u
#define WIRE_NOUNKNOWN		0x00000100u
#define WIRE_NODATA		0x00000200u
#define WIRE_STEP_SKIP		0x00000400u
#define WIRE_NR_CONN		0x00001000u
#define WIRE_NR_HELO		0x00002000u
#define WIRE_NR_MAIL		0x00004000u
#define WIRE_NR_RCPT		0x00008000u
#define WIRE_NR_DATA		0x00010000u
#define WIRE_NR_UNKN		0x00020000u
#define WIRE_NR_EOH		0x00040000u
#define WIRE_NR_BODY		0x00080000u
#define WIRE_HDR_LEADSPC	0x00100000u

struct wire_packet {
	uint8_t		kind;
	struct slice	data;
};

/*
 * Take one packet off the octets received so far.
 *   in       moved past the packet; untouched when none is complete
 *   returns  true: out is set. false: more octets are needed, or *error is
 *            DKIM_ERR_LIMIT (longer than WIRE_DATA_MAX), _SYNTAX (length 0)
 */
bool wire_next(struct slice *in, struct wire_packet *out, int *error);

struct wire_optneg {
	uint32_t	version, actions, steps;
};

enum wire_family {
	WIRE_FAMILY_UNKNOWN = 'U',
	WIRE_FAMILY_UNIX = 'L',
	WIRE_FAMILY_INET = '4',
	WIRE_FAMILY_INET6 = '6',
};

struct wire_pair {
	struct slice	name, value;
};

/*
 * A packet from the MTA, taken apart; slices point into the packet.
 */
struct wire_command {
	enum wire_command_kind	 kind;
	struct wire_optneg	 optneg;
	uint8_t			 stage;		/* of macros: a command */
	struct wire_pair	 macros[WIRE_MACROS_MAX];
	struct slice		 text[WIRE_ARGS_MAX]; /* helo, mail and rcpt
						 * arguments, unknown; header:
						 * name, value; connect: host,
						 * address */
	size_t			 n;		/* macros or texts */
	uint8_t			 family;
	uint16_t		 port;
	struct slice		 body;
};

/*
 *   errors   DKIM_ERR_SYNTAX (no NUL, left-over octets, unknown command),
 *            DKIM_ERR_LIMIT (too many macros or arguments)
 */
int wire_parse_command(struct wire_packet packet, struct wire_command *out)
    MUSTUSE;

/*
 * A packet from the filter, taken apart.
 */
struct wire_reply {
	enum wire_reply_kind	kind;
	struct wire_optneg	optneg;
	struct slice		name, value;	/* of header changes; value:
						 * text of a reply code, reason,
						 * recipient, body */
	uint32_t		index;		/* insert, change */
};

int wire_parse_reply(struct wire_packet packet, struct wire_reply *out)
    MUSTUSE;

/*
 * Write packets, appended to out. Data over WIRE_DATA_MAX makes out fail with
 * DKIM_ERR_LIMIT, text with a NUL inside with DKIM_ERR_SYNTAX.
 */
void wire_put(uint8_t kind, struct slice data, struct buf *out);
void wire_put_optneg(uint8_t kind, struct wire_optneg optneg,
    struct buf *out);

/* Which macros a filter wants at a stage: the answer to a negotiation. */
enum wire_list_stage {
	WIRE_LIST_CONNECT = 0,
	WIRE_LIST_HELO = 1,
	WIRE_LIST_MAIL = 2,
	WIRE_LIST_RCPT = 3,
	WIRE_LIST_DATA = 4,
	WIRE_LIST_BODYEOB = 5,
	WIRE_LIST_EOH = 6,
};

struct wire_list {
	enum wire_list_stage	stage;
	struct slice		names;	/* with blanks between them */
};

void wire_put_lists(struct wire_optneg optneg, const struct wire_list *lists,
    size_t n, struct buf *out);
void wire_put_macros(uint8_t stage, const struct wire_pair *macros, size_t n,
    struct buf *out);
void wire_put_connect(struct slice host, uint8_t family, uint16_t port,
    struct slice address, struct buf *out);

/*
 * NUL-ended texts one behind the other: HELO, MAIL, RCPT, a header field, a
 * reply code.
 */
void wire_put_texts(uint8_t kind, const struct slice *texts, size_t n,
    struct buf *out);

/*
 * Insert (kind WIRE_INSHEADER) or change (WIRE_CHGHEADER) a header field.
 */
void wire_put_field(uint8_t kind, uint32_t index, struct slice name,
    struct slice value, struct buf *out);

#endif
