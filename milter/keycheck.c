/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every key of KeyTable, loaded once: dkimd -n, and CheckSigningTable after
 * the start.
 */

/* this room */
#include "milter/keystore.h"

static bool
has_percent(const struct key_row *row)
{
	return slice_find(row->key, '%') < row->key.n &&
	    row->source == KEY_SOURCE_FILE;
}

size_t
keystore_check(struct keystore *store, const struct conf *conf,
    struct report *report, atomic_bool *stop)
{
	struct key_row key_row;
	struct rsab_key *key;
	const char *reason;
	struct row row;
	size_t i, n = 0;

	if (conf->key_table == NULL)
		return 0;
	for (i = 0; i < dataset_count(conf->key_table); i++) {
		if (stop != NULL && atomic_load(stop))
			break;
		dataset_at(conf->key_table, i, &row);
		/* A row that does not parse was told when it was read */
		if (conf_key_row(row.value, &key_row, &reason) != 0 ||
		    has_percent(&key_row))
			continue;
		if (keystore_load(store, &row, &key_row, NULL, report,
		    &key) != 0)
			continue;
		rsab_key_unref(key);
		n++;
	}
	return n;
}
