/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys in a token: which one a URI names, its public half, its login, its
 * mechanisms. The module is the fake one.
 */

/* this room */
#include "tests/token/made.h"

static void
open_reads_public_half(void **state)
{
	(void)state;
	made_works("RSA, from the private key", MADE_KEY);
	made_object("key ed 02", "ed25519.pem");
	made_works("Ed25519, octet string", "pkcs11:token=mail;object=ed");
	made_do("point raw");
	made_works("Ed25519, raw", "pkcs11:token=mail;object=ed");
	made_do("point bits");
	made_works("Ed25519, bit string", "pkcs11:token=mail;object=ed");
}

static void
open_public_half_elsewhere(void **state)
{
	(void)state;
	made_do("bare");
	test_int("nowhere", made_op(TOKEN_WIRE_OPEN, MADE_KEY), RSAB_ERR_KEY);
	made_says("store one of them");
	made_object("public other 01", "rsa1024.pem");
	made_works("public key with the same id", MADE_KEY);
	made_object("key ed -", "ed25519.pem");
	made_object("public ed -", "ed25519.pem");
	made_works("no id: the same label", "pkcs11:token=mail;object=ed");
}

static void
open_public_half_in_certificate(void **state)
{
	char line[4096];

	(void)state;
	made_do("bare");
	snprintf(line, sizeof line, "certificate c 01 "
	    "%s/vectors/token/rsa1024.crt", TESTS_SRCDIR);
	made_do(line);
	made_works("certificate with the same id", MADE_KEY);
	snprintf(line, sizeof line, "certificate c 02 "
	    "%s/vectors/token/ed25519.crt", TESTS_SRCDIR);
	made_do(line);
	made_object("key ed 02", "ed25519.pem");
	made_works("Ed25519", "pkcs11:token=mail;object=ed");
	made_object("certificate c 03", "rsa1024.pem");
	made_object("key third 03", "rsa2048.pem");
	test_int("a certificate that is none", made_op(TOKEN_WIRE_OPEN,
	    "pkcs11:token=mail;object=third"), RSAB_ERR_KEY);
}

static void
open_which_key(void **state)
{
	static const struct { const char *row, *uri; int want; } rows[] = {
		{ "label", "pkcs11:token=mail;object=sel", 0 },
		{ "id", "pkcs11:token=mail;id=%01", 0 },
		{ "both", "pkcs11:token=mail;object=sel;id=%01", 0 },
		{ "type", "pkcs11:token=mail;object=sel;type=private", 0 },
		{ "no token named", "pkcs11:object=sel", 0 },
		{ "serial", "pkcs11:serial=0001;object=sel", 0 },
		{ "model", "pkcs11:model=fake;object=sel", 0 },
		{ "slot-id is not looked at",
		    "pkcs11:token=mail;slot-id=99;object=sel", 0 },
		{ "slot-id alone", "pkcs11:slot-id=17;object=sel",
		    RSAB_ERR_URI },
		{ "type public", "pkcs11:token=mail;object=sel;type=public",
		    RSAB_ERR_URI },
		{ "no object", "pkcs11:token=mail", RSAB_ERR_URI },
		{ "none of that label", "pkcs11:token=mail;object=x",
		    RSAB_ERR_TOKEN_KEY },
		{ "none of that id", "pkcs11:token=mail;id=%02",
		    RSAB_ERR_TOKEN_KEY },
		{ "not both", "pkcs11:token=mail;object=sel;id=%02",
		    RSAB_ERR_TOKEN_KEY },
		{ "two of one label", "pkcs11:token=mail;object=two",
		    RSAB_ERR_TOKEN_KEYS },
		{ "one of the two", "pkcs11:token=mail;object=two;id=%04", 0 },
		{ "neither RSA nor Ed25519", "pkcs11:token=mail;object=ec",
		    RSAB_ERR_KEY_TYPE },
		{ "no token of that label", "pkcs11:token=x;object=sel",
		    RSAB_ERR_TOKEN },
		{ "no token of that serial", "pkcs11:serial=2;object=sel",
		    RSAB_ERR_TOKEN },
		{ "module-path", "pkcs11:object=sel?module-path=/x",
		    RSAB_ERR_URI },
		{ "pin-value", "pkcs11:object=sel?pin-value=1234",
		    RSAB_ERR_URI },
		{ "command", "pkcs11:object=sel?pin-source=%7Ccat",
		    RSAB_ERR_URI },
		{ "other library",
		    "pkcs11:library-description=x;object=sel",
		    RSAB_ERR_TOKEN },
	};

	(void)state;
	made_object("key two 03", "rsa1024.pem");
	made_object("key two 04", "rsa2048.pem");
	made_object("key ec 05", "ec.pem");
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].row, made_op(TOKEN_WIRE_OPEN, rows[i].uri),
		    rows[i].want);
		test_true(rows[i].row, (rows[i].want == 0) ==
		    (made.detail.text[0] == '\0'));
	}
}

