/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Work is linear in the message, whatever part of it grows, and nothing that
 * comes out is larger than what went in allows: counted in octets hashed,
 * allocations and octets allocated, not in time (that is dkimbench growth).
 */

/* bench */
#include "bench/growth_work.h"

/* this room */
#include "tests/test.h"

#define SLACK		4096	/* calls or octets that do not depend on n */
#define WRITTEN_MAX	16384	/* octets of any field that we write */
#define HASHED_MAX	40	/* times what came in: 16 signatures looked
				 * at, each over the whole header */
#define MEMORY_MAX	12	/* times what came in, and */
#define MEMORY_LEAST	65536	/* octets, and */
#define FIELD_MEMORY	2048	/* octets a field or name, its verdict too */

struct count {
	size_t	hashed;		/* octets */
	size_t	updates;	/* calls */
	size_t	allocations;
	size_t	allocated;	/* octets */
	size_t	written;
};

static struct growth_site site;
static size_t hashed, updates;

static void
watch(void *context, enum dkim_digest_call call, size_t octets)
{
	(void)context;
	updates += call == DKIM_DIGEST_UPDATE;
	hashed += octets;
}

static int
set_up(void **state)
{
	(void)state;
	assert_int_equal(growth_site_open(&site), 0);
	dkim_lib_watch(site.lib, watch, NULL);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	growth_site_close(&site);
	return 0;
}

typedef int (*run_fn)(const struct growth_site *site,
    const struct growth_case *c, struct growth_result *out);

static struct count
count_case(const char *row, run_fn run, const struct growth_case *c,
    struct growth_result *result)
{
	struct count count;

	hashed = updates = 0;
	failmalloc_at(0);
	test_int(row, run(&site, c, result), 0);
	count = (struct count){ hashed, updates, failmalloc_count(),
	    failmalloc_octets(), result->written };
	failmalloc_off();
	return count;
}

/*
 * Twice the input: not more than twice the work.
 */
static void
check_double(const char *row, const char *what, size_t once, size_t twice)
{
	if (twice > 2 * once + SLACK)
		fprintf(stderr, "# %s: %s: %zu, then %zu\n", row, what, once,
		    twice);
	test_true(row, twice <= 2 * once + SLACK);
}

static void
check_bounds(const char *row, const struct growth_shape *shape, size_t n,
    size_t in, const struct count *count)
{
	size_t most = MEMORY_MAX * in + MEMORY_LEAST;

	if (strcmp(shape->unit, "octets") != 0)
		most += n * FIELD_MEMORY;
	if (count->allocated > most || count->hashed > HASHED_MAX * in)
		fprintf(stderr, "# %s: %zu in, %zu hashed, %zu allocated\n",
		    row, in, count->hashed, count->allocated);
	test_true(row, count->hashed <= HASHED_MAX * in);
	test_true(row, count->allocated <= most);
	test_true(row, count->written > 0 && count->written <= WRITTEN_MAX);
}

static void
check_shape(const struct growth_shape *shape, const char *op, run_fn run)
{
	struct count before = { 0 }, count;
	struct growth_result result;
	struct growth_case c;
	char row[64];
	size_t i, n;

	for (i = 0; i < GROWTH_STEPS; i++) {
		n = shape->least << i;
		snprintf(row, sizeof(row), "%s of %zu %s: %s", shape->name, n,
		    shape->unit, op);
		test_int(row, growth_case_make(site.lib, shape, n, &c), 0);
		count = count_case(row, run, &c, &result);
		check_bounds(row, shape, n, c.header.n + c.body.n +
		    c.record.n, &count);
		if (i > 0) {
			check_double(row, "octets hashed", before.hashed,
			    count.hashed);
			check_double(row, "updates", before.updates,
			    count.updates);
			check_double(row, "allocations", before.allocations,
			    count.allocations);
			check_double(row, "octets allocated",
			    before.allocated, count.allocated);
		}
		before = count;
		growth_case_clear(&c);
	}
}

static void
growth_verify_linear(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < growth_shapes_count; i++)
		check_shape(&growth_shapes[i], "verify", growth_verify);
}

static void
growth_sign_linear(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < growth_shapes_count; i++)
		check_shape(&growth_shapes[i], "sign", growth_sign);
}

/*
 * The shapes do what they are for: each signature goes through to the last
 * step, as many as there are places for.
 */
static void
growth_verify_result(void **state)
{
	struct growth_result result;
	const struct growth_shape *shape;
	struct growth_case c;
	bool many, repeats;
	size_t i;

	(void)state;
	for (i = 0; i < growth_shapes_count; i++) {
		shape = &growth_shapes[i];
		repeats = strcmp(shape->name, "repeats") == 0;
		many = repeats || strcmp(shape->name, "signatures") == 0;
		assert_int_equal(growth_case_make(site.lib, shape,
		    shape->least, &c), 0);
		test_int(shape->name, growth_verify(&site, &c, &result), 0);
		test_str(shape->name, dkim_result_text(result.first), "fail");
		test_int(shape->name, result.verdicts, many ? shape->least :
		    1);
		test_int(shape->name, result.looked_at, !many ? 1 : repeats ?
		    DKIM_SIGNATURES_DEFAULT + 1 : DKIM_SIGNATURES_DEFAULT);
		test_int(shape->name, result.claims, strcmp(shape->name,
		    "results") == 0 ? shape->least : strcmp(shape->name,
		    "comment") == 0);
		growth_case_clear(&c);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(growth_verify_linear, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(growth_sign_linear, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(growth_verify_result, set_up,
		    tear_down),
	};

	return TEST_RUN(tests);
}
