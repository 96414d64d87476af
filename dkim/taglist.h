/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tag-list of RFC 6376 s3.2: "tag=value; tag=value". Names are case-sensitive;
 * a name twice makes the whole list invalid; unknown tags are kept for the
 * caller to ignore.
 */
#ifndef DKIM_TAGLIST_H
#define DKIM_TAGLIST_H

#include "dkim.h"

struct tag {
	struct slice	name;
	struct slice	value;		/* FWS at both ends out */
	size_t		value_at;	/* octet offset in the list of the raw
					 * value: just behind "=" */
	size_t		value_raw;	/* octets up to the ";" or the end */
};

struct taglist {
	struct tag	tags[DKIM_TAGS_MAX];
	size_t		n;
	struct slice	twice;		/* a name that stood there before: the
					 * syntax error; else empty */
};

/*
 * Parse; slices point into in.
 *   out      the caller's, about 4 KB
 *   errors   DKIM_ERR_SYNTAX (grammar, a name twice), DKIM_ERR_LIMIT
 */
int taglist_parse(struct slice in, struct taglist *out) MUSTUSE;

/*
 * The tag of this name, or NULL.
 */
const struct tag *taglist_find(const struct taglist *list, const char *name);

/*
 * Take the next item off a list with a separator ("from : to"), FWS at its
 * ends out. False at the end, which is p NULL. An empty item is given as such:
 * an empty list that has a p is one empty item.
 */
bool taglist_next(struct slice *rest, uint8_t separator, struct slice *item);

/*
 * Decode dkim-quoted-printable: "=" and two upper or lower hex digits; FWS
 * out; UTF-8 may stand bare (RFC 8616 s5).
 *   out      in a; empty after an error
 *   errors   DKIM_ERR_SYNTAX, _NOMEM
 *   source   RFC 6376 s2.11
 */
int taglist_decode_qp(struct slice in, struct arena *a, struct slice *out)
    MUSTUSE;

/*
 * Encode dkim-quoted-printable, appended to out.
 *   also     further octets to encode, as "|" in z=; NUL-ended, may be ""
 */
void taglist_encode_qp(struct slice in, const char *also, struct buf *out);

/*
 * Decimal digits only, 1 to 76 of them (l=), saturating at UINT64_MAX.
 *   errors   DKIM_ERR_SYNTAX
 */
int taglist_number(struct slice in, uint64_t *out) MUSTUSE;

#endif
