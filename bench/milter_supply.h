/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages for dkimbench milter, and what judges the signatures that come
 * back.
 */
#ifndef MILTER_SUPPLY_H
#define MILTER_SUPPLY_H

/* this room */
#include "milter.h"

#define MILTER_SUPPLY_MAILS	64	/* different messages */

struct milter_supply {
	struct mta_mail_kind	 kind;
	struct mta_mail		 mails[MILTER_SUPPLY_MAILS];
	size_t			 n;
	size_t			 keeps;	/* signatures that are judged */
	struct dkim_lib		*lib;
	struct rsab_worker	*worker;
	struct rsab_key		*key;		/* that signs; or NULL */
	struct buf		 record;	/* that judges; or empty */
};

/*
 *   out      zeroed; milter_supply_clear frees, also after a failure
 *   returns  0, or an exit status; told
 */
int milter_supply_make(const struct milter *m, struct milter_supply *out)
    MUSTUSE;
void milter_supply_clear(struct milter_supply *s);

/*
 * Verify the signatures that were kept; those that are bad are counted.
 */
void milter_supply_judge(const struct milter_supply *s,
    struct mta_load_result *result);

#endif
