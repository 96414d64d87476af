/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Milter packets, both ends; see wire.h.
 */

/* this room */
#include "wire.h"

/*
 * A reader over one packet's data: every step says whether it was there.
 */
static bool
take_octet(struct slice *in, uint8_t *out)
{
	if (in->n < 1)
		return false;
	*out = in->p[0];
	*in = slice_from(*in, 1);
	return true;
}

static bool
take_u32(struct slice *in, uint32_t *out)
{
	if (in->n < 4)
		return false;
	*out = (uint32_t)in->p[0] << 24 | (uint32_t)in->p[1] << 16 |
	    (uint32_t)in->p[2] << 8 | in->p[3];
	*in = slice_from(*in, 4);
	return true;
}

static bool
take_u16(struct slice *in, uint16_t *out)
{
	if (in->n < 2)
		return false;
	*out = (uint16_t)(in->p[0] << 8 | in->p[1]);
	*in = slice_from(*in, 2);
	return true;
}

/*
 * Text up to its NUL, which must be there.
 */
static bool
take_text(struct slice *in, struct slice *out)
{
	size_t end = slice_find(*in, 0);

	if (end == in->n)
		return false;
	*out = slice_sub(*in, 0, end);
	*in = slice_from(*in, end + 1);
	return true;
}

bool
wire_next(struct slice *in, struct wire_packet *out, int *error)
{
	struct slice at = *in;
	uint32_t length;

	*error = DKIM_OK;
	if (!take_u32(&at, &length))
		return false;
	/* the length counts the command, so it is one at least */
	if (length == 0) {
		*error = DKIM_ERR_SYNTAX;
		return false;
	}
	if (length > WIRE_DATA_MAX + 1) {
		*error = DKIM_ERR_LIMIT;
		return false;
	}
	if (at.n < length)
		return false;
	out->kind = at.p[0];
	out->data = slice_sub(at, 1, length - 1);
	*in = slice_from(at, length);
	return true;
}

static int
parse_optneg(struct slice in, bool symlists, struct wire_optneg *out)
{
	uint32_t stage;
	struct slice list;

	if (!take_u32(&in, &out->version) || !take_u32(&in, &out->actions) ||
	    !take_u32(&in, &out->steps))
		return DKIM_ERR_SYNTAX;
	/* a filter may name the macros that it wants, stage by stage */
	while (symlists && in.n > 0)
		if (!take_u32(&in, &stage) || !take_text(&in, &list))
			return DKIM_ERR_SYNTAX;
	return in.n == 0 ? DKIM_OK : DKIM_ERR_SYNTAX;
}

static int
parse_macros(struct slice in, struct wire_command *out)
{
	struct wire_pair pair;

	if (!take_octet(&in, &out->stage))
		return DKIM_ERR_SYNTAX;
	for (out->n = 0; in.n > 0; out->n++) {
		if (!take_text(&in, &pair.name) || !take_text(&in, &pair.value))
			return DKIM_ERR_SYNTAX;
		if (out->n == WIRE_MACROS_MAX)
			return DKIM_ERR_LIMIT;
		out->macros[out->n] = pair;
	}
	return DKIM_OK;
}

static int
parse_connect(struct slice in, struct wire_command *out)
{
	out->text[1] = slice_of(NULL, 0);
	out->n = 1;
	out->port = 0;
	if (!take_text(&in, &out->text[0]) || !take_octet(&in, &out->family))
		return DKIM_ERR_SYNTAX;
	switch (out->family) {
	case WIRE_FAMILY_UNKNOWN:
		break;
	case WIRE_FAMILY_UNIX:
	case WIRE_FAMILY_INET:
	case WIRE_FAMILY_INET6:
		if (!take_u16(&in, &out->port) ||
		    !take_text(&in, &out->text[1]))
			return DKIM_ERR_SYNTAX;
		out->n = 2;
		break;
	default:
		return DKIM_ERR_SYNTAX;
	}
	return in.n == 0 ? DKIM_OK : DKIM_ERR_SYNTAX;
}

