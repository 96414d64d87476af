/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Canonicalizations of the command line; see canon_form.h.
 */

/* system */
#include <err.h>
#include <string.h>
#include <sysexits.h>

/* this room */
#include "canon_form.h"

int
canon_form_parse(const char *option, const char *text, struct canon_form *out)
{
	struct canon_form form = { .text = text };

	if (strchr(text, '/') != NULL &&
	    dkim_canon_parse(slice_text(text), &form.header,
	    &form.body) == 0) {
		*out = form;
		return 0;
	}
	warnx("%s %s: header/body is wanted, each simple or relaxed", option,
	    text);
	return EX_USAGE;
}

int
canon_form_list(const char *option, const char *text, struct canon_forms *out)
{
	int status = options_names(option, text, &out->names);

	out->n = 0;
	for (size_t i = 0; status == 0 && i < out->names.n; i++) {
		status = canon_form_parse(option, out->names.v[i],
		    &out->v[out->n]);
		if (status == 0)
			out->n++;
	}
	return status;
}
