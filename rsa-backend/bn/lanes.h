/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations of path.h for eight lanes: requests to lanes and back,
 * RFC 8017 s5.1.2 and s5.2.2 from the operations of mont52.h and exp52.h. Each
 * file that includes this is one path; the registers are those of the v52
 * header it included before.
 *
 * A lane without a request does the work of the first one again and its result
 * goes nowhere: a pass takes the same time however full it is.
 */
#ifndef LANES_H
#define LANES_H

/* this room */
#include "rsa-backend/bn/exp52.h"
#include "rsa-backend/bn/path.h"

/*
 * Octets of stack below a call that may hold what the call worked on: more
 * than -O0 and -O2 take, of which a v52_array.h wants the most (22 k).
 */
#ifndef LANES_STACK
#define LANES_STACK	32768
#endif

/* Digits up to which a second stream fills the waits of the first. */
#define LANES_SHORT	10

/* Slack that "almost" Montgomery arithmetic wants: 4 m < R. */
#define LANES_SLACK	2

static inline unsigned
lanes_digits(unsigned bits, unsigned unit)
{
	static const uint8_t classes[] = { 1, 2, 4, 6, 8 };

	for (size_t i = 0; i < sizeof classes; i++) {
		const unsigned n = classes[i] * unit;

		if (bits <= V52_WIDTH * n - LANES_SLACK)
			return n;
	}
	return 0;
}

static V52_NOINLINE unsigned
lanes_digits_prime(unsigned bits)
{
	return lanes_digits(bits, 5);
}

static V52_NOINLINE unsigned
lanes_digits_modulus(unsigned bits)
{
	return lanes_digits(bits, 10);
}

/* No secret stays in registers and in the stack of what was called. */
static V52_NOINLINE void
lanes_wipe(void)
{
	uint8_t stack[LANES_STACK];

	memset(stack, 0, sizeof stack);
	__asm__ volatile("" :: "r"(stack) : "memory");
	v52_clear();
}

/* The 64 bits that begin 8 k bits above the end of len octets. */
static inline uint64_t
lanes_word(const uint8_t *in, size_t len, size_t k)
{
	uint64_t z = 0;

	if (len >= 8 && k <= len - 8) {
		in += len - 8 - k;
		return (uint64_t)in[0] << 56 | (uint64_t)in[1] << 48 |
		    (uint64_t)in[2] << 40 | (uint64_t)in[3] << 32 |
		    (uint64_t)in[4] << 24 | (uint64_t)in[5] << 16 |
		    (uint64_t)in[6] << 8 | (uint64_t)in[7];
	}
	for (size_t i = 0; i < 8 && k + i < len; i++)
		z |= (uint64_t)in[len - 1 - k - i] << 8 * i;
	return z;
}

static V52_NOINLINE void
lanes_from_octets(void *z, unsigned n, const uint8_t *in, size_t len)
{
	for (unsigned i = 0; i < n; i++) {
		const size_t bit = (size_t)i * V52_WIDTH;
		const uint64_t x = lanes_word(in, len, bit / 8) >> bit % 8 &
		    V52_DIGIT;

		memcpy((uint8_t *)z + i * sizeof x, &x, sizeof x);
	}
	v52_clear();
}

static inline void
lanes_put_word(uint8_t *out, uint64_t word)
{
	for (unsigned i = 0; i < 8; i++)
		out[i] = (uint8_t)(word >> (56 - 8 * i));
}

/*
 * Eight octets at once, then single ones. A digit is split where a word ends.
 */
static V52_NOINLINE void
lanes_to_octets(uint8_t *out, size_t len, const void *x, unsigned n)
{
	uint64_t bits = 0, digit = 0;
	unsigned have = 0, i = 0;

	while (len > 0) {
		const unsigned want = len < 8 ? 8 : 64;

		for (; have < want && i < n; i++, have += V52_WIDTH) {
			memcpy(&digit, (const uint8_t *)x + i * sizeof digit,
			    sizeof digit);
			bits |= digit << have;
		}
		if (want == 8) {
			out[--len] = (uint8_t)bits;
			bits >>= 8;
			have = have < 8 ? 0 : have - 8;
			continue;
		}
		lanes_put_word(&out[len -= 8], bits);
		have = have < 64 ? 0 : have - 64;
		bits = have == 0 ? 0 : digit >> (V52_WIDTH - have);
	}
	v52_clear();
}

