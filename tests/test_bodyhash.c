/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests of dkim/bodyhash.c and dkim/digest.c. Hashes: RFC 6376 s3.4.3 and
 * s3.4.4, tests/vectors/canon.tsv, and NIST's examples for SHA-256.
 */

/* system */
#include "tests/test.h"

/* this room */
#include "dkim/base64.h"
#include "dkim/bodyhash.h"

#define ALL	UINT64_MAX

static struct dkim_lib *lib;

/* base64 of SHA-256 of: CRLF, nothing (RFC 6376 s3.4.3, s3.4.4) */
static const char empty_simple[] =
    "frcCV1k9oG9oKj3dpUqdJg1PxRT2RSN/XKdLCPjaYaY=";
static const char empty_relaxed[] =
    "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
/* of "a\r\n" (vectors/canon.tsv, chasquid) */
static const char a_line[] = "jkYhN5eG70Kk/sFVzVJcKR3X2zwf3jR4Ui9PYcA/0b0=";

static void
test_hash(const char *row, const struct bodyhash *b, size_t index,
    const char *want, uint64_t want_total)
{
	uint8_t hash[DIGEST_SIZE];
	uint64_t total;
	struct buf text;

	bodyhash_get(b, index, hash, &total);
	buf_init(&text, 100);
	base64_encode(slice_of(hash, sizeof(hash)), &text);
	test_octets(row, text.p, text.n, want, strlen(want));
	test_int(row, total, want_total);
	buf_clear(&text);
}

static struct bodyhash *
new_bodyhash(bool fix_crlf)
{
	struct bodyhash *b;

	test_int("new", bodyhash_new(lib, fix_crlf, &b), 0);
	return b;
}

static size_t
want(struct bodyhash *b, enum dkim_canon alg, uint64_t length)
{
	size_t index = 99;

	test_int("want", bodyhash_want(b, alg, length, &index), 0);
	return index;
}

/*
 * RFC 6376 s3.4.3 #4, s3.4.4 #7.
 */
static void
bodyhash_empty_body(void **state)
{
	struct bodyhash *b;
	size_t simple, relaxed;
	int round;

	(void)state;
	for (round = 0; round < 3; round++) {
		b = new_bodyhash(false);
		simple = want(b, DKIM_SIMPLE, ALL);
		relaxed = want(b, DKIM_RELAXED, ALL);
		test_int("add", bodyhash_add(b, slice_text("")), 0);
		if (round > 0)
			test_int("CRLF", bodyhash_add(b, slice_text("\r\n")),
			    0);
		if (round > 1)
			test_int("CRLF", bodyhash_add(b, slice_text("\r\n")),
			    0);
		test_int("end", bodyhash_end(b), 0);
		test_hash("empty, simple (PROBLEMS 4)", b, simple,
		    empty_simple, 2);
		test_hash("empty, relaxed (4)", b, relaxed, empty_relaxed, 0);
		bodyhash_free(b);
	}
}

/*
 * The bodies of vectors/canon.tsv; their escapes are \\r, \\n and \\t.
 */
static void
bodyhash_vectors(void **state)
{
	size_t n, rows = 0, at;
	char *text, *line, *rest, *column[5], *p;
	struct bodyhash *b;
	size_t index, i;
	uint64_t total;
	uint8_t hash[DIGEST_SIZE];
	struct buf octets;

	(void)state;
	text = (char *)test_file("vectors/canon.tsv", &n);
	buf_init(&octets, 10000);
	for (line = strtok_r(text, "\n", &rest); line != NULL;
	    line = strtok_r(NULL, "\n", &rest)) {
		for (i = 0, p = line; i < TEST_COUNT(column); i++) {
			column[i] = p;
			p += strcspn(p, "\t");
			if (*p != '\0')
				*p++ = '\0';
		}
		if (strcmp(column[0], "body") != 0)
			continue;
		b = new_bodyhash(false);
		index = want(b, column[1][0] == 's' ? DKIM_SIMPLE :
		    DKIM_RELAXED, ALL);
		buf_reset(&octets);
		for (p = column[2]; *p != '\0'; p++)
			if (*p == '\\' && *++p != '\0')
				buf_add_octet(&octets, *p == 'r' ? '\r' :
				    *p == 'n' ? '\n' : '\t');
			else
				buf_add_octet(&octets, (uint8_t)*p);
		test_int("add", bodyhash_add(b, buf_slice(&octets)), 0);
		test_int("end", bodyhash_end(b), 0);
		bodyhash_get(b, index, hash, &total);
		buf_reset(&octets);
		base64_encode(slice_of(hash, sizeof(hash)), &octets);
		at = strlen(column[4]);
		test_octets(column[2], octets.p, octets.n, column[4], at);
		bodyhash_free(b);
		rows++;
	}
	test_true("vectors were read", rows >= 20);
	buf_clear(&octets);
	free(text);
}

/*
 * All of a body's lengths at once, in an order that is not theirs, cut
 * everywhere: each is the hash of that many octets.
 */
