/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data set kind "csl": a comma list in the option itself, items k or k=v,
 * hashed by key (MIGRATION 2b).
 */

/* system */
#include <stdlib.h>

/* this room */
#include "dataset_kind.h"

/*
 * The next item that is not empty.
 */
static bool
next_item(struct slice *rest, struct slice *item)
{
	size_t n;

	while (rest->n > 0) {
		n = slice_find(*rest, ',');
		*item = slice_trim(slice_sub(*rest, 0, n));
		*rest = slice_from(*rest, n < rest->n ? n + 1 : n);
		if (item->n > 0)
			return true;
	}
	return false;
}

static int
add_item(struct dataset *set, struct slice item, const char *option,
    struct report *report)
{
	size_t equal = slice_find(item, '=');
	struct slice key = slice_trim(slice_sub(item, 0, equal));
	struct slice value = { item.p, 0 };
	struct report_octets shown;

	if (equal < item.n)
		value = slice_trim(slice_from(item, equal + 1));
	if (key.n == 0 || key.n > DATASET_KEY_MAX) {
		report_fault(report, FAULT_FATAL,
		    "%s: item \"%s\": its key has 1 to %d octets", option,
		    report_octets(&shown, item), DATASET_KEY_MAX);
		return DKIM_ERR_SYNTAX;
	}
	set->rows[set->n++] = (struct dataset_row){
		.p = key.p,
		.value_at = value.n == 0 ? 0 : (uint32_t)(value.p - key.p),
		.value_n = (uint32_t)value.n,
		.key_n = (uint16_t)key.n,
	};
	return 0;
}

static int
csl_open(struct dataset *set, size_t n, const char *option,
    struct report *report)
{
	const struct slice text = { set->text, n };
	struct slice rest = text, item;
	size_t count = 0;
	int error;

	while (next_item(&rest, &item))
		count++;
	set->rows = calloc(count + 1, sizeof(*set->rows));
	set->next = calloc(count + 1, sizeof(*set->next));
	if (set->rows == NULL || set->next == NULL)
		return DKIM_ERR_NOMEM;
	for (rest = text; next_item(&rest, &item); ) {
		error = add_item(set, item, option, report);
		if (error != 0)
			return error;
	}
	return dataset_file_index(set);
}

const struct dataset_ops dataset_csl_ops = {
	.prefix = "csl",
	.kind = DATASET_CSL,
	.open = csl_open,
	.find = dataset_file_find,
};
