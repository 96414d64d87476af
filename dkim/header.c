/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields of a message: octets in one arena, in the order of the message.
 */

/* system */
#include <stdio.h>
#include <stdlib.h>

/* this room */
#include "header.h"
#include "taglist.h"

#define FIELDS_FIRST	32	/* fields there is room for at first */
#define OCTETS_FIRST	4096

/* A header that fits here is one allocation. */
struct whole {
	struct dkim_header	header;
	struct header_field	fields[FIELDS_FIRST];
	_Alignas(max_align_t) uint8_t octets[OCTETS_FIRST];
};

int
dkim_header_new(size_t max, struct dkim_header **out)
{
	struct dkim_header *h;
	struct whole *w;

	if ((w = malloc(sizeof(*w))) == NULL)
		return DKIM_ERR_NOMEM;
	h = &w->header;
	*h = (struct dkim_header){ .fields = w->fields,
	    .space = FIELDS_FIRST };
	h->max = max == 0 || max > DKIM_HEADER_HARD_MAX ?
	    DKIM_HEADER_HARD_MAX : max;
	/* twice: a fold of LF becomes CRLF; the rest is alignment */
	arena_init_on(&h->arena, 2 * h->max + 16 * DKIM_FIELDS_MAX,
	    w->octets, OCTETS_FIRST);
	*out = h;
	return 0;
}

void
dkim_header_free(struct dkim_header *header)
{
	if (header == NULL)
		return;
	arena_clear(&header->arena);
	if (header->space > FIELDS_FIRST)
		free(header->fields);
	/* the first member of a whole */
	free(header);
}

static int
set_over(struct dkim_header *h, const char *what, size_t max, const char *unit)
{
	snprintf(h->over, sizeof(h->over), "%s over %zu %s", what, max, unit);
	return DKIM_ERR_LIMIT;
}

/*
 * field-name of RFC 5322 s2.2, then white space (s4.5.3); octets of the first.
 */
static size_t
name_octets(struct slice name)
{
	size_t i, n = name.n;

	while (n > 0 && (name.p[n - 1] == ' ' || name.p[n - 1] == '\t'))
		n--;
	for (i = 0; i < n; i++)
		if (name.p[i] < 33 || name.p[i] > 126 || name.p[i] == ':')
			return 0;
	return n;
}

static int
reserve_field(struct dkim_header *h)
{
	bool first = h->space == FIELDS_FIRST;
	struct header_field *more;
	size_t space = 2 * h->space;

	if (h->n < h->space)
		return 0;
	more = realloc(first ? NULL : h->fields, space * sizeof(*more));
	if (more == NULL)
		return DKIM_ERR_NOMEM;
	if (first)
		memcpy(more, h->fields, h->n * sizeof(*more));
	h->fields = more;
	h->space = space;
	return 0;
}

/*
 * Check a field of so many octets against all limits.
 */
static int
check_limits(struct dkim_header *h, struct slice name, size_t value_n)
{
	/* one that was left out must not let a later one in */
	if (h->over[0] != '\0')
		return DKIM_ERR_LIMIT;
	if (h->n == DKIM_FIELDS_MAX)
		return set_over(h, "header", DKIM_FIELDS_MAX, "fields");
	if (name.n > DKIM_FIELD_NAME_MAX)
		return set_over(h, "field name", DKIM_FIELD_NAME_MAX,
		    "octets");
	if (value_n > DKIM_FIELD_MAX - name.n - 1)
		return set_over(h, "header field", DKIM_FIELD_MAX, "octets");
	if (name.n + 1 + value_n > h->max - h->octets)
		return set_over(h, "header", h->max, "octets");
	return 0;
}

static bool
is_bare_lf(struct slice value, size_t i)
{
	return value.p[i] == '\n' && (i == 0 || value.p[i - 1] != '\r');
}

