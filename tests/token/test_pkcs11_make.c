/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys that are brought into a token, or made there.
 */

/* rsa-backend */
#include "rsa-backend/key.h"
#include "rsa-backend/pem.h"

/* this room */
#include "tests/token/made.h"

/* A private key of tests/vectors/rsa/keys, taken apart. */
struct source {
	uint8_t		*file;
	struct pem	 pem;
	struct pkcs8	 parts;
	struct rsab_key	*key;		/* libcrypto's */
	uint8_t		 ed25519[64];	/* seed and point */
	struct der	 octets;	/* for IMPORT */
};

static void
source_load(const char *name, struct source *out)
{
	const struct rsab_backend *backend;
	char path[256];
	size_t n;

	snprintf(path, sizeof path, "vectors/rsa/keys/%s", name);
	out->file = test_file(path, &n);
	test_int(name, rsab_backend_find("libcrypto", &backend), 0);
	test_int(name, rsab_key_load_private(backend, out->file, n, &out->key),
	    0);
	test_int(name, pem_decode((struct der){ out->file, n }, &out->pem), 0);
	test_int(name, pkcs8_parse(out->pem.der, &out->parts), 0);
	out->octets = out->parts.der;
	if (out->parts.type == RSAB_RSA)
		return;
	memcpy(out->ed25519, out->parts.seed.p, 32);
	memcpy(&out->ed25519[32], &out->key->spki[out->key->spki_size - 32],
	    32);
	out->octets = (struct der){ out->ed25519, 64 };
}

static void
source_free(struct source *source)
{
	rsab_key_unref(source->key);
	pem_clear(&source->pem);
	free(source->file);
}

static int
ask_import(const struct source *source, const char *uri)
{
	struct token_wire request = {
		.op = TOKEN_WIRE_IMPORT,
		.type = source->parts.type,
		.field = { made_text(uri), source->octets },
	};

	return made_ask(&request);
}

/*
 * Import, and sign with the URI that came back.
 *   uri      out: 512 octets
 */
static void
import_and_sign(const char *name, char *uri)
{
	struct source source;

	source_load(name, &source);
	test_int(name, ask_import(&source, "pkcs11:token=mail"), 0);
	snprintf(uri, 512, "%.*s",
	    (int)made.answer.field[TOKEN_WIRE_RESULT].n,
	    (const char *)made.answer.field[TOKEN_WIRE_RESULT].p);
	test_int(name, made_sign(uri), 0);
	test_int(name, made_verify(source.key,
	    made.answer.field[TOKEN_WIRE_RESULT]), 0);
	source_free(&source);
}

static void
import_signs(void **state)
{
	static const char *const names[] = {
		"rsa512.pem", "rsa1024.pem", "rsa1023.pem", "rsa2048.pem",
		"e3.pem", "ed25519.pem",
	};
	char uri[512];

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(names); i++)
		import_and_sign(names[i], uri);
	test_true("by id, to sign", strncmp(uri,
	    "pkcs11:token=mail;id=%", 22) == 0 &&
	    strstr(uri, ";type=private") != NULL);
}

static void
import_twice_is_once(void **state)
{
	char first[512], second[512];
	unsigned long creates;

	(void)state;
	import_and_sign("rsa2048.pem", first);
	creates = made.calls("C_CreateObject");
	import_and_sign("rsa2048.pem", second);
	test_str("the same", second, first);
	test_int("object", made.calls("C_CreateObject"), creates);
}

static void
import_into_no_token(void **state)
{
	struct source source;

	(void)state;
	source_load("rsa2048.pem", &source);
	made_do("readonly");
	test_int("it takes none", ask_import(&source, "pkcs11:token=mail"),
	    RSAB_ERR_IMPORT);
	made_says("this token takes no imported keys");
	made_says("CKR_ATTRIBUTE_READ_ONLY");
	test_int("the URI names an object", ask_import(&source, MADE_KEY),
	    RSAB_ERR_URI);
	source_free(&source);
}

/*
 * tpm2-pkcs11 has no session objects: it would store the key.
 */
static void
import_into_a_session_that_writes_nothing(void **state)
{
	struct source source;

	(void)state;
	source_load("rsa2048.pem", &source);
	made_do("at C_CreateObject 1 0xb5");
	test_int("it takes none", ask_import(&source, "pkcs11:token=mail"),
	    RSAB_ERR_IMPORT);
	made_says("this token takes no imported keys");
	made_says("CKR_SESSION_READ_ONLY");
	source_free(&source);
}

static void
import_is_lost_with_its_session(void **state)
{
	char uri[512];

	(void)state;
	import_and_sign("rsa2048.pem", uri);
	made_do("forget");
	test_int("gone", made_sign(uri), RSAB_ERR_TOKEN_KEY);
	import_and_sign("rsa2048.pem", uri);
}

