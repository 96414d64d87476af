/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pairs for blinding: that they are pairs, how long they serve, whose they
 * are, which one goes, and what fork leaves of them.
 */

/* system */
#include <sys/wait.h>

#include <unistd.h>

/* libcrypto */
#include <openssl/bn.h>
#include <openssl/rand.h>

/* rsa-backend */
#include "rsa-backend/blinding.h"

/* this room */
#include "tests/bn64_made.h"

#define E	65537

/* A public key in one path, and scratch. */
struct made {
	struct rsab_key			*loaded;
	const struct rsakey_public	*key;
	void				*scratch;
};

static struct blinding cache;
static int random_fails;	/* calls of RAND_priv_bytes until one fails */

/*
 * In place of libcrypto's, which it calls.
 */
int
RAND_priv_bytes(unsigned char *p, int n)
{
	if (random_fails != 0 && --random_fails == 0)
		return 0;
	return RAND_priv_bytes_ex(NULL, p, (size_t)n, 0);
}

static void
made_open(struct made *made, const char *file)
{
	const struct bn64_key *own;
	const struct rsab_backend *backend;

	test_int("find", rsab_backend_find("bn64:portable", &backend), 0);
	made->loaded = made_load(backend, file);
	own = made->loaded->own;
	made->key = &own->scalar;
	made->scratch = aligned_alloc(RSAKEY_ALIGN, rsakey_align(
	    blinding_scratch(made->key->path, made->key->n)));
}

static void
made_close(struct made *made)
{
	rsab_key_unref(made->loaded);
	free(made->scratch);
}

/* The fingerprint of a key that nobody has. */
static const uint8_t *
fingerprint(unsigned i)
{
	static uint8_t octets[RSAB_FINGERPRINT_SIZE];

	octets[0] = (uint8_t)i;
	octets[RSAB_FINGERPRINT_SIZE - 1] = (uint8_t)(i >> 8);
	return octets;
}

static struct blinding_pair *
take(const struct made *made, unsigned i)
{
	struct blinding_pair *pair = NULL;

	test_int("take", blinding_take(&cache, fingerprint(i), made->key,
	    made->scratch, &pair), RSAB_OK);
	return pair;
}

static void
step(const struct made *made, struct blinding_pair *pair)
{
	const struct blinding_use use = { .pair = pair, .key = made->key };

	blinding_step(&use, 1, made->scratch);
}

/*
 * A number of the pair, out of the Montgomery form.
 */
static BIGNUM *
number(const struct made *made, const void *digits)
{
	const struct path *path = made->key->path;
	uint8_t octets[RSAKEY_OCTETS_MAX] = { 0 };
	uint64_t one[RSAKEY_OCTETS_MAX / 8], z[RSAKEY_OCTETS_MAX / 8];
	const struct path_product product = {
		.modulus = &made->key->modulus, .a = digits, .b = one, .z = z,
	};
	size_t len = made->key->octets.n;

	octets[len - 1] = 1;
	path->from_octets(one, made->key->n, octets, len);
	path->product(made->key->n, &product, 1, made->scratch);
	path->to_octets(octets, len, z, made->key->n);
	return BN_bin2bn(octets, (int)len, NULL);
}

/*
 * r^e (1 / r)^e = 1 mod n, by BIGNUM.
 */
static void
check_pair(const struct made *made, const struct blinding_pair *pair)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *n = BN_bin2bn(made->key->octets.p,
	    (int)made->key->octets.n, NULL);
	BIGNUM *a = number(made, pair->blind), *e = BN_new();
	BIGNUM *b = number(made, pair->unblind);

	test_int("BIGNUM", BN_set_word(e, E) && BN_mod_exp(b, b, e, n,
	    context) && BN_mod_mul(b, a, b, n, context), 1);
	test_true("a pair", BN_is_one(b));
	test_true("that blinds", !BN_is_one(a) && !BN_is_zero(a));
	BN_free(e);
	BN_free(b);
	BN_free(a);
	BN_free(n);
	BN_CTX_free(context);
}

