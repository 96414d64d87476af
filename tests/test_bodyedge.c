/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a body may have had less of when it was signed: canonical octets at
 * every split point, and the bounds.
 */

/* this room */
#include "tests/test.h"
#include "dkim/bodyedge.h"

static struct dkim_lib *lib;

static int
set_up(void **state)
{
	(void)state;
	return dkim_lib_new(&lib);
}

static int
tear_down(void **state)
{
	(void)state;
	dkim_lib_free(lib);
	return 0;
}

static void
want(struct bodyedge *edge, const char *text, size_t *index)
{
	struct digest digest;
	uint8_t hash[DIGEST_SIZE];

	assert_int_equal(digest_init(&digest, lib), 0);
	digest_add(&digest, slice_text(text));
	assert_int_equal(digest_finish(&digest, hash), 0);
	digest_clear(&digest);
	assert_int_equal(bodyedge_want(edge, hash, index), 0);
}

struct row {
	const char		*name;
	const char		*hashed;
	enum bodyedge_kind	 kind;
	uint64_t		 top;
	uint64_t		 lines;
};

static const char octets[] = "a\r\nb\rc\nd\r\n\r\ne\r\n";

static const struct row rows[] = {
	{ "nothing", "z", BODYEDGE_NOTHING, 0, 0 },
	{ "one line", "a\r\n", BODYEDGE_LINES, 0, 1 },
	{ "a bare CR and a bare LF end none", "a\r\nb\rc\nd\r\n",
	    BODYEDGE_LINES, 0, 2 },
	{ "not half a line", "a\r\nb\r", BODYEDGE_NOTHING, 0, 0 },
	{ "from the second on", "b\rc\nd\r\n\r\ne\r\n", BODYEDGE_LINES, 1, 3 },
	{ "the second alone", "b\rc\nd\r\n", BODYEDGE_LINES, 1, 1 },
	{ "no end", "a\r\nb\rc\nd\r\n\r\ne", BODYEDGE_NO_END, 0, 4 },
	{ "more end", "a\r\nb\rc\nd\r\n\r\ne\r\n\r\n", BODYEDGE_MORE_END, 0,
	    4 },
	{ "LF", "a\nb\rc\nd\n\ne\n", BODYEDGE_LF, 0, 4 },
	{ "empty", "", BODYEDGE_LINES, 4, 0 },
};

/*
 * Give canonical octets to the sink itself, as pieces of any size.
 */
static void
run(void *arg, size_t cut)
{
	struct slice in = slice_text(octets);
	struct bodyedge edge;
	size_t i, index;

	(void)arg;
	assert_int_equal(bodyedge_init(&edge, lib, DKIM_RELAXED, false), 0);
	for (i = 0; i < TEST_COUNT(rows); i++)
		want(&edge, rows[i].hashed, &index);
	edge.sink.add(edge.sink.context, slice_sub(in, 0, cut));
	edge.sink.add(edge.sink.context, slice_from(in, cut));
	assert_int_equal(bodyedge_end(&edge), 0);
	for (i = 0; i < TEST_COUNT(rows); i++) {
		test_int(rows[i].name, edge.wants[i].kind, rows[i].kind);
		test_int(rows[i].name, edge.wants[i].top, rows[i].top);
		test_int(rows[i].name, edge.wants[i].lines, rows[i].lines);
	}
	bodyedge_clear(&edge);
}

static void
bodyedge_add_split(void **state)
{
	(void)state;
	test_every_split(strlen(octets), run, NULL);
}

/*
 * Lines in front are left out of the first BODYEDGE_BOTH lines only; lines
 * from the first on count behind that, too.
 */
static void
bodyedge_add_both(void **state)
{
	size_t at, n, i, index[2];
	struct bodyedge edge;
	char *body, *less;

	(void)state;
	for (n = BODYEDGE_BOTH; n <= BODYEDGE_BOTH + 1; n++) {
		body = malloc(4 * n + 64);
		less = malloc(4 * n + 64);
		for (at = 0, i = 0; i < n; i++)
			at += (size_t)sprintf(&body[at], "%c\r\n",
			    i == 0 ? 'b' : 'a');
		strcpy(less, body);
		strcpy(&body[at], "footer\r\n");
		assert_int_equal(bodyedge_init(&edge, lib, DKIM_SIMPLE,
		    false), 0);
		want(&edge, less, &index[0]);
		want(&edge, less + 3, &index[1]);
		assert_int_equal(bodyedge_add(&edge, slice_text(body)), 0);
		assert_int_equal(bodyedge_end(&edge), 0);
		test_int("from the first", edge.wants[index[0]].kind,
		    BODYEDGE_LINES);
		test_int("from the first", edge.wants[index[0]].lines, n);
		test_int("from the second", edge.wants[index[1]].kind,
		    n <= BODYEDGE_BOTH ? BODYEDGE_LINES : BODYEDGE_NOTHING);
		bodyedge_clear(&edge);
		free(body);
		free(less);
	}
}

static void
bodyedge_want_limit(void **state)
{
	uint8_t hash[DIGEST_SIZE] = { 0 };
	struct bodyedge edge;
	size_t i, index;

	(void)state;
	assert_int_equal(bodyedge_init(&edge, lib, DKIM_SIMPLE, false), 0);
	for (i = 0; i < BODYEDGE_WANTS; i++)
		assert_int_equal(bodyedge_want(&edge, hash, &index), 0);
	assert_int_equal(bodyedge_want(&edge, hash, &index), DKIM_ERR_LIMIT);
	bodyedge_clear(&edge);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodyedge_add_split),
		cmocka_unit_test(bodyedge_add_both),
		cmocka_unit_test(bodyedge_want_limit),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
