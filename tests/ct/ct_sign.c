/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signatures with all that is secret marked as such: the numbers of the keys
 * as they come from a file, the blinding factors, and by them the blinded
 * message. What is not marked: lengths, and the leading octet of each number,
 * which decides its length; the modulus, the message. Declassified are the
 * verdict of the check with the public exponent, and after it the signature.
 *
 *	ct_sign PATH BITS COUNT [FOLDER]
 *
 * COUNT keys of that many bits, in one pass. To be run under valgrind, or
 * built with MSan: tests/ct/run.
 */

/* this room */
#include "tests/bn_table.h"
#include "tests/bn_whole.h"
#include "tests/ct/secret.h"

#define RANDOM_POWER	77	/* r = 2^77: any will do, its bits are secret */

struct pass {
	struct bn_whole_key	key[PATH_LANES];
	struct bn_raw_octets	em[PATH_LANES], want[PATH_LANES];
	struct bn_raw_octets	got[PATH_LANES];
	size_t			count;
};

/*
 * Any path that was built: valgrind runs ADCX and ADOX, but its CPUID does not
 * tell of them.
 */
static const struct path *
find_path(const char *name)
{
	for (size_t i = 0; i < BN_RAW_PATHS; i++)
		if (strcmp(bn_raw_paths[i]->name, name) == 0 &&
		    (bn_raw_paths[i]->features & PATH_ABSENT) == 0)
			return bn_raw_paths[i];
	bn_table_die("this build has no path", name);
	return NULL;
}

/*
 * All of a number but its leading octet.
 */
static void
mark_number(struct bn_raw_octets *x)
{
	bn_raw_strip(x);
	secret_is(x->octets + 1, x->n - 1);
}

static void
mark_key(struct bn_raw_parts *parts)
{
	mark_number(&parts->p);
	mark_number(&parts->q);
	mark_number(&parts->dp);
	mark_number(&parts->dq);
	mark_number(&parts->qinv);
}

static unsigned
prime_bits(const struct bn_raw_parts *parts)
{
	unsigned p = bn_raw_bits(&parts->p), q = bn_raw_bits(&parts->q);

	return p > q ? p : q;
}

/*
 * Take keys of that many bits, with primes of half as many, out of
 * bn-sign.tsv, round and round.
 */
static void
read_keys(struct pass *pass, const struct path *path, const char *folder,
    unsigned bits)
{
	static struct bn_raw_parts parts;
	struct bn_table table;
	size_t i = 0;

	do {
		bn_table_open(&table, folder, "bn-sign.tsv");
		while (i < pass->count && bn_table_next(&table, 11)) {
			char **column = table.column;
			unsigned power = RANDOM_POWER + (unsigned)i;

			bn_table_key(column, &parts);
			if (bn_raw_bits(&parts.n) != bits ||
			    !bn_raw_takes(path, &parts) ||
			    prime_bits(&parts) != (bits + 1) / 2)
				continue;
			bn_table_encoded(column + 8, parts.n.n, &pass->em[i]);
			bn_table_hex(column[0], column[10], &pass->want[i]);
			mark_key(&parts);
			bn_whole_key_set(&pass->key[i], path, &parts);
			bn_whole_blind(&pass->key[i], power);
			secret_is(&pass->key[i].blind,
			    sizeof pass->key[i].blind);
			secret_is(&pass->key[i].unblind,
			    sizeof pass->key[i].unblind);
			i++;
		}
		free(table.text);
		if (i == 0)
			bn_table_die("no key of that size in", folder);
	} while (i < pass->count);
}

static void
sign(struct pass *pass, const struct path *path)
{
	const struct bn_whole_key *keys[PATH_LANES];
	const uint8_t *in[PATH_LANES];
	uint8_t *out[PATH_LANES];
	void *scratch;

	for (size_t i = 0; i < pass->count; i++) {
		keys[i] = &pass->key[i];
		in[i] = pass->em[i].octets;
		out[i] = pass->got[i].octets;
	}
	scratch = bn_whole_scratch(rsasign_scratch(path, keys[0]->private.n));
	bn_whole_sign(keys, in, out, pass->count, true, scratch);
	free(scratch);
}

/*
 * The check of the signatures, which are secret until it is passed.
 *   result   whether all are right
 */
static bool
check(struct pass *pass, const struct path *path)
{
	struct rsaverify_request request[PATH_LANES];
	bool good = true;
	void *scratch;

	for (size_t i = 0; i < pass->count; i++)
		request[i] = (struct rsaverify_request){
			.key = &pass->key[i].public,
			.s = pass->got[i].octets, .want = pass->em[i].octets,
		};
	scratch = bn_whole_scratch(rsaverify_scratch(path,
	    pass->key[0].public.n));
	rsaverify_run(request, pass->count, scratch);
	free(scratch);
	for (size_t i = 0; i < pass->count; i++) {
		bool same;

		secret_is_not(&request[i].is_good, sizeof request[i].is_good);
		secret_is_not(pass->got[i].octets, pass->key[i].parts.n.n);
		same = memcmp(pass->got[i].octets, pass->want[i].octets,
		    pass->want[i].n) == 0;
		if (!request[i].is_good || !same)
			printf("key %zu: %s, the check says %s\n", i,
			    same ? "right" : "another signature than wanted",
			    request[i].is_good ? "good" : "bad");
		good &= request[i].is_good && same;
	}
	return good;
}

int
main(int argc, char **argv)
{
	static struct pass pass;
	const struct path *path;
	bool good;

	if (argc < 4)
		bn_table_die("usage:", "ct_sign PATH BITS COUNT [FOLDER]");
	if (secret_checker() == NULL)
		bn_table_die("no checker:", "run it under valgrind");
	path = find_path(argv[1]);
	pass.count = strtoul(argv[3], NULL, 10);
	if (pass.count < 1 || pass.count > PATH_LANES)
		bn_table_die("COUNT is 1 to 8, not", argv[3]);
	read_keys(&pass, path, argc > 4 ? argv[4] :
	    TESTS_SRCDIR "/vectors/rsa", (unsigned)strtoul(argv[2], NULL, 10));
	sign(&pass, path);
	good = check(&pass, path);
	printf("%s, %s, %s bits, %zu keys: %s\n", secret_checker(), path->name,
	    argv[2], pass.count, good ? "right" : "WRONG");
	return !good;
}
