/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Milter packets. The octets of the rows are written by hand from the protocol
 * as libmilter (mfdef.h) and Postfix (milter8.c) speak it.
 */

/* this room */
#include "tests/test.h"

/* the module */
#include "milter/wire.h"

static struct wire_packet
packet_of(uint8_t kind, const uint8_t *p, size_t n)
{
	return (struct wire_packet){ kind, slice_of(p, n) };
}

/*
 * Two packets behind each other, cut anywhere: none is seen before it is
 * whole, and the octets behind it stay.
 */
static void
wire_next_every_cut(void **state)
{
	static const uint8_t stream[] = "\0\0\0\x07Lab\0c\0" "x"
	    "\0\0\0\x01N";
	struct wire_packet packet;
	struct slice in;
	size_t cut, seen;
	int error;

	(void)state;
	for (cut = 0; cut < sizeof(stream); cut++) {
		in = slice_of(stream, cut);
		for (seen = 0; wire_next(&in, &packet, &error); seen++) {
			test_int("kind", packet.kind, seen == 0 ? 'L' : 'N');
			test_int("octets", packet.data.n, seen == 0 ? 6 : 0);
		}
		test_int("error", error, 0);
		test_int("packets", seen, cut < 11 ? 0 : cut < 16 ? 1 : 2);
		test_int("left", in.n, cut < 11 ? cut :
		    cut < 16 ? cut - 11 : 0);
	}
}

static void
wire_next_length_lies(void **state)
{
	static const struct {
		const char	*name;
		const uint8_t	*p;
		size_t		 n;
		int		 error;
	} rows[] = {
		{ "length 0", TEST_OCTETS("\0\0\0\0N"), DKIM_ERR_SYNTAX },
		{ "length 65536, the most", TEST_OCTETS("\0\1\0\0B"), 0 },
		{ "length 65537", TEST_OCTETS("\0\1\0\1B"), DKIM_ERR_LIMIT },
		{ "length 2^32 - 1", TEST_OCTETS("\xff\xff\xff\xff" "B"),
		    DKIM_ERR_LIMIT },
	};
	struct wire_packet packet;
	size_t i;
	int error;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		struct slice in = slice_of(rows[i].p, rows[i].n);

		test_true(rows[i].name, !wire_next(&in, &packet, &error));
		test_int(rows[i].name, error, rows[i].error);
		test_int(rows[i].name, in.n, rows[i].n);
	}
}

/*
 * PROBLEMS 54: strings that lack their NUL, lengths that lie, unknown commands.
 */
static void
wire_parse_command_hostile(void **state)
{
	static const struct {
		const char	*name;
		uint8_t		 kind;
		const uint8_t	*p;
		size_t		 n;
		int		 error;
	} rows[] = {
		{ "header", 'L', TEST_OCTETS("To\0 a@b\0"), 0 },
		{ "header, empty value", 'L', TEST_OCTETS("To\0\0"), 0 },
		{ "header, no last NUL", 'L', TEST_OCTETS("To\0 a@b"),
		    DKIM_ERR_SYNTAX },
		{ "header, name only", 'L', TEST_OCTETS("To\0"),
		    DKIM_ERR_SYNTAX },
		{ "header, nothing", 'L', TEST_OCTETS(""), DKIM_ERR_SYNTAX },
		{ "header, left-over", 'L', TEST_OCTETS("To\0a\0b\0"),
		    DKIM_ERR_SYNTAX },
		{ "connect inet", 'C',
		    TEST_OCTETS("h\0" "4\x01\x02" "1.2.3.4\0"), 0 },
		{ "connect unknown", 'C', TEST_OCTETS("h\0U"), 0 },
		{ "connect unknown, left-over", 'C', TEST_OCTETS("h\0Ux"),
		    DKIM_ERR_SYNTAX },
		{ "connect, no family", 'C', TEST_OCTETS("h\0"),
		    DKIM_ERR_SYNTAX },
		{ "connect, cut port", 'C', TEST_OCTETS("h\0" "4\x01"),
		    DKIM_ERR_SYNTAX },
		{ "connect, address without NUL", 'C',
		    TEST_OCTETS("h\0" "4\x01\x02" "1.2"), DKIM_ERR_SYNTAX },
		{ "connect, other family", 'C', TEST_OCTETS("h\0X\0\0a\0"),
		    DKIM_ERR_SYNTAX },
		{ "macros", 'D', TEST_OCTETS("Mi\0Q1\0j\0h\0"), 0 },
		{ "macros, none", 'D', TEST_OCTETS("M"), 0 },
		{ "macros, no stage", 'D', TEST_OCTETS(""), DKIM_ERR_SYNTAX },
		{ "macros, odd", 'D', TEST_OCTETS("Mi\0"), DKIM_ERR_SYNTAX },
		{ "optneg", 'O', TEST_OCTETS("\0\0\0\6\0\0\1\xff\0\0\0\0"), 0 },
		{ "optneg, short", 'O', TEST_OCTETS("\0\0\0\6\0\0\1\xff\0\0\0"),
		    DKIM_ERR_SYNTAX },
		{ "optneg, long", 'O',
		    TEST_OCTETS("\0\0\0\6\0\0\1\xff\0\0\0\0\0"),
		    DKIM_ERR_SYNTAX },
		{ "mail", 'M', TEST_OCTETS("<a@b>\0SIZE=1\0"), 0 },
		{ "mail, empty", 'M', TEST_OCTETS(""), DKIM_ERR_SYNTAX },
		{ "helo, two", 'H', TEST_OCTETS("a\0b\0"), DKIM_ERR_SYNTAX },
		{ "end of header, left-over", 'N', TEST_OCTETS("x"),
		    DKIM_ERR_SYNTAX },
		{ "body, any octets", 'B', TEST_OCTETS("\0\xff"), 0 },
		{ "unknown command", 'Z', TEST_OCTETS(""), DKIM_ERR_SYNTAX },
		{ "command 0", 0, TEST_OCTETS(""), DKIM_ERR_SYNTAX },
	};
	struct wire_command command;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].name, wire_parse_command(packet_of(
		    rows[i].kind, rows[i].p, rows[i].n), &command),
		    rows[i].error);
}

