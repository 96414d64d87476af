/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of vectors/rsa/bn-sign.tsv and bn-verify.tsv, for programs that are
 * linked with little more than the arithmetic.
 */
#ifndef TESTS_BN_TABLE_H
#define TESTS_BN_TABLE_H

/* rsa-backend */
#include "rsa-backend/pkcs1.h"

/* this room */
#include "tests/bn_raw.h"

#define BN_TABLE_COLUMNS_MAX	11

/* The rows of a file, cut at tabs; the text they lie in. */
struct bn_table {
	char	*text, *at;
	char	*column[BN_TABLE_COLUMNS_MAX];
	size_t	 row;
};

static inline void
bn_table_die(const char *what, const char *detail)
{
	printf("Bail out! %s %s\n", what, detail);
	exit(2);
}

static inline void
bn_table_open(struct bn_table *table, const char *folder, const char *name)
{
	char path[4096];
	FILE *f;
	size_t n, max = (size_t)32 << 20;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (f == NULL)
		bn_table_die("cannot read", path);
	table->text = malloc(max);
	if (table->text == NULL)
		bn_table_die("no memory for", path);
	n = fread(table->text, 1, max - 1, f);
	if (n == 0 || n == max - 1)
		bn_table_die("empty, or too long:", path);
	fclose(f);
	table->text[n] = '\0';
	table->at = table->text;
	table->row = 0;
}

/*
 * Go to the next row of that many columns; the title is passed over.
 */
static inline bool
bn_table_next(struct bn_table *table, size_t columns)
{
	char *line;

	do {
		line = table->at;
		if (*line == '\0')
			return false;
		table->at = strchr(line, '\n');
		if (table->at == NULL)
			bn_table_die("a row has no end:", line);
		*table->at++ = '\0';
	} while (*line == '#');
	for (size_t i = 0; i < columns; i++) {
		if (line == NULL)
			bn_table_die("a row lacks columns:", table->column[0]);
		table->column[i] = line;
		line = strchr(line, '\t');
		if (line != NULL)
			*line++ = '\0';
	}
	table->row++;
	return true;
}

static inline unsigned
bn_table_nibble(const char *row, char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c < 'a' || c > 'f')
		bn_table_die("not in hex:", row);
	return (unsigned)(c - 'a') + 10;
}

static inline void
bn_table_hex(const char *row, const char *text, struct bn_raw_octets *out)
{
	out->n = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
	if (out->n > sizeof out->octets)
		bn_table_die("too long:", row);
	for (size_t i = 0; i < out->n; i++, text += 2)
		out->octets[i] = (uint8_t)(bn_table_nibble(row, text[0]) << 4 |
		    bn_table_nibble(row, text[1]));
}

static inline uint64_t
bn_table_exponent(const char *row, const char *text)
{
	struct bn_raw_octets e;
	uint64_t value = 0;

	bn_table_hex(row, text, &e);
	if (e.n > 8)
		bn_table_die("e is too long:", row);
	for (size_t i = 0; i < e.n; i++)
		value = value << 8 | e.octets[i];
	return value;
}

/*
 * The encoded message that two columns tell of.
 */
static inline void
bn_table_encoded(char *const *column, size_t size, struct bn_raw_octets *em)
{
	struct bn_raw_octets digest;
	enum rsab_hash hash = strcmp(column[0], "sha1") == 0 ? RSAB_SHA1 :
	    RSAB_SHA256;

	bn_table_hex(column[0], column[1], &digest);
	if (strcmp(column[0], "encoded") == 0) {
		*em = digest;
		return;
	}
	em->n = size;
	if (digest.n != pkcs1_digest_size(hash) ||
	    pkcs1_encode(hash, digest.octets, em->octets, size) != 0)
		bn_table_die("not to be encoded:", column[1]);
}

/*
 * The key of a row of bn-sign.tsv.
 */
static inline void
bn_table_key(char *const *column, struct bn_raw_parts *parts)
{
	bn_table_hex(column[0], column[1], &parts->n);
	parts->e = bn_table_exponent(column[0], column[2]);
	bn_table_hex(column[0], column[3], &parts->p);
	bn_table_hex(column[0], column[4], &parts->q);
	bn_table_hex(column[0], column[5], &parts->dp);
	bn_table_hex(column[0], column[6], &parts->dq);
	bn_table_hex(column[0], column[7], &parts->qinv);
}

#endif