static const char body[] = "ab  c \r\n\r\nde\tf\r\n \r\n";
static const char form[] = "ab c\r\n\r\nde f\r\n";

static void
split_at(void *arg, size_t cut)
{
	static const uint64_t lengths[] = {
		7, 0, ALL, 14, 3, 15, 13, 1, 100, 14, 6,
	};
	struct bodyhash *b = new_bodyhash(false);
	size_t index[TEST_COUNT(lengths)], i, n;
	uint8_t got[DIGEST_SIZE], right[DIGEST_SIZE];
	struct digest d;
	uint64_t total;

	(void)arg;
	test_int("form", sizeof(form) - 1, 14);
	for (i = 0; i < TEST_COUNT(lengths); i++)
		index[i] = want(b, DKIM_RELAXED, lengths[i]);
	test_int("equal wants share", index[9], index[3]);
	test_int("add", bodyhash_add(b, slice_of(body, cut)), 0);
	test_int("add", bodyhash_add(b, slice_of(body + cut,
	    sizeof(body) - 1 - cut)), 0);
	test_int("end", bodyhash_end(b), 0);
	for (i = 0; i < TEST_COUNT(lengths); i++) {
		n = lengths[i] < 14 ? (size_t)lengths[i] : 14;
		test_int("digest", digest_init(&d, lib), 0);
		digest_add(&d, slice_of(form, n));
		test_int("digest", digest_finish(&d, right), 0);
		digest_clear(&d);
		bodyhash_get(b, index[i], got, &total);
		test_octets("l=", got, sizeof(got), right, sizeof(right));
		test_int("total", total, 14);
	}
	bodyhash_free(b);
}

/*
 * RFC 6376 s3.5 #52, s3.7 #4, s5.3.1: counted in the canonical form; 0 is none.
 */
static void
bodyhash_want_lengths(void **state)
{
	(void)state;
	test_every_split(sizeof(body) - 1, split_at, NULL);
}

/*
 * Both forms side by side, one with l= only: its total still counts on.
 */
static void
bodyhash_want_both_forms(void **state)
{
	struct bodyhash *b = new_bodyhash(false);
	size_t simple, relaxed;

	(void)state;
	test_true("nothing wanted", !bodyhash_wants(b));
	simple = want(b, DKIM_SIMPLE, 3);
	relaxed = want(b, DKIM_RELAXED, ALL);
	test_true("wanted", bodyhash_wants(b));
	test_int("add", bodyhash_add(b, slice_text("a\r\n")), 0);
	test_true("l= reached, total not", bodyhash_wants(b));
	test_int("add", bodyhash_add(b, slice_text(" \r\n  \r\n")), 0);
	test_int("end", bodyhash_end(b), 0);
	test_hash("simple, l=3", b, simple, a_line, 10);
	test_hash("relaxed", b, relaxed, a_line, 3);
	bodyhash_free(b);
}

static void
bodyhash_new_fix_crlf(void **state)
{
	struct bodyhash *b = new_bodyhash(true);
	size_t index = want(b, DKIM_SIMPLE, ALL);

	(void)state;
	test_int("add", bodyhash_add(b, slice_text("a\n\r")), 0);
	test_int("end", bodyhash_end(b), 0);
	test_hash("bare LF, bare CR", b, index, a_line, 3);
	bodyhash_free(b);
}

static void
bodyhash_states(void **state)
{
	struct bodyhash *b = new_bodyhash(false);
	size_t index;

	(void)state;
	want(b, DKIM_SIMPLE, ALL);
	test_int("add nothing", bodyhash_add(b, slice_text("")), 0);
	want(b, DKIM_RELAXED, ALL);
	test_int("add", bodyhash_add(b, slice_text("x")), 0);
	test_int("want too late", bodyhash_want(b, DKIM_SIMPLE, 1, &index),
	    DKIM_ERR_STATE);
	test_int("end", bodyhash_end(b), 0);
	test_int("add after end", bodyhash_add(b, slice_text("x")),
	    DKIM_ERR_STATE);
	test_int("end after end", bodyhash_end(b), DKIM_ERR_STATE);
	bodyhash_free(b);
	bodyhash_free(NULL);
	b = new_bodyhash(false);
	test_int("nothing wanted", bodyhash_add(b, slice_text("x")), 0);
	test_int("nothing wanted", bodyhash_end(b), 0);
	test_int("want after end", bodyhash_want(b, DKIM_SIMPLE, 1, &index),
	    DKIM_ERR_STATE);
	bodyhash_free(b);
}

