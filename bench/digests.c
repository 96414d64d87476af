/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench digest: SHA-1 and SHA-256 of libcrypto by size, laid out as
 * openssl speed lays them out.
 */

/* system */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <openssl/evp.h>

/* this room */
#include "options.h"
#include "random.h"
#include "subcommand.h"
#include "table.h"

#define SIZE_DEFAULT	"16,64,256,1024,8192"
#define SIZE_MAX_OCTETS	16777216
#define DIGESTS		2
#define VALUE_MAX	32	/* octets */

/* FIPS 180-4 and its examples: of "abc". */
static const struct {
	const char	*name, *fetch;
	size_t		 size;
	uint8_t		 abc[VALUE_MAX];
} digests[DIGESTS] = {
	{ "sha1", "SHA1", 20, "\xa9\x99\x3e\x36\x47\x06\x81\x6a\xba\x3e"
	    "\x25\x71\x78\x50\xc2\x6c\x9c\xd0\xd8\x9d" },
	{ "sha256", "SHA256", 32, { 0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf,
	    0xea, 0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03,
	    0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2,
	    0x00, 0x15, 0xad } },
};

struct contestant {
	EVP_MD		*algorithm;
	EVP_MD_CTX	*context;
	const uint8_t	*in;
	size_t		 n;		/* octets of in */
	size_t		 which;		/* of digests */
	uint8_t		 want[VALUE_MAX];
};

struct digest_bench {
	struct options_measure	 measure;
	struct options_numbers	 sizes;
	struct pin		 pin;
	struct progress		 progress;
	struct measure_plan	 plan;
	struct contestant	 racing[DIGESTS];
	struct measure_summary	 held[DIGESTS][OPTIONS_LIST_MAX];
	uint8_t			*octets;
};

static const struct table_column columns[] = {
	{ "digest", -6, false },
	{ "size", 8, false },
	{ "per_s_median", 12, false },
	{ "per_s_min", 12, false },
	{ "per_s_max", 12, false },
	{ "mb_per_s_median", 15, false },
	{ "ratio", 6, false },
	{ "cycles", 9, false },
};

static void
usage(FILE *out)
{
	fprintf(out,
"usage: dkimbench digest [--size LIST] [--tsv] [--seconds S] [--runs N]\n"
"                        [--cpu N] [--seed N]\n"
"  --size LIST    octets, 1 to %d; default %s\n"
"  --seconds S    of a window; default %g\n"
"  --runs N       windows of each; default %d\n"
"  --cpu N        processor to stay on; default the last allowed one\n"
"  --seed N       of the octets; default 1\n"
"Exit: 0 measured, 64 usage, 69 libcrypto lacks a digest, 70 a result was\n"
"wrong, 71 no memory, 74 cannot write.\n",
	    SIZE_MAX_OCTETS, SIZE_DEFAULT, MEASURE_SECONDS, MEASURE_RUNS);
}

static int
take_option(void *arg, int option, const char *text)
{
	struct digest_bench *b = arg;

	if (option != 's')
		return EX_USAGE;
	return options_numbers("--size", text, 1, SIZE_MAX_OCTETS, &b->sizes);
}

