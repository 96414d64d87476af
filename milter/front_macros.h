/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The macros that an MTA has sent on one connection, by stage.
 */
#ifndef FRONT_MACROS_H
#define FRONT_MACROS_H

#include "wire.h"

#define FRONT_MACROS_STAGES	7
#define FRONT_MACROS_MAX	65536	/* octets kept of all stages */

struct front_macros {
	struct {
		uint8_t		*p;
		size_t		 n;
	} stage[FRONT_MACROS_STAGES];
};

/*
 * Keep a packet of macros; those of its stage before are forgotten.
 *   data     of a packet that wire_parse_command took as WIRE_MACRO
 *   errors   DKIM_ERR_NOMEM; DKIM_ERR_LIMIT: over FRONT_MACROS_MAX with those
 *            of the other stages; nothing is kept of a stage that is not known
 */
int front_macros_put(struct front_macros *m, struct slice data) MUSTUSE;

/*
 * Value of a macro, of the last stage that has it; NULL: there is none. Lives
 * until its stage is put again.
 *   name     with its braces or, one letter, without
 */
const char *front_macros_get(const struct front_macros *m, const char *name);

/*
 * The message is over: forget what came with it, or all.
 */
void front_macros_message_end(struct front_macros *m);
void front_macros_clear(struct front_macros *m);

#endif
