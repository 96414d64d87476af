/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors through the arithmetic of bn64 alone, on each of its paths: neither
 * libcrypto nor cmocka nor the backend, so that it runs wherever a compiler
 * is, and under qemu, valgrind and MSan. Once by the operations of the path
 * (power_private, crt, power_public) and once by the whole ones of rsasign.h,
 * blinded, and rsaverify.h. Prints TAP and the path that ran.
 *
 *	bn_vectors [--folder DIR] [--bits MAX] [--every N] [--parts yes|no]
 *	    [PATH...]
 *
 *	--folder  has bn-sign.tsv and bn-verify.tsv [vectors/rsa]
 *	--bits    passes longer moduli over [8192]
 *	--every   takes one row of N [1]
 *	--parts   no: whole operations only [yes]
 *	PATH      portable, adx, emulated, ifma [those of this machine, others
 *	          are skipped]; one that is named and cannot run is a failure
 *
 * Rows that follow each other and have keys of one size fill the lanes of a
 * pass, so most passes mix keys.
 */

/* this room */
#include "tests/bn_table.h"
#include "tests/bn_whole.h"

struct options {
	const char	*folder;
	unsigned long	 bits, every;
	bool		 parts;
};

/* What a pass is filled with. */
struct batch {
	const struct path	*path;
	struct bn_raw_pass	 pass;
	struct bn_raw_key	 key[PATH_LANES];
	struct bn_whole_key	 whole[PATH_LANES];
	struct bn_raw_octets	 em[PATH_LANES], sig[PATH_LANES];
	struct bn_raw_octets	 got[PATH_LANES];
	char			 name[PATH_LANES][96];
	bool			 valid[PATH_LANES], in_range[PATH_LANES];
	bool			 use_whole;
	unsigned		 digits[2];
	size_t			 size[PATH_LANES];	/* of a modulus */
	size_t			 count;
	size_t			 rows, passed_over, wrong;
};

static void
complain(struct batch *b, size_t i, const char *what)
{
	b->wrong++;
	printf("# %s, %s, lane %zu of %zu: %s\n", b->path->name, b->name[i], i,
	    b->count, what);
}

static void
batch_pointers(struct batch *b, const uint8_t **in,
    const struct bn_raw_octets *from, uint8_t **out)
{
	for (size_t i = 0; i < b->count; i++) {
		in[i] = from[i].octets;
		out[i] = b->got[i].octets;
		memset(b->got[i].octets, 0xa5, sizeof b->got[i].octets);
	}
}

static void
sign_whole(struct batch *b, const uint8_t *const *in, uint8_t *const *out)
{
	const struct bn_whole_key *keys[PATH_LANES];
	void *scratch;

	for (size_t i = 0; i < b->count; i++) {
		keys[i] = &b->whole[i];
		bn_whole_blind(&b->whole[i], (unsigned)(b->rows * 41 + i) %
		    (unsigned)(b->size[i] * 8 - 8));
	}
	scratch = bn_whole_scratch(rsasign_scratch(b->path, b->digits[1]));
	bn_whole_sign(keys, in, out, b->count, true, scratch);
	free(scratch);
}

static void
sign_parts(struct batch *b, const uint8_t *const *in, uint8_t *const *out)
{
	const struct bn_raw_key *keys[PATH_LANES];
	void *scratch;

	for (size_t i = 0; i < b->count; i++)
		keys[i] = &b->key[i];
	scratch = bn_raw_scratch(b->path, b->digits[1], b->digits[0]);
	bn_raw_sign(&b->pass, keys, in, out, b->count, scratch);
	free(scratch);
}

static void
batch_sign(struct batch *b)
{
	const uint8_t *in[PATH_LANES];
	uint8_t *out[PATH_LANES];

	if (b->count == 0)
		return;
	batch_pointers(b, in, b->em, out);
	if (b->use_whole)
		sign_whole(b, in, out);
	else
		sign_parts(b, in, out);
	for (size_t i = 0; i < b->count; i++)
		if (b->sig[i].n != b->size[i] || memcmp(b->got[i].octets,
		    b->sig[i].octets, b->sig[i].n) != 0)
			complain(b, i, "another signature");
	b->rows += b->count;
	b->count = 0;
}

/*
 * What rsaverify.h says of each: it is to judge the range by itself.
 */