static void
wire_parse_command_values(void **state)
{
	struct wire_command c;

	(void)state;
	test_int("connect", wire_parse_command(packet_of('C',
	    TEST_OCTETS("host\0" "6\x12\x34" "::1\0")), &c), 0);
	test_octets("host", c.text[0].p, c.text[0].n, "host", 4);
	test_int("family", c.family, '6');
	test_int("port", c.port, 0x1234);
	test_octets("address", c.text[1].p, c.text[1].n, "::1", 3);

	test_int("macros", wire_parse_command(packet_of('D',
	    TEST_OCTETS("Mi\0Q1\0{auth_type}\0PLAIN\0")), &c), 0);
	test_int("stage", c.stage, 'M');
	test_int("macros", c.n, 2);
	test_octets("name", c.macros[1].name.p, c.macros[1].name.n,
	    "{auth_type}", 11);
	test_octets("value", c.macros[1].value.p, c.macros[1].value.n,
	    "PLAIN", 5);
}

/*
 * Counts at their limits: 64 macros, as many arguments as a line of SMTP can
 * have, not one more.
 */
static void
wire_parse_command_limits(void **state)
{
	uint8_t data[1 + 2 * (WIRE_ARGS_MAX + 1)];
	struct wire_command c;
	size_t i;

	(void)state;
	data[0] = 'M';
	for (i = 1; i < sizeof(data); i += 2) {
		data[i] = 'n';
		data[i + 1] = 0;
	}
	test_int("64 macros", wire_parse_command(packet_of('D', data,
	    1 + 4 * WIRE_MACROS_MAX), &c), 0);
	test_int("64 macros", c.n, WIRE_MACROS_MAX);
	test_int("65 macros", wire_parse_command(packet_of('D', data,
	    1 + 4 * (WIRE_MACROS_MAX + 1)), &c), DKIM_ERR_LIMIT);
	test_int("1024 arguments", wire_parse_command(packet_of('M', data + 1,
	    2 * WIRE_ARGS_MAX), &c), 0);
	test_int("1025 arguments", wire_parse_command(packet_of('M', data + 1,
	    2 * (WIRE_ARGS_MAX + 1)), &c), DKIM_ERR_LIMIT);
}

