/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed in the header since it was signed, as z= has it (RFC 6376
 * s3.5), in the words of a reason; see verify.h.
 */

/* this room */
#include "verify.h"
#include "copies.h"
#include "signedset.h"

#define REASON_MAX	256	/* octets */

int
change_reason(struct dkim_verifier *v, const struct verify_signature *sig,
    const char *what, const char **reason)
{
	static const char *const texts[] = {
		[COPIES_CHANGED] = " differs from its copy in z=",
		[COPIES_MISSING] = " of z= is missing",
		[COPIES_ADDED] = " has no copy in z=",
		[COPIES_SPACE] = " differs in white space from z=",
	};
	const struct sigfield *f = &sig->field;
	struct copies_difference first;
	struct signedset set;
	struct copy *copies;
	struct slice text;
	struct buf b;
	size_t n;
	int r;

	*reason = NULL;
	r = copies_parse(f->copies, &v->arena, &copies, &n);
	if (r != 0)		/* else z= is of no use, and no fault */
		return r == DKIM_ERR_NOMEM ? r : 0;
	r = signedset_make(v->header, f, sig->own, &v->arena, &set);
	if (r == 0)
		r = copies_compare(copies, n, &set, f->header_canon,
		    &v->arena, &first, 1, &n);
	if (r != 0 || n == 0)
		return r;
	buf_init(&b, REASON_MAX);
	buf_add_text(&b, what);
	buf_add_text(&b, ": ");
	/* it goes into Authentication-Results, quoted, and into the log */
	if (copies_is_plain(first.name))
		buf_add(&b, first.name);
	else
		buf_add_text(&b, "a field");
	buf_add_text(&b, texts[first.change]);
	buf_add_octet(&b, '\0');
	r = buf_end(&b);
	text = r == 0 ? arena_copy(&v->arena, buf_slice(&b)) : buf_slice(&b);
	buf_clear(&b);
	if (r == 0 && text.p == NULL)
		r = DKIM_ERR_NOMEM;
	if (r == 0)
		*reason = (const char *)text.p;
	return r;
}
