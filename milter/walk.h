/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order in which a sender is looked up in a table (MIGRATION 2c).
 */
#ifndef WALK_H
#define WALK_H

#include "dataset.h"

enum walk_kind {
	WALK_TABLE,		/* SigningTable, hashed: user@host; host; for
				 * each dot user@.suffix, .suffix; user@*; * */
	WALK_PATTERN,		/* SigningTable refile: user@host */
	WALK_DOMAIN,		/* Domain: host */
	WALK_SUBDOMAINS,	/* Domain with SubDomains: host, its parents */
};

struct walk {
	enum walk_kind	 kind;
	struct slice	 local;
	struct slice	 domain;
	unsigned	 step;
	size_t		 at;		/* of the suffix, in domain */
	char		 text[DATASET_KEY_MAX];
};

/*
 *   local, domain   outlive the walk; domain as dkim_domain_to_ascii gives
 */
void walk_begin(struct walk *w, enum walk_kind kind, struct slice local,
    struct slice domain);

/*
 * The next key; a key over DATASET_KEY_MAX is left out. False at the end.
 *   key      lives until the next call
 */
bool walk_next(struct walk *w, struct slice *key);

#endif
