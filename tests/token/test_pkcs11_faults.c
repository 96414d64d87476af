/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules and tokens that fail, and what is done about it: the policy of
 * rsa-backend/pkcs11_fail.c, each row caused. MILTER.md 4 has what real
 * modules answer.
 */

/* system */
#include <pthread.h>

/* this room */
#include "tests/token/made.h"

/* Calls of the fake module, for differences. */
struct counts {
	unsigned long	signs, starts, opens, logins, searches;
};

static struct counts
counts(void)
{
	return (struct counts){ made.calls("C_Sign"),
	    made.calls("C_Initialize"), made.calls("C_OpenSession"),
	    made.calls("C_Login"), made.calls("C_FindObjects") };
}

/*
 * Sign, once something was set up to fail at its next call.
 *   want     error of the answer
 *   signs... calls that it took
 */
static void
sign_with(const char *row, int want, struct counts calls)
{
	struct counts before = counts(), after;

	test_int(row, made_sign(MADE_KEY), want);
	after = counts();
	test_int(row, after.signs - before.signs, calls.signs);
	test_int(row, after.starts - before.starts, calls.starts);
	test_int(row, after.opens - before.opens, calls.opens);
	test_int(row, after.logins - before.logins, calls.logins);
	test_int(row, after.searches - before.searches, calls.searches);
}

/*
 * Each return value at C_Sign, once: what helps is done, and it works.
 */
static void
policy_once(void **state)
{
	static const struct counts reopen = { 2, 0, 1, 1, 1 };
	static const struct counts initialize = { 2, 1, 1, 1, 1 };
	static const struct counts again = { 2, 0, 1, 1, 0 };
	static const struct counts none = { 1, 0, 0, 0, 0 };
	static const struct {
		const char		*code;
		int			 want;
		const struct counts	*calls;
	} rows[] = {
		{ "0xb0", 0, &reopen },		/* SESSION_CLOSED */
		{ "0xb3", 0, &reopen },		/* SESSION_HANDLE_INVALID */
		{ "0x82", 0, &reopen },		/* OBJECT_HANDLE_INVALID */
		{ "0x60", 0, &reopen },		/* KEY_HANDLE_INVALID */
		{ "0x63", 0, &reopen },		/* KEY_TYPE_INCONSISTENT */
		{ "0x101", 0, &reopen },	/* USER_NOT_LOGGED_IN */
		{ "0x30", 0, &initialize },	/* DEVICE_ERROR */
		{ "0x32", 0, &initialize },	/* DEVICE_REMOVED */
		{ "0xe0", 0, &initialize },	/* TOKEN_NOT_PRESENT */
		{ "0x190", 0, &initialize },	/* CRYPTOKI_NOT_INITIALIZED */
		{ "0x5", 0, &initialize },	/* GENERAL_ERROR */
		{ "0xa0", RSAB_ERR_PIN, &none },
		{ "0xa3", RSAB_ERR_PIN, &none },
		{ "0xa4", RSAB_ERR_PIN, &none },
		{ "0x31", RSAB_ERR_TOKEN, &none },	/* DEVICE_MEMORY */
		{ "0x2", RSAB_ERR_TOKEN, &none },	/* HOST_MEMORY */
		{ "0xb1", RSAB_ERR_TOKEN, &none },	/* SESSION_COUNT */
		{ "0x80000001", 0, &again },		/* a vendor's */
		{ "0x6", 0, &again },			/* FUNCTION_FAILED */
		{ "0x70", RSAB_ERR_KEY_TYPE, &none },	/* MECHANISM_INVALID */
		{ "0x68", RSAB_ERR_KEY, &none },	/* not permitted */
	};
	char line[64];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].code, made_sign(MADE_KEY), 0);
		made.clock += 60000;
		snprintf(line, sizeof line, "at C_Sign 1 %s", rows[i].code);
		made_do(line);
		sign_with(rows[i].code, rows[i].want, *rows[i].calls);
		if (rows[i].want != 0) {
			made_says(rows[i].code);
			made_says("C_Sign");
			made_says("fake_module.so, token \"mail\"");
		}
		made_teardown(state);
		made_setup(state);
	}
}