static void
bodyhash_add_long_body(void **state)
{
	struct bodyhash *b = new_bodyhash(false);
	/* a million times "a"; l= takes off the CRLF that is added */
	size_t nist = want(b, DKIM_SIMPLE, 1000000), i;
	size_t nist_relaxed = want(b, DKIM_RELAXED, 1000000);
	char chunk[1000];

	(void)state;
	want(b, DKIM_RELAXED, ALL);

	memset(chunk, 'a', sizeof(chunk));
	failmalloc_at(0);
	for (i = 0; i < 1000; i++)
		test_int("add", bodyhash_add(b, slice_of(chunk, 1000)), 0);
	/* flat: streaming allocates nothing of ours */
	test_int("allocations", failmalloc_count(), 0);
	test_int("end", bodyhash_end(b), 0);
	test_hash("FIPS 180: a million a", b, nist,
	    "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=", 1000002);
	test_hash("FIPS 180: a million a", b, nist_relaxed,
	    "zcduXJkU+5KBocfihNc+Z/GAmkiklyAOBG05zMcRLNA=", 1000002);
	bodyhash_free(b);
}

static void
digest_snapshot_goes_on(void **state)
{
	uint8_t a[DIGEST_SIZE], b[DIGEST_SIZE];
	struct digest d, abc;

	(void)state;
	test_int("init", digest_init(&d, lib), 0);
	digest_add(&d, slice_text("a"));
	test_int("snapshot", digest_snapshot(&d, a), 0);
	digest_add(&d, slice_text("bc"));
	test_int("finish", digest_finish(&d, b), 0);
	digest_clear(&d);
	/* FIPS 180-4 example: "abc" */
	test_octets("abc", b, 4, "\xba\x78\x16\xbf", 4);
	test_octets("abc", b + 28, 4, "\xf2\x00\x15\xad", 4);
	test_int("init", digest_init(&abc, lib), 0);
	digest_add(&abc, slice_text("a"));
	test_int("finish", digest_finish(&abc, b), 0);
	test_octets("a", a, sizeof(a), b, sizeof(b));
	digest_clear(&abc);
	digest_clear(&abc);
}

/*
 * What a watcher was told: "I" "U3" "F", one behind the other.
 */
static void
note_call(void *context, enum dkim_digest_call call, size_t octets)
{
	static const char letters[] = "IUF";
	struct buf *calls = context;

	buf_add_octet(calls, (uint8_t)letters[call]);
	if (octets > 0)
		buf_add_number(calls, octets);
}

static void
dkim_lib_watch_calls(void **state)
{
	uint8_t out[DIGEST_SIZE];
	struct dkim_lib *watched;
	struct digest d;
	struct buf calls;

	(void)state;
	buf_init(&calls, 100);
	test_int("lib", dkim_lib_new(&watched), 0);
	dkim_lib_watch(watched, note_call, &calls);
	test_int("init", digest_init(&d, watched), 0);
	digest_add(&d, slice_text("abc"));
	digest_add(&d, slice_text(""));
	digest_add(&d, slice_text("0123456789"));
	test_int("finish", digest_finish(&d, out), 0);
	digest_clear(&d);
	test_octets("calls", calls.p, calls.n, "IU3U10F", 7);
	dkim_lib_watch(watched, NULL, NULL);
	test_int("init", digest_init(&d, watched), 0);
	digest_clear(&d);
	test_int("no more calls", calls.n, 7);
	dkim_lib_free(watched);
	buf_clear(&calls);
}

static bool
hash_one(void *arg)
{
	uint8_t hash[DIGEST_SIZE];
	struct bodyhash *b;
	uint64_t total;
	size_t index;
	int r;

	(void)arg;
	if (bodyhash_new(lib, false, &b) != 0)
		return false;
	r = bodyhash_want(b, DKIM_SIMPLE, 1, &index);
	if (r == 0)
		r = bodyhash_want(b, DKIM_RELAXED, ALL, &index);
	if (r == 0)
		r = bodyhash_add(b, slice_text("x"));
	if (r == 0)
		r = bodyhash_end(b);
	if (r == 0)
		bodyhash_get(b, 0, hash, &total);
	/* SHA-256 of "x" */
	if (r == 0)
		test_octets("hash", hash, 4, "\x2d\x71\x16\x42", 4);
	test_true("a code", r == 0 || r == DKIM_ERR_NOMEM);
	bodyhash_free(b);
	return r == 0;
}

static bool
make_lib(void *arg)
{
	struct dkim_lib *one;

	(void)arg;
	if (dkim_lib_new(&one) != 0)
		return false;
	dkim_lib_free(one);
	return true;
}

static void
bodyhash_no_memory(void **state)
{
	(void)state;
	test_every_allocation(hash_one, NULL);
	test_every_allocation(make_lib, NULL);
	dkim_lib_free(NULL);
}

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bodyhash_empty_body),
		cmocka_unit_test(bodyhash_vectors),
		cmocka_unit_test(bodyhash_want_lengths),
		cmocka_unit_test(bodyhash_want_both_forms),
		cmocka_unit_test(bodyhash_new_fix_crlf),
		cmocka_unit_test(bodyhash_states),
		cmocka_unit_test(bodyhash_add_long_body),
		cmocka_unit_test(digest_snapshot_goes_on),
		cmocka_unit_test(dkim_lib_watch_calls),
		cmocka_unit_test(bodyhash_no_memory),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
