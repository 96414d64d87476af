/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of look-ups (MIGRATION 2c: seen in OpenDKIM).
 */

/* this room */
#include "tests/test.h"
#include "milter/walk.h"

static void
check(const char *row, enum walk_kind kind, const char *local,
    const char *domain, const char *want)
{
	char got[2048] = "";
	struct walk w;
	struct slice key;
	size_t n = 0;

	walk_begin(&w, kind, slice_text(local), slice_text(domain));
	while (walk_next(&w, &key))
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%.*s",
		    n == 0 ? "" : " ", (int)key.n, (const char *)key.p);
	test_str(row, got, want);
	test_true(row, !walk_next(&w, &key));
}

static void
walk_order(void **state)
{
	(void)state;
	check("table", WALK_TABLE, "joe", "a.b.example.org",
	    "joe@a.b.example.org a.b.example.org "
	    "joe@.b.example.org .b.example.org "
	    "joe@.example.org .example.org joe@.org .org joe@* *");
	check("two labels", WALK_TABLE, "joe", "example.org",
	    "joe@example.org example.org joe@.org .org joe@* *");
	check("empty local part", WALK_TABLE, "", "example.org",
	    "@example.org example.org @.org .org @* *");
	check("pattern", WALK_PATTERN, "joe", "a.example.org",
	    "joe@a.example.org");
	check("domain", WALK_DOMAIN, "joe", "a.example.org",
	    "a.example.org");
	check("sub-domains", WALK_SUBDOMAINS, "joe", "a.b.example.org",
	    "a.b.example.org b.example.org example.org org");
}

static void
walk_long_keys(void **state)
{
	char local[DATASET_KEY_MAX + 1], want[1024];
	size_t n;

	(void)state;
	/* user@host fits exactly, then is left out */
	for (n = DATASET_KEY_MAX - 12; n <= DATASET_KEY_MAX - 11; n++) {
		memset(local, 'x', n);
		local[n] = '\0';
		snprintf(want, sizeof(want), "%s%s%sexample.org %s@.org .org "
		    "%s@* *", n == DATASET_KEY_MAX - 12 ? local : "",
		    n == DATASET_KEY_MAX - 12 ? "@example.org" : "",
		    n == DATASET_KEY_MAX - 12 ? " " : "", local, local);
		check("long", WALK_TABLE, local, "example.org", want);
		want[n == DATASET_KEY_MAX - 12 ? DATASET_KEY_MAX : 0] = '\0';
		check("pattern", WALK_PATTERN, local, "example.org", want);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walk_order),
		cmocka_unit_test(walk_long_keys),
	};

	return TEST_RUN(tests);
}