/*
 * The same at every function of the way, not only at C_Sign.
 */
static void
policy_at_every_function(void **state)
{
	static const char *const functions[] = {
		"C_GetSlotList", "C_GetTokenInfo", "C_OpenSession", "C_Login",
		"C_FindObjectsInit", "C_FindObjects", "C_FindObjectsFinal",
		"C_GetAttributeValue", "C_SignInit", "C_Sign",
	};
	static const char *const codes[] = { "0xb3", "0x30", "0x80000001" };
	char line[64];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(functions); i++) {
		for (size_t j = 0; j < TEST_COUNT(codes); j++) {
			int r;

			made_teardown(state);
			made_setup(state);
			made.clock += 60000;
			snprintf(line, sizeof line, "at %s 1 %s",
			    functions[i], codes[j]);
			made_do(line);
			r = made_sign(MADE_KEY);
			/* Before the token is known there is no second try */
			if (r != 0)
				test_int(line, r, RSAB_ERR_TOKEN);
			if (i > 1)
				test_int(line, r, 0);
			made.clock += 60000;
			test_int("then", made_sign(MADE_KEY), 0);
		}
	}
}

static void
sessions_gone(void **state)
{
	(void)state;
	test_int("sign", made_sign(MADE_KEY), 0);
	made_do("forget");
	sign_with("all sessions gone", 0, (struct counts){ 1, 0, 1, 1, 1 });
	made_do("logout");
	sign_with("logged out, handles changed", 0,
	    (struct counts){ 1, 0, 1, 1, 1 });
	made_do("logout");
	test_int("another key is not missing, but logged out",
	    made_op(TOKEN_WIRE_OPEN, "pkcs11:token=mail;id=%01"), 0);
	test_int("one session", made.sessions(), 1);
}

/*
 * One that stays is a failure after one of each help.
 */
static void
policy_for_good(void **state)
{
	(void)state;
	test_int("sign", made_sign(MADE_KEY), 0);
	made.clock += 60000;
	made_do("at C_Sign 1+ 0x80000001");
	sign_with("vendor's code", RSAB_ERR_TOKEN,
	    (struct counts){ 2, 0, 1, 1, 0 });
	made_teardown(state);
	made_setup(state);
	test_int("sign", made_sign(MADE_KEY), 0);
	made_do("at C_Sign 1+ 0xb3");
	sign_with("session gone", RSAB_ERR_TOKEN,
	    (struct counts){ 2, 0, 1, 1, 1 });
}

/*
 * Starting the module anew is not done for every mail: 1, 2, 4, ... 30 s.
 */
