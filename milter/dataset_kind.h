/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kinds of data sets share: rows in one block of text, and indexes
 * over them. Private to dataset*.c.
 */
#ifndef DATASET_KIND_H
#define DATASET_KIND_H

#include "dataset.h"

enum dataset_form {		/* of a key; a refile has all of them */
	DATASET_FORM_LITERAL,	/* text */
	DATASET_FORM_SUFFIX,	/* ..*text: found by the text behind the
				 * last star */
	DATASET_FORM_PREFIX,	/* text*..*: by the text before the first */
	DATASET_FORM_GLOB,	/* *text*: tried one by one */
	DATASET_FORM_LIVE,	/* regular expression: tried one by one */
	DATASET_FORM_DEAD,	/* did not compile: never matches */
};

/*
 * 24 octets a row: a million of them are to fit.
 */
struct dataset_row {
	const uint8_t	*p;		/* key */
	uint32_t	 line;
	uint32_t	 value_at;	/* octets behind p */
	uint32_t	 value_n;
	uint16_t	 key_n;
	uint8_t		 form;		/* enum dataset_form */
};

/*
 * Hash of keys to the first row; rows of one slot are chained by next, in file
 * order.
 */
struct dataset_index {
	uint32_t	*heads;		/* row + 1; 0: none */
	size_t		 mask;
};

struct dataset_live;

struct dataset {
	const struct dataset_ops *ops;
	char			*file;	/* NULL: csl */
	uint8_t			*text;
	struct dataset_row	*rows;
	size_t			 n;
	uint32_t		*next;	/* a row is in one index at most */
	struct dataset_index	 literal, suffix, prefix;
	bool			 suffix_n[DATASET_KEY_MAX + 1];
	bool			 prefix_n[DATASET_KEY_MAX + 1];
	struct dataset_live	*live;	/* GLOB and LIVE rows, in file order */
	size_t			 live_n;
};

struct dataset_ops {
	const char		*prefix;
	enum dataset_kind	 kind;
	bool			 is_file;	/* its text names a file */
	/* make rows and indexes; text is the set's, n octets */
	int			(*open)(struct dataset *set, size_t n,
				    const char *option, struct report *report);
	int			(*find)(const struct dataset *set,
				    struct slice key, bool nocase,
				    struct row *out, size_t max, size_t *n);
};

extern const struct dataset_ops dataset_file_ops;
extern const struct dataset_ops dataset_refile_ops;
extern const struct dataset_ops dataset_csl_ops;

/*
 * Cut the set's text into rows: a line each, key, blanks, value.
 *   key_max  octets of a key; a longer one, or a NUL in one, stops the start:
 *            what the row is for is not known
 */
int dataset_file_rows(struct dataset *set, size_t n, size_t key_max,
    const char *option, struct report *report) MUSTUSE;

/*
 * Index all rows by their whole key, and look a key up there.
 */
int dataset_file_index(struct dataset *set) MUSTUSE;
int dataset_file_find(const struct dataset *set, struct slice key, bool nocase,
    struct row *out, size_t max, size_t *n);

/*
 * Give back what refile made.
 */
void dataset_refile_clear(struct dataset *set);

static inline struct slice
dataset_row_key(const struct dataset_row *row)
{
	return (struct slice){ row->p, row->key_n };
}

#endif