/*
 * One lane: x[n] to or from z[n][lane]. The barriers keep compilers from
 * making gathers of this, of which a kernel has none.
 */
static inline void
lanes_put(uint64_t *z, unsigned lane, const void *x, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		memcpy(z + (size_t)i * V52_LANES + lane,
		    (const uint8_t *)x + i * sizeof *z, sizeof *z);
		v52_barrier();
	}
}

static inline void
lanes_get(void *x, const uint64_t *z, unsigned lane, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		memcpy((uint8_t *)x + i * sizeof *z,
		    z + (size_t)i * V52_LANES + lane, sizeof *z);
		v52_barrier();
	}
}

/* The next n vectors of scratch. */
static inline uint64_t *
lanes_take(uint64_t **scratch, size_t n)
{
	uint64_t *p = *scratch;

	*scratch += n * V52_LANES;
	return p;
}

static inline struct mont52
lanes_field(uint64_t **scratch, struct lookup52 *lookup, unsigned n)
{
	struct mont52 f = { .n = n, .lookup = lookup };

	f.m = lanes_take(scratch, n + 1);
	f.mm = lanes_take(scratch, n);
	f.k0 = lanes_take(scratch, 1);
	f.t = lanes_take(scratch, 2 * n + 1);
	f.q = lanes_take(scratch, n);
	return f;
}

static inline void
lanes_put_modulus(struct mont52 *f, unsigned lane, const struct path_modulus *m)
{
	lanes_put(f->m, lane, m->m, f->n);
	f->k0[lane] = m->k0;
}

/* x[n] = one in every lane. */
static inline void
lanes_one(uint64_t *x, unsigned n)
{
	memset(x, 0, n * V52_LANES * sizeof *x);
	v52_store(x, v52_set(1));
}

/* Vectors of one stream of powers: a field, e, entry, z, the table. */
static inline size_t
lanes_stream_size(unsigned n)
{
	return 8 * n + 4 + ((size_t)n << EXP52_WINDOW(n));
}

static inline unsigned
lanes_streams(unsigned n)
{
	return n <= LANES_SHORT ? 2 : 1;
}

static V52_NOINLINE size_t
lanes_scratch_private(unsigned n)
{
	/* More than crt's 12 n + 3. */
	return lanes_streams(n) * lanes_stream_size(n) * V52_LANES *
	    sizeof(uint64_t);
}

static V52_NOINLINE size_t
lanes_scratch_public(unsigned n)
{
	return (9 * (size_t)n + 3) * V52_LANES * sizeof(uint64_t);
}

/*
 * Make a stream of count halves: the table's first two entries are R and x R.
 */
static inline void
lanes_stream(struct exp52 *s, struct lookup52 *lookup,
    const struct path_half *half, size_t count, unsigned n,
    uint64_t **scratch)
{
	uint64_t *r2, *r3;

	s->f = lanes_field(scratch, lookup, n);
	s->index = lanes_take(scratch, 1);
	s->e = lanes_take(scratch, n);
	s->entry = lanes_take(scratch, n);
	s->z = lanes_take(scratch, n);
	s->table = lanes_take(scratch, (size_t)n << EXP52_WINDOW(n));
	r2 = MONT52_AT(s->table, 2 * n);
	r3 = MONT52_AT(s->table, 3 * n);
	for (unsigned lane = 0; lane < V52_LANES; lane++) {
		const struct path_half *h = half + (lane < count ? lane : 0);

		lanes_put_modulus(&s->f, lane, &h->prime->modulus);
		lanes_put(s->e, lane, h->prime->d, n);
		lanes_put(s->f.t, lane, h->x, 2 * n);
		lanes_put(r2, lane, h->prime->modulus.rr, n);
		lanes_put(r3, lane, h->prime->r3, n);
	}
	mont52_prepare(&s->f);
	/* x / R, then x R^3 / R; and R^2 / R. */
	mont52_reduce(s->z, &s->f);
	mont52_multiply(MONT52_AT(s->table, n), s->z, r3, &s->f);
	lanes_one(s->z, n);
	mont52_multiply(s->table, r2, s->z, &s->f);
}

/*
 * z = x^d mod m of one stream, whole: out of the domain and below m. What
 * t / R leaves is m at most, and is m where the power is 0 (m divides x).
 */