static void
initialize_backs_off(void **state)
{
	unsigned long before = made.calls("C_Initialize");

	(void)state;
	made_do("at C_Sign 1+ 0x30");
	for (int i = 0; i < 1200; i++) {
		test_int("sign", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
		made.clock += 100;
	}
	/* within 120 s: at 1, 3, 7, 15, 31, 61 (30 s from now on), 91 */
	test_true("some", made.calls("C_Initialize") - before >= 5);
	test_true("few", made.calls("C_Initialize") - before <= 8);
}

static void
initialize_fails_then_works(void **state)
{
	(void)state;
	test_int("sign", made_sign(MADE_KEY), 0);
	made.clock += 60000;
	made_do("at C_Sign 1 0x32");
	made_do("at C_Initialize 1 0x30");
	test_int("device gone, module does not start", made_sign(MADE_KEY),
	    RSAB_ERR_TOKEN);
	test_int("nor at once", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
	made_says("C_Initialize");
	test_int("no call more", made.calls("C_Initialize"), 2);
	made.clock += 60000;
	test_int("back without a restart", made_sign(MADE_KEY), 0);
}

static void
token_absent_and_back(void **state)
{
	(void)state;
	test_int("sign", made_sign(MADE_KEY), 0);
	made.clock += 60000;
	made_do("absent");
	made_do("at C_Sign 1 0x82");
	test_int("removed", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
	made.clock += 60000;
	test_int("still", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
	made_says("not there");
	test_int("inform", made_op(TOKEN_WIRE_INFORM, MADE_KEY),
	    RSAB_ERR_TOKEN);
	made_do("present");
	made.clock += 60000;
	test_int("back", made_sign(MADE_KEY), 0);
}

static void
token_absent_at_start(void **state)
{
	(void)state;
	made_do("absent");
	test_int("absent", made_op(TOKEN_WIRE_OPEN, MADE_KEY),
	    RSAB_ERR_TOKEN);
	made_says("no token that the URI names");
	made_do("present");
	test_int("there", made_op(TOKEN_WIRE_OPEN, MADE_KEY), 0);
}

static void
token_of_another_is_not_harmed(void **state)
{
	(void)state;
	made_do("token other 0002");
	made_object("key sel 01", "rsa2048.pem");
	made_do("absent");
	for (int i = 0; i < 5; i++) {
		test_int("absent", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
		test_int("there", made_sign("pkcs11:token=other;object=sel"),
		    0);
		made.clock += 20000;
	}
	made_do("present");
	test_int("back", made_sign(MADE_KEY), 0);
}

static void
token_out_of_memory_is_left_alone(void **state)
{
	unsigned long signs;

	(void)state;
	made_do("at C_Sign 1+ 0x31");
	test_int("no memory", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
	signs = made.calls("C_Sign");
	for (int i = 0; i < 99; i++) {
		test_int("left alone", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
		made.clock++;
	}
	test_int("not called", made.calls("C_Sign"), signs);
	made.clock++;
	test_int("one more", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
	test_int("called", made.calls("C_Sign"), signs + 1);
	made.clock += 150;
	test_int("left alone for twice as long", made_sign(MADE_KEY),
	    RSAB_ERR_TOKEN);
	test_int("not called", made.calls("C_Sign"), signs + 1);
}

/* Counts that a module cannot mean. */
static void
module_lies(void **state)
{
	static const char *const lines[] = {
		"at C_GetSlotList 2 huge",
		"at C_FindObjects 1 huge",
		"at C_GetAttributeValue 3 huge",	/* CKA_MODULUS */
		"at C_Sign 1 short",
		"at C_Sign 1 huge",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(lines); i++) {
		int r;

		made_teardown(state);
		made_setup(state);
		made_do(lines[i]);
		r = made_sign(MADE_KEY);
		test_true(lines[i], r == RSAB_ERR_TOKEN ||
		    r == RSAB_ERR_BACKEND || r == RSAB_ERR_KEY);
		test_true("no signature",
		    made.answer.field[TOKEN_WIRE_RESULT].n == 0);
	}
}

static void
module_missing(void **state)
{
	(void)state;
	made_stop();
	test_int("no file", made_start("/nowhere/module.so", NULL, NULL),
	    RSAB_ERR_TOKEN);
	made_says("/nowhere/module.so");
	test_int("no module", made_start("libc.so.6", NULL, NULL),
	    RSAB_ERR_TOKEN);
	made_says("C_GetFunctionList");
	made_do("at C_Initialize 1 0x30");
	test_int("does not start", made_start(made_module(), NULL, NULL),
	    RSAB_ERR_TOKEN);
	made_says("CKR_DEVICE_ERROR");
}

static void
module_initialized_by_another(void **state)
{
	struct backend_pkcs11 *first = made.backend;

	(void)state;
	test_int("start", made_start(made_module(), "1234", NULL), 0);
	test_int("usable", made_sign(MADE_KEY), 0);
	made_stop();
	test_int("not ours to end", made.calls("C_Finalize"), 0);
	made.backend = first;
	test_int("sign", made_sign(MADE_KEY), 0);
	made_stop();
	test_int("whose it is ends it", made.calls("C_Finalize"), 1);
	test_int("start", made_start(made_module(), "1234", NULL), 0);
}

/* ---- sessions ---- */

struct signer {
	struct token_wire	request;
	int			wrong;
};

static void *
sign_many(void *argument)
{
	struct signer *signer = argument;
	uint8_t record[TOKEN_WIRE_MAX];
	struct token_wire answer;

	for (int i = 0; i < 50; i++) {
		size_t n = backend_pkcs11_answer(made.backend,
		    &signer->request, record);

		signer->wrong += token_wire_parse((struct der){ record, n },
		    &answer) != 0 || token_wire_error(&answer) != 0;
	}
	return NULL;
}

/*
 * Eight threads share what sessions there are.
 *   most     sessions that are open afterwards
 */
static void
eight_threads(const char *row, unsigned long most)
{
	struct signer signers[8];
	pthread_t threads[8];

	for (size_t i = 0; i < 8; i++) {
		signers[i] = (struct signer){
			.request = {
				.op = TOKEN_WIRE_SIGN,
				.id = i,
				.field[TOKEN_WIRE_URI] = made_text(MADE_KEY),
				.field[TOKEN_WIRE_DIGEST] = { made_digest,
				    sizeof made_digest },
			},
		};
		test_int(row, pthread_create(&threads[i], NULL, sign_many,
		    &signers[i]), 0);
	}
	for (size_t i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		test_int(row, signers[i].wrong, 0);
	}
	test_true(row, made.sessions() >= 1 && made.sessions() <= most);
}

static void
sessions_are_shared(void **state)
{
	(void)state;
	eight_threads("as many as threads", 8);
	test_int("one login", made.calls("C_Login"), 1);
	made_teardown(state);
	made_setup(state);
	made_do("sessions 2");
	eight_threads("the token has room for two", 2);
	made_teardown(state);
	made_setup(state);
	made_do("told 1");
	made_do("sessions 1");
	eight_threads("it says so", 1);
	test_int("never asked for more", made.calls("C_OpenSession"), 1);
}

static void
sessions_gone_under_eight_threads(void **state)
{
	(void)state;
	made_do("at C_Sign 20 0xb3");
	made_do("at C_Sign 60 0x101");
	made_do("at C_Sign 100 0x82");
	made_do("at C_Sign 150 0x80000001");
	made_do("at C_SignInit 200 0x60");
	eight_threads("each is helped", 8);
}

static void
device_gone_under_eight_threads(void **state)
{
	(void)state;
	test_int("sign", made_sign(MADE_KEY), 0);
	made.clock += 60000;
	made_do("at C_Sign 30 0x30");
	eight_threads("started anew, once", 8);
	test_int("starts", made.calls("C_Initialize"), 2);
}

static void
sessions_none_at_all(void **state)
{
	(void)state;
	made_do("sessions 0");
	test_int("sign", made_sign(MADE_KEY), RSAB_ERR_TOKEN);
	made_do("sessions 5");
	made.clock += 60000;
	test_int("later", made_sign(MADE_KEY), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(policy_once),
		MADE_TEST(policy_at_every_function),
		MADE_TEST(policy_for_good),
		MADE_TEST(sessions_gone),
		MADE_TEST(initialize_backs_off),
		MADE_TEST(initialize_fails_then_works),
		MADE_TEST(token_absent_and_back),
		MADE_TEST(token_absent_at_start),
		MADE_TEST(token_of_another_is_not_harmed),
		MADE_TEST(token_out_of_memory_is_left_alone),
		MADE_TEST(module_lies),
		MADE_TEST(module_missing),
		MADE_TEST(module_initialized_by_another),
		MADE_TEST(sessions_are_shared),
		MADE_TEST(sessions_gone_under_eight_threads),
		MADE_TEST(device_gone_under_eight_threads),
		MADE_TEST(sessions_none_at_all),
	};

	return TEST_RUN(tests);
}
