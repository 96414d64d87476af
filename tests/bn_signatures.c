/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signing and verifying through rsab_run on each path of bn64 against
 * libcrypto: passes of one to eight jobs, of mixed keys where they group, with
 * bad jobs among good ones. The keys are those of vectors/rsa/bn-sign.tsv and
 * small ones of random sizes and exponents that libcrypto's BIGNUM makes.
 * Prints TAP; a failure prints what repeats it.
 *
 *	bn_signatures [--seed S] [--count N] [--keys N]
 *
 *	--seed    [8017]
 *	--count   results to compare [BN_DIFFERENTIAL in the environment, 5000],
 *		  over all paths
 *	--keys    how many are made [count / 200, 24 to 300]
 */

/* system */
#include <openssl/bn.h>

/* rsa-backend */
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/bn_random.h"
#include "tests/bn_table.h"

#define COUNT		5000
#define KEYS_MAX	400
#define BACKENDS	5
#define NUMBERS		9	/* of RSAPrivateKey, with the version */
#define DER_MAX		8192

struct key {
	struct rsab_key	*by[BACKENDS];	/* the same key, by each backend */
	unsigned	 bits;
};

static const char *const names[BACKENDS] = {
	"libcrypto", "bn64:portable", "bn64:adx", "bn64:emulated", "bn64:ifma",
};
static const struct rsab_backend *backends[BACKENDS];
static struct key keys[KEYS_MAX];
static size_t keys_n;
static struct rsab_worker *worker, *reference;
static struct bn_random random_source;
static uint64_t seed = 8017;

static void
want(bool good, const char *what)
{
	if (!good)
		bn_table_die(what, "failed");
}

/* --- DER: RFC 8017 A.1.2 --- */

static size_t
der_head(uint8_t *out, uint8_t tag, size_t n)
{
	out[0] = tag;
	if (n < 128) {
		out[1] = (uint8_t)n;
		return 2;
	}
	if (n < 256) {
		out[1] = 0x81;
		out[2] = (uint8_t)n;
		return 3;
	}
	out[1] = 0x82;
	out[2] = (uint8_t)(n >> 8);
	out[3] = (uint8_t)n;
	return 4;
}

static size_t
der_integer(uint8_t *out, const BIGNUM *x)
{
	size_t n = (size_t)BN_num_bits(x) / 8 + 1, head = der_head(out, 2, n);

	want(BN_bn2binpad(x, out + head, (int)n) >= 0, "BN_bn2binpad");
	return head + n;
}

static size_t
der_key(uint8_t *out, const BIGNUM *const numbers[NUMBERS])
{
	size_t n = 0, head;
	uint8_t header[4];

	for (size_t i = 0; i < NUMBERS; i++)
		n += der_integer(out + n, numbers[i]);
	head = der_head(header, 0x30, n);
	memmove(out + head, out, n);
	memcpy(out, header, head);
	return head + n;
}

/* --- the keys --- */

static void
load_key(size_t backend, const uint8_t *der, size_t n, struct rsab_key **out)
{
	int e = rsab_key_load_private(backends[backend], der, n, out);

	if (e == 0)
		return;
	printf("# key %zu, %s: %s\n", keys_n, names[backend],
	    rsab_strerror(e));
	bn_table_die("a key cannot be loaded by", names[backend]);
}

/*
 * Load a key of these primes and this exponent by every backend.
 *   result   false: it is no key (e has no inverse)
 */