static inline void
lanes_stream_end(struct exp52 *s, const struct path_half *half, size_t count)
{
	const unsigned n = s->f.n;

	memcpy(s->f.t, s->z, n * V52_LANES * sizeof *s->z);
	memset(MONT52_AT(s->f.t, n), 0, n * V52_LANES * sizeof *s->z);
	mont52_reduce(s->z, &s->f);
	mont52_subtract_once(s->z, s->z, s->f.m, 0, n);
	for (unsigned lane = 0; lane < count && lane < V52_LANES; lane++)
		lanes_get(half[lane].z, s->z, lane, n);
}

static V52_NOINLINE void
lanes_power_pass(unsigned n, unsigned bits, const struct path_half *half,
    size_t count, uint64_t *scratch)
{
	struct lookup52 lookup[2];
	struct exp52 s[2];
	unsigned streams = 0;

	for (size_t i = 0; i < count; i += V52_LANES) {
		lanes_stream(&s[streams], &lookup[streams], half + i,
		    count - i, n, &scratch);
		streams++;
	}
	exp52_power(s, streams, bits);
	for (unsigned i = 0; i < streams; i++)
		lanes_stream_end(&s[i], half + i * V52_LANES,
		    count - i * V52_LANES);
}

static V52_NOINLINE void
lanes_power_private(unsigned n, unsigned bits, const struct path_half *half,
    size_t count, void *scratch)
{
	const size_t pass = (size_t)lanes_streams(n) * V52_LANES;

	for (size_t i = 0; i < count; i += pass)
		lanes_power_pass(n, bits, half + i,
		    count - i < pass ? count - i : pass, scratch);
	lanes_wipe();
}

/*
 * (xp - xq) qinv / R = xp qinv / R - xq qinv / R: two products, so that xq
 * needs no reduction before it. The difference plus 2 p is below 4 p.
 */
static V52_NOINLINE void
lanes_crt_pass(unsigned n, const struct path_crt *crt, size_t count,
    uint64_t *scratch)
{
	struct lookup52 none;
	struct mont52 f = lanes_field(&scratch, &none, n);
	uint64_t *q = lanes_take(&scratch, n);
	uint64_t *qinv = lanes_take(&scratch, n);
	uint64_t *xp = lanes_take(&scratch, n);
	uint64_t *xq = lanes_take(&scratch, n);
	uint64_t *h = lanes_take(&scratch, n);
	uint64_t *z = lanes_take(&scratch, 2 * n);

	for (unsigned lane = 0; lane < V52_LANES; lane++) {
		const struct path_crt *c = crt + (lane < count ? lane : 0);

		lanes_put_modulus(&f, lane, &c->p->modulus);
		lanes_put(q, lane, c->q, n);
		lanes_put(qinv, lane, c->qinv, n);
		lanes_put(xp, lane, c->xp, n);
		lanes_put(xq, lane, c->xq, n);
	}
	mont52_prepare(&f);
	mont52_multiply(xp, xp, qinv, &f);
	mont52_multiply(h, xq, qinv, &f);
	mont52_difference(h, xp, h, &f);
	mont52_subtract_once(h, h, f.m, 1, n);
	mont52_subtract_once(h, h, f.m, 0, n);
	mont52_multiply_add(z, xq, h, q, n);
	for (unsigned lane = 0; lane < count; lane++)
		lanes_get(crt[lane].z, z, lane, 2 * n);
}

static V52_NOINLINE void
lanes_crt(unsigned n, const struct path_crt *crt, size_t count, void *scratch)
{
	lanes_crt_pass(n, crt, count, scratch);
	lanes_wipe();
}

static V52_NOINLINE void
lanes_product_pass(unsigned n, const struct path_product *product,
    size_t count, uint64_t *scratch)
{
	struct lookup52 none;
	struct mont52 f = lanes_field(&scratch, &none, n);
	uint64_t *a = lanes_take(&scratch, n);
	uint64_t *b = lanes_take(&scratch, n);

	for (unsigned lane = 0; lane < V52_LANES; lane++) {
		const struct path_product *x =
		    product + (lane < count ? lane : 0);

		lanes_put_modulus(&f, lane, x->modulus);
		lanes_put(a, lane, x->a, n);
		lanes_put(b, lane, x->b, n);
	}
	mont52_prepare(&f);
	mont52_multiply(a, a, b, &f);
	mont52_subtract_once(a, a, f.m, 0, n);
	for (unsigned lane = 0; lane < count; lane++)
		lanes_get(product[lane].z, a, lane, n);
}

