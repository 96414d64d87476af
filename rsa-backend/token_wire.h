/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records between a program and its token helper, both ways: one record a
 * packet of a SOCK_SEQPACKET socket, numbers big-endian.
 *
 *	octets 0-3   "DKT" and the version, 1
 *	       4     0 request, 1 answer
 *	       5     operation
 *	       6     key type: 0 RSA, 1 Ed25519
 *	       7     flags
 *	       8-15  id: an answer has its request's
 *	      16-19  value: bits, sessions, octets wanted back; in an answer the
 *	             error, negated
 *	      20-29  lengths of five fields
 *	      30-    the fields
 *
 * Which field may have which length is one table in token_wire.c. Neither
 * side trusts the other: whatever does not fit the table is refused whole.
 */
#ifndef TOKEN_WIRE_H
#define TOKEN_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* this room */
#include "der.h"
#include "rsab.h"

#define TOKEN_WIRE_HEADER	30	/* octets */
#define TOKEN_WIRE_MAX		8192	/* octets of a record */
#define TOKEN_WIRE_FIELDS	5
#define TOKEN_WIRE_KEY_MAX	5120	/* octets of an imported key */
#define TOKEN_WIRE_PUBLIC_MAX	1088	/* octets of a SubjectPublicKeyInfo */
#define TOKEN_WIRE_INFO		116	/* octets of what a token tells */

enum token_wire_op {
	TOKEN_WIRE_SETUP,	/* control socket */
	TOKEN_WIRE_CONNECT,	/* the same, with a descriptor; no answer */
	TOKEN_WIRE_OPEN,
	TOKEN_WIRE_SIGN,
	TOKEN_WIRE_VERIFY,
	TOKEN_WIRE_IMPORT,
	TOKEN_WIRE_GENERATE,
	TOKEN_WIRE_INFORM,
	TOKEN_WIRE_ECHO,	/* asks the process only, not its module */
};

enum token_wire_flag {
	TOKEN_WIRE_PIN_VALUE = 1,	/* the URI may have a pin-value */
	TOKEN_WIRE_SHA1 = 2,		/* verifying: the digest is SHA-1 */
	TOKEN_WIRE_CAREFUL = 4,		/* SETUP: rsab_token_setup.careful */
};

/* Fields of requests. SETUP's are named by TOKEN_WIRE_MODULE and so on. */
enum {
	TOKEN_WIRE_URI = 0,
	TOKEN_WIRE_KEY = 1,		/* VERIFY: public key; IMPORT */
	TOKEN_WIRE_DIGEST = 2,		/* SIGN, VERIFY */
	TOKEN_WIRE_SIGNATURE = 3,	/* VERIFY */

	TOKEN_WIRE_MODULE = 0,
	TOKEN_WIRE_ARGS = 1,
	TOKEN_WIRE_PIN = 2,
	TOKEN_WIRE_FOLDERS = 3,
	TOKEN_WIRE_REFUSED = 4,		/* identities of 64 octets each */
};

/* Fields of answers. */
enum {
	/* OPEN, GENERATE: SubjectPublicKeyInfo; SIGN: signature; IMPORT: URI
	 * of the object; INFORM: token_wire_put_info; ECHO: as many octets as
	 * were asked for. Empty on errors. */
	TOKEN_WIRE_RESULT = 0,
	TOKEN_WIRE_DETAIL = 1,		/* printable ASCII */
	TOKEN_WIRE_IDENTITY = 2,	/* with RSAB_ERR_PIN: 64 octets, or 0 */
};

struct token_wire {
	bool			answer;
	enum token_wire_op	op;
	enum rsab_key_type	type;
	unsigned		flags;		/* of enum token_wire_flag */
	uint64_t		id;
	uint32_t		value;
	struct der		field[TOKEN_WIRE_FIELDS];
};

/*
 * Take a record apart.
 *   in       one whole packet
 *   out      fields lie within in
 *   errors   RSAB_ERR_ARGUMENT: not a record that may be
 */
int token_wire_parse(struct der in, struct token_wire *out) MUSTUSE;

/*
 * Write a record.
 *   out      TOKEN_WIRE_MAX octets
 *   n        out: octets written
 *   errors   RSAB_ERR_ARGUMENT: token_wire_parse would refuse it
 */
int token_wire_print(const struct token_wire *record, uint8_t *out,
    size_t *n) MUSTUSE;

/*
 * The error that an answer carries, 0 or negative.
 */
int token_wire_error(const struct token_wire *answer);

/*
 * What a token tells of itself, to and from octets.
 *   out, in  TOKEN_WIRE_INFO octets
 *   errors   RSAB_ERR_ARGUMENT: texts not NUL-ended printable ASCII, unknown
 *            flags
 */
void token_wire_put_info(const struct rsab_token_info *info, uint8_t *out);
int token_wire_get_info(struct der in, struct rsab_token_info *out) MUSTUSE;

#endif