static bool
add_key(const BIGNUM *p, const BIGNUM *q, const BIGNUM *e)
{
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *x[NUMBERS], *phi = BN_new();
	static uint8_t der[DER_MAX];
	struct key *key = &keys[keys_n];
	bool good;
	size_t n;

	for (size_t i = 0; i < NUMBERS; i++)
		want((x[i] = BN_new()) != NULL, "BN_new");
	want(ctx != NULL && phi != NULL && BN_set_word(x[0], 0) &&
	    BN_mul(x[1], p, q, ctx) && BN_copy(x[2], e) != NULL &&
	    BN_copy(x[4], p) != NULL && BN_copy(x[5], q) != NULL &&
	    BN_sub(x[6], p, BN_value_one()) &&
	    BN_sub(x[7], q, BN_value_one()) && BN_mul(phi, x[6], x[7], ctx),
	    "the numbers of a key");
	good = keys_n < KEYS_MAX && BN_mod_inverse(x[3], e, phi, ctx) != NULL;
	if (good) {
		want(BN_mod(x[6], x[3], x[6], ctx) &&
		    BN_mod(x[7], x[3], x[7], ctx) &&
		    BN_mod_inverse(x[8], q, p, ctx) != NULL, "a key");
		n = der_key(der, (const BIGNUM *const *)x);
		for (size_t i = 0; i < BACKENDS; i++)
			if (backends[i] != NULL)
				load_key(i, der, n, &key->by[i]);
		key->bits = rsab_key_bits(key->by[0]);
		keys_n++;
	}
	for (size_t i = 0; i < NUMBERS; i++)
		BN_free(x[i]);
	BN_free(phi);
	BN_CTX_free(ctx);
	return good;
}

static BIGNUM *
bn_of(const struct bn_raw_octets *x)
{
	BIGNUM *bn = BN_bin2bn(x->octets, (int)x->n, NULL);

	want(bn != NULL, "BN_bin2bn");
	return bn;
}

static BIGNUM *
bn_of_exponent(uint64_t e)
{
	struct bn_raw_octets octets = { .n = 8 };

	bn_random_put(&octets, 0, 64, e);
	return bn_of(&octets);
}

/*
 * The keys of bn-sign.tsv, each once.
 */
static void
read_keys(void)
{
	static struct bn_raw_parts parts, last;
	struct bn_table table;

	bn_table_open(&table, TESTS_SRCDIR "/vectors/rsa", "bn-sign.tsv");
	while (bn_table_next(&table, 11)) {
		BIGNUM *p, *q, *e;

		bn_table_key(table.column, &parts);
		if (parts.n.n == last.n.n && memcmp(parts.n.octets,
		    last.n.octets, parts.n.n) == 0)
			continue;
		p = bn_of(&parts.p);
		q = bn_of(&parts.q);
		e = bn_of_exponent(parts.e);
		want(add_key(p, q, e), table.column[0]);
		BN_free(p);
		BN_free(q);
		BN_free(e);
		last = parts;
	}
	free(table.text);
}

static BIGNUM *
make_prime(unsigned bits)
{
	struct bn_raw_octets start;
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *p;

	bn_random_odd(&random_source, &start, bits);
	start.octets[0] |= (uint8_t)(3 << (bits - 2) % 8 & 0xff);
	if (bits % 8 == 1)
		start.octets[1] |= 0x80;
	p = bn_of(&start);
	want(ctx != NULL, "BN_CTX_new");
	while (BN_check_prime(p, ctx, NULL) != 1)
		want(BN_add_word(p, 2), "BN_add_word");
	BN_CTX_free(ctx);
	return p;
}

/*
 * Keys of any size from 512 to 1100 bits, any exponent, p and q in any order
 * and of lengths some bits apart.
 */
static void
make_keys(size_t count)
{
	static const uint64_t known[] = { 3, 5, 17, 65537, UINT64_MAX };

	for (size_t i = 0; i < count;) {
		unsigned bits = bn_random_range(&random_source, 0, 2) == 0 ?
		    bn_random_range(&random_source, 514, 1100) :
		    bn_random_range(&random_source, 514, 600);
		unsigned apart = bn_random_range(&random_source, 0, 3) == 0 ?
		    bn_random_range(&random_source, 0, 6) : 0;
		BIGNUM *p = make_prime(bits / 2 + apart);
		BIGNUM *q = make_prime(bits - bits / 2 - apart);
		uint64_t e = bn_random_next(&random_source) >>
		    bn_random_range(&random_source, 0, 60) | 3;
		BIGNUM *e_bn = bn_of_exponent(
		    bn_random_range(&random_source, 0, 1) == 0 ? e : known[
		    bn_random_next(&random_source) % 5]);

		if (BN_cmp(p, q) != 0 && add_key(p, q, e_bn))
			i++;
		BN_free(p);
		BN_free(q);
		BN_free(e_bn);
	}
}

/* --- passes --- */

struct pass {
	struct rsab_job	 jobs[RSAB_PASS_MAX], expected[RSAB_PASS_MAX];
	size_t		 key[RSAB_PASS_MAX];
	size_t		 count;
};