static size_t
count_bare_lf(struct slice value)
{
	size_t i, n = 0;

	for (i = slice_find(value, '\n'); i < value.n;
	    i += 1 + slice_find(slice_from(value, i + 1), '\n'))
		n += is_bare_lf(value, i);
	return n;
}

/*
 * Copy value to p, a CR put in front of each of its bare LFs when fold.
 */
static void
copy_value(uint8_t *p, struct slice value, bool fold)
{
	size_t i, n = 0;

	if (!fold) {
		if (value.n > 0)
			memcpy(p, value.p, value.n);
		return;
	}
	for (i = 0; i < value.n; i++) {
		if (is_bare_lf(value, i))
			p[n++] = '\r';
		p[n++] = value.p[i];
	}
}

static int
add_field(struct dkim_header *h, struct slice name, struct slice value,
    size_t folds)
{
	size_t compared = name_octets(name), value_n = value.n + folds;
	struct header_field *field;
	uint8_t *p;
	int r;

	if ((r = check_limits(h, name, value_n)) != 0)
		return r;
	if (compared == 0)
		return DKIM_ERR_SYNTAX;
	if ((r = reserve_field(h)) != 0)
		return r;
	if ((p = arena_alloc(&h->arena, name.n + value_n)) == NULL)
		return DKIM_ERR_NOMEM;
	memcpy(p, name.p, name.n);
	copy_value(&p[name.n], value, folds > 0);
	field = &h->fields[h->n++];
	field->name = slice_of(p, name.n);
	field->value = slice_of(&p[name.n], value_n);
	field->compared = compared;
	h->octets += name.n + 1 + value_n;
	return 0;
}

int
dkim_header_add(struct dkim_header *header, struct slice name,
    struct slice value)
{
	return add_field(header, name, value, 0);
}

int
dkim_header_add_milter(struct dkim_header *header, struct slice name,
    struct slice value)
{
	return add_field(header, name, value, count_bare_lf(value));
}

const char *
dkim_header_over(const struct dkim_header *header)
{
	return header->over[0] == '\0' ? NULL : header->over;
}

size_t
dkim_header_count(const struct dkim_header *header)
{
	return header->n;
}

struct slice
dkim_header_name(const struct dkim_header *header, size_t i)
{
	assert(i < header->n);
	return header->fields[i].name;
}

struct slice
dkim_header_value(const struct dkim_header *header, size_t i)
{
	assert(i < header->n);
	return header->fields[i].value;
}

int
header_compare_names(struct slice a, struct slice b)
{
	size_t i;
	int d;

	if (a.n != b.n)
		return a.n < b.n ? -1 : 1;
	for (i = 0; i < a.n; i++)
		if ((d = slice_lower(a.p[i]) - slice_lower(b.p[i])) != 0)
			return d;
	return 0;
}

size_t
dkim_header_find(const struct dkim_header *header, struct slice name,
    size_t from)
{
	size_t i;

	for (i = from; i < header->n; i++)
		if (slice_equal_nocase(header_name(header, i), name))
			return i;
	return header->n;
}

bool
dkim_header_has_signature(const struct dkim_header *header,
    struct slice domain, struct slice selector)
{
	static const char name[] = "DKIM-Signature";
	char ascii[DKIM_NAME_MAX + 1];
	struct taglist tags;
	const struct tag *d, *s;
	size_t i;

	for (i = dkim_header_find(header, slice_text(name), 0); i < header->n;
	    i = dkim_header_find(header, slice_text(name), i + 1)) {
		if (taglist_parse(header->fields[i].value, &tags) != 0 ||
		    (d = taglist_find(&tags, "d")) == NULL ||
		    (s = taglist_find(&tags, "s")) == NULL)
			continue;
		if (dkim_domain_to_ascii(d->value, ascii) != 0 ||
		    !slice_equal_nocase(slice_text(ascii), domain))
			continue;
		if (dkim_selector_to_ascii(s->value, ascii) == 0 &&
		    slice_equal_nocase(slice_text(ascii), selector))
			return true;
	}
	return false;
}