static void
open_which_token(void **state)
{
	(void)state;
	made_do("token mail 0002");
	test_int("two of one label", made_op(TOKEN_WIRE_OPEN, MADE_KEY),
	    RSAB_ERR_TOKEN_KEYS);
	made_says("serial=");
	made_object("key sel 01", "rsa2048.pem");
	made_works("the first", "pkcs11:token=mail;serial=0001;object=sel");
	test_int("its key", made.answer.field[TOKEN_WIRE_RESULT].n, 128);
	made_works("the second", "pkcs11:token=mail;serial=0002;object=sel");
	test_int("its key", made.answer.field[TOKEN_WIRE_RESULT].n, 256);
}

static void
sign_logs_in_once(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++)
		test_int("sign", made_sign(MADE_KEY), 0);
	test_int("logins", made.calls("C_Login"), 1);
	test_int("searches", made.calls("C_FindObjects"), 1);
	test_int("sessions", made.calls("C_OpenSession"), 1);
	test_int("slot lists", made.calls("C_GetSlotList"), 4);
}

static void
sign_without_login(void **state)
{
	(void)state;
	made_do("pin -");
	test_int("sign", made_sign(MADE_KEY), 0);
	test_int("logins", made.calls("C_Login"), 0);
}

static void
login_wrong_pin_is_tried_once(void **state)
{
	char identity[RSAB_TOKEN_IDENTITY];

	(void)state;
	made_do("pin 4321");
	for (int i = 0; i < 10; i++) {
		test_int("sign", made_sign(MADE_KEY), RSAB_ERR_PIN);
		test_int("its identity",
		    made.answer.field[TOKEN_WIRE_IDENTITY].n, 64);
		made.clock += 60000;
	}
	test_int("open", made_op(TOKEN_WIRE_OPEN, "pkcs11:id=%01"),
	    RSAB_ERR_PIN);
	test_int("logins", made.calls("C_Login"), 1);
	snprintf(identity, sizeof identity, "%.64s", (const char *)
	    made.answer.field[TOKEN_WIRE_IDENTITY].p);

	/* The process was started anew */
	made_stop();
	test_int("start", made_start(made_module(), "1234", identity), 0);
	test_int("sign", made_sign(MADE_KEY), RSAB_ERR_PIN);
	test_int("logins", made.calls("C_Login"), 1);
	made_stop();

	/* An operator has acted */
	made_do("pin 1234");
	test_int("start", made_start(made_module(), "1234", NULL), 0);
	test_int("sign", made_sign(MADE_KEY), 0);
}

static void
login_refused_by_flags(void **state)
{
	(void)state;
	made_do("flags 20000");		/* CKF_USER_PIN_FINAL_TRY */
	test_int("last try", made_sign(MADE_KEY), RSAB_ERR_PIN);
	made_says("locks the token");
	made_stop();
	made_do("flags 40000");		/* CKF_USER_PIN_LOCKED */
	test_int("start", made_start(made_module(), "1234", NULL), 0);
	test_int("locked", made_sign(MADE_KEY), RSAB_ERR_PIN);
	made_says("locked");
	test_int("logins", made.calls("C_Login"), 0);
}

/*
 * dkimd -n, in the way of a mistake that somebody is about to mend.
 */
static void
login_carefully(void **state)
{
	(void)state;
	made_do("flags 10000");		/* CKF_USER_PIN_COUNT_LOW */
	test_int("others try", made_sign(MADE_KEY), 0);
	made_stop();
	made.flags = TOKEN_WIRE_CAREFUL;
	test_int("start", made_start(made_module(), "1234", NULL), 0);
	test_int("not after a wrong one", made_sign(MADE_KEY), RSAB_ERR_PIN);
	made_says("a wrong PIN was entered since the last login");
	test_int("logins", made.calls("C_Login"), 1);
	made_stop();
	made_do("flags 0");
	test_int("start", made_start(made_module(), "1234", NULL), 0);
	test_int("else as any", made_sign(MADE_KEY), 0);
}

static void
login_each_refusal_stops(void **state)
{
	static const char *const codes[] = {
		"0xa0", "0xa1", "0xa2", "0xa3", "0xa4", "0x102",
	};
	char line[64];

	for (size_t i = 0; i < TEST_COUNT(codes); i++) {
		if (i != 0)
			made_setup(state);
		snprintf(line, sizeof line, "at C_Login 1 %s", codes[i]);
		made_do(line);
		for (int j = 0; j < 3; j++)
			test_int(codes[i], made_sign(MADE_KEY), RSAB_ERR_PIN);
		test_int(codes[i], made.calls("C_Login"), 1);
		if (i + 1 != TEST_COUNT(codes))
			made_stop();
	}
}

