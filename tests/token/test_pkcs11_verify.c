/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Verifying in a token: the public keys that it holds, whom it is believed,
 * and what it is never asked.
 */

/* system */
#include <pthread.h>


/* rsa-backend */
#include "rsa-backend/key.h"
#include "rsa-backend/pkcs11_held.h"

/* this room */
#include "tests/token/made.h"

/* A public key and a signature over made_digest. */
struct claim {
	struct rsab_key	*key;
	uint8_t		 octets[RSAB_SIGNATURE_MAX];
	struct der	 signature;
};

/*
 * By libcrypto, with a key of tests/vectors/rsa/keys.
 */
static void
claim_make(const char *name, struct claim *out)
{
	const struct rsab_backend *backend;
	struct rsab_worker *worker;
	struct rsab_job job = { .op = RSAB_OP_SIGN, .hash = RSAB_SHA256 };
	struct rsab_job *const jobs[] = { &job };
	char path[256];
	uint8_t *file;
	size_t n = 0;

	snprintf(path, sizeof path, "vectors/rsa/keys/%s", name);
	file = test_file(path, &n);
	test_int(name, rsab_backend_find("libcrypto", &backend), 0);
	test_int(name, rsab_key_load_private(backend, file, n, &out->key), 0);
	test_int(name, rsab_worker_new(&worker), 0);
	job.key = out->key;
	memcpy(job.digest, made_digest, sizeof job.digest);
	rsab_run(worker, jobs, 1);
	rsab_worker_free(worker);
	test_int(name, job.result, 0);
	memcpy(out->octets, job.signature, job.signature_len);
	out->signature = (struct der){ out->octets, job.signature_len };
	free(file);
}

static struct token_wire
request_of(const struct claim *claim)
{
	return (struct token_wire){
		.op = TOKEN_WIRE_VERIFY,
		.type = rsab_key_type(claim->key),
		.field = {
			made_text("pkcs11:token=mail"),
			{ claim->key->spki, claim->key->spki_size },
			{ made_digest, sizeof made_digest },
			claim->signature,
		},
	};
}

static int
ask(const struct claim *claim)
{
	struct token_wire request = request_of(claim);

	return made_ask(&request);
}

/*
 * Right, and with one bit changed.
 */
static void
works(const char *row, struct claim *claim)
{
	test_int(row, ask(claim), 0);
	claim->octets[20] ^= 4;
	test_int(row, ask(claim), RSAB_ERR_SIGNATURE);
	claim->octets[20] ^= 4;
}

static struct claim rsa;

static int
setup(void **state)
{
	made_setup(state);
	claim_make("rsa1024.pem", &rsa);
	return 0;
}

static int
teardown(void **state)
{
	rsab_key_unref(rsa.key);
	return made_teardown(state);
}

static void
verify_with_either_mechanism(void **state)
{
	(void)state;
	works("the token pads", &rsa);
	teardown(state);
	setup(state);
	made_do("without 1");
	works("we pad", &rsa);
	teardown(state);
	setup(state);
	made_do("without 1");
	made_do("without 3");
	test_int("neither", ask(&rsa), RSAB_ERR_KEY_TYPE);
	made_says("has neither CKM_RSA_PKCS nor CKM_RSA_X_509 for verifying");
	test_int("objects", made.calls("C_CreateObject"), 0);
}

static void
verify_logs_in_nowhere(void **state)
{
	(void)state;
	works("verify", &rsa);
	test_int("logins", made.calls("C_Login"), 0);
	made_stop();
	test_int("a PIN that was refused", made_start(made_module(), "9999",
	    NULL), 0);
	test_int("sign", made_sign(MADE_KEY), RSAB_ERR_PIN);
	works("does not matter", &rsa);
	made_do("at C_CreateObject 1+ 0x101");
	teardown(state);
	setup(state);
	made_do("at C_CreateObject 1+ 0x101");
	test_int("one that wants a login", ask(&rsa), RSAB_ERR_TOKEN);
	made_says("CKR_USER_NOT_LOGGED_IN");
	test_int("gets none", made.calls("C_Login"), 0);
}

static void
verify_sizes_of_mechanism(void **state)
{
	struct claim large;

	(void)state;
	claim_make("rsa2048.pem", &large);
	made_do("sizes 1025 4096");
	test_int("too short", ask(&rsa), RSAB_ERR_KEY_SIZE);
	test_int("objects", made.calls("C_CreateObject"), 0);
	works("long enough", &large);
	made_do("sizes 512 2047");
	works("held already", &large);
	rsab_key_unref(large.key);
}

