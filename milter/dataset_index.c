/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash of keys to rows.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "dataset_index.h"

uint64_t
dataset_index_backward(struct slice key)
{
	uint64_t hash = DATASET_INDEX_START;
	size_t i;

	for (i = key.n; i > 0; i--)
		hash = dataset_index_feed(hash, key.p[i - 1]);
	return hash;
}

uint64_t
dataset_index_forward(struct slice key)
{
	uint64_t hash = DATASET_INDEX_START;
	size_t i;

	for (i = 0; i < key.n; i++)
		hash = dataset_index_feed(hash, key.p[i]);
	return hash;
}

int
dataset_index_init(struct dataset_index *index, size_t rows)
{
	size_t slots = 16;

	*index = (struct dataset_index){ 0 };
	if (rows == 0)
		return 0;
	while (slots < rows)
		slots *= 2;
	if ((index->heads = calloc(slots, sizeof(*index->heads))) == NULL)
		return DKIM_ERR_NOMEM;
	index->mask = slots - 1;
	return 0;
}

void
dataset_index_clear(struct dataset_index *index)
{
	free(index->heads);
	*index = (struct dataset_index){ 0 };
}

/*
 * The low bits of FNV alone do not depend on the high bits of its state.
 */
static size_t
slot_of(const struct dataset_index *index, uint64_t hash)
{
	return (size_t)(hash ^ hash >> 32) & index->mask;
}

void
dataset_index_put(struct dataset_index *index, uint32_t *next, uint64_t hash,
    uint32_t row)
{
	size_t slot = slot_of(index, hash);

	next[row] = index->heads[slot];
	index->heads[slot] = row + 1;
}

uint32_t
dataset_index_first(const struct dataset_index *index, uint64_t hash)
{
	if (index->heads == NULL)
		return 0;
	return index->heads[slot_of(index, hash)];
}
