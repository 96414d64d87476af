/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of field names: what to sign, leave out, sign once more (BEHAVIOUR:
 * defaults); see dkim.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "dkim.h"

#define KEYS	256		/* values of key_of */

struct dkim_names {
	struct slice	*names;		/* point into octets or to literals */
	size_t		 n;
	uint8_t		*octets;
	bool		 key[KEYS];	/* some name has this key */
};

static const char *const sign_names[] = {
	"From", "Reply-To", "Subject", "Date", "To", "Cc", "Message-ID",
	"In-Reply-To", "References", "MIME-Version", "Content-Type",
	"Content-Transfer-Encoding", "Resent-Date", "Resent-From", "Resent-To",
	"Resent-Cc", "List-Id", "List-Help", "List-Unsubscribe",
	"List-Unsubscribe-Post", "List-Subscribe", "List-Post", "List-Owner",
	"List-Archive", NULL,
};

/* RFC 6376 s5.4.1 (fields that change on the way), s5.4 (no signature signs
 * another by default) */
static const char *const omit_names[] = {
	"Return-Path", "Received", "Comments", "Keywords", "Bcc", "Resent-Bcc",
	"DKIM-Signature", "Authentication-Results", NULL,
};

static const char *const from_names[] = { "From", NULL };

static const char *const *const defaults[] = {
	[DKIM_NAMES_SIGN] = sign_names,
	[DKIM_NAMES_OMIT] = omit_names,
	[DKIM_NAMES_OVERSIGN] = from_names,
	[DKIM_NAMES_SENDER] = from_names,
};

/*
 * A field name (RFC 5322 s2.2) that can stand in h= and in our lists.
 */
static bool
is_name(struct slice s)
{
	size_t i;

	for (i = 0; i < s.n; i++)
		if (s.p[i] < 33 || s.p[i] > 126 || s.p[i] == ':' ||
		    s.p[i] == ';' || s.p[i] == '*')
			return false;
	return s.n > 0 && s.n <= DKIM_FIELD_NAME_MAX;
}

/*
 * Length and first letter: tells most names that are not in a list apart from
 * all that are.
 */
static size_t
key_of(struct slice name)
{
	/* four bits that the two cases of a letter have in common */
	size_t first = name.n == 0 ? 0 : name.p[0] % 16;

	return name.n % 16 * 16 + first;
}

static size_t
find_name(const struct dkim_names *list, struct slice name)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (slice_equal_nocase(list->names[i], name))
			break;
	return i;
}

static int
add_name(struct dkim_names *list, struct slice name)
{
	if (list->n == DKIM_SIGNED_NAMES_MAX)
		return DKIM_ERR_LIMIT;
	list->names[list->n++] = name;
	return 0;
}

static int
add_once(struct dkim_names *list, struct slice name)
{
	return find_name(list, name) < list->n ? 0 : add_name(list, name);
}

static void
take_away(struct dkim_names *list, struct slice name)
{
	size_t i = find_name(list, name);

	if (i == list->n)
		return;
	list->n--;
	memmove(&list->names[i], &list->names[i + 1],
	    (list->n - i) * sizeof(*list->names));
}

static int
add_defaults(struct dkim_names *list, enum dkim_names_kind kind)
{
	size_t i;
	int r;

	for (i = 0; defaults[kind][i] != NULL; i++)
		if ((r = add_once(list, slice_text(defaults[kind][i]))) != 0)
			return r;
	return 0;
}

/*
 * Is the list only of +name and -name items, at least one of them?
 */
static bool
is_change(struct slice text)
{
	struct slice item;
	bool any = false;
	size_t n;

	for (;;) {
		n = slice_find(text, ',');
		item = slice_trim(slice_sub(text, 0, n));
		if (item.n > 0 && item.p[0] != '+' && item.p[0] != '-')
			return false;
		any = any || item.n > 0;
		if (n == text.n)
			return any;
		text = slice_from(text, n + 1);
	}
}

static int
add_item(struct dkim_names *list, enum dkim_names_kind kind, struct slice item)
{
	bool sign;

	if (item.n == 0)
		return 0;
	sign = item.p[0] == '+' || item.p[0] == '-';
	if (kind == DKIM_NAMES_OVERSIGN) {
		/* a name twice: two more than present */
		if (sign || !is_name(item))
			return DKIM_ERR_SYNTAX;
		return add_name(list, item);
	}
	if (slice_is(item, "*"))
		return add_defaults(list, kind);
	if (!sign)
		return is_name(item) ? add_once(list, item) : DKIM_ERR_SYNTAX;
	if (!is_name(slice_from(item, 1)))
		return DKIM_ERR_SYNTAX;
	if (item.p[0] == '+')
		return add_once(list, slice_from(item, 1));
	take_away(list, slice_from(item, 1));
	return 0;
}

static int
add_items(struct dkim_names *list, enum dkim_names_kind kind,
    struct slice text, struct slice *bad)
{
	struct slice own = slice_of(list->octets, text.n);
	size_t n, at;
	int r = 0;

	if (text.p == NULL || (kind != DKIM_NAMES_OVERSIGN && is_change(text)))
		r = add_defaults(list, kind);
	for (at = 0; r == 0 && at < text.n; at += n + 1) {
		n = slice_find(slice_from(own, at), ',');
		r = add_item(list, kind, slice_trim(slice_sub(own, at, n)));
		if (r == DKIM_ERR_SYNTAX)
			*bad = slice_trim(slice_sub(text, at, n));
	}
	return r;
}

int
dkim_names_parse(enum dkim_names_kind kind, struct slice text,
    struct dkim_names **out, struct slice *bad)
{
	struct dkim_names *list;
	int r = DKIM_ERR_NOMEM;
	size_t i;

	if ((list = calloc(1, sizeof(*list))) == NULL)
		return DKIM_ERR_NOMEM;
	list->names = calloc(DKIM_SIGNED_NAMES_MAX, sizeof(*list->names));
	list->octets = malloc(text.n + 1);
	if (list->names == NULL || list->octets == NULL)
		goto out;
	if (text.n > 0)
		memcpy(list->octets, text.p, text.n);
	if ((r = add_items(list, kind, text, bad)) != 0)
		goto out;
	for (i = 0; i < list->n; i++)
		list->key[key_of(list->names[i])] = true;
	*out = list;
	return 0;
out:
	dkim_names_free(list);
	return r;
}

size_t
dkim_names_count(const struct dkim_names *names)
{
	return names->n;
}

struct slice
dkim_names_at(const struct dkim_names *names, size_t i)
{
	assert(i < names->n);
	return names->names[i];
}

bool
dkim_names_has(const struct dkim_names *names, struct slice name)
{
	return names->key[key_of(name)] && find_name(names, name) < names->n;
}

void
dkim_names_free(struct dkim_names *names)
{
	if (names == NULL)
		return;
	free(names->names);
	free(names->octets);
	free(names);
}
