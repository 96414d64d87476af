/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MTA's macros, as a session knows them: name to value. Those of the
 * connection stay, those of a message are set again with each MAIL.
 */
#ifndef MACROS_H
#define MACROS_H

#include "../dkim/dkim.h"

#define MACROS_MAX		64	/* macros kept */
#define MACROS_VALUE_MAX	1024	/* octets of a value */

struct macro {
	char		*name;		/* with braces: "{daemon_name}" */
	char		*value;
};

struct macros {
	struct macro	 at[MACROS_MAX];
	size_t		 n;
};

/*
 * Set a macro; value NULL or over MACROS_VALUE_MAX takes it away (an absurd
 * value must match nothing).
 *   name     as the MTA has it: "i", "{auth_type}"
 *   errors   DKIM_ERR_NOMEM: the macro is gone; _LIMIT: over MACROS_MAX names
 */
int macros_set(struct macros *m, const char *name, const char *value) MUSTUSE;

/*
 * Value of a macro; p is NULL where it is not set. With or without braces in
 * name. Lives until the macro is set again.
 */
struct slice macros_get(const struct macros *m, struct slice name);

void macros_clear(struct macros *m);

#endif
