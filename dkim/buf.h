/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sticky writer: octets appended up to a cap given at birth. The first
 * failure (cap passed, no memory) is remembered, later appends do nothing, and
 * buf_end is the one check. Part of the engine's public header.
 */
#ifndef DKIM_BUF_H
#define DKIM_BUF_H

#include <stdint.h>

#include "slice.h"

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

struct buf {
	uint8_t	*p;
	size_t	 n;		/* octets written */
	size_t	 space;		/* octets allocated */
	size_t	 cap;		/* octets it may reach */
	int	 error;		/* 0 or the first failure, DKIM_ERR_* */
};

/*
 * An empty writer; nothing is allocated before the first append.
 *   cap      octets that it may reach; passing it is DKIM_ERR_LIMIT
 */
void buf_init(struct buf *b, size_t cap);

/*
 * Free what b holds and make it empty again, same cap.
 */
void buf_clear(struct buf *b);

/*
 * Forget the octets and the failure, keep the memory.
 */
void buf_reset(struct buf *b);

/*
 * Make room for more octets and a NUL behind them; for the appends below.
 *   returns  false: b has failed
 */
bool buf_reserve(struct buf *b, size_t more);

/*
 * Append octets. Where there is room it costs no more than the copy.
 */
static inline void
buf_add(struct buf *b, struct slice s)
{
	if (s.n == 0 || ((b->error != 0 || s.n > b->cap - b->n ||
	    s.n >= b->space - b->n) && !buf_reserve(b, s.n)))
		return;
	memcpy(b->p + b->n, s.p, s.n);
	b->n += s.n;
}

static inline void
buf_add_octet(struct buf *b, uint8_t c)
{
	buf_add(b, slice_of(&c, 1));
}

static inline void
buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, slice_text(text));
}

void buf_add_number(struct buf *b, uint64_t value);

/*
 * printf into b; format is constant.
 */
void buf_add_format(struct buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Untrusted octets for a log or a terminal: printable ASCII as it is, all
 * else, `\` included, as \xHH.
 */
void buf_add_escaped(struct buf *b, struct slice s);

/*
 * Put a NUL behind the octets (not counted in n), so that b->p is a C string.
 */
void buf_add_nul(struct buf *b);

/*
 * Texts that people read: where the cap was passed, the end gives way to a
 * mark, and b has not failed any more.
 *   mark     shorter than the cap
 */
void buf_cut(struct buf *b, const char *mark);

/*
 * The one check: 0, or the first failure (DKIM_ERR_NOMEM, DKIM_ERR_LIMIT).
 */
int buf_end(const struct buf *b) MUSTUSE;

/*
 * What was written; lives until the next append.
 */
struct slice buf_slice(const struct buf *b);

/*
 * Hand the memory over to the caller, who frees it; b is empty then.
 */
uint8_t *buf_take(struct buf *b);

#endif
