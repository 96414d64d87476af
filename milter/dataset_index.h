/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hash of keys to rows: FNV-1a over octets without case, fed one by one so
 * that all prefixes or suffixes of a key cost one pass.
 */
#ifndef DATASET_INDEX_H
#define DATASET_INDEX_H

#include "dataset_kind.h"

#define DATASET_INDEX_START	UINT64_C(0xcbf29ce484222325)

static inline uint64_t
dataset_index_feed(uint64_t hash, uint8_t c)
{
	return (hash ^ slice_lower(c)) * UINT64_C(0x100000001b3);
}

/*
 * Hash of a key fed from its last octet to its first, or from first to last.
 */
uint64_t dataset_index_backward(struct slice key);
uint64_t dataset_index_forward(struct slice key);

/*
 * An empty index with room for rows; none is needed for no rows.
 */
int dataset_index_init(struct dataset_index *index, size_t rows) MUSTUSE;
void dataset_index_clear(struct dataset_index *index);

/*
 * Put a row in front of its chain: rows go in from the last to the first.
 */
void dataset_index_put(struct dataset_index *index, uint32_t *next,
    uint64_t hash, uint32_t row);

/*
 * The first row of a chain, plus 1; 0: none.
 */
uint32_t dataset_index_first(const struct dataset_index *index,
    uint64_t hash);

#endif
