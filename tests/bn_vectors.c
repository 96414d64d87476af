/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vectors through the arithmetic of bn64 alone, on each of its paths: neither
 * libcrypto nor cmocka nor the backend, so that it runs wherever a compiler
 * is, and under qemu, valgrind and MSan. Prints TAP and the path that ran.
 *
 *	bn_vectors [--folder DIR] [--bits MAX] [--every N] [PATH...]
 *
 *	--folder  has bn-sign.tsv and bn-verify.tsv [vectors/rsa]
 *	--bits    passes longer moduli over [8192]
 *	--every   takes one row of N [1]
 *	PATH      portable, adx, emulated, ifma [those of this machine]; one
 *	          that is named and cannot run is a failure
 *
 * Rows that follow each other and have keys of one size fill the lanes of a
 * pass, so most passes mix keys.
 */

/* rsa-backend */
#include "rsa-backend/pkcs1.h"

/* this room */
#include "tests/bn_raw.h"

#define COLUMNS_MAX	11

struct options {
	const char	*folder;
	unsigned long	 bits, every;
};

/* The rows of a file, cut at tabs; the text they lie in. */
struct table {
	char	*text, *at;
	char	*column[COLUMNS_MAX];
	size_t	 row;
};

/* What a pass is filled with. */
struct batch {
	const struct path	*path;
	struct bn_raw_pass	 pass;
	struct bn_raw_key	 key[PATH_LANES];
	struct bn_raw_octets	 em[PATH_LANES], sig[PATH_LANES];
	struct bn_raw_octets	 got[PATH_LANES];
	char			 name[PATH_LANES][96];
	bool			 valid[PATH_LANES], in_range[PATH_LANES];
	size_t			 count;
	size_t			 rows, passed_over, wrong;
};

static void
die(const char *what, const char *detail)
{
	printf("Bail out! %s %s\n", what, detail);
	exit(2);
}

static void
table_open(struct table *table, const char *folder, const char *name)
{
	char path[4096];
	FILE *f;
	size_t n, max = (size_t)32 << 20;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (f == NULL)
		die("cannot read", path);
	table->text = malloc(max);
	if (table->text == NULL)
		die("no memory for", path);
	n = fread(table->text, 1, max - 1, f);
	if (n == 0 || n == max - 1)
		die("empty, or too long:", path);
	fclose(f);
	table->text[n] = '\0';
	table->at = table->text;
	table->row = 0;
}

/*
 * Go to the next row of that many columns; the title is passed over.
 */
static bool
table_next(struct table *table, size_t columns)
{
	char *line;

	do {
		line = table->at;
		if (*line == '\0')
			return false;
		table->at = strchr(line, '\n');
		if (table->at == NULL)
			die("a row has no end:", line);
		*table->at++ = '\0';
	} while (*line == '#');
	for (size_t i = 0; i < columns; i++) {
		if (line == NULL)
			die("a row lacks columns:", table->column[0]);
		table->column[i] = line;
		line = strchr(line, '\t');
		if (line != NULL)
			*line++ = '\0';
	}
	table->row++;
	return true;
}

static unsigned
nibble(const char *row, char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c < 'a' || c > 'f')
		die("not in hex:", row);
	return (unsigned)(c - 'a') + 10;
}

static void
hex(const char *row, const char *text, struct bn_raw_octets *out)
{
	out->n = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
	if (out->n > sizeof out->octets)
		die("too long:", row);
	for (size_t i = 0; i < out->n; i++)
		out->octets[i] = (uint8_t)(nibble(row, text[2 * i]) << 4 |
		    nibble(row, text[2 * i + 1]));
}

static uint64_t
exponent(const char *row, const char *text)
{
	struct bn_raw_octets e;
	uint64_t value = 0;

	hex(row, text, &e);
	if (e.n > 8)
		die("e is too long:", row);
	for (size_t i = 0; i < e.n; i++)
		value = value << 8 | e.octets[i];
	return value;
}

/*
 * The encoded message that two columns tell of.
 */
static void
encoded(char *const *column, size_t size, struct bn_raw_octets *em)
{
	struct bn_raw_octets digest;
	enum rsab_hash hash = strcmp(column[0], "sha1") == 0 ? RSAB_SHA1 :
	    RSAB_SHA256;

	hex(column[0], column[1], &digest);
	if (strcmp(column[0], "encoded") == 0) {
		*em = digest;
		return;
	}
	em->n = size;
	if (digest.n != pkcs1_digest_size(hash) ||
	    pkcs1_encode(hash, digest.octets, em->octets, size) != 0)
		die("not to be encoded:", column[1]);
}

static void
complain(struct batch *b, size_t i, const char *what)
{
	b->wrong++;
	printf("# %s, %s, lane %zu of %zu: %s\n", b->path->name, b->name[i], i,
	    b->count, what);
}

static void
batch_pointers(struct batch *b, const struct bn_raw_key **keys,
    const uint8_t **in, const struct bn_raw_octets *from, uint8_t **out)
{
	for (size_t i = 0; i < b->count; i++) {
		keys[i] = &b->key[i];
		in[i] = from[i].octets;
		out[i] = b->got[i].octets;
		memset(b->got[i].octets, 0xa5, sizeof b->got[i].octets);
	}
}