static V52_NOINLINE void
lanes_product(unsigned n, const struct path_product *product, size_t count,
    void *scratch)
{
	lanes_product_pass(n, product, count, scratch);
	lanes_wipe();
}

/* z = a in the lanes of mask: z[n], a[n]. */
static inline void
lanes_merge(uint64_t *z, const uint64_t *a, v52_mask mask, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		v52_store(MONT52_AT(z, i), v52_select(mask,
		    v52_load(MONT52_AT(a, i)), v52_load(MONT52_AT(z, i))));
}

/* Lanes whose exponent has bit i, and lanes in which it is the highest. */
static inline v52_mask
lanes_with_bit(const uint64_t *e, unsigned i, v52_mask *highest)
{
	unsigned set = 0, top = 0;

	for (unsigned lane = 0; lane < V52_LANES; lane++) {
		const unsigned bit = (unsigned)(e[lane] >> i & 1);

		set |= bit << lane;
		top |= (bit & (unsigned)(e[lane] >> i == 1)) << lane;
	}
	*highest = (v52_mask)top;
	return (v52_mask)set;
}

/*
 * z = x^e R mod m without bit 0 of e, then times x: which leaves the domain.
 * A lane starts where its highest bit is; what it squared before is dropped.
 */
static inline void
lanes_public(const struct mont52 *f, const uint64_t *e, const uint64_t *x,
    const uint64_t *xr, uint64_t *z, uint64_t *product)
{
	const size_t size = f->n * V52_LANES * sizeof *z;
	uint64_t all = 0;
	unsigned i = 63;

	for (unsigned lane = 0; lane < V52_LANES; lane++)
		all |= e[lane];
	while (all >> i == 0)
		i--;
	memcpy(z, xr, size);
	while (i-- > 0) {
		v52_mask highest, set = lanes_with_bit(e, i, &highest);

		mont52_square(z, z, f);
		if (i == 0)
			break;
		if ((set ^ highest) != 0) {
			mont52_multiply(product, z, xr, f);
			lanes_merge(z, product, set, f->n);
		}
		if (highest != 0)
			lanes_merge(z, xr, highest, f->n);
	}
	mont52_multiply(z, z, x, f);
	mont52_subtract_once(z, z, f->m, 0, f->n);
}

static V52_NOINLINE void
lanes_public_pass(unsigned n, const struct path_power *power, size_t count,
    uint64_t *scratch)
{
	struct lookup52 none;
	struct mont52 f = lanes_field(&scratch, &none, n);
	uint64_t *x = lanes_take(&scratch, n);
	uint64_t *xr = lanes_take(&scratch, n);
	uint64_t *z = lanes_take(&scratch, n);
	uint64_t *product = lanes_take(&scratch, n);
	uint64_t e[V52_LANES];

	for (unsigned lane = 0; lane < V52_LANES; lane++) {
		const struct path_power *p = power + (lane < count ? lane : 0);

		lanes_put_modulus(&f, lane, p->modulus);
		lanes_put(x, lane, p->x, n);
		lanes_put(xr, lane, p->modulus->rr, n);
		e[lane] = p->e;
	}
	mont52_prepare(&f);
	mont52_multiply(xr, xr, x, &f);
	lanes_public(&f, e, x, xr, z, product);
	for (unsigned lane = 0; lane < count; lane++)
		lanes_get(power[lane].z, z, lane, n);
}

static V52_NOINLINE void
lanes_power_public(unsigned n, const struct path_power *power, size_t count,
    void *scratch)
{
	lanes_public_pass(n, power, count, scratch);
	lanes_wipe();
}

/* What a struct path of this file has. */
#define LANES_OPERATIONS \
	.width = V52_WIDTH, \
	.digit_size = sizeof(uint64_t), \
	.lanes = PATH_LANES, \
	.digits_prime = lanes_digits_prime, \
	.digits_modulus = lanes_digits_modulus, \
	.from_octets = lanes_from_octets, \
	.to_octets = lanes_to_octets, \
	.scratch_private = lanes_scratch_private, \
	.scratch_public = lanes_scratch_public, \
	.power_private = lanes_power_private, \
	.crt = lanes_crt, \
	.product = lanes_product, \
	.power_public = lanes_power_public

#endif
