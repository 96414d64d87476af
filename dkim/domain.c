/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Domain names: the strict grammar (a name that passes may stand in a path or
 * a query), and U-labels to A-labels by libidn2 (RFC 5890, RFC 8616).
 */

/* system */
#include <idn2.h>

/* this room */
#include "domain.h"

#define U_LABEL_MAX	252	/* octets: 63 code points of 4 at most */

struct name {
	char	*text;		/* DKIM_NAME_MAX + 1 octets */
	size_t	 n;
	size_t	 labels;
};

static bool
is_ascii(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] >= 0x80)
			return false;
	return true;
}

/*
 * RFC 6376 s2.9: sub-domain of RFC 5321 s4.1.2, and "_", which names of the DNS
 * have.
 */
bool
domain_is_label(struct slice s)
{
	size_t i;
	uint8_t c;

	for (i = 0; i < s.n; i++) {
		c = slice_lower(s.p[i]);
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '-' && c != '_')
			return false;
	}
	return s.n > 0 && s.n <= DKIM_LABEL_MAX;
}

static int
add_label(struct name *name, struct slice label)
{
	size_t i;

	if (!domain_is_label(label) ||
	    label.n + (name->n > 0) > DKIM_NAME_MAX - name->n)
		return DKIM_ERR_SYNTAX;
	if (name->n > 0)
		name->text[name->n++] = '.';
	for (i = 0; i < label.n; i++)
		name->text[name->n++] = (char)slice_lower(label.p[i]);
	name->labels++;
	return 0;
}

/*
 * RFC 8616 s3 #4: a label with octets above 127 is asked for as A-label. Only
 * what becomes one is one: a name of wide letters or dots that turns into other
 * ASCII is refused.
 */
static int
add_u_label(struct name *name, struct slice label)
{
	char u[U_LABEL_MAX + 1];
	char *a = NULL;
	int r;

	if (label.n > U_LABEL_MAX || slice_find(label, '\0') < label.n)
		return DKIM_ERR_SYNTAX;
	memcpy(u, label.p, label.n);
	u[label.n] = '\0';
	r = idn2_to_ascii_8z(u, &a, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
	if (r != IDN2_OK)
		return r == IDN2_MALLOC ? DKIM_ERR_NOMEM : DKIM_ERR_SYNTAX;
	if (strncmp(a, "xn--", 4) == 0)
		r = add_label(name, slice_text(a));
	else
		r = DKIM_ERR_SYNTAX;
	idn2_free(a);
	return r;
}

static int
to_ascii(struct slice s, size_t labels_min, char out[DKIM_NAME_MAX + 1])
{
	char text[DKIM_NAME_MAX + 1];
	struct name name = { .text = text };
	struct slice label;
	size_t n;
	int r;

	for (;;) {
		n = slice_find(s, '.');
		label = slice_sub(s, 0, n);
		/* RFC 8616 s5 #5: each label in either form */
		r = is_ascii(label) ? add_label(&name, label) :
		    add_u_label(&name, label);
		if (r != 0)
			return r;
		if (n == s.n)
			break;
		s = slice_from(s, n + 1);
	}
	if (name.labels < labels_min)
		return DKIM_ERR_SYNTAX;
	memcpy(out, text, name.n);
	out[name.n] = '\0';
	return 0;
}

int
dkim_domain_to_ascii(struct slice domain, char out[DKIM_NAME_MAX + 1])
{
	/* RFC 6376 s3.5 #32: two labels or more; "[" is in no label */
	return to_ascii(domain, 2, out);
}

int
dkim_selector_to_ascii(struct slice selector, char out[DKIM_NAME_MAX + 1])
{
	/* RFC 6376 s3.1 #1: labels as those of a domain, one or more */
	return to_ascii(selector, 1, out);
}

bool
dkim_domain_is_within(struct slice name, struct slice domain)
{
	size_t more;

	if (domain.n == 0 || name.n < domain.n)
		return false;
	more = name.n - domain.n;
	if (!slice_equal_nocase(slice_from(name, more), domain))
		return false;
	return more == 0 || name.p[more - 1] == '.';
}
