/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench rsa with a token: figures are of the token only, and of one that
 * does not do what is measured there are none. The module is the fake one.
 */

/* system */
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* bench */
#include "bench/rsa_contestant.h"

/* this room */
#include "tests/test.h"

#define BITS	1024

static struct reference *reference;
static struct pin pin;
static char module[4096], script[] = "/tmp/token-bench-XXXXXX";

/*
 * A place whose module runs the script of these lines.
 */
static struct rsa_token_place
place_of(const char *lines)
{
	struct rsa_token_place place;
	FILE *f = fopen(script, "w");

	assert_non_null(f);
	fprintf(f, "token mail 0001\npin 1234\n%s", lines);
	fclose(f);
	rsa_token_place(&place, module);
	place.init_args = script;
	place.uri = "pkcs11:token=mail";
	strcpy(place.pin, "1234");
	return place;
}

static int
set_up(void **state)
{
	const char *build = getenv("DKIMD_BUILD");
	char *folder = realpath(build == NULL ? "." : build, NULL);
	char program[4096];
	int fd = mkstemp(script);

	(void)state;
	assert_non_null(folder);
	if (fd < 0 || pin_init(&pin, PIN_ANY) != 0)
		return -1;
	close(fd);
	snprintf(module, sizeof module, "%s/tests/token/fake_module.so",
	    folder);
	snprintf(program, sizeof program, "%s/cmd/dkimd-token", folder);
	free(folder);
	setenv("DKIMD_TOKEN", program, 1);
	return reference_make(BITS, 7, &reference);
}

static int
tear_down(void **state)
{
	(void)state;
	unlink(script);
	reference_free(reference);
	return 0;
}

static void
contestant_token_both_operations(void **state)
{
	const struct rsa_token_place place = place_of("");
	static const enum rsab_op ops[] = { RSAB_OP_SIGN, RSAB_OP_VERIFY };
	struct rsa_contestant c;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(ops); i++) {
		test_int("init", rsa_contestant_init_token(&c, &place, &pin,
		    reference, ops[i], 4, 2), 0);
		test_str("path", rsa_contestant_path(&c), "fake_module");
		for (unsigned thread = 0; thread < 2; thread++)
			test_int("run", rsa_contestant_run(&c, thread, 3), 0);
		test_int("echo", rsa_token_echo(&c.token, 0, 5), 0);
		test_int("all in the token", rsa_contestant_end(&c), 0);
		rsa_contestant_clear(&c);
		test_true("nothing is left", c.token.tokens == NULL &&
		    c.token.key == NULL);
	}
}

/* libcrypto would do it: that is no figure of the token. */
static void
contestant_token_does_not_verify(void **state)
{
	const struct rsa_token_place place = place_of("at C_Verify 1+ 0x30\n");
	struct rsa_contestant c;

	(void)state;
	test_int("none", rsa_contestant_init_token(&c, &place, &pin,
	    reference, RSAB_OP_VERIFY, 1, 1), EX_UNAVAILABLE);
	test_true("why", strstr(c.token.reason, "C_Verify") != NULL);
	test_true("nothing is left", c.key == NULL && c.seat == NULL &&
	    c.token.tokens == NULL);
}

static void
contestant_token_ceases_to_verify(void **state)
{
	/* 32 right ones, 32 wrong ones */
	const struct rsa_token_place place = place_of(
	    "at C_Verify 70 0x30\n");
	struct rsa_contestant c;

	(void)state;
	test_int("begins well", rsa_contestant_init_token(&c, &place, &pin,
	    reference, RSAB_OP_VERIFY, 1, 1), 0);
	test_int("still", rsa_contestant_end(&c), 0);
	test_int("libcrypto steps in", rsa_contestant_run(&c, 0, 32), 0);
	test_int("which is seen", rsa_contestant_end(&c), EX_SOFTWARE);
	rsa_contestant_clear(&c);
}

/* What is this key's fault is a reason; what is the token's is an error. */
static void
contestant_token_not_to_be_used(void **state)
{
	struct rsa_token_place place = place_of("readonly\n");
	struct rsa_contestant c;

	(void)state;
	test_int("takes no keys", rsa_contestant_init_token(&c, &place, &pin,
	    reference, RSAB_OP_SIGN, 1, 1), EX_UNAVAILABLE);
	test_true("why", c.token.reason[0] != '\0');
	place = place_of("sizes 2048 4096\n");
	test_int("not of this size", rsa_contestant_init_token(&c, &place,
	    &pin, reference, RSAB_OP_SIGN, 1, 1), EX_UNAVAILABLE);
	place = place_of("");
	strcpy(place.pin, "4321");
	test_int("wrong PIN", rsa_contestant_init_token(&c, &place, &pin,
	    reference, RSAB_OP_SIGN, 1, 1), EX_CONFIG);
	place = place_of("");
	place.uri = "pkcs11:token=news";
	test_int("no such token", rsa_contestant_init_token(&c, &place, &pin,
	    reference, RSAB_OP_SIGN, 1, 1), EX_CONFIG);
	rsa_token_place(&place, "/nonexistent/module.so");
	test_int("no such module", rsa_contestant_init_token(&c, &place, &pin,
	    reference, RSAB_OP_SIGN, 1, 1), EX_CONFIG);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contestant_token_both_operations),
		cmocka_unit_test(contestant_token_does_not_verify),
		cmocka_unit_test(contestant_token_ceases_to_verify),
		cmocka_unit_test(contestant_token_not_to_be_used),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
