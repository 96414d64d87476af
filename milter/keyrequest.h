/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One private key that is looked for: the row that names it, the path that "%"
 * makes of it, its names in the key store's cache, and what is wrong with it.
 */
#ifndef KEYREQUEST_H
#define KEYREQUEST_H

#include "conf.h"
#include "keyfile.h"

#define KEYREQUEST_PATH_MAX	4095	/* octets of a key's path */

/*
 * What of the configuration the names depend on; borrowed.
 */
struct keyrequest_form {
	const struct rsab_backend	*backend;
	struct tokens			*tokens;	/* NULL: none */
	const char			*base;	/* BaseDirectory or NULL */
	bool				 safe;	/* RequireSafeKeys */
};

struct keyrequest {
	const struct row	*row;		/* borrowed, as the next two */
	const struct key_row	*key_row;
	const char		*domain;	/* for "%", or NULL */
	char			*path;		/* NULL: inline, or a URI */
	struct buf		 name;		/* in the cache */
	struct buf		 alias;		/* in the cache, by table row */
	bool			 temporary;	/* the fault: no token now */
	char			 reason[KEYFILE_REASON_MAX + 256];
};

/*
 *   out      keyrequest_clear frees, also after a failure
 *   errors   DKIM_ERR_SYNTAX: reason is set; _NOMEM, _CRYPTO
 */
int keyrequest_make(const struct keyrequest_form *form, const struct row *row,
    const struct key_row *key_row, const char *domain,
    struct keyrequest *out) MUSTUSE;
void keyrequest_clear(struct keyrequest *request);

/*
 * Set the reason.
 *   returns  DKIM_ERR_SYNTAX
 */
int keyrequest_fault(struct keyrequest *request, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Where the row stands, for messages: file:line: key "name".
 */
void keyrequest_place(const struct keyrequest *request, char *out,
    size_t size);

#endif