static void
verify_only_rsa(void **state)
{
	struct claim ed25519;

	(void)state;
	claim_make("ed25519.pem", &ed25519);
	test_int("Ed25519", ask(&ed25519), RSAB_ERR_KEY_TYPE);
	test_int("objects", made.calls("C_CreateObject"), 0);
	rsab_key_unref(ed25519.key);
}

static void
verify_key_that_is_none(void **state)
{
	struct token_wire request = request_of(&rsa);
	uint8_t spki[512];

	(void)state;
	memcpy(spki, rsa.key->spki, rsa.key->spki_size);
	spki[4] ^= 1;
	request.field[TOKEN_WIRE_KEY].p = spki;
	test_int("not a key", made_ask(&request), RSAB_ERR_KEY);
	request = request_of(&rsa);
	request.field[TOKEN_WIRE_SIGNATURE].n--;
	test_int("a signature too short", made_ask(&request), RSAB_ERR_KEY);
	request = request_of(&rsa);
	request.flags = TOKEN_WIRE_SHA1;
	test_int("another hash's digest", made_ask(&request),
	    RSAB_ERR_ARGUMENT);
	test_int("objects", made.calls("C_CreateObject"), 0);
}

/*
 * One that calls everything right is never believed.
 */
static void
verify_by_one_that_says_yes(void **state)
{
	(void)state;
	made_do("at C_Verify 1+ right");
	test_int("yes", ask(&rsa), RSAB_ERR_BACKEND);
	made_says("calls a wrong signature right");
	test_int("and again", ask(&rsa), RSAB_ERR_BACKEND);
	test_int("one call each", made.calls("C_Verify"), 2);
	teardown(state);
	setup(state);
	made_do("at C_Verify 1 right");
	test_int("once", ask(&rsa), RSAB_ERR_BACKEND);
	works("then it is asked again", &rsa);
	test_int("once for a key", made.calls("C_Verify"), 1 + 3);
}

/*
 * A key is brought in once, whatever number of signatures it has.
 */
static void
held_is_used_again(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		works("verify", &rsa);
	test_int("objects made", made.calls("C_CreateObject"), 1);
	test_int("sessions: one to hold, one to work", made.sessions(), 2);
	test_int("searches for the token", made.calls("C_GetSlotList"), 2 * 2);
	test_int("sign", made_sign(MADE_KEY), 0);
	test_int("its session is the same", made.sessions(), 2);
}

/*
 * Another modulus, odd and as long, with what is no signature of it.
 */
static void
ask_other(unsigned i, int want)
{
	struct token_wire request = request_of(&rsa);
	uint8_t spki[512];

	memcpy(spki, rsa.key->spki, rsa.key->spki_size);
	spki[60] ^= (uint8_t)i;
	spki[61] ^= (uint8_t)(i >> 8);
	request.field[TOKEN_WIRE_KEY].p = spki;
	test_int("another key", made_ask(&request), want);
}

/*
 * Their number is bounded; the one unused longest goes.
 */
static void
held_is_bounded(void **state)
{
	unsigned i;

	(void)state;
	works("verify", &rsa);
	for (i = 1; i < PKCS11_HELD_MAX; i++)
		ask_other(i, RSAB_ERR_SIGNATURE);
	test_int("all are there", made.session_objects(), PKCS11_HELD_MAX);
	works("the first, still", &rsa);
	test_int("made", made.calls("C_CreateObject"), PKCS11_HELD_MAX);
	for (; i < 3 * PKCS11_HELD_MAX; i++) {
		ask_other(i, RSAB_ERR_SIGNATURE);
		if (i % 50 == 0)
			works("one in use stays", &rsa);
	}
	test_int("no more", made.session_objects(), PKCS11_HELD_MAX);
	test_int("made", made.calls("C_CreateObject"), 3 * PKCS11_HELD_MAX);
	ask_other(1, RSAB_ERR_SIGNATURE);
	test_int("the second had gone", made.calls("C_CreateObject"),
	    3 * PKCS11_HELD_MAX + 1);
}

/*
 * What cannot be taken out goes with its session.
 */
static void
held_stays_bounded(void **state)
{
	unsigned i;

	(void)state;
	for (i = 1; i <= PKCS11_HELD_MAX; i++)
		ask_other(i, RSAB_ERR_SIGNATURE);
	made_do("at C_DestroyObject 1 0x80000001");
	ask_other(i, RSAB_ERR_SIGNATURE);
	test_int("one", made.session_objects(), 1);
	made_do("at C_DestroyObject 1+ 0x80000001");
	for (i = 1; i < PKCS11_HELD_MAX + 20; i++)
		ask_other(i, RSAB_ERR_SIGNATURE);
	test_true("bounded", made.session_objects() <= PKCS11_HELD_MAX);
}