static void
verify_whole(struct batch *b, bool *good)
{
	struct rsaverify_request request[PATH_LANES];
	size_t at[PATH_LANES], count = 0;
	void *scratch;

	scratch = bn_whole_scratch(rsaverify_scratch(b->path,
	    b->whole[0].public.n));
	for (size_t i = 0; i < b->count; i++) {
		good[i] = false;
		/* The length is the caller's to judge */
		if (b->sig[i].n != b->size[i])
			continue;
		request[count] = (struct rsaverify_request){
			.key = &b->whole[i].public, .s = b->sig[i].octets,
			.want = b->em[i].octets, .is_good = !b->valid[i],
		};
		at[count++] = i;
	}
	if (count > 0)
		rsaverify_run(request, count, scratch);
	for (size_t i = 0; i < count; i++)
		good[at[i]] = request[i].is_good;
	free(scratch);
}

static void
verify_parts(struct batch *b, bool *good)
{
	const struct bn_raw_key *keys[PATH_LANES];
	const uint8_t *in[PATH_LANES];
	uint8_t *out[PATH_LANES];
	void *scratch;

	for (size_t i = 0; i < b->count; i++) {
		keys[i] = &b->key[i];
		if (!b->in_range[i])
			memset(b->sig[i].octets, 0, sizeof b->sig[i].octets);
	}
	batch_pointers(b, in, b->sig, out);
	scratch = bn_raw_scratch(b->path, 0, b->digits[0]);
	bn_raw_open(&b->pass, keys, in, out, b->count, scratch);
	free(scratch);
	for (size_t i = 0; i < b->count; i++)
		good[i] = b->in_range[i] && memcmp(b->got[i].octets,
		    b->em[i].octets, b->em[i].n) == 0;
}

static void
batch_verify(struct batch *b)
{
	bool good[PATH_LANES];

	if (b->count == 0)
		return;
	if (b->use_whole)
		verify_whole(b, good);
	else
		verify_parts(b, good);
	for (size_t i = 0; i < b->count; i++)
		if (good[i] != b->valid[i])
			complain(b, i, good[i] ? "got valid, want invalid" :
			    "got invalid, want valid");
	b->rows += b->count;
	b->count = 0;
}

/*
 * Does this run leave the row out?
 */
static bool
leave_out(const struct options *options, const struct bn_table *table,
    struct batch *b, const struct bn_raw_parts *parts)
{
	if (table->row % options->every != 0 ||
	    bn_raw_bits(&parts->n) > options->bits)
		return true;
	if (bn_raw_takes(b->path, parts))
		return false;
	b->passed_over++;
	return true;
}

/*
 * Digits of a modulus and of a prime: keys of one pass have the same.
 */
static void
digits(const struct path *path, const struct bn_raw_parts *parts,
    unsigned out[2])
{
	unsigned p = bn_raw_bits(&parts->p), q = bn_raw_bits(&parts->q);

	out[0] = path->digits_modulus(bn_raw_bits(&parts->n));
	out[1] = p == 0 ? 0 : path->digits_prime(p > q ? p : q);
}

/*
 * Is the pass to be run before this key comes?
 */
static bool
is_full(const struct batch *b, const struct bn_raw_parts *parts)
{
	unsigned n[2];

	digits(b->path, parts, n);
	return b->count == PATH_LANES || (b->count > 0 &&
	    memcmp(n, b->digits, sizeof n) != 0);
}

static void
set_key(struct batch *b, struct bn_raw_parts *parts)
{
	digits(b->path, parts, b->digits);
	b->size[b->count] = parts->n.n;
	if (b->use_whole)
		bn_whole_key_set(&b->whole[b->count], b->path, parts);
	else
		bn_raw_key_set(&b->key[b->count], b->path, parts);
}

static void
vectors_sign(const struct options *options, struct batch *b)
{
	static struct bn_raw_parts parts;
	struct bn_table table;

	bn_table_open(&table, options->folder, "bn-sign.tsv");
	while (bn_table_next(&table, 11)) {
		char **column = table.column;

		bn_table_key(column, &parts);
		if (leave_out(options, &table, b, &parts))
			continue;
		if (is_full(b, &parts))
			batch_sign(b);
		set_key(b, &parts);
		snprintf(b->name[b->count], sizeof b->name[0], "%s", column[0]);
		bn_table_encoded(column + 8, parts.n.n, &b->em[b->count]);
		bn_table_hex(column[0], column[10], &b->sig[b->count]);
		b->count++;
	}
	batch_sign(b);
	free(table.text);
}

/*
 * A signature as it may be raised to e: of the modulus' length and below it.
 */
