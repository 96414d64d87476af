/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * z=, the copies of header fields (RFC 6376 s3.5); see copies.h. Fields are
 * compared by a hash of their canonical form, so that each is looked at once:
 * who makes two fields collide deceives nobody but the reader of a reason.
 */

/* this room */
#include "canon.h"
#include "copies.h"
#include "taglist.h"

struct print {			/* what two equal fields have in common */
	uint64_t	relaxed;
	uint64_t	exact;		/* but for white space in front */
};

struct state {
	const struct copy		*copies;
	size_t				 n;
	const struct signedset		*set;
	enum dkim_canon			 alg;
	struct print			*prints;	/* of the copies */
	struct print			*signed_prints;
	size_t				*match;		/* by copy */
	bool				*taken;		/* by field */
	struct copies_difference	*out;
	size_t				 max;
	size_t				 found;
};

/*
 * FNV-1a.
 */
static void
add_to_hash(void *context, struct slice octets)
{
	uint64_t *hash = context;
	size_t i;

	for (i = 0; i < octets.n; i++)
		*hash = (*hash ^ octets.p[i]) * UINT64_C(0x100000001b3);
}

static struct print
print_of(struct slice name, struct slice value)
{
	struct print p = { UINT64_C(0xcbf29ce484222325),
	    UINT64_C(0xcbf29ce484222325) };
	struct sink relaxed = { add_to_hash, &p.relaxed };
	size_t at = 0;

	canon_field(DKIM_RELAXED, name, value, &relaxed);
	while (at < value.n && (value.p[at] == ' ' || value.p[at] == '\t'))
		at++;
	add_to_hash(&p.exact, slice_from(value, at));
	return p;
}

static int
parse_one(struct slice item, struct arena *a, struct copy *out)
{
	size_t colon = slice_find(item, ':');
	int r;

	/* RFC 6376 s3.5: sig-z-tag-copy = hdr-name [FWS] ":" qp-hdr-value */
	if (colon == item.n)
		return DKIM_ERR_SYNTAX;
	if ((r = taglist_decode_qp(slice_sub(item, 0, colon), a,
	    &out->name)) != 0)
		return r;
	if (out->name.n == 0)
		return DKIM_ERR_SYNTAX;
	/* RFC 6376 s3.5 #80: FWS goes first, what was encoded stays */
	return taglist_decode_qp(slice_from(item, colon + 1), a, &out->value);
}

int
copies_parse(struct slice z, struct arena *a, struct copy **out, size_t *n)
{
	struct slice rest = z, item;
	struct copy *copies;
	size_t count = 0, i;
	int r;

	while (taglist_next(&rest, '|', &item))
		if (++count > COPIES_MAX)
			return DKIM_ERR_LIMIT;
	copies = arena_alloc(a, (count + 1) * sizeof(copies[0]));
	if (copies == NULL)
		return DKIM_ERR_NOMEM;
	rest = z;
	for (i = 0; taglist_next(&rest, '|', &item); i++)
		if ((r = parse_one(item, a, &copies[i])) != 0)
			return r;
	*out = copies;
	*n = count;
	return 0;
}

static void
report(struct state *s, enum copies_change change, size_t copy, size_t field)
{
	if (s->found == s->max)
		return;
	s->out[s->found++] = (struct copies_difference){
		.change = change,
		.name = copy != COPIES_NONE ? s->copies[copy].name :
		    s->set->fields[field].asked,
		.copy = copy,
		.field = field,
	};
}

/*
 * Give copy i the first free field of its name that is equal; where alike, it
 * may differ in anything.
 */
static void
match(struct state *s, size_t i, bool alike)
{
	const struct signedset_field *field;
	size_t k;

	for (k = 0; s->match[i] == COPIES_NONE && k < s->set->n; k++) {
		field = &s->set->fields[k];
		if (s->taken[k] || !slice_equal_nocase(field->asked,
		    s->copies[i].name))
			continue;
		if (!alike && s->signed_prints[k].relaxed !=
		    s->prints[i].relaxed)
			continue;
		s->match[i] = k;
		s->taken[k] = true;
	}
}

static bool
is_asked(const struct signedset *set, struct slice name)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (slice_equal_nocase(set->fields[i].asked, name))
			return true;
	return false;
}

static void
report_copy(struct state *s, size_t i)
{
	size_t k = s->match[i];

	if (k == COPIES_NONE) {
		if (is_asked(s->set, s->copies[i].name))
			report(s, COPIES_MISSING, i, k);
	} else if (s->signed_prints[k].relaxed != s->prints[i].relaxed)
		report(s, COPIES_CHANGED, i, k);
	else if (s->alg == DKIM_SIMPLE &&
	    s->signed_prints[k].exact != s->prints[i].exact)
		report(s, COPIES_SPACE, i, k);
}

static void
compare(struct state *s)
{
	const struct signedset_field *fields = s->set->fields;
	size_t i;

	for (i = 0; i < s->set->n; i++) {
		/* what the message lacks is nobody's match */
		s->taken[i] = !fields[i].present;
		if (fields[i].present)
			s->signed_prints[i] = print_of(fields[i].asked,
			    fields[i].value);
	}
	for (i = 0; i < s->n; i++) {
		s->prints[i] = print_of(s->copies[i].name,
		    s->copies[i].value);
		s->match[i] = COPIES_NONE;
		match(s, i, false);
	}
	for (i = 0; i < s->n; i++)
		match(s, i, true);
	for (i = 0; i < s->n; i++)
		report_copy(s, i);
	for (i = 0; i < s->set->n; i++)
		if (!s->taken[i])
			report(s, COPIES_ADDED, COPIES_NONE, i);
}

int
copies_compare(const struct copy *copies, size_t n,
    const struct signedset *set, enum dkim_canon alg, struct arena *a,
    struct copies_difference *out, size_t max, size_t *found)
{
	struct state s = { .copies = copies, .n = n, .set = set, .alg = alg,
	    .out = out, .max = max };

	s.prints = arena_alloc(a, (n + 1) * sizeof(s.prints[0]));
	s.match = arena_alloc(a, (n + 1) * sizeof(s.match[0]));
	s.signed_prints = arena_alloc(a,
	    (set->n + 1) * sizeof(s.signed_prints[0]));
	s.taken = arena_alloc(a, (set->n + 1) * sizeof(s.taken[0]));
	if (s.prints == NULL || s.match == NULL || s.signed_prints == NULL ||
	    s.taken == NULL)
		return DKIM_ERR_NOMEM;
	compare(&s);
	*found = s.found;
	return 0;
}

bool
copies_is_plain(struct slice name)
{
	size_t i;
	uint8_t c;

	for (i = 0; i < name.n; i++) {
		c = slice_lower(name.p[i]);
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') &&
		    c != '-' && c != '_')
			return false;
	}
	return name.n > 0 && name.n <= COPIES_NAME_MAX;
}
