/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Selection of header fields by h=; see select.h. The fields of a name are
 * chained from the bottom up. A usual header has so few that they are found
 * through a handful of buckets on the stack; else the names are sorted once, so
 * that names repeated over thousands of fields cost no more than a look-up
 * each.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "header.h"
#include "select.h"

struct entry {			/* one distinct name */
	struct slice	name;
	size_t		next;	/* lowest field not taken, or NONE */
	size_t		top;	/* last one chained, while chaining */
};

#define NONE	SIZE_MAX	/* no field */
#define FEW	64		/* fields that are not sorted */
#define BUCKETS	32

struct table {
	struct entry	*entries;
	size_t		 n;
	size_t		*above;	/* by field: the next one of its name */
};

static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return header_compare_names(x->name, y->name);
}

static struct entry *
find_entry(const struct table *t, struct slice name)
{
	struct entry key = { .name = name };

	return bsearch(&key, t->entries, t->n, sizeof(key), compare_entries);
}

static int
make_table(struct table *t, const struct slice *names, size_t n,
    size_t fields)
{
	size_t i, distinct = 0;

	t->entries = calloc(n, sizeof(*t->entries));
	t->above = calloc(fields, sizeof(*t->above));
	if (t->entries == NULL || t->above == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < n; i++)
		t->entries[i] = (struct entry){ names[i], NONE, NONE };
	qsort(t->entries, n, sizeof(*t->entries), compare_entries);
	for (i = 0; i < n; i++) {
		if (i > 0 && compare_entries(&t->entries[i],
		    &t->entries[distinct - 1]) == 0)
			continue;
		t->entries[distinct++] = t->entries[i];
	}
	t->n = distinct;
	return 0;
}

/*
 * Chain the fields of each name, the lowest first.
 */
static void
chain_fields(struct table *t, const struct dkim_header *header, size_t own)
{
	struct entry *entry;
	size_t i;

	for (i = dkim_header_count(header); i-- > 0;) {
		t->above[i] = NONE;
		if (i == own)
			continue;
		entry = find_entry(t, header_name(header, i));
		if (entry == NULL)
			continue;
		if (entry->next == NONE)
			entry->next = i;
		else
			t->above[entry->top] = i;
		entry->top = i;
	}
}

/*
 * Names of one bucket agree in length and first letter, within a few.
 */
static size_t
bucket_of(struct slice name)
{
	return name.n == 0 ? 0 :
	    (name.n * 5 + slice_lower(name.p[0])) % BUCKETS;
}

/*
 * For at most FEW fields. Links are indexes, FEW where a chain ends.
 */
static void
select_few(const struct dkim_header *header, const struct slice *names,
    size_t n, size_t own, const struct select_taker *taker)
{
	size_t i, at, count = dkim_header_count(header);
	uint8_t head[BUCKETS], above[FEW], *link;

	memset(head, FEW, sizeof(head));
	for (i = 0; i < count; i++) {
		if (i == own)
			continue;
		link = &head[bucket_of(header_name(header, i))];
		above[i] = *link;
		/* RFC 6376 s5.4.2, s4.2: the lowest comes first */
		*link = (uint8_t)i;
	}
	for (i = 0; i < n; i++) {
		/* RFC 6376 s3.7 #6: in the order of h= */
		link = &head[bucket_of(names[i])];
		/* RFC 6376 s3.5 #40, s6.1.3 #2: without regard to case */
		while ((at = *link) < FEW && !slice_equal_nocase(names[i],
		    header_name(header, at)))
			link = &above[at];
		/* RFC 6376 s5.4, s3.5 #36: a name without a field is the null
		 * string */
		if (at == FEW)
			continue;
		*link = above[at];
		/* RFC 6376 s3.5 #9: another signature is a field like others */
		taker->take(taker->context, i, at);
	}
}

static int
select_many(const struct dkim_header *header, const struct slice *names,
    size_t n, size_t own, const struct select_taker *taker)
{
	struct table t = { 0 };
	struct entry *entry;
	size_t i, at;
	int r;

	if ((r = make_table(&t, names, n, dkim_header_count(header))) != 0)
		goto out;
	chain_fields(&t, header, own);
	for (i = 0; i < n; i++) {
		entry = find_entry(&t, names[i]);
		assert(entry != NULL);
		if ((at = entry->next) == NONE)
			continue;
		entry->next = t.above[at];
		taker->take(taker->context, i, at);
	}
out:
	free(t.entries);
	free(t.above);
	return r;
}

int
select_each(const struct dkim_header *header, const struct slice *names,
    size_t n, size_t own, const struct select_taker *taker)
{
	size_t count = dkim_header_count(header);

	if (n == 0 || count == 0)
		return 0;
	if (count > FEW)
		return select_many(header, names, n, own, taker);
	select_few(header, names, n, own, taker);
	return 0;
}

struct writing {
	const struct dkim_header	*header;
	enum dkim_canon			 alg;
	struct sink			*out;
};

static void
write_field(void *context, size_t name, size_t field)
{
	const struct writing *w = context;

	(void)name;
	canon_field(w->alg, dkim_header_name(w->header, field),
	    dkim_header_value(w->header, field), w->out);
}

int
select_fields(const struct dkim_header *header, const struct slice *names,
    size_t n, size_t own, enum dkim_canon alg, struct sink *out)
{
	struct writing w = { header, alg, out };
	struct select_taker taker = { write_field, &w };

	return select_each(header, names, n, own, &taker);
}