static void
wire_parse_reply_rows(void **state)
{
	static const struct {
		const char	*name;
		uint8_t		 kind;
		const uint8_t	*p;
		size_t		 n;
		int		 error;
		uint32_t	 index;
		const char	*field, *value;
	} rows[] = {
		{ "continue", 'c', TEST_OCTETS(""), 0, 0, "", "" },
		{ "continue, left-over", 'c', TEST_OCTETS("x"),
		    DKIM_ERR_SYNTAX, 0, "", "" },
		{ "reply code", 'y', TEST_OCTETS("550 5.7.20 no\0"), 0, 0, "",
		    "550 5.7.20 no" },
		{ "reply code, no NUL", 'y', TEST_OCTETS("550"),
		    DKIM_ERR_SYNTAX, 0, "", "" },
		{ "insert", 'i', TEST_OCTETS("\0\0\0\2A\0 b\n\tc\0"), 0, 2, "A",
		    " b\n\tc" },
		{ "insert, no index", 'i', TEST_OCTETS("\0\0\0"),
		    DKIM_ERR_SYNTAX, 0, "", "" },
		{ "change to nothing", 'm', TEST_OCTETS("\0\0\0\1A\0\0"), 0, 1,
		    "A", "" },
		{ "add", 'h', TEST_OCTETS("A\0b\0"), 0, 0, "A", "b" },
		{ "quarantine", 'q', TEST_OCTETS("why\0"), 0, 0, "", "why" },
		{ "optneg with lists", 'O', TEST_OCTETS("\0\0\0\6\0\0\0\x11"
		    "\0\0\0\x0b\0\0\0\2i j\0\0\0\0\5i\0"), 0, 0, "", "" },
		{ "optneg, list without NUL", 'O', TEST_OCTETS("\0\0\0\6"
		    "\0\0\0\x11\0\0\0\x0b\0\0\0\2i j"), DKIM_ERR_SYNTAX, 0, "",
		    "" },
		{ "unknown", 'Z', TEST_OCTETS(""), DKIM_ERR_SYNTAX, 0, "", "" },
	};
	struct wire_reply r;
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, wire_parse_reply(packet_of(rows[i].kind,
		    rows[i].p, rows[i].n), &r), rows[i].error);
		if (rows[i].error != 0)
			continue;
		test_int(rows[i].name, r.index, rows[i].index);
		test_octets(rows[i].name, r.name.p, r.name.n, rows[i].field,
		    strlen(rows[i].field));
		test_octets(rows[i].name, r.value.p, r.value.n, rows[i].value,
		    strlen(rows[i].value));
	}
}

static void
wire_put_octets(void **state)
{
	static const char want[] =
	    "\0\0\0\x0dO\0\0\0\6\0\0\1\xff\0\x1f\xff\xff"
	    "\0\0\0\7DMi\0Q1\0"
	    "\0\0\0\x0e" "Ch\0" "4\0\x19" "1.2.3.4\0"
	    "\0\0\0\4Ch\0U"
	    "\0\0\0\7LTo\0 a\0"
	    "\0\0\0\x0ai\0\0\0\1A\0 b\0"
	    "\0\0\0\3B\0x";
	struct wire_pair macro = { slice_text("i"), slice_text("Q1") };
	struct slice texts[2] = { slice_text("To"), slice_text(" a") };
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	wire_put_optneg('O', (struct wire_optneg){ 6, 0x1ff, 0x1fffff }, &b);
	wire_put_macros('M', &macro, 1, &b);
	wire_put_connect(slice_text("h"), '4', 25, slice_text("1.2.3.4"), &b);
	wire_put_connect(slice_text("h"), 'U', 0, slice_text(""), &b);
	wire_put_texts('L', texts, 2, &b);
	wire_put_field('i', 1, slice_text("A"), slice_text(" b"), &b);
	wire_put('B', slice_of("\0x", 2), &b);
	test_int("end", buf_end(&b), 0);
	test_octets("all", b.p, b.n, want, sizeof(want) - 1);
	buf_clear(&b);
}

static void
wire_put_refuses(void **state)
{
	static uint8_t data[WIRE_DATA_MAX + 1];
	struct slice nul = slice_of("a\0b", 3);
	struct buf b;

	(void)state;
	buf_init(&b, 1 << 20);
	wire_put('B', slice_of(data, WIRE_DATA_MAX), &b);
	test_int("65535 octets", buf_end(&b), 0);
	wire_put('B', slice_of(data, WIRE_DATA_MAX + 1), &b);
	test_int("65536 octets", buf_end(&b), DKIM_ERR_LIMIT);
	buf_reset(&b);
	wire_put_texts('L', &nul, 1, &b);
	test_int("a NUL inside", buf_end(&b), DKIM_ERR_SYNTAX);
	buf_clear(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wire_next_every_cut),
		cmocka_unit_test(wire_next_length_lies),
		cmocka_unit_test(wire_parse_command_hostile),
		cmocka_unit_test(wire_parse_command_values),
		cmocka_unit_test(wire_parse_command_limits),
		cmocka_unit_test(wire_parse_reply_rows),
		cmocka_unit_test(wire_put_octets),
		cmocka_unit_test(wire_put_refuses),
	};

	return TEST_RUN(tests);
}