/*
 * Between least and most texts, nothing behind them.
 */
static int
parse_texts(struct slice in, size_t least, size_t most,
    struct wire_command *out)
{
	struct slice text;

	for (out->n = 0; in.n > 0; out->n++) {
		if (!take_text(&in, &text))
			return DKIM_ERR_SYNTAX;
		if (out->n == most)
			return most == WIRE_ARGS_MAX ? DKIM_ERR_LIMIT :
			    DKIM_ERR_SYNTAX;
		out->text[out->n] = text;
	}
	return out->n >= least ? DKIM_OK : DKIM_ERR_SYNTAX;
}

int
wire_parse_command(struct wire_packet packet, struct wire_command *out)
{
	out->kind = (enum wire_command_kind)packet.kind;
	out->n = 0;
	switch (packet.kind) {
	case WIRE_OPTNEG:
		return parse_optneg(packet.data, false, &out->optneg);
	case WIRE_MACRO:
		return parse_macros(packet.data, out);
	case WIRE_CONNECT:
		return parse_connect(packet.data, out);
	case WIRE_HELO:
	case WIRE_UNKNOWN:
		return parse_texts(packet.data, 1, 1, out);
	case WIRE_MAIL:
	case WIRE_RCPT:
		return parse_texts(packet.data, 1, WIRE_ARGS_MAX, out);
	case WIRE_HEADER:
		return parse_texts(packet.data, 2, 2, out);
	case WIRE_BODY:
	case WIRE_BODYEOB:
		out->body = packet.data;
		return DKIM_OK;
	case WIRE_DATA:
	case WIRE_EOH:
	case WIRE_ABORT:
	case WIRE_QUIT:
	case WIRE_QUIT_NC:
		return packet.data.n == 0 ? DKIM_OK : DKIM_ERR_SYNTAX;
	default:
		return DKIM_ERR_SYNTAX;
	}
}

static int
parse_field(struct slice in, bool indexed, struct wire_reply *out)
{
	if (indexed && !take_u32(&in, &out->index))
		return DKIM_ERR_SYNTAX;
	if (!take_text(&in, &out->name) || !take_text(&in, &out->value))
		return DKIM_ERR_SYNTAX;
	return in.n == 0 ? DKIM_OK : DKIM_ERR_SYNTAX;
}

int
wire_parse_reply(struct wire_packet packet, struct wire_reply *out)
{
	struct slice in = packet.data;

	memset(out, 0, sizeof(*out));
	out->kind = (enum wire_reply_kind)packet.kind;
	switch (packet.kind) {
	case WIRE_REPLY_OPTNEG:
		return parse_optneg(in, true, &out->optneg);
	case WIRE_CONTINUE:
	case WIRE_ACCEPT:
	case WIRE_REJECT:
	case WIRE_DISCARD:
	case WIRE_TEMPFAIL:
	case WIRE_SKIP:
	case WIRE_PROGRESS:
	case WIRE_CONN_FAIL:
	case WIRE_SHUTDOWN:
		return in.n == 0 ? DKIM_OK : DKIM_ERR_SYNTAX;
	case WIRE_ADDHEADER:
		return parse_field(in, false, out);
	case WIRE_INSHEADER:
	case WIRE_CHGHEADER:
		return parse_field(in, true, out);
	case WIRE_REPLBODY:
		out->value = in;
		return DKIM_OK;
	case WIRE_CHGFROM:
		/* ESMTP arguments may follow the address */
		if (!take_text(&in, &out->value))
			return DKIM_ERR_SYNTAX;
		return in.n == 0 || take_text(&in, &out->name) ?
		    DKIM_OK : DKIM_ERR_SYNTAX;
	case WIRE_REPLYCODE:
	case WIRE_ADDRCPT:
	case WIRE_DELRCPT:
	case WIRE_QUARANTINE:
		if (!take_text(&in, &out->value) || in.n != 0)
			return DKIM_ERR_SYNTAX;
		return DKIM_OK;
	default:
		return DKIM_ERR_SYNTAX;
	}
}

