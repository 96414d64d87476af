/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fields that one signature covers; see signedset.h.
 */

/* this room */
#include "select.h"
#include "signedset.h"

struct filling {
	const struct dkim_header	*header;
	struct signedset_field		*fields;
};

static void
fill(void *context, size_t name, size_t at)
{
	struct filling *filling = context;
	struct signedset_field *field = &filling->fields[name];

	field->present = true;
	field->at = at;
	field->name = dkim_header_name(filling->header, at);
	field->value = dkim_header_value(filling->header, at);
}

int
signedset_make(const struct dkim_header *header, const struct sigfield *f,
    size_t own, struct arena *a, struct signedset *out)
{
	struct signedset_field *fields;
	struct filling filling = { .header = header };
	struct select_taker taker = { fill, &filling };
	struct slice *names;
	size_t i;
	int r;

	names = arena_alloc(a, (f->names_n + 1) * sizeof(names[0]));
	fields = arena_alloc(a, (f->names_n + 1) * sizeof(fields[0]));
	if (names == NULL || fields == NULL)
		return DKIM_ERR_NOMEM;
	sigfield_names(f, names);
	for (i = 0; i < f->names_n; i++)
		fields[i] = (struct signedset_field){ .asked = names[i] };
	filling.fields = fields;
	r = select_each(header, names, f->names_n, own, &taker);
	if (r == 0)
		*out = (struct signedset){ fields, f->names_n };
	return r;
}

int
signedset_bare(struct slice value, const struct sigfield *f, struct arena *a,
    struct slice *out)
{
	struct slice rest = slice_from(value, f->b_at + f->b_n);
	uint8_t *p = arena_alloc(a, value.n + 1);

	if (p == NULL)
		return DKIM_ERR_NOMEM;
	if (f->b_at > 0)
		memcpy(p, value.p, f->b_at);
	if (rest.n > 0)
		memcpy(p + f->b_at, rest.p, rest.n);
	*out = slice_of(p, f->b_at + rest.n);
	return 0;
}
