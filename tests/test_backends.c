/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backends of a list: which are here, why others are not, and what the
 * program ends with.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/backends.h"

/* this room */
#include "tests/test.h"

static struct backends
backends_of(const char *list)
{
	struct backends backends = { .names = { .n = 0 } };

	assert_int_equal(options_names("--backend", list, &backends.names), 0);
	return backends;
}

static void
backends_find_lists(void **state)
{
	static const struct {
		const char	*list;
		int		 status;
		bool		 first, second;	/* is here */
	} rows[] = {
		{ "libcrypto", 0, true, false },
		{ "libcrypto,bn64:portable", 0, true, true },
		{ "pkcs11,libcrypto", 0, false, true },
		{ "libcrypto,pkcs11", 0, true, false },
		{ "pkcs11", EX_UNAVAILABLE, false, false },
		{ "openssl", EX_USAGE, false, false },
		{ "libcrypto,openssl", EX_USAGE, true, false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct backends b = backends_of(rows[i].list);

		test_int(rows[i].list, backends_find(&b), rows[i].status);
		test_int(rows[i].list, b.backend[0] != NULL, rows[i].first);
		test_int(rows[i].list, b.backend[1] != NULL, rows[i].second);
		for (size_t k = 0; k < b.names.n && rows[i].status == 0; k++)
			test_int(rows[i].list, b.reason[k] == NULL,
			    b.backend[k] != NULL);
	}
}

static void
backends_find_by_name(void **state)
{
	struct backends b = backends_of("bn64:portable,libcrypto");
	const struct rsab_backend *one = NULL;
	const char *reason = "as before";

	(void)state;
	test_int("found", backends_find(&b), 0);
	test_str("first", rsab_backend_name(b.backend[0]), "bn64:portable");
	test_str("second", rsab_backend_name(b.backend[1]), "libcrypto");
	test_int("one", backends_find_one("libcrypto", &one, &reason), 0);
	test_true("the same", one == b.backend[1] && reason == NULL);
	test_int("none", backends_find_one("", &one, &reason), EX_USAGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(backends_find_lists),
		cmocka_unit_test(backends_find_by_name),
	};

	return TEST_RUN(tests);
}
