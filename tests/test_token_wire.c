/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records between a program and its token helper.
 */

/* rsa-backend */
#include "rsa-backend/token_wire.h"

/* this room */
#include "tests/test.h"

static uint8_t octets[TOKEN_WIRE_MAX];	/* 'a' throughout */
static uint8_t record[TOKEN_WIRE_MAX + 16];

static struct der
of(size_t n)
{
	return (struct der){ octets, n };
}

static int
setup(void **state)
{
	(void)state;
	memset(octets, 'a', sizeof octets);
	return 0;
}

/* One of each kind, whole. */
static const struct {
	const char	*row;
	bool		 answer;
	enum token_wire_op op;
	unsigned	 flags;
	uint32_t	 value;
	size_t		 n[TOKEN_WIRE_FIELDS];
} rows[] = {
	{ "setup", false, TOKEN_WIRE_SETUP, 0, 64,
	    { 1023, 1023, 255, 2047, 16 * 64 } },
	{ "setup, nothing", false, TOKEN_WIRE_SETUP, 0, 0, { 0 } },
	{ "connect", false, TOKEN_WIRE_CONNECT, 0, 0, { 0 } },
	{ "open", false, TOKEN_WIRE_OPEN, 1, 0, { 2048 } },
	{ "sign", false, TOKEN_WIRE_SIGN, 1, 0, { 2048, 0, 32 } },
	{ "verify", false, TOKEN_WIRE_VERIFY, 3, 0,
	    { 2048, 1088, 32, 1024 } },
	{ "import", false, TOKEN_WIRE_IMPORT, 1, 0, { 2048, 5120 } },
	{ "generate", false, TOKEN_WIRE_GENERATE, 1, 8192, { 2048 } },
	{ "inform", false, TOKEN_WIRE_INFORM, 1, 0, { 2048 } },
	{ "set up", true, TOKEN_WIRE_SETUP, 0, 0, { 0 } },
	{ "not set up", true, TOKEN_WIRE_SETUP, 0, 11, { 0, 511 } },
	{ "opened", true, TOKEN_WIRE_OPEN, 0, 0, { 1088 } },
	{ "signed", true, TOKEN_WIRE_SIGN, 0, 0, { 1024 } },
	{ "verified", true, TOKEN_WIRE_VERIFY, 0, 0, { 0 } },
	{ "imported", true, TOKEN_WIRE_IMPORT, 0, 0, { 2048 } },
	{ "generated", true, TOKEN_WIRE_GENERATE, 0, 0, { 1088 } },
	{ "informed", true, TOKEN_WIRE_INFORM, 0, 0, { TOKEN_WIRE_INFO } },
	{ "refused", true, TOKEN_WIRE_SIGN, 0, 12, { 0, 511, 64 } },
	{ "echo", false, TOKEN_WIRE_ECHO, 1, 1024, { 2048, 0, 32 } },
	{ "echoed", true, TOKEN_WIRE_ECHO, 0, 0, { 1024 } },
};

static struct token_wire
row(size_t i)
{
	struct token_wire out = {
		.answer = rows[i].answer,
		.op = rows[i].op,
		.type = i % 2 == 0 ? RSAB_RSA : RSAB_ED25519,
		.flags = rows[i].flags,
		.id = 0x0102030405060708,
		.value = rows[i].value,
	};

	for (size_t j = 0; j < TOKEN_WIRE_FIELDS; j++)
		out.field[j] = of(rows[i].n[j]);
	return out;
}

static void
print_parse_gives_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct token_wire in = row(i), out;
		size_t n, sum = TOKEN_WIRE_HEADER;

		test_int(rows[i].row, token_wire_print(&in, record, &n), 0);
		test_int(rows[i].row, token_wire_parse((struct der){ record,
		    n }, &out), 0);
		test_int(rows[i].row, out.answer, in.answer);
		test_int(rows[i].row, out.op, in.op);
		test_int(rows[i].row, out.type, in.type);
		test_int(rows[i].row, out.flags, in.flags);
		test_true(rows[i].row, out.id == in.id);
		test_int(rows[i].row, out.value, in.value);
		for (size_t j = 0; j < TOKEN_WIRE_FIELDS; j++) {
			test_octets(rows[i].row, out.field[j].p,
			    out.field[j].n, in.field[j].p, in.field[j].n);
			sum += in.field[j].n;
		}
		test_int(rows[i].row, n, sum);
	}
}

/*
 * Whatever the limits are, they are the last that goes.
 */
static void
print_one_octet_over_each_limit(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		for (size_t j = 0; j < TOKEN_WIRE_FIELDS; j++) {
			struct token_wire in = row(i);
			size_t n;

			if (rows[i].n[j] == 0 && rows[i].op ==
			    TOKEN_WIRE_SETUP)
				continue;	/* that one is not full */
			if (rows[i].answer && j == TOKEN_WIRE_DETAIL &&
			    rows[i].n[j] == 0)
				continue;	/* may stand there */
			in.field[j].n++;
			test_int(rows[i].row, token_wire_print(&in, record,
			    &n), RSAB_ERR_ARGUMENT);
		}
	}
}

static void
parse_every_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct token_wire in = row(i), out;
		size_t n;

		test_int(rows[i].row, token_wire_print(&in, record, &n), 0);
		for (size_t cut = 0; cut < n; cut++)
			test_int(rows[i].row, token_wire_parse((struct der){
			    record, cut }, &out), RSAB_ERR_ARGUMENT);
		test_int(rows[i].row, token_wire_parse((struct der){ record,
		    n + 1 }, &out), RSAB_ERR_ARGUMENT);
	}
}

