/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options that take effect at the start only: at a reload, and when a milter
 * process that died is started again.
 */

/* system */
#include <stdlib.h>
#include <string.h>

/* this room */
#include "conf_options.h"

static void *
member(const struct options *options, const struct option *option)
{
	return (uint8_t *)(uintptr_t)options + option->offset;
}

static bool
is_same(const struct options *a, const struct options *b,
    const struct option *option)
{
	const char *x, *y;

	switch (option->type) {
	case OPTION_TEXT:
		x = *(char **)member(a, option);
		y = *(char **)member(b, option);
		return x == y || (x != NULL && y != NULL && strcmp(x, y) == 0);
	case OPTION_BOOL:
		return *(bool *)member(a, option) == *(bool *)member(b, option);
	case OPTION_NUMBER:
	case OPTION_OCTAL:
		return *(uint64_t *)member(a, option) ==
		    *(uint64_t *)member(b, option);
	default:
		return true;
	}
}

void
conf_options_compare(const struct options *old, const struct options *new,
    struct report *report)
{
	const struct option *option;
	struct option_where where;
	size_t i;

	for (i = 0; i < conf_options_count; i++) {
		option = &conf_options_table[i];
		if ((option->flags & OPTION_START) != 0 &&
		    !is_same(old, new, option))
			report_fault(report, FAULT_WARNING,
			    "%s: the new value takes effect at the next start",
			    conf_options_where(new, option->name, &where));
	}
}

static int
keep_text(char *const *from, char **to)
{
	char *copy = *from == NULL ? NULL : strdup(*from);

	if (*from != NULL && copy == NULL)
		return DKIM_ERR_NOMEM;
	free(*to);
	*to = copy;
	return 0;
}

/*
 * One member as it was; is_same has all types that START options have.
 */
static int
keep(const struct options *start, const struct option *option,
    struct options *options)
{
	switch (option->type) {
	case OPTION_TEXT:
		return keep_text(member(start, option),
		    member(options, option));
	case OPTION_BOOL:
		*(bool *)member(options, option) =
		    *(bool *)member(start, option);
		return 0;
	case OPTION_NUMBER:
	case OPTION_OCTAL:
		*(uint64_t *)member(options, option) =
		    *(uint64_t *)member(start, option);
		return 0;
	default:
		return 0;
	}
}

int
conf_options_keep(const struct options *start, struct options *options,
    struct report *report)
{
	const struct option *option;
	struct option_where where;
	size_t i;

	for (i = 0; i < conf_options_count; i++) {
		option = &conf_options_table[i];
		if ((option->flags & OPTION_START) == 0 ||
		    is_same(start, options, option))
			continue;
		report_fault(report, FAULT_WARNING, "%s: the value of the "
		    "start stays, this one takes effect at the next start",
		    conf_options_where(options, option->name, &where));
		if (keep(start, option, options) != 0)
			return DKIM_ERR_NOMEM;
		/* no longer what stands at that line */
		options->places[i] = (struct option_place){ "as started", 0 };
	}
	return 0;
}