/*
 * A key, a long one now and then only.
 */
static size_t
pick_key(void)
{
	for (;;) {
		size_t i = bn_random_next(&random_source) % keys_n;
		unsigned bits = keys[i].bits;

		if (bn_random_next(&random_source) % ((uint64_t)bits * bits *
		    bits) < UINT64_C(600) * 600 * 600)
			return i;
	}
}

/*
 * A pass: a first key, and others of its group as they come.
 */
static void
pick_keys(struct pass *pass, size_t backend, enum rsab_op op)
{
	uint32_t group;

	pass->count = bn_random_range(&random_source, 1, RSAB_PASS_MAX);
	pass->key[0] = pick_key();
	group = rsab_key_group(keys[pass->key[0]].by[backend], op).id;
	for (size_t i = 1; i < pass->count; i++) {
		size_t k = bn_random_next(&random_source) % keys_n, tries = 0;

		while (tries < keys_n && rsab_key_group(keys[k].by[backend],
		    op).id != group) {
			k = (k + 1) % keys_n;
			tries++;
		}
		pass->key[i] = k;
	}
}

static void
run(struct rsab_worker *by, struct rsab_job *jobs, size_t count)
{
	struct rsab_job *list[RSAB_PASS_MAX];

	for (size_t i = 0; i < count; i++)
		list[i] = &jobs[i];
	rsab_run(by, list, count);
}

/*
 * Spoil a signature in one of several ways, or not.
 */
static void
spoil(struct rsab_job *job)
{
	size_t at = bn_random_next(&random_source) % job->signature_len;
	unsigned bit = bn_random_range(&random_source, 0, 7);

	switch (bn_random_range(&random_source, 0, 11)) {
	case 0:
		job->signature[at] ^= (uint8_t)(1 << bit);
		break;
	case 1:
		job->digest[at % 32] ^= (uint8_t)(1 << bit);
		break;
	case 2:
		job->signature_len--;
		break;
	case 3:
		memset(job->signature, 0xff, job->signature_len);
		break;
	case 4:
		memset(job->signature, 0, job->signature_len);
		break;
	case 5:
		job->hash = RSAB_SHA1;
		break;
	default:
		break;
	}
}

/*
 * Fill and run a pass on a backend and on libcrypto.
 */
static void
make_pass(struct pass *pass, size_t backend, enum rsab_op op)
{
	pick_keys(pass, backend, op);
	for (size_t i = 0; i < pass->count; i++) {
		struct rsab_job *job = &pass->expected[i];

		memset(job, 0, sizeof *job);
		job->key = keys[pass->key[i]].by[0];
		job->hash = RSAB_SHA256;
		for (size_t k = 0; k < sizeof job->digest; k++)
			job->digest[k] = (uint8_t)bn_random_next(
			    &random_source);
		job->op = RSAB_OP_SIGN;
		run(reference, job, 1);
		want(job->result == 0, "signing by libcrypto");
		if (op == RSAB_OP_VERIFY) {
			job->op = op;
			spoil(job);
		}
		pass->jobs[i] = *job;
		pass->jobs[i].key = keys[pass->key[i]].by[backend];
		if (op == RSAB_OP_VERIFY)
			run(reference, job, 1);
		else
			memset(pass->jobs[i].signature, 0xa5,
			    sizeof pass->jobs[i].signature);
		pass->jobs[i].result = 1;
	}
	run(worker, pass->jobs, pass->count);
}

static size_t
compare(const struct pass *pass, size_t backend, uint64_t number)
{
	size_t wrong = 0;

	for (size_t i = 0; i < pass->count; i++) {
		const struct rsab_job *got = &pass->jobs[i];
		const struct rsab_job *expected = &pass->expected[i];

		if (got->result == expected->result &&
		    got->signature_len == expected->signature_len &&
		    memcmp(got->signature, expected->signature,
		    got->signature_len) == 0)
			continue;
		wrong++;
		printf("# %s, seed %llu, pass %llu, job %zu of %zu, key %zu of "
		    "%u bits, path %s: %s, got result %d, want %d\n",
		    names[backend], (unsigned long long)seed,
		    (unsigned long long)number, i, pass->count, pass->key[i],
		    keys[pass->key[i]].bits, rsab_key_path(got->key, got->op,
		    pass->count), got->op == RSAB_OP_SIGN ? "signing" :
		    "verifying", got->result, expected->result);
	}
	return wrong;
}