/* An octet of a record changed. */
static const struct {
	const char	*row;
	size_t		 from;		/* of rows */
	size_t		 at;
	uint8_t		 octet;
} changes[] = {
	{ "magic", 4, 0, 'd' },
	{ "version", 4, 3, 2 },
	{ "neither request nor answer", 4, 4, 2 },
	{ "operation unknown", 4, 5, 9 },
	{ "echo of too many octets", 18, 19, 1 },
	{ "an answer to connect", 2, 4, 1 },
	{ "type unknown", 4, 6, 2 },
	{ "flag unknown", 4, 7, 4 },
	{ "flag of another operation", 4, 7, 2 },
	{ "flag in an answer", 12, 7, 1 },
	{ "too many sessions", 0, 19, 65 },
	{ "value where none may be", 4, 19, 1 },
	{ "error unknown", 17, 19, 17 },
	{ "error is far off", 17, 16, 0x80 },
	{ "result beside an error", 12, 19, 9 },
	{ "identity without a PIN's error", 17, 19, 11 },
	{ "URI not printable", 4, 30, '\n' },
	{ "URI not ASCII", 4, 30, 0xe4 },
	{ "refused: not hex", 0, 30 + 1023 + 1023 + 255 + 2047, 'g' },
	{ "detail not printable", 17, 30, 0x1b },
	{ "identity not hex", 17, 30 + 511, 'A' },
	{ "URI in an answer not printable", 14, 40, 0x7f },
	{ "a length longer", 4, 21, 1 },
	{ "a field where none may be", 2, 21, 1 },
};

static void
parse_what_may_not_be(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEST_COUNT(changes); i++) {
		struct token_wire in = row(changes[i].from), out;
		size_t n;

		test_int(changes[i].row, token_wire_print(&in, record, &n),
		    0);
		test_int(changes[i].row, token_wire_parse((struct der){
		    record, n }, &out), 0);
		record[changes[i].at] = changes[i].octet;
		test_int(changes[i].row, token_wire_parse((struct der){
		    record, n }, &out), RSAB_ERR_ARGUMENT);
	}
}

static void
error_of_answers(void **state)
{
	struct token_wire answer = { .value = 0 };

	(void)state;
	test_int("none", token_wire_error(&answer), RSAB_OK);
	answer.value = 17;
	test_int("last", token_wire_error(&answer), RSAB_ERR_TOKEN_NAME);
	answer.value = 18;
	test_int("behind it", token_wire_error(&answer), RSAB_ERR_BACKEND);
	answer.value = UINT32_MAX;
	test_int("far off", token_wire_error(&answer), RSAB_ERR_BACKEND);
}

static void
info_round_trip(void **state)
{
	struct rsab_token_info in = {
		.label = "mail", .manufacturer = "", .model = "m",
		.serial = "0123456789abcdef", .sessions_max = 7,
		.signs_rsa = true, .needs_login = true,
		.rsa_bits_min = 1024, .rsa_bits_max = 4096,
	}, out;

	(void)state;
	memset(in.label, 'x', 32);
	token_wire_put_info(&in, record);
	test_int("read", token_wire_get_info((struct der){ record,
	    TOKEN_WIRE_INFO }, &out), 0);
	test_str("label", out.label, in.label);
	test_str("manufacturer", out.manufacturer, "");
	test_str("model", out.model, "m");
	test_str("serial", out.serial, in.serial);
	test_int("sessions", out.sessions_max, 7);
	test_true("flags", out.signs_rsa && !out.signs_ed25519 &&
	    out.needs_login && !out.pin_locked);
	test_int("least", out.rsa_bits_min, 1024);
	test_int("most", out.rsa_bits_max, 4096);
}

static void
info_that_may_not_be(void **state)
{
	static const struct { const char *row; size_t at; uint8_t octet; }
	    bad[] = {
		{ "label without an end", 32, 'x' },
		{ "label not printable", 0, 7 },
		{ "more behind the label's end", 10, 'x' },
		{ "serial without an end", 99, 'x' },
		{ "flags unknown", 103, 16 },
	};
	struct rsab_token_info in = { .label = "mail" }, out;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(bad); i++) {
		memset(in.label, 0, sizeof in.label);
		memset(in.serial, 0, sizeof in.serial);
		memset(in.label, 'x', i == 0 ? 32 : 4);
		memset(in.serial, 'x', i == 3 ? 16 : 4);
		token_wire_put_info(&in, record);
		record[bad[i].at] = bad[i].octet;
		test_int(bad[i].row, token_wire_get_info((struct der){ record,
		    TOKEN_WIRE_INFO }, &out), RSAB_ERR_ARGUMENT);
	}
	test_int("short", token_wire_get_info((struct der){ record,
	    TOKEN_WIRE_INFO - 1 }, &out), RSAB_ERR_ARGUMENT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(print_parse_gives_the_same),
		cmocka_unit_test(print_one_octet_over_each_limit),
		cmocka_unit_test(parse_every_length),
		cmocka_unit_test(parse_what_may_not_be),
		cmocka_unit_test(error_of_answers),
		cmocka_unit_test(info_round_trip),
		cmocka_unit_test(info_that_may_not_be),
	};

	return cmocka_run_group_tests(tests, setup, NULL) != 0;
}
