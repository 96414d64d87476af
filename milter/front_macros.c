/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Macros of an MTA by stage.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "front_macros.h"

/* In the order in which they come; MAIL is the first of a message. */
static const uint8_t stages[FRONT_MACROS_STAGES] = { WIRE_CONNECT, WIRE_HELO,
    WIRE_MAIL, WIRE_RCPT, WIRE_DATA, WIRE_EOH, WIRE_BODYEOB };
#define FIRST_OF_MESSAGE	2

/*
 * What is kept, which is never above FRONT_MACROS_MAX.
 */
static size_t
octets(const struct front_macros *m)
{
	size_t n = 0;

	for (size_t i = 0; i < FRONT_MACROS_STAGES; i++)
		n += m->stage[i].n;
	return n;
}

static void
forget(struct front_macros *m, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		free(m->stage[i].p);
		m->stage[i].p = NULL;
		m->stage[i].n = 0;
	}
}

void
front_macros_message_end(struct front_macros *m)
{
	forget(m, FIRST_OF_MESSAGE, FRONT_MACROS_STAGES);
}

void
front_macros_clear(struct front_macros *m)
{
	forget(m, 0, FRONT_MACROS_STAGES);
}

int
front_macros_put(struct front_macros *m, struct slice data)
{
	size_t i = 0;

	while (i < FRONT_MACROS_STAGES && (data.n == 0 ||
	    stages[i] != data.p[0]))
		i++;
	if (i == FRONT_MACROS_STAGES)
		return 0;
	forget(m, i, i + 1);
	if (data.n > FRONT_MACROS_MAX - octets(m))
		return DKIM_ERR_LIMIT;
	m->stage[i].p = malloc(data.n);
	if (m->stage[i].p == NULL)
		return DKIM_ERR_NOMEM;
	memcpy(m->stage[i].p, data.p, data.n);
	m->stage[i].n = data.n;
	return 0;
}

/*
 * Names and values of a stage, each with its NUL: wire_parse_command has seen
 * that they are whole.
 */
static const char *
find(struct slice in, const char *name)
{
	struct slice key;
	size_t end;

	while (in.n > 0) {
		end = slice_find(in, 0);
		key = slice_sub(in, 0, end);
		in = slice_from(in, end + 1);
		if (slice_is(key, name))
			return (const char *)in.p;
		in = slice_from(in, slice_find(in, 0) + 1);
	}
	return NULL;
}

const char *
front_macros_get(const struct front_macros *m, const char *name)
{
	const char *value = NULL;

	for (size_t i = FRONT_MACROS_STAGES; i-- > 0 && value == NULL;)
		if (m->stage[i].n > 1)
			value = find(slice_from(slice_of(m->stage[i].p,
			    m->stage[i].n), 1), name);
	return value;
}