/*
 * Passes of one kind on one backend until there are results enough.
 */
static bool
trials(size_t backend, enum rsab_op op, size_t count, unsigned number)
{
	static struct pass pass;
	unsigned long faults = rsab_worker_faults(worker);
	size_t done = 0, wrong = 0, own = 0;
	const char *path = strchr(names[backend], ':') + 1;
	uint64_t at = 0;
	bool good;

	while (done < count && wrong < 5) {
		bn_random_start(&random_source, seed, at * 16 + backend * 2 +
		    op);
		make_pass(&pass, backend, op);
		wrong += compare(&pass, backend, at++);
		for (size_t i = 0; i < pass.count; i++)
			own += strcmp(rsab_key_path(pass.jobs[i].key, op,
			    pass.count), path) == 0;
		done += pass.count;
	}
	faults = rsab_worker_faults(worker) - faults;
	good = wrong == 0 && faults == 0 && own > 0;
	printf("# %s: %zu results of %llu passes, %zu of them by its path, "
	    "%lu faults\n", names[backend], done, (unsigned long long)at, own,
	    faults);
	printf("%s %u - %s_%s\n", good ? "ok" : "not ok", number,
	    op == RSAB_OP_SIGN ? "sign" : "verify", path);
	fflush(stdout);
	return good;
}

static unsigned
skip_backend(size_t backend, unsigned number)
{
	const char *path = strchr(names[backend], ':') + 1;

	printf("ok %u - sign_%s # SKIP this machine cannot run it\n"
	    "ok %u - verify_%s # SKIP this machine cannot run it\n",
	    number + 1, path, number + 2, path);
	return 2;
}

/*
 * The backends of this machine: what cpu.h says is to be there.
 */
static size_t
find_backends(void)
{
	size_t n = 0;

	want(rsab_backend_find(names[0], &backends[0]) == 0, names[0]);
	for (size_t i = 1; i < BACKENDS; i++) {
		const char *name = strchr(names[i], ':') + 1;

		for (size_t k = 0; k < BN_RAW_PATHS; k++)
			if (strcmp(bn_raw_paths[k]->name, name) == 0 &&
			    bn_raw_runs(bn_raw_paths[k])) {
				want(rsab_backend_find(names[i],
				    &backends[i]) == 0, names[i]);
				n++;
			}
	}
	return n;
}

int
main(int argc, char **argv)
{
	const char *text = getenv("BN_DIFFERENTIAL");
	size_t count = text == NULL ? COUNT : strtoul(text, NULL, 10);
	size_t made = 0, paths;
	unsigned number = 0;
	bool good = true;

	for (int i = 1; i + 1 < argc; i += 2) {
		uint64_t value = strtoull(argv[i + 1], NULL, 10);

		if (strcmp(argv[i], "--seed") == 0)
			seed = value;
		else if (strcmp(argv[i], "--count") == 0)
			count = value;
		else if (strcmp(argv[i], "--keys") == 0)
			made = value;
		else
			bn_table_die("unknown option", argv[i]);
	}
	if (made == 0)
		made = count / 200;
	made = made < 24 ? 24 : made > 300 ? 300 : made;
	paths = find_backends();
	want(paths > 0 && rsab_worker_new(&worker) == 0 &&
	    rsab_worker_new(&reference) == 0, "a worker");
	bn_random_start(&random_source, seed, UINT64_MAX);
	read_keys();
	make_keys(made);
	printf("# %zu keys\n1..%d\n", keys_n, 2 * (BACKENDS - 1));
	for (size_t i = 1; i < BACKENDS; i++) {
		if (backends[i] == NULL) {
			number += skip_backend(i, number);
			continue;
		}
		good &= trials(i, RSAB_OP_SIGN, count / 2 / paths, ++number);
		good &= trials(i, RSAB_OP_VERIFY, count / 2 / paths, ++number);
	}
	for (size_t i = 0; i < keys_n; i++)
		for (size_t k = 0; k < BACKENDS; k++)
			rsab_key_unref(keys[i].by[k]);
	rsab_worker_free(worker);
	rsab_worker_free(reference);
	return !good;
}