static void
login_where_the_pin_comes_from(void **state)
{
	struct token_wire request = {
		.op = TOKEN_WIRE_OPEN,
		.flags = TOKEN_WIRE_PIN_VALUE,
		.field[TOKEN_WIRE_URI] =
		    made_text(MADE_KEY "?pin-value=1234"),
	};

	(void)state;
	made_stop();
	test_int("start", made_start(made_module(), NULL, NULL), 0);
	test_int("none", made_sign(MADE_KEY), RSAB_ERR_PIN);
	made_says("pin-source");
	test_int("not refused", made.answer.field[TOKEN_WIRE_IDENTITY].n, 0);
	test_int("no file", made_sign(MADE_KEY "?pin-source=/pins/a"),
	    RSAB_ERR_PIN);
	made_says("no file /pins/a");
	test_int("logins", made.calls("C_Login"), 0);
	strcpy(made.pin, "1234");
	test_int("file", made_sign(MADE_KEY "?pin-source=file:/pins/a"), 0);
	made_do("forget");
	made.pin[0] = '\0';
	test_int("pin-value", made_ask(&request), 0);
	test_int("logins", made.calls("C_Login"), 2);
}

static void
login_already(void **state)
{
	(void)state;
	made_do("at C_Login 1 0x100");
	made_do("pin -");
	made_do("flags 4");
	test_int("somebody else's login will do", made_sign(MADE_KEY), 0);
	test_int("logins", made.calls("C_Login"), 1);
}

static void
sign_always_authenticate(void **state)
{
	(void)state;
	made_do("always");
	for (int i = 0; i < 3; i++)
		test_int("sign", made_sign(MADE_KEY), 0);
	test_int("logins", made.calls("C_Login"), 4);
	made_do("pin 9");
	for (int i = 0; i < 3; i++)
		test_int("refused", made_sign(MADE_KEY), RSAB_ERR_PIN);
	test_int("logins", made.calls("C_Login"), 5);
}

static void
sign_mechanisms(void **state)
{
	(void)state;
	made_object("key ed 02", "ed25519.pem");
	made_do("without 1");		/* CKM_RSA_PKCS */
	made_works("CKM_RSA_X_509", MADE_KEY);
	made_do("without 3");		/* CKM_RSA_X_509 */
	made_do("logout");
	made.clock += 1;
	test_int("neither", made_sign(MADE_KEY), RSAB_ERR_KEY_TYPE);
	made_do("without 1057");
	test_int("no CKM_EDDSA", made_sign("pkcs11:object=ed"),
	    RSAB_ERR_KEY_TYPE);
	made_says("CKM_EDDSA");
}

static void
sign_sizes_of_mechanism(void **state)
{
	static const struct { const char *line; int want; } rows[] = {
		{ "sizes 1024 1024", 0 },
		{ "sizes 1025 4096", RSAB_ERR_KEY_SIZE },
		{ "sizes 512 1023", RSAB_ERR_KEY_SIZE },
		{ "sizes 0 0", 0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		made_do(rows[i].line);
		made_do("logout");
		test_int(rows[i].line, made_op(TOKEN_WIRE_OPEN, MADE_KEY),
		    rows[i].want);
	}
}

static void
inform_tells(void **state)
{
	struct rsab_token_info info;

	(void)state;
	made_do("told 5");
	made_do("sizes 1024 4096");
	test_int("ask", made_op(TOKEN_WIRE_INFORM, "pkcs11:token=mail"), 0);
	test_int("read", token_wire_get_info(
	    made.answer.field[TOKEN_WIRE_RESULT], &info), 0);
	test_str("label", info.label, "mail");
	test_str("serial", info.serial, "0001");
	test_str("model", info.model, "fake");
	test_str("manufacturer", info.manufacturer, "dkimd tests");
	test_int("sessions", info.sessions_max, 5);
	test_true("RSA", info.signs_rsa);
	test_true("Ed25519", info.signs_ed25519);
	test_true("login", info.needs_login);
	test_int("least", info.rsa_bits_min, 1024);
	test_int("most", info.rsa_bits_max, 4096);
	test_int("nobody logs in for that", made.calls("C_OpenSession"), 0);
}

static bool
start_and_sign(void *arg)
{
	(void)arg;
	made.command("logout");
	if (made_start(made_module(), "1234", NULL) != 0)
		return false;
	if (made_sign(MADE_KEY) != 0) {
		made_stop();
		return false;
	}
	made_stop();
	return true;
}

static void
start_every_allocation_fails(void **state)
{
	(void)state;
	made_stop();
	test_true("sites", test_every_allocation(start_and_sign, NULL) >= 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(open_reads_public_half),
		MADE_TEST(open_public_half_elsewhere),
		MADE_TEST(open_public_half_in_certificate),
		MADE_TEST(open_which_key),
		MADE_TEST(open_which_token),
		MADE_TEST(sign_logs_in_once),
		MADE_TEST(sign_without_login),
		MADE_TEST(login_wrong_pin_is_tried_once),
		MADE_TEST(login_refused_by_flags),
		MADE_TEST(login_carefully),
		MADE_TEST(login_each_refusal_stops),
		MADE_TEST(login_where_the_pin_comes_from),
		MADE_TEST(login_already),
		MADE_TEST(sign_always_authenticate),
		MADE_TEST(sign_mechanisms),
		MADE_TEST(sign_sizes_of_mechanism),
		MADE_TEST(inform_tells),
		MADE_TEST(start_every_allocation_fails),
	};

	return TEST_RUN(tests);
}
