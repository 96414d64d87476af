/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the milter packets with a stream of them, read as the filter does and
 * as the MTA does; what is taken apart and written anew is the same packet.
 */

/* this room */
#include "milter/wire.h"
#include "tests/fuzz/fuzz.h"

static void
put_command(const struct wire_command *c, struct buf *out)
{
	switch (c->kind) {
	case WIRE_OPTNEG:
		wire_put_optneg(WIRE_OPTNEG, c->optneg, out);
		break;
	case WIRE_MACRO:
		wire_put_macros(c->stage, c->macros, c->n, out);
		break;
	case WIRE_CONNECT:
		wire_put_connect(c->text[0], c->family, c->port, c->text[1],
		    out);
		break;
	case WIRE_HELO: case WIRE_UNKNOWN: case WIRE_MAIL: case WIRE_RCPT:
	case WIRE_HEADER:
		wire_put_texts((uint8_t)c->kind, c->text, c->n, out);
		break;
	case WIRE_BODY: case WIRE_BODYEOB:
		wire_put((uint8_t)c->kind, c->body, out);
		break;
	case WIRE_DATA: case WIRE_EOH: case WIRE_ABORT: case WIRE_QUIT:
	case WIRE_QUIT_NC:
		wire_put((uint8_t)c->kind, slice_of(NULL, 0), out);
		break;
	}
}

/*
 * False: a kind that may hold more than its struct keeps.
 */
static bool
put_reply(const struct wire_reply *r, struct buf *out)
{
	switch (r->kind) {
	case WIRE_REPLY_OPTNEG: case WIRE_CHGFROM:
		return false;
	case WIRE_ADDHEADER:
		wire_put_texts(WIRE_ADDHEADER, (struct slice[]){ r->name,
		    r->value }, 2, out);
		break;
	case WIRE_INSHEADER: case WIRE_CHGHEADER:
		wire_put_field((uint8_t)r->kind, r->index, r->name, r->value,
		    out);
		break;
	case WIRE_REPLBODY:
		wire_put(WIRE_REPLBODY, r->value, out);
		break;
	case WIRE_REPLYCODE: case WIRE_ADDRCPT: case WIRE_DELRCPT:
	case WIRE_QUARANTINE:
		wire_put_texts((uint8_t)r->kind, &r->value, 1, out);
		break;
	default:
		wire_put((uint8_t)r->kind, slice_of(NULL, 0), out);
		break;
	}
	return true;
}

static void
check(struct buf *b, struct slice packet)
{
	FUZZ_WANT(buf_end(b) == 0);
	FUZZ_WANT(slice_equal(buf_slice(b), packet));
	buf_reset(b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct slice in = slice_of(p, n), before = in;
	struct wire_packet packet;
	struct wire_command command;
	struct wire_reply reply;
	struct buf b;
	int error;

	buf_init(&b, WIRE_PACKET_MAX);
	while (wire_next(&in, &packet, &error)) {
		struct slice whole = slice_sub(before, 0, before.n - in.n);

		FUZZ_WANT(fuzz_inside(packet.data, whole));
		FUZZ_WANT(packet.data.n + 5 == whole.n);
		if (wire_parse_command(packet, &command) == 0) {
			put_command(&command, &b);
			check(&b, whole);
		}
		if (wire_parse_reply(packet, &reply) == 0 &&
		    put_reply(&reply, &b))
			check(&b, whole);
		before = in;
	}
	FUZZ_WANT(slice_equal(in, before));
	buf_clear(&b);
	return 0;
}