static void
put_u32(uint32_t value, struct buf *out)
{
	buf_add_octet(out, (uint8_t)(value >> 24));
	buf_add_octet(out, (uint8_t)(value >> 16));
	buf_add_octet(out, (uint8_t)(value >> 8));
	buf_add_octet(out, (uint8_t)value);
}

/*
 * Length and command; the n octets of data follow.
 */
static void
put_head(uint8_t kind, size_t n, struct buf *out)
{
	if (n > WIRE_DATA_MAX && out->error == 0)
		out->error = DKIM_ERR_LIMIT;
	put_u32((uint32_t)(n + 1), out);
	buf_add_octet(out, kind);
}

static void
put_text(struct slice text, struct buf *out)
{
	/* a NUL inside would end the text early at the other end */
	if (slice_find(text, 0) != text.n && out->error == 0)
		out->error = DKIM_ERR_SYNTAX;
	buf_add(out, text);
	buf_add_octet(out, 0);
}

void
wire_put(uint8_t kind, struct slice data, struct buf *out)
{
	put_head(kind, data.n, out);
	buf_add(out, data);
}

static void
put_terms(struct wire_optneg optneg, struct buf *out)
{
	put_u32(optneg.version, out);
	put_u32(optneg.actions, out);
	put_u32(optneg.steps, out);
}

void
wire_put_optneg(uint8_t kind, struct wire_optneg optneg, struct buf *out)
{
	put_head(kind, 12, out);
	put_terms(optneg, out);
}

void
wire_put_lists(struct wire_optneg optneg, const struct wire_list *lists,
    size_t n, struct buf *out)
{
	size_t i, size = 12;

	for (i = 0; i < n; i++)
		size += 4 + lists[i].names.n + 1;
	put_head(WIRE_REPLY_OPTNEG, size, out);
	put_terms(optneg, out);
	for (i = 0; i < n; i++) {
		put_u32((uint32_t)lists[i].stage, out);
		put_text(lists[i].names, out);
	}
}

void
wire_put_macros(uint8_t stage, const struct wire_pair *macros, size_t n,
    struct buf *out)
{
	size_t i, size = 1;

	for (i = 0; i < n; i++)
		size += macros[i].name.n + macros[i].value.n + 2;
	put_head(WIRE_MACRO, size, out);
	buf_add_octet(out, stage);
	for (i = 0; i < n; i++) {
		put_text(macros[i].name, out);
		put_text(macros[i].value, out);
	}
}

void
wire_put_connect(struct slice host, uint8_t family, uint16_t port,
    struct slice address, struct buf *out)
{
	bool addressed = family != WIRE_FAMILY_UNKNOWN;

	put_head(WIRE_CONNECT, host.n + 2 + (addressed ? address.n + 3 : 0),
	    out);
	put_text(host, out);
	buf_add_octet(out, family);
	if (!addressed)
		return;
	buf_add_octet(out, (uint8_t)(port >> 8));
	buf_add_octet(out, (uint8_t)port);
	put_text(address, out);
}

void
wire_put_texts(uint8_t kind, const struct slice *texts, size_t n,
    struct buf *out)
{
	size_t i, size = 0;

	for (i = 0; i < n; i++)
		size += texts[i].n + 1;
	put_head(kind, size, out);
	for (i = 0; i < n; i++)
		put_text(texts[i], out);
}

void
wire_put_field(uint8_t kind, uint32_t index, struct slice name,
    struct slice value, struct buf *out)
{
	put_head(kind, 4 + name.n + value.n + 2, out);
	put_u32(index, out);
	put_text(name, out);
	put_text(value, out);
}
