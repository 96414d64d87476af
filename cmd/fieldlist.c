/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Header fields under change; see fieldlist.h.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "fieldlist.h"

static int
make_field(struct slice name, const char *separator, struct slice value,
    struct field *out)
{
	size_t gap = strlen(separator);

	out->name = name.n;
	out->n = name.n + gap + value.n;
	out->text = malloc(out->n + 1);
	if (out->text == NULL)
		return DKIM_ERR_NOMEM;
	memcpy(out->text, name.p, name.n);
	memcpy(out->text + name.n, separator, gap);
	if (value.n > 0)
		memcpy(out->text + name.n + gap, value.p, value.n);
	return DKIM_OK;
}

int
fieldlist_insert(struct fieldlist *list, size_t at, struct slice name,
    const char *separator, struct slice value)
{
	struct field field;

	if (list->n == list->space) {
		size_t space = list->space * 2 + 32;
		struct field *grown = realloc(list->fields,
		    space * sizeof(*grown));

		if (grown == NULL)
			return DKIM_ERR_NOMEM;
		list->fields = grown;
		list->space = space;
	}
	if (make_field(name, separator, value, &field) != 0)
		return DKIM_ERR_NOMEM;
	if (at > list->n)
		at = list->n;
	memmove(list->fields + at + 1, list->fields + at,
	    (list->n - at) * sizeof(*list->fields));
	list->fields[at] = field;
	list->n++;
	return DKIM_OK;
}

int
fieldlist_change(struct fieldlist *list, size_t index, struct slice name,
    const char *separator, struct slice value)
{
	struct field field;
	size_t i, seen = 0;

	for (i = 0; i < list->n; i++)
		if (slice_equal_nocase(name, slice_of(list->fields[i].text,
		    list->fields[i].name)) && ++seen == index)
			break;
	if (i == list->n)
		return value.n == 0 ? DKIM_OK : fieldlist_insert(list, list->n,
		    name, separator, value);
	if (value.n > 0) {
		if (make_field(name, separator, value, &field) != 0)
			return DKIM_ERR_NOMEM;
		free(list->fields[i].text);
		list->fields[i] = field;
		return DKIM_OK;
	}
	free(list->fields[i].text);
	list->n--;
	memmove(list->fields + i, list->fields + i + 1,
	    (list->n - i) * sizeof(*list->fields));
	return DKIM_OK;
}

void
fieldlist_clear(struct fieldlist *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free(list->fields[i].text);
	free(list->fields);
	memset(list, 0, sizeof(*list));
}