static void
batch_sign(struct batch *b)
{
	const struct bn_raw_key *keys[PATH_LANES];
	const uint8_t *in[PATH_LANES];
	uint8_t *out[PATH_LANES];
	void *scratch;

	if (b->count == 0)
		return;
	batch_pointers(b, keys, in, b->em, out);
	scratch = bn_raw_scratch(b->path, b->key[0].n, b->key[0].modulus.n);
	bn_raw_sign(&b->pass, keys, in, out, b->count, scratch);
	free(scratch);
	for (size_t i = 0; i < b->count; i++)
		if (b->sig[i].n != b->key[i].size || memcmp(b->got[i].octets,
		    b->sig[i].octets, b->sig[i].n) != 0)
			complain(b, i, "another signature");
	b->rows += b->count;
	b->count = 0;
}

static void
batch_verify(struct batch *b)
{
	const struct bn_raw_key *keys[PATH_LANES];
	const uint8_t *in[PATH_LANES];
	uint8_t *out[PATH_LANES];
	void *scratch;

	if (b->count == 0)
		return;
	batch_pointers(b, keys, in, b->sig, out);
	scratch = bn_raw_scratch(b->path, 0, b->key[0].modulus.n);
	bn_raw_open(&b->pass, keys, in, out, b->count, scratch);
	free(scratch);
	for (size_t i = 0; i < b->count; i++) {
		bool same = b->in_range[i] && memcmp(b->got[i].octets,
		    b->em[i].octets, b->em[i].n) == 0;

		if (same != b->valid[i])
			complain(b, i, same ? "got valid, want invalid" :
			    "got invalid, want valid");
	}
	b->rows += b->count;
	b->count = 0;
}

/*
 * Does this run leave the row out?
 */
static bool
leave_out(const struct options *options, const struct table *table,
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

static void
vectors_sign(const struct options *options, struct batch *b)
{
	static struct bn_raw_parts parts;
	static struct bn_raw_key next;
	struct table table;

	table_open(&table, options->folder, "bn-sign.tsv");
	while (table_next(&table, 11)) {
		char **column = table.column;

		hex(column[0], column[1], &parts.n);
		parts.e = exponent(column[0], column[2]);
		hex(column[0], column[3], &parts.p);
		hex(column[0], column[4], &parts.q);
		hex(column[0], column[5], &parts.dp);
		hex(column[0], column[6], &parts.dq);
		hex(column[0], column[7], &parts.qinv);
		if (leave_out(options, &table, b, &parts))
			continue;
		bn_raw_key_set(&next, b->path, &parts);
		if (b->count == PATH_LANES || (b->count > 0 &&
		    (next.n != b->key[0].n ||
		    next.modulus.n != b->key[0].modulus.n)))
			batch_sign(b);
		bn_raw_key_set(&b->key[b->count], b->path, &parts);
		snprintf(b->name[b->count], sizeof b->name[0], "%s", column[0]);
		encoded(column + 8, parts.n.n, &b->em[b->count]);
		hex(column[0], column[10], &b->sig[b->count]);
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
	static struct bn_raw_key next;
	struct table table;

	parts.p.n = parts.q.n = 0;
	table_open(&table, options->folder, "bn-verify.tsv");
	while (table_next(&table, 7)) {
		char **column = table.column;
		size_t i;

		hex(column[0], column[1], &parts.n);
		parts.e = exponent(column[0], column[2]);
		if (leave_out(options, &table, b, &parts))
			continue;
		bn_raw_key_set(&next, b->path, &parts);
		if (b->count == PATH_LANES || (b->count > 0 &&
		    next.modulus.n != b->key[0].modulus.n))
			batch_verify(b);
		i = b->count++;
		bn_raw_key_set(&b->key[i], b->path, &parts);
		snprintf(b->name[i], sizeof b->name[0], "%s", column[0]);
		encoded(column + 3, parts.n.n, &b->em[i]);
		hex(column[0], column[5], &b->sig[i]);
		b->valid[i] = strcmp(column[6], "valid") == 0;
		b->in_range[i] = in_range(&b->sig[i], &parts.n);
		if (!b->in_range[i])
			memset(b->sig[i].octets, 0, sizeof b->sig[i].octets);
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
    const struct options *options, const struct path *path, unsigned number)
{
	struct batch *b = calloc(1, sizeof *b);
	bool good;

	if (b == NULL)
		die("no memory for", kind);
	b->path = path;
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
	bool good = run("sign", vectors_sign, options, path, ++*number);

	return run("verify", vectors_verify, options, path, ++*number) && good;
}

static const struct path *
find(const char *name)
{
	for (size_t i = 0; i < BN_RAW_PATHS; i++)
		if (strcmp(bn_raw_paths[i]->name, name) == 0 &&
		    bn_raw_runs(bn_raw_paths[i]))
			return bn_raw_paths[i];
	die("this machine has no path", name);
	return NULL;
}

int
main(int argc, char **argv)
{
	struct options options = { TESTS_SRCDIR "/vectors/rsa", 8192, 1 };
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
		else
			die("unknown option", argv[i]);
	}
	if (options.every == 0)
		die("--every is a number above 0, not", "0");
	if (i == argc)
		for (size_t k = 0; k < BN_RAW_PATHS; k++)
			if (bn_raw_runs(bn_raw_paths[k]))
				good &= run_path(&options, bn_raw_paths[k],
				    &number);
	for (; i < argc; i++)
		good &= run_path(&options, find(argv[i]), &number);
	printf("1..%u\n", number);
	return !good;
}
