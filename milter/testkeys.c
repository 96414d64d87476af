/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key records from a file, sorted by name.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "milter/testkeys.h"

struct testkey {
	struct slice	name, record;	/* in text */
	size_t		order;		/* in the file */
};

struct testkeys {
	uint8_t		*text;
	struct testkey	*keys;
	size_t		 n, space;
};

static int
compare_names(struct slice a, struct slice b)
{
	size_t i;

	for (i = 0; i < a.n && i < b.n; i++)
		if (slice_lower(a.p[i]) != slice_lower(b.p[i]))
			return slice_lower(a.p[i]) < slice_lower(b.p[i]) ?
			    -1 : 1;
	return a.n < b.n ? -1 : a.n > b.n;
}

static int
compare(const void *a, const void *b)
{
	const struct testkey *x = a, *y = b;
	int r = compare_names(x->name, y->name);

	if (r != 0)
		return r;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int
add(struct testkeys *keys, struct slice name, struct slice record)
{
	struct testkey *more;
	size_t space;

	if (keys->n == keys->space) {
		space = keys->space == 0 ? 16 : keys->space * 2;
		more = reallocarray(keys->keys, space, sizeof(*more));
		if (more == NULL)
			return DKIM_ERR_NOMEM;
		keys->keys = more;
		keys->space = space;
	}
	keys->keys[keys->n] = (struct testkey){ name, record, keys->n };
	keys->n++;
	return 0;
}

static int
parse_line(struct testkeys *keys, struct slice line)
{
	struct slice name;
	size_t n = 0;

	line = slice_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return 0;
	while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t')
		n++;
	if (n == line.n)
		return DKIM_ERR_SYNTAX;
	name = slice_sub(line, 0, n);
	/* As a zone file writes it */
	if (name.n > 1 && name.p[name.n - 1] == '.')
		name = slice_sub(name, 0, name.n - 1);
	return add(keys, name, slice_trim(slice_from(line, n)));
}

int
testkeys_parse(struct slice text, struct testkeys **out, unsigned *line)
{
	struct testkeys *keys;
	struct slice rest;
	size_t n;
	int r = DKIM_ERR_NOMEM;

	*line = 0;
	if (text.n > TESTKEYS_FILE_MAX)
		return DKIM_ERR_LIMIT;
	keys = calloc(1, sizeof(*keys));
	if (keys == NULL)
		return DKIM_ERR_NOMEM;
	keys->text = malloc(text.n + 1);
	if (keys->text == NULL)
		goto out;
	if (text.n > 0)
		memcpy(keys->text, text.p, text.n);
	for (rest = slice_of(keys->text, text.n); rest.n > 0;
	    rest = slice_from(rest, n < rest.n ? n + 1 : n)) {
		++*line;
		n = slice_find(rest, '\n');
		r = n > TESTKEYS_LINE_MAX ? DKIM_ERR_LIMIT :
		    parse_line(keys, slice_sub(rest, 0, n));
		if (r != 0)
			goto out;
	}
	if (keys->n > 1)
		qsort(keys->keys, keys->n, sizeof(*keys->keys), compare);
	*out = keys;
	return 0;

out:
	testkeys_free(keys);
	return r;
}

void
testkeys_free(struct testkeys *keys)
{
	if (keys == NULL)
		return;
	free(keys->keys);
	free(keys->text);
	free(keys);
}

size_t
testkeys_find(const struct testkeys *keys, struct slice name,
    struct slice *out, size_t max)
{
	size_t low = 0, high = keys->n, middle, n = 0;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (compare_names(keys->keys[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < keys->n; low++, n++) {
		if (compare_names(keys->keys[low].name, name) != 0)
			break;
		if (n < max)
			out[n] = keys->keys[low].record;
	}
	return n;
}