/*
 * Sessions, objects or the module are gone: brought in anew.
 */
static void
held_is_gone(void **state)
{
	static const struct { const char *row, *command; unsigned objects; }
	    rows[] = {
		{ "sessions gone", "forget", 1 },
		{ "handles changed", "logout", 1 },
		{ "key handle", "at C_VerifyInit 1 0x60", 1 },
		{ "object handle", "at C_VerifyInit 1 0x82", 1 },
		{ "session closed", "at C_Verify 1 0xb0", 1 },
		{ "device error", "at C_Verify 1 0x30", 1 },
		{ "not known", "at C_Verify 1 0x80000001", 0 },
		{ "function failed", "at C_CreateObject 1 0x6", 0 },
		{ "not initialized", "at C_OpenSession 1 0x190", 0 },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		unsigned long before;

		works("first", &rsa);
		before = made.calls("C_CreateObject");
		made.clock += 60000;
		made_do(rows[i].command);
		works(rows[i].row, &rsa);
		test_int(rows[i].row, made.calls("C_CreateObject") - before,
		    rows[i].objects);
		test_true("sessions", made.sessions() <= 2);
		test_int("objects", made.session_objects(), 1);
		teardown(state);
		setup(state);
	}
}

static void
held_fails_for_good(void **state)
{
	static const struct { const char *command; int want; } rows[] = {
		{ "readonly", RSAB_ERR_KEY },
		{ "at C_CreateObject 1+ 0x13", RSAB_ERR_KEY },
		{ "at C_CreateObject 1+ 0x31", RSAB_ERR_TOKEN },
		{ "at C_OpenSession 1+ 0xb1", RSAB_ERR_TOKEN },
		{ "at C_OpenSession 2+ 0xb1", RSAB_ERR_TOKEN },
		{ "at C_VerifyInit 1+ 0x70", RSAB_ERR_KEY_TYPE },
		{ "at C_VerifyInit 1+ 0x60", RSAB_ERR_TOKEN },
		{ "at C_Verify 1+ 0x30", RSAB_ERR_TOKEN },
		{ "at C_Verify 1+ 0x21", RSAB_ERR_TOKEN },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		made_do(rows[i].command);
		test_int(rows[i].command, ask(&rsa), rows[i].want);
		test_true("words", made.detail.text[0] != '\0');
		teardown(state);
		setup(state);
	}
}

/* ---- many at once ---- */

#define THREADS	8
#define ROUNDS	200

/* Rights come out right and wrongs wrong while keys push each other out. */
static void *
verify_thread(void *argument)
{
	uint8_t record[TOKEN_WIRE_MAX], spki[512];
	struct token_wire answer;
	unsigned seed = (unsigned)(uintptr_t)argument;
	intptr_t bad = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		struct token_wire request = request_of(&rsa);
		bool right = (i + seed) % 2 == 0;
		size_t n;

		memcpy(spki, rsa.key->spki, rsa.key->spki_size);
		if (!right) {
			spki[60] ^= (uint8_t)(i * 7 + seed * 31 + 1);
			spki[61] ^= (uint8_t)(1 + seed);
			request.field[TOKEN_WIRE_KEY].p = spki;
		}
		n = backend_pkcs11_answer(made.backend, &request, record);
		if (token_wire_parse((struct der){ record, n }, &answer) != 0 ||
		    token_wire_error(&answer) !=
		    (right ? 0 : RSAB_ERR_SIGNATURE))
			bad++;
	}
	return (void *)bad;
}

static void
held_by_many_threads(void **state)
{
	pthread_t threads[THREADS];
	void *bad;

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, verify_thread, (void *)i);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &bad);
		test_int("verdicts that are wrong", (intptr_t)bad, 0);
	}
	test_true("bounded", made.session_objects() <= PKCS11_HELD_MAX);
	test_true("sessions", made.sessions() <= THREADS + 1);
}

int
main(void)
{
#define ROW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		ROW(verify_with_either_mechanism),
		ROW(verify_logs_in_nowhere),
		ROW(verify_sizes_of_mechanism),
		ROW(verify_only_rsa),
		ROW(verify_key_that_is_none),
		ROW(verify_by_one_that_says_yes),
		ROW(held_is_used_again),
		ROW(held_is_bounded),
		ROW(held_stays_bounded),
		ROW(held_is_gone),
		ROW(held_fails_for_good),
		ROW(held_by_many_threads),
	};

	return TEST_RUN(tests);
}
