/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is agreed with the MTA at the start of a connection (MILTER 1.3,
 * BEHAVIOUR 8), as numbers of the protocol; the front end carries it out.
 */
#ifndef TERMS_H
#define TERMS_H

#include <sys/socket.h>

#include "conf.h"

#define TERMS_MACRO_MAX	128	/* octets of a macro's name: braces and NUL */
#define TERMS_LIST_MAX	2048	/* octets of a list of macros */

/* Actions that we may ask for, as milters number them. */
#define TERMS_ADDHDRS		0x00000001u
#define TERMS_CHGHDRS		0x00000010u
#define TERMS_QUARANTINE	0x00000020u
#define TERMS_SETSYMLIST	0x00000100u

enum terms_stage {
	TERMS_CONNECT,
	TERMS_MAIL,
	TERMS_HEADER_END,
	TERMS_END,
	TERMS_STAGES		/* how many */
};

struct terms {
	bool	change_fields;
	bool	quarantine;
	bool	leading_space;
	bool	no_reply_body;	/* no reply to a body chunk, so no SKIP */
	bool	skip;
	bool	list_macros;	/* lists may be set */
};

/*
 *   actions, steps     in: what the MTA offers; out: what we ask for
 *   result             false: the MTA lacks an action that we need; logged,
 *                      as is what it lacks besides
 */
bool terms_make(const struct conf *conf, unsigned long *actions,
    unsigned long *steps, struct terms *out) MUSTUSE;

/*
 * Macros that every message is asked for, NULL-ended.
 */
extern const char *const terms_macros[];

/*
 * Name of MacroList's entry i as the MTA writes it; "" for one too long.
 * False behind the last.
 */
bool terms_macro_name(const struct conf *conf, size_t i,
    char out[TERMS_MACRO_MAX]);

/*
 * The macros to ask for at a stage; the list takes the place of the MTA's own.
 */
void terms_macro_list(const struct conf *conf, enum terms_stage stage,
    char out[TERMS_LIST_MAX]);

/*
 * Terms as bits, to be kept in an atomic.
 */
unsigned terms_pack(struct terms terms);
struct terms terms_unpack(unsigned bits);

/*
 * An address as MTAs write it, the IPv6 one with "IPv6:" before it or not;
 * NULL: it is none.
 *   storage   what is returned lies there
 */
const struct sockaddr *terms_parse_address(const char *text,
    struct sockaddr_storage *storage, socklen_t *n);

/*
 * The client's address: what the MTA gave with the connection, else macro
 * {client_addr}; NULL: a local pipe.
 */
const struct sockaddr *terms_address(const struct sockaddr *address,
    const char *macro, struct sockaddr_storage *storage, socklen_t *n);

#endif
