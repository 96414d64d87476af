/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSABackend: words, and what follows a self-test that fails. The self-test
 * that rsabackend.c calls here is this file's.
 */

/* system */
#include <stdlib.h>

/* this room */
#include "tests/test.h"
#include "rsa-backend/rsab.h"

static int selftest_run(const struct rsab_backend *,
    const struct rsab_backend **, unsigned *);

#define rsab_backend_selftest	selftest_run
#include "milter/rsabackend.c"

static struct {
	const char	*fails[4];	/* names of backends */
	const char	*next[4];	/* which takes the place */
	int		 error;
} selftest;

static char said[4096];
static enum fault said_fault;

static int
selftest_run(const struct rsab_backend *backend,
    const struct rsab_backend **next, unsigned *class)
{
	for (size_t i = 0; i < 4; i++) {
		if (selftest.fails[i] == NULL || strcmp(selftest.fails[i],
		    rsab_backend_name(backend)) != 0)
			continue;
		*class = 2048;
		*next = NULL;
		if (selftest.next[i] != NULL)
			assert_int_equal(rsab_backend_find(selftest.next[i],
			    next), 0);
		return selftest.error;
	}
	return RSAB_OK;
}

static void
write_fault(void *context, enum fault fault, const char *text)
{
	size_t n = strlen(said);

	(void)context;
	said_fault = fault;
	snprintf(said + n, sizeof(said) - n, "%s\n", text);
}

static struct report
begin(void)
{
	said[0] = '\0';
	memset(&selftest, 0, sizeof(selftest));
	selftest.error = RSAB_ERR_BACKEND;
	return (struct report){ .write = write_fault };
}

static int
choose(const char *word, struct report *report, const char **name)
{
	struct options options = { .rsa_backend = (char *)(uintptr_t)word };
	const struct rsab_backend *backend = NULL;
	int r = rsabackend_choose(&options, report, &backend);

	*name = backend == NULL ? "none" : rsab_backend_name(backend);
	return r;
}

static void
rsabackend_choose_words(void **state)
{
	static const char *const words[][2] = {
		{ "libcrypto", "libcrypto" },
		{ "bn64:portable", "bn64:portable" },
		{ "bn64:emulated", "bn64:emulated" },
	};
	struct report report = begin();
	const char *name;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		test_int(words[i][0], choose(words[i][0], &report, &name), 0);
		assert_string_equal(name, words[i][1]);
	}
	test_int("bn64", choose("bn64", &report, &name), 0);
	test_true("bn64 has a path", strncmp(name, "bn64:", 5) == 0);
	assert_string_equal(said, "");
}

static void
rsabackend_choose_failed(void **state)
{
	struct report report = begin();
	const char *name;

	(void)state;
	selftest.fails[0] = "bn64:emulated";
	selftest.next[0] = "bn64:portable";
	selftest.fails[1] = "bn64:portable";
	selftest.next[1] = "libcrypto";
	test_int("goes on", choose("bn64:emulated", &report, &name), 0);
	assert_string_equal(name, "libcrypto");
	test_int("two warnings", (long)report.warnings, 2);
	test_true("says what", strstr(said, "bn64:emulated computes RSA-2048 "
	    "wrongly") != NULL);
	test_true("says what is used", strstr(said, "libcrypto is used") !=
	    NULL);
}

static void
rsabackend_choose_none(void **state)
{
	struct report report = begin();
	const char *name;

	(void)state;
	selftest.fails[0] = "libcrypto";
	test_int("ends", choose("libcrypto", &report, &name),
	    DKIM_ERR_SYNTAX);
	test_int("as fatal", (long)report.fatals, 1);
	test_int("kind", said_fault, FAULT_FATAL);
	selftest.error = RSAB_ERR_NOMEM;
	test_int("memory", choose("libcrypto", &report, &name),
	    DKIM_ERR_NOMEM);
}

static void
rsabackend_check_words(void **state)
{
	static const struct {
		const char	*word, *want;
	} rows[] = {
		{ "libcrypto", "" },
		{ "auto", "" },
		{ "bn64", "" },
		{ "bn64:portable", "" },
		{ "openssl", "wanted is libcrypto, bn64" },
		{ "bn64:mmx", "wanted is libcrypto, bn64" },
		{ "BN64", "wanted is libcrypto, bn64" },
		{ "", "wanted is libcrypto, bn64" },
		{ "PKCS11", "wanted is libcrypto, bn64" },
		{ "x\ny", "x\\x0ay" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options options = {
			.rsa_backend = (char *)(uintptr_t)rows[i].word,
		};
		struct report report = begin();

		rsabackend_check(&options, &report);
		test_int(rows[i].word, (long)report.fatals,
		    rows[i].want[0] != '\0');
		test_true(rows[i].word, strstr(said, rows[i].want) != NULL);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rsabackend_choose_words),
		cmocka_unit_test(rsabackend_choose_failed),
		cmocka_unit_test(rsabackend_choose_none),
		cmocka_unit_test(rsabackend_check_words),
	};

	return TEST_RUN(tests);
}