static bool
in_range(const struct bn_raw_octets *sig, const struct bn_raw_octets *n)
{
	return sig->n == n->n && memcmp(sig->octets, n->octets, n->n) < 0;
}

static void
vectors_verify(const struct options *options, struct batch *b)
{
	static struct bn_raw_parts parts;
	struct bn_table table;

	parts.p.n = parts.q.n = 0;
	bn_table_open(&table, options->folder, "bn-verify.tsv");
	while (bn_table_next(&table, 7)) {
		char **column = table.column;
		size_t i;

		bn_table_hex(column[0], column[1], &parts.n);
		parts.e = bn_table_exponent(column[0], column[2]);
		if (leave_out(options, &table, b, &parts))
			continue;
		if (is_full(b, &parts))
			batch_verify(b);
		set_key(b, &parts);
		i = b->count++;
		snprintf(b->name[i], sizeof b->name[0], "%s", column[0]);
		bn_table_encoded(column + 3, parts.n.n, &b->em[i]);
		bn_table_hex(column[0], column[5], &b->sig[i]);
		b->valid[i] = strcmp(column[6], "valid") == 0;
		b->in_range[i] = in_range(&b->sig[i], &parts.n);
	}
	batch_verify(b);
	free(table.text);
}

/*
 * One kind of vector on one path.
 *   result   false: something was wrong
 */
static bool
run(const char *kind, void (*vectors)(const struct options *, struct batch *),
    bool whole, const struct options *options, const struct path *path,
    unsigned number)
{
	struct batch *b = calloc(1, sizeof *b);
	bool good;

	if (b == NULL)
		bn_table_die("no memory for", kind);
	b->path = path;
	b->use_whole = whole;
	vectors(options, b);
	good = b->wrong == 0 && b->rows > 0;
	printf("# %s, digits of %u bits, %u lanes: %zu rows, %zu of a size "
	    "that it has not, %zu wrong\n", path->name, path->width,
	    path->lanes, b->rows, b->passed_over, b->wrong);
	printf("%s %u - %s_%s\n", good ? "ok" : "not ok", number, kind,
	    path->name);
	fflush(stdout);
	free(b);
	return good;
}

static bool
run_path(const struct options *options, const struct path *path,
    unsigned *number)
{
	bool good = run("sign", vectors_sign, true, options, path, ++*number);

	good &= run("verify", vectors_verify, true, options, path, ++*number);
	if (!options->parts)
		return good;
	good &= run("sign_parts", vectors_sign, false, options, path,
	    ++*number);
	return run("verify_parts", vectors_verify, false, options, path,
	    ++*number) && good;
}

static void
skip_path(const struct options *options, const struct path *path,
    unsigned *number)
{
	static const char *const kinds[] = { "sign", "verify", "sign_parts",
	    "verify_parts" };

	for (size_t i = 0; i < (options->parts ? 4U : 2U); i++)
		printf("ok %u - %s_%s # SKIP this machine cannot run it\n",
		    ++*number, kinds[i], path->name);
}

static const struct path *
find(const char *name)
{
	for (size_t i = 0; i < BN_RAW_PATHS; i++)
		if (strcmp(bn_raw_paths[i]->name, name) == 0 &&
		    bn_raw_runs(bn_raw_paths[i]))
			return bn_raw_paths[i];
	bn_table_die("this machine has no path", name);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct options options = { TESTS_SRCDIR "/vectors/rsa", 8192, 1, true };
	unsigned number = 0;
	bool good = true;
	int i = 1;

	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--folder") == 0)
			options.folder = argv[i + 1];
		else if (strcmp(argv[i], "--bits") == 0)
			options.bits = strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--every") == 0)
			options.every = strtoul(argv[i + 1], NULL, 10);
		else if (strcmp(argv[i], "--parts") == 0)
			options.parts = strcmp(argv[i + 1], "no") != 0;
		else
			bn_table_die("unknown option", argv[i]);
	}
	if (options.every == 0)
		bn_table_die("--every is a number above 0, not", "0");
	for (size_t k = 0; i == argc && k < BN_RAW_PATHS; k++) {
		if (bn_raw_runs(bn_raw_paths[k]))
			good &= run_path(&options, bn_raw_paths[k], &number);
		else
			skip_path(&options, bn_raw_paths[k], &number);
	}
	for (; i < argc; i++)
		good &= run_path(&options, find(argv[i]), &number);
	printf("1..%u\n", number);
	return !good;
}
