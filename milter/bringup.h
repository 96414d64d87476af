/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From options to a whole configuration: tables, key store, KeyFile, resolver;
 * at start, at reload and for dkimd -n (BEHAVIOUR 4).
 */
#ifndef BRINGUP_H
#define BRINGUP_H

#include "conf.h"
#include "keyfile.h"

struct loop;
struct signer;

struct bringup {
	struct loop	*loop;		/* NULL: no resolver (dkimd -n) */
	struct signer	*signer;	/* NULL: no threads (dkimd -n) */
	struct keyfile	*key_file;	/* read before the drop; NULL: not */
};

/*
 * Is there a KeyFile that signs: as a file; as the URI of a token's key?
 */
bool bringup_needs_key_file(const struct options *options);
bool bringup_has_key_uri(const struct options *options);

/*
 * Read the KeyFile with the rights that the process has now.
 *   who      whom its safety is judged for
 *   out      keyfile_clear wipes; on failure the reason is set
 *   errors   DKIM_ERR_ARGUMENT, _NOMEM
 */
int bringup_read_key_file(const struct options *options,
    const struct identity *who, struct keyfile *out) MUSTUSE;

/*
 * After the drop: warn when reload will not be able to read KeyFile again.
 */
void bringup_reread_key_file(const struct options *options,
    const struct identity *who, struct report *report);

/*
 * After the drop: warn of each configuration file that reload will not be able
 * to read again.
 */
void bringup_reread_options(const struct options *options,
    const struct identity *who, struct report *report);

/*
 * Build a configuration as the user that the process is.
 *   options  moved, also on failure
 *   old      in force until now; NULL at start
 *   errors   DKIM_ERR_SYNTAX: reported as fatal; _NOMEM
 */
int bringup_conf(const struct bringup *parts, struct options *options,
    struct conf *old, struct report *report, struct conf **out) MUSTUSE;

#endif