/*
 * Looking for a token that is not there does not cost those keys their life.
 */
static void
import_keeps_the_module_up(void **state)
{
	char uri[512];

	(void)state;
	import_and_sign("rsa2048.pem", uri);
	for (int i = 0; i < 5; i++) {
		made.clock += 60000;
		test_int("absent", made_sign("pkcs11:token=no;object=x"),
		    RSAB_ERR_TOKEN);
		test_int("still there", made_sign(uri), 0);
	}
	test_int("starts", made.calls("C_Initialize"), 1);
}

static void
import_of_nonsense(void **state)
{
	struct source source;

	(void)state;
	source_load("rsa2048.pem", &source);
	source.octets.n -= 7;
	test_int("cut", ask_import(&source, "pkcs11:token=mail"),
	    RSAB_ERR_KEY);
	source.octets.n += 7;
	source.parts.type = RSAB_ED25519;
	test_int("of the other type", ask_import(&source,
	    "pkcs11:token=mail"), RSAB_ERR_KEY);
	source_free(&source);
	test_int("objects", made.calls("C_CreateObject"), 0);
}

static int
ask_generate(enum rsab_key_type type, unsigned bits, const char *uri)
{
	struct token_wire request = {
		.op = TOKEN_WIRE_GENERATE,
		.type = type,
		.value = bits,
		.field = { made_text(uri) },
	};

	return made_ask(&request);
}

static void
generate_signs(void **state)
{
	(void)state;
	test_int("RSA", ask_generate(RSAB_RSA, 1024,
	    "pkcs11:token=mail;object=new"), 0);
	made_works("RSA", "pkcs11:token=mail;object=new");
	test_int("Ed25519", ask_generate(RSAB_ED25519, 0,
	    "pkcs11:token=mail;id=%0a%0b"), 0);
	made_works("Ed25519", "pkcs11:token=mail;id=%0a%0b");
	test_int("both names", ask_generate(RSAB_RSA, 1024,
	    "pkcs11:token=mail;object=new;id=%0c"), 0);
	made_works("both names", "pkcs11:token=mail;object=new;id=%0c");
}

static void
generate_never_overwrites(void **state)
{
	(void)state;
	test_int("one", ask_generate(RSAB_RSA, 1024, MADE_KEY),
	    RSAB_ERR_TOKEN_NAME);
	made_says("take another object= or id=");
	made_object("key sel 02", "rsa2048.pem");
	test_int("two", ask_generate(RSAB_RSA, 1024, MADE_KEY),
	    RSAB_ERR_TOKEN_NAME);
	test_int("no name", ask_generate(RSAB_RSA, 1024, "pkcs11:token=mail"),
	    RSAB_ERR_URI);
	test_int("calls", made.calls("C_GenerateKeyPair"), 0);
}

static void
generate_what_the_token_can(void **state)
{
	static const char uri[] = "pkcs11:token=mail;object=new";

	(void)state;
	made_do("sizes 2048 4096");
	test_int("too short", ask_generate(RSAB_RSA, 2047, uri),
	    RSAB_ERR_KEY_SIZE);
	test_int("too long", ask_generate(RSAB_RSA, 4097, uri),
	    RSAB_ERR_KEY_SIZE);
	made_do("without 1055");
	test_int("no Ed25519", ask_generate(RSAB_ED25519, 0, uri),
	    RSAB_ERR_KEY_TYPE);
	made_do("at C_GenerateKeyPair 1 0x6");
	test_int("it fails", ask_generate(RSAB_RSA, 2048, uri),
	    RSAB_ERR_TOKEN);
	test_int("never a second time", made.calls("C_GenerateKeyPair"), 1);
}

/*
 * A pair whose public half cannot be read is taken away again.
 */
static void
generate_undoes(void **state)
{
	static const char uri[] = "pkcs11:token=mail;object=new";

	(void)state;
	made_do("at C_GetAttributeValue 4+ 0x12");
	test_int("no public half", ask_generate(RSAB_RSA, 1024, uri),
	    RSAB_ERR_KEY);
	test_int("both are gone", made.calls("C_DestroyObject"), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		MADE_TEST(import_signs),
		MADE_TEST(import_twice_is_once),
		MADE_TEST(import_into_no_token),
		MADE_TEST(import_into_a_session_that_writes_nothing),
		MADE_TEST(import_is_lost_with_its_session),
		MADE_TEST(import_keeps_the_module_up),
		MADE_TEST(import_of_nonsense),
		MADE_TEST(generate_signs),
		MADE_TEST(generate_never_overwrites),
		MADE_TEST(generate_what_the_token_can),
		MADE_TEST(generate_undoes),
	};

	return TEST_RUN(tests);
}
