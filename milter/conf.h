/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One configuration: options with what they mean, tables, keys, resolver.
 * Counted; immutable but for the caches inside, which lock themselves. A
 * message holds a reference from MAIL to its end.
 */
#ifndef CONF_H
#define CONF_H

#include <stdatomic.h>
#include <pthread.h>

#include "../dkim/dkim.h"
#include "dataset.h"
#include "hostset.h"
#include "options.h"
#include "report.h"

struct keptrows;
struct keystore;
struct resolver;
struct tokens;
struct verifier;

struct conf {
	atomic_uint		 refs;
	struct options		 options;

	const struct rsab_backend *backend;
	enum dkim_canon		 header_canon, body_canon;
	struct dkim_minimum	 minimum;
	struct dkim_names	*sign, *omit, *oversign, *sender;
	struct hostset		*internal, *ignore, *peers;
	struct dataset		*domain;	/* NULL: not configured */
	struct dataset		*signing_table, *key_table;
	struct dataset		*exempt_domains, *dont_sign_mail_to;
	struct dataset		*mta, *macro_list, *remove_ar_from;

	/* set by bringup.c */
	struct keystore		*keystore;
	struct tokens		*tokens;
	struct keptrows		*kept;		/* NULL: none */
	struct verifier		*verifier;	/* NULL: PKCS11Verify no */
	struct resolver		*resolver;
	void			(*last)(struct conf *conf); /* gives back these
						 * five; may be NULL */
};

/*
 * An option given on the command line, beats the file, survives reloads.
 */
struct conf_override {
	const char	*name;		/* of the option */
	const char	*value;
};

/*
 * Read and check the options alone: no table, no key is opened.
 *   path       the file; NULL: overrides and defaults only
 *   errors     DKIM_ERR_SYNTAX (all faults are reported), _NOMEM
 *   source     MIGRATION 1, 2a; BEHAVIOUR 2, 4
 */
int conf_options_load(const char *path, const struct conf_override *overrides,
    size_t n, struct report *report, struct options *out) MUSTUSE;
void conf_options_clear(struct options *options);

/*
 * Build a configuration from its options: open the tables, parse every row.
 * Keys are not loaded here. A bad row is FAULT_ROW and goes on.
 *   options    moved into the configuration, also on failure
 */
int conf_new(struct options *options, struct report *report,
    struct conf **out) MUSTUSE;
struct conf *conf_ref(struct conf *conf);
void conf_unref(struct conf *conf);

/*
 * The configuration in force. Its lock guards the pointer only and is taken
 * last.
 */
struct conf_slot {
	pthread_mutex_t	 lock;
	struct conf	*conf;
};

int conf_slot_init(struct conf_slot *slot, struct conf *conf) MUSTUSE;
struct conf *conf_slot_get(struct conf_slot *slot);	/* a new reference */
struct conf *conf_slot_swap(struct conf_slot *slot, struct conf *conf);

/*
 * A KeyTable row, taken apart: domain:selector:key[:alg].
 */
enum key_source {
	KEY_SOURCE_FILE,	/* path */
	KEY_SOURCE_INLINE,	/* PEM or base64 */
	KEY_SOURCE_URI,		/* pkcs11: */
};

struct key_row {
	struct slice	 domain;	/* "%" or a domain */
	struct slice	 selector;
	struct slice	 key;
	struct slice	 algorithm;	/* empty: the key decides */
	enum key_source	 source;
	bool		 pin_value;	/* a URI of the configuration file,
					 * where a PIN may stand */
};

/*
 *   reason   static text on DKIM_ERR_SYNTAX
 *   errors   DKIM_ERR_SYNTAX, _NOMEM
 *   source   BEHAVIOUR 3
 */
int conf_key_row(struct slice value, struct key_row *out, const char **reason)
    MUSTUSE;

/*
 * What KeyFile says, as a row without domain and selector: a path, or a URI
 * that may have a PIN.
 */
void conf_key_file(const char *text, struct key_row *out);

/*
 * The path of a row whose source is a file, "%" replaced, below base where it
 * is relative.
 *   domain   in the form of dkim_domain_to_ascii; NULL: none is known
 *   base     BaseDirectory or NULL
 *   out      the caller frees
 *   errors   DKIM_ERR_SYNTAX: "%" and no domain of that form; _ARGUMENT: no
 *            file; _NOMEM, _LIMIT
 *   source   BEHAVIOUR 3
 */
int conf_key_path(const struct key_row *row, const char *domain,
    const char *base, char **out) MUSTUSE;

#endif
