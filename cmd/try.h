/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message on its way through a milter, for dkim try: what the command line
 * says of it, and the MTA's steps.
 */
#ifndef TRY_H
#define TRY_H

#include "fieldlist.h"
#include "input.h"
#include "milter_client.h"

#define TRY_RCPTS_MAX	100
#define TRY_REFUSED	1	/* exit code */

struct try {
	/* options */
	const char	*socket, *client, *name, *auth, *daemon, *from;
	const char	*rcpts[TRY_RCPTS_MAX];
	size_t		 n_rcpts;
	struct wire_pair macros[WIRE_MACROS_MAX - 8];
	size_t		 n_macros;
	char		 host[256];	/* macro j */

	/* of the message */
	struct milter_client client_end;
	struct dkim_header *header;
	struct fieldlist fields;
	int		 status;	/* of a step; 0 goes on */
	bool		 settled;	/* accepted as it is: no more events */
	bool		 skip_body;

	/* of the second pass */
	bool		 is_lf;
	bool		 cr;		/* a CR is held back */
};

/*
 * For dkim_reader: envelope and header; the next body octets. The context is
 * a struct try; DKIM_ERR_STATE with its status set when the filter refuses.
 */
int try_header(void *context);
int try_body(void *context, struct slice in);

/*
 * The end of the message: changes are made to t->fields.
 *   returns  0, TRY_REFUSED, EX_UNAVAILABLE, EX_PROTOCOL, EX_OSERR; told
 */
int try_end(struct try *t) MUSTUSE;

#endif
