/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In front of a sink: short runs of octets are copied together, because a call
 * of the digest costs more than the copy; long ones go on where they lie.
 */
#ifndef DKIM_GATHER_H
#define DKIM_GATHER_H

#include "canon.h"

#define GATHER_SIZE	1024	/* octets copied together */
#define GATHER_SHORT	128	/* octets; longer runs are not copied */

struct gather {
	struct sink	*out;
	size_t		 n;
	uint8_t		 octets[GATHER_SIZE];	/* n are set */
};

/*
 * Empty; out outlives it.
 */
static inline void
gather_init(struct gather *g, struct sink *out)
{
	g->out = out;
	g->n = 0;
}

/*
 * Hand on what is held; the caller's last step.
 */
static inline void
gather_end(struct gather *g)
{
	if (g->n > 0)
		g->out->add(g->out->context, slice_of(g->octets, g->n));
	g->n = 0;
}

static inline void
gather_octet(struct gather *g, uint8_t octet)
{
	if (g->n == GATHER_SIZE)
		gather_end(g);
	g->octets[g->n++] = octet;
}

/*
 * Room for n octets, at most GATHER_SIZE, that the caller sets.
 */
static inline uint8_t *
gather_room(struct gather *g, size_t n)
{
	if (n > GATHER_SIZE - g->n)
		gather_end(g);
	g->n += n;
	return &g->octets[g->n - n];
}

static inline void
gather_add(struct gather *g, struct slice s)
{
	if (s.n > GATHER_SHORT || s.n > GATHER_SIZE - g->n)
		gather_end(g);
	if (s.n > GATHER_SHORT) {
		g->out->add(g->out->context, s);
		return;
	}
	if (s.n > 0)
		memcpy(&g->octets[g->n], s.p, s.n);
	g->n += s.n;
}

#endif
