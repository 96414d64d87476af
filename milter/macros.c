/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The MTA's macros.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "macros.h"

static struct slice
without_braces(struct slice name)
{
	if (name.n > 2 && name.p[0] == '{' && name.p[name.n - 1] == '}')
		return slice_sub(name, 1, name.n - 2);
	return name;
}

static struct macro *
find(const struct macros *m, struct slice name)
{
	size_t i;

	name = without_braces(name);
	for (i = 0; i < m->n; i++)
		if (slice_equal(without_braces(slice_text(m->at[i].name)),
		    name))
			return (struct macro *)&m->at[i];
	return NULL;
}

static int
add(struct macros *m, const char *name, const char *value)
{
	struct macro *macro = &m->at[m->n];

	if (m->n == MACROS_MAX)
		return DKIM_ERR_LIMIT;
	macro->name = strdup(name);
	macro->value = strdup(value);
	if (macro->name == NULL || macro->value == NULL) {
		free(macro->name);
		free(macro->value);
		return DKIM_ERR_NOMEM;
	}
	m->n++;
	return 0;
}

int
macros_set(struct macros *m, const char *name, const char *value)
{
	struct macro *macro = find(m, slice_text(name));
	char *copy;

	if (value != NULL && strlen(value) > MACROS_VALUE_MAX)
		value = NULL;
	if (macro == NULL)
		return value == NULL ? 0 : add(m, name, value);
	if (value != NULL && macro->value != NULL &&
	    strcmp(macro->value, value) == 0)
		return 0;
	copy = value == NULL ? NULL : strdup(value);
	free(macro->value);
	macro->value = copy;
	return value != NULL && copy == NULL ? DKIM_ERR_NOMEM : 0;
}

struct slice
macros_get(const struct macros *m, struct slice name)
{
	const struct macro *macro = find(m, name);

	if (macro == NULL || macro->value == NULL)
		return slice_of(NULL, 0);
	return slice_text(macro->value);
}

void
macros_clear(struct macros *m)
{
	size_t i;

	for (i = 0; i < m->n; i++) {
		free(m->at[i].name);
		free(m->at[i].value);
	}
	m->n = 0;
}