static void
pair_is_a_pair(void **state)
{
	static const char *const files[] = {
		"keys/rsa512.pem", "keys/rsa1023.pem", "keys/unequal.pem",
		"keys-bn64/bits1025.pem", "keys/rsa2048.pem",
		"keys-bn64/bits8192.pem",
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(files); i++) {
		struct blinding_pair *pair;
		struct made made;

		made_open(&made, files[i]);
		pair = take(&made, 1);
		for (int k = 0; k < 3; k++) {
			check_pair(&made, pair);
			step(&made, pair);
		}
		blinding_clear(&cache);
		made_close(&made);
	}
}

/* A pair is squared after each pass, and made anew after enough of them. */
static void
pair_wears_out(void **state)
{
	uint8_t before[RSAKEY_OCTETS_MAX];
	struct blinding_pair *pair;
	unsigned passes, least = UINT32_MAX, most = 0;
	struct made made;
	size_t size;

	(void)state;
	made_open(&made, "keys/rsa512.pem");
	size = rsakey_number_size(made.key->path, made.key->n);
	for (unsigned round = 0; round < 40; round++) {
		BN_CTX *context = BN_CTX_new();
		BIGNUM *n = BN_bin2bn(made.key->octets.p,
		    (int)made.key->octets.n, NULL);

		pair = take(&made, 7);
		passes = pair->left;
		for (unsigned k = passes; k > 0; k--) {
			BIGNUM *old = number(&made, pair->unblind), *new;

			memcpy(before, pair->unblind, size);
			test_true("the same pair", take(&made, 7) == pair);
			test_int("as it was", memcmp(before, pair->unblind,
			    size), 0);
			step(&made, pair);
			test_int("one less", pair->left, k - 1);
			new = number(&made, pair->unblind);
			BN_mod_sqr(old, old, n, context);
			test_int("squared", BN_cmp(old, new), 0);
			BN_free(old);
			BN_free(new);
		}
		memcpy(before, pair->unblind, size);
		test_true("its place", take(&made, 7) == pair);
		test_true("a new pair", pair->left >= BLINDING_USES_MIN &&
		    memcmp(before, pair->unblind, size) != 0);
		check_pair(&made, pair);
		/* For the next round a new one as well */
		pair->left = 0;
		least = passes < least ? passes : least;
		most = passes > most ? passes : most;
		BN_free(n);
		BN_CTX_free(context);
	}
	test_true("passes", least >= BLINDING_USES_MIN &&
	    most <= BLINDING_USES_MAX && least != most);
	blinding_clear(&cache);
	made_close(&made);
}

/* By fingerprint, path and size: never by an address that comes back. */
static void
pair_belongs_to_its_key(void **state)
{
	struct blinding_pair *a, *b;
	struct made made, other;

	(void)state;
	made_open(&made, "keys/rsa1024.pem");
	made_open(&other, "keys/rsa512.pem");
	a = take(&made, 1);
	b = take(&made, 2);
	test_true("by fingerprint", a != b);
	check_pair(&made, a);
	check_pair(&made, b);
	b = take(&other, 1);
	test_true("by size", a != b && take(&made, 1) == a);
	check_pair(&other, b);
	check_pair(&made, a);
	blinding_clear(&cache);
	made_close(&other);
	made_close(&made);
}

/* Bounded: the one unused longest goes, and never one of those just taken. */
static void
pair_unused_longest_goes(void **state)
{
	struct blinding_pair *pairs[BLINDING_PAIRS + 1], *again;
	struct made made;

	(void)state;
	made_open(&made, "keys/rsa512.pem");
	for (unsigned i = 0; i < BLINDING_PAIRS; i++) {
		pairs[i] = take(&made, i);
		for (unsigned k = 0; k < i; k++)
			test_true("its own", pairs[k] != pairs[i]);
	}
	test_int("slabs", cache.slabs, BLINDING_SLABS);
	test_true("still there", take(&made, 0) == pairs[0]);
	/* Now 1 is the oldest, then 2. */
	pairs[BLINDING_PAIRS] = take(&made, BLINDING_PAIRS);
	test_true("1 went", pairs[BLINDING_PAIRS] == pairs[1]);
	test_true("0 did not", take(&made, 0) == pairs[0]);
	again = take(&made, 1);
	test_true("2 went", again == pairs[2]);
	check_pair(&made, again);
	test_int("slabs", cache.slabs, BLINDING_SLABS);
	blinding_clear(&cache);
	made_close(&made);
}

