/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalizations as the subcommands take them: header/body, both written.
 */
#ifndef CANON_FORM_H
#define CANON_FORM_H

/* rooms below */
#include "dkim/dkim.h"

/* this room */
#include "options.h"

struct canon_form {
	const char	*text;		/* as the user wrote it */
	enum dkim_canon	 header, body;
};

struct canon_forms {
	struct options_names names;	/* what text points to */
	struct canon_form v[OPTIONS_LIST_MAX];
	size_t		 n;
};

/*
 * One form, in full: one word alone, which RFC 6376 s3.5 has for the header's,
 * is easily taken for the body's.
 *   option   as the user wrote it, for errors
 *   text     outlives the form
 *   returns  0, or EX_USAGE (told)
 */
int canon_form_parse(const char *option, const char *text,
    struct canon_form *out) MUSTUSE;

/*
 * A comma list of them, none twice.
 *   out      is not moved afterwards
 */
int canon_form_list(const char *option, const char *text,
    struct canon_forms *out) MUSTUSE;

#endif