static int
parse_options(int argc, char **argv, struct digest_bench *b)
{
	static const struct option longs[] = {
		OPTIONS_MEASURE,
		{ "size", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct options_syntax syntax = {
		.longs = longs, .take = take_option, .usage = usage,
	};
	int status;

	status = options_numbers("--size", SIZE_DEFAULT, 1, SIZE_MAX_OCTETS,
	    &b->sizes);
	if (status == 0)
		status = options_parse(argc, argv, &syntax, b, &b->measure);
	return status;
}

/*
 * The digest of n octets, with the context that is there.
 */
static bool
make_digest(const struct contestant *c, const uint8_t *in, size_t n,
    uint8_t out[VALUE_MAX])
{
	unsigned size = 0;

	return EVP_DigestInit_ex2(c->context, c->algorithm, NULL) == 1 &&
	    EVP_DigestUpdate(c->context, in, n) == 1 &&
	    EVP_DigestFinal_ex(c->context, out, &size) == 1 &&
	    size == digests[c->which].size;
}

static int
fetch(struct contestant *c, size_t which)
{
	uint8_t value[VALUE_MAX];

	c->which = which;
	c->context = EVP_MD_CTX_new();
	c->algorithm = EVP_MD_fetch(NULL, digests[which].fetch, NULL);
	if (c->context == NULL || c->algorithm == NULL) {
		warnx("%s: libcrypto does not give it", digests[which].name);
		return EX_UNAVAILABLE;
	}
	if (make_digest(c, (const uint8_t *)"abc", 3, value) &&
	    memcmp(value, digests[which].abc, digests[which].size) == 0)
		return 0;
	warnx("%s: the example of FIPS 180-4 comes out wrong",
	    digests[which].name);
	return EX_SOFTWARE;
}

/*
 * As run of struct measure_contestant.
 */
static int
run_digest(void *arg, unsigned thread, size_t rounds)
{
	const struct contestant *c = arg;
	uint8_t value[VALUE_MAX];

	(void)thread;
	while (rounds-- > 0)
		if (!make_digest(c, c->in, c->n, value) ||
		    memcmp(value, c->want, digests[c->which].size) != 0) {
			warnx("%s of %zu octets is wrong",
			    digests[c->which].name, c->n);
			return EX_SOFTWARE;
		}
	return 0;
}

/*
 * What a size must give, by libcrypto at once, without our context.
 */
static int
want_digest(struct contestant *c, const uint8_t *in, size_t n)
{
	size_t size;

	c->in = in;
	c->n = n;
	if (EVP_Q_digest(NULL, digests[c->which].fetch, NULL, in, n, c->want,
	    &size) == 1 && size == digests[c->which].size)
		return 0;
	warnx("%s: libcrypto does not give it", digests[c->which].name);
	return EX_SOFTWARE;
}

static int
run_size(struct digest_bench *b, size_t s)
{
	struct measure_contestant measured[DIGESTS] = { { 0 } };
	int status = 0;

	progress_name(&b->progress, "%u octets", b->sizes.v[s]);
	for (size_t i = 0; i < DIGESTS && status == 0; i++) {
		status = want_digest(&b->racing[i], b->octets, b->sizes.v[s]);
		measured[i].run = run_digest;
		measured[i].arg = &b->racing[i];
		measured[i].per_round = 1;
	}
	if (status == 0)
		status = measure_heat(&b->plan, measured, DIGESTS);
	for (size_t i = 0; i < DIGESTS && status == 0; i++)
		status = measure_summarize(&b->plan, measured, DIGESTS, i,
		    &b->held[i][s]);
	measure_clear(measured, DIGESTS);
	return status;
}

/*
 * As openssl speed: thousands of octets a second.
 */
static void
print_lines(const struct digest_bench *b)
{
	printf("The 'numbers' are in 1000s of bytes per second processed.\n"
	    "type        ");
	for (size_t s = 0; s < b->sizes.n; s++)
		printf("%7u bytes", b->sizes.v[s]);
	for (size_t i = 0; i < DIGESTS; i++) {
		printf("\n%-13s", digests[i].name);
		for (size_t s = 0; s < b->sizes.n; s++)
			printf("%11.2fk ", b->held[i][s].per_s_median *
			    b->sizes.v[s] / 1e3);
	}
	printf("\n");
}

static void
print_rows(const struct digest_bench *b)
{
	struct table table;

	table_init(&table, columns, sizeof columns / sizeof columns[0], true,
	    stdout);
	table_header(&table);
	for (size_t i = 0; i < DIGESTS; i++)
		for (size_t s = 0; s < b->sizes.n; s++) {
			const struct measure_summary *m = &b->held[i][s];

			table_text(&table, digests[i].name);
			table_number(&table, b->sizes.v[s]);
			table_figure(&table, m->per_s_median, 1);
			table_figure(&table, m->per_s_min, 1);
			table_figure(&table, m->per_s_max, 1);
			table_figure(&table, m->per_s_median *
			    b->sizes.v[s] / 1e6, 1);
			table_figure(&table, m->ratio, 3);
			table_figure(&table, m->cycles, 0);
			table_end(&table, NULL);
		}
}

static int
run_all(struct digest_bench *b)
{
	struct random random = { b->measure.seed };
	size_t most = 0;
	int status = 0;

	for (size_t s = 0; s < b->sizes.n; s++)
		if (b->sizes.v[s] > most)
			most = b->sizes.v[s];
	if ((b->octets = malloc(most + 1)) == NULL) {
		warnx("no memory for %zu octets", most);
		return EX_OSERR;
	}
	random_fill(&random, b->octets, most);
	for (size_t i = 0; i < DIGESTS && status == 0; i++)
		status = fetch(&b->racing[i], i);
	for (size_t s = 0; s < b->sizes.n && status == 0; s++)
		status = run_size(b, s);
	if (status == 0 && b->measure.tsv)
		print_rows(b);
	else if (status == 0)
		print_lines(b);
	for (size_t i = 0; i < DIGESTS; i++) {
		EVP_MD_CTX_free(b->racing[i].context);
		EVP_MD_free(b->racing[i].algorithm);
	}
	free(b->octets);
	return status;
}

int
subcommand_digest(int argc, char **argv)
{
	static struct digest_bench b = { .measure = OPTIONS_MEASURE_DEFAULT };
	int status = parse_options(argc, argv, &b);

	if (status == 0)
		status = options_begin(&b.measure, &b.pin, &b.progress,
		    &b.plan);
	if (status == 0)
		status = run_all(&b);
	return status;
}