/* After a fault the pairs of that key go, and no other. */
static void
pair_dropped(void **state)
{
	uint8_t zero[2 * RSAKEY_OCTETS_MAX] = { 0 };
	struct blinding_pair *a, *b;
	unsigned left;
	struct made made;

	(void)state;
	made_open(&made, "keys/rsa1024.pem");
	a = take(&made, 1);
	b = take(&made, 2);
	step(&made, b);
	left = b->left;
	blinding_drop(&cache, fingerprint(1));
	blinding_drop(&cache, fingerprint(5));
	test_octets("wiped", a->blind, sizeof zero, zero, sizeof zero);
	test_true("the other", take(&made, 2) == b && b->left == left);
	check_pair(&made, b);
	check_pair(&made, take(&made, 1));
	blinding_clear(&cache);
	made_close(&made);
}

/* No random octets: an error, and no half pair that a later call finds. */
static void
take_without_random_octets(void **state)
{
	struct blinding_pair *pair = NULL;
	struct made made;

	(void)state;
	made_open(&made, "keys/rsa1024.pem");
	for (int fails = 1; fails <= 2; fails++) {
		random_fails = fails;
		test_int("error", blinding_take(&cache, fingerprint(3),
		    made.key, made.scratch, &pair), RSAB_ERR_BACKEND);
		test_true("nothing", pair == NULL);
	}
	pair = take(&made, 3);
	check_pair(&made, pair);
	/* A worn pair that cannot be made anew is not used again. */
	pair->left = 0;
	random_fails = 1;
	pair = NULL;
	test_int("worn", blinding_take(&cache, fingerprint(3), made.key,
	    made.scratch, &pair), RSAB_ERR_BACKEND);
	test_true("nothing", pair == NULL);
	check_pair(&made, take(&made, 3));
	blinding_clear(&cache);
	made_close(&made);
}

/* In a child the pages are empty: it must not blind with zeros. */
static void
take_in_a_child(void **state)
{
	struct blinding_pair *pair;
	struct made made;
	pid_t child;
	int status;

	(void)state;
	made_open(&made, "keys/rsa512.pem");
	pair = take(&made, 1);
	child = fork();
	if (child == 0) {
		struct blinding_pair *again = NULL;
		const uint64_t *digits = pair->blind;
		bool wiped = digits[0] == 0 && digits[1] == 0;
		int r = blinding_take(&cache, fingerprint(1), made.key,
		    made.scratch, &again);

		_exit(r != 0 || again != pair ? 1 : digits[0] == 0 &&
		    digits[1] == 0 ? 2 : wiped ? 0 : 3);
	}
	test_int("waitpid", waitpid(child, &status, 0), child);
	test_true("exit", WIFEXITED(status));
	/* 3: a system that does not wipe; the pair is as good as before */
	if (WEXITSTATUS(status) == 3)
		print_message("this system keeps the pages in a child\n");
	else
		test_int("child", WEXITSTATUS(status), 0);
	check_pair(&made, take(&made, 1));
	blinding_clear(&cache);
	made_close(&made);
}

static bool
make_pair(void *arg)
{
	struct blinding_pair *pair;
	struct made *made = arg;
	int r = blinding_take(&cache, fingerprint(1), made->key,
	    made->scratch, &pair);

	test_true("RSAB_ERR_NOMEM", r == 0 || r == RSAB_ERR_NOMEM);
	blinding_clear(&cache);
	return r == 0;
}

static void
take_every_allocation_fails(void **state)
{
	struct made made;

	(void)state;
	made_open(&made, "keys/rsa512.pem");
	test_true("sites", test_every_allocation(make_pair, &made) >= 1);
	made_close(&made);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pair_is_a_pair),
		cmocka_unit_test(pair_wears_out),
		cmocka_unit_test(pair_belongs_to_its_key),
		cmocka_unit_test(pair_unused_longest_goes),
		cmocka_unit_test(pair_dropped),
		cmocka_unit_test(take_without_random_octets),
		cmocka_unit_test(take_in_a_child),
		cmocka_unit_test(take_every_allocation_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
