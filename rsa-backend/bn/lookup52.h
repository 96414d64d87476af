/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looking up an entry of a table, another one in each lane: the whole table is
 * read, and one entry a lane is kept. A table that the first-level cache holds
 * is read at once. One that it does not is read in steps: the kernels of
 * block52.h take a step between two blocks, so that the second-level cache is
 * waited for beside their products.
 */
#ifndef LOOKUP52_H
#define LOOKUP52_H

/* system */
#include <stddef.h>

/* this room */
#ifndef V52_H
#include "rsa-backend/bn/v52_array.h"
#endif

#define LOOKUP52_DIGITS		5	/* of a step */
#define LOOKUP52_ENTRIES	4	/* of a step; divides the table's */

struct lookup52 {
	const uint64_t	*from;		/* where the next step reads */
	uint64_t	*z;		/* five digits that it works on */
	const uint64_t	*index;		/* index[1]: the entry of each lane */
	size_t		 stride;	/* words of an entry */
	unsigned	 entries;	/* of the table */
	unsigned	 entry;		/* the next one */
	unsigned	 steps;		/* that are left */
};

#define LOOKUP52_AT(p, i)	((p) + (i) * V52_LANES)
#define LOOKUP52_ZERO(i)	x[i] = v52_zero();
#define LOOKUP52_LOAD(i)	x[i] = v52_load(LOOKUP52_AT(z, i));
#define LOOKUP52_KEEP(i) \
	x[i] = v52_select(mask, v52_load(LOOKUP52_AT(from, i)), x[i]);
#define LOOKUP52_STORE(i)	v52_store(LOOKUP52_AT(z, i), x[i]);
#define LOOKUP52_FIVE(F)	F(0) F(1) F(2) F(3) F(4)

/*
 * z = table[index] in every lane: z[n], table[entries][n].
 *   ct       leaks entries and n only
 */
static V52_NOINLINE void
lookup52_at_once(uint64_t *z, const uint64_t *table, v52 index,
    unsigned entries, unsigned n)
{
	const size_t stride = (size_t)n * V52_LANES;
	const v52 one = v52_set(1);

	for (unsigned i = 0; i < n; i += LOOKUP52_DIGITS) {
		const uint64_t *from = LOOKUP52_AT(table, i);
		v52 x[LOOKUP52_DIGITS], entry = v52_zero();

		LOOKUP52_FIVE(LOOKUP52_ZERO)
		for (unsigned j = 0; j < entries; j++, from += stride) {
			const v52_mask mask = v52_equal(index, entry);

			LOOKUP52_FIVE(LOOKUP52_KEEP)
			entry = v52_add(entry, one);
		}
		LOOKUP52_FIVE(LOOKUP52_STORE)
		z = LOOKUP52_AT(z, LOOKUP52_DIGITS);
	}
}

/*
 * Begin z = table[index]: z[n], table[entries][n]. z is done after the last
 * step.
 *   index    index[1]: stays as it is until then
 */
static inline void
lookup52_start(struct lookup52 *l, uint64_t *z, const uint64_t *table,
    const uint64_t *index, unsigned entries, unsigned n)
{
	l->from = table;
	l->z = z;
	l->index = index;
	l->stride = (size_t)n * V52_LANES;
	l->entries = entries;
	l->entry = 0;
	l->steps = n / LOOKUP52_DIGITS * (entries / LOOKUP52_ENTRIES);
	memset(z, 0, l->stride * sizeof *z);
}

#define LOOKUP52_ENTRY(j) \
	mask = v52_equal(index, v52_set(l->entry + j)); \
	LOOKUP52_FIVE(LOOKUP52_KEEP) \
	from += l->stride;

/*
 * The next four entries' five digits, if any are left.
 *   ct       leaks what lookup52_start was given but the index
 */
static V52_INLINE void
lookup52_step(struct lookup52 *l)
{
	const uint64_t *from = l->from;
	uint64_t *z = l->z;
	v52 index, x[LOOKUP52_DIGITS];
	v52_mask mask;

	if (l->steps == 0)
		return;
	v52_barrier();
	index = v52_load(l->index);
	LOOKUP52_FIVE(LOOKUP52_LOAD)
	LOOKUP52_ENTRY(0)
	LOOKUP52_ENTRY(1)
	LOOKUP52_ENTRY(2)
	LOOKUP52_ENTRY(3)
	LOOKUP52_FIVE(LOOKUP52_STORE)
	l->steps--;
	l->entry += LOOKUP52_ENTRIES;
	if (l->entry == l->entries) {
		from -= l->entries * l->stride;
		from = LOOKUP52_AT(from, LOOKUP52_DIGITS);
		l->z = LOOKUP52_AT(z, LOOKUP52_DIGITS);
		l->entry = 0;
	}
	l->from = from;
}

#undef LOOKUP52_ZERO
#undef LOOKUP52_LOAD
#undef LOOKUP52_KEEP
#undef LOOKUP52_STORE
#undef LOOKUP52_FIVE
#undef LOOKUP52_ENTRY

/* All steps that are left. */
static inline void
lookup52_finish(struct lookup52 *l)
{
	while (l->steps > 0)
		lookup52_step(l);
}

#endif
