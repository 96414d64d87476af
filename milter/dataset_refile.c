/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data set kind "refile": patterns in file order (MIGRATION 2b, 2c). `*`
 * is any text. What is literal at either end is hashed; only live regular
 * expressions and patterns like *text* are tried one by one.
 *
 * A look-up hashes all suffixes of the key in one pass from its end, and all
 * prefixes in one pass from its start, and asks the index at those lengths
 * that a pattern has.
 */

/* system */
#include <regex.h>
#include <stdlib.h>

/* this room */
#include "dataset_index.h"
#include "dataset_pattern.h"

struct dataset_live {
	uint32_t	 row;
	bool		 compiled;	/* else a glob */
	regex_t		 exact, folded;	/* with case, without */
};

/*
 * Rows found so far, by line. Every row has a line of its own.
 */
struct found {
	const struct dataset	*set;
	struct row		*out;
	size_t			 max, n;
};

/*
 * Is there no use in looking at this row or any later one?
 */
static bool
is_beyond(const struct found *found, uint32_t row)
{
	return found->n == found->max && found->set->rows[row].line >=
	    found->out[found->n - 1].line;
}

static void
add_found(struct found *found, uint32_t row)
{
	struct row new;
	size_t at;

	dataset_at(found->set, row, &new);
	if (found->n < found->max)
		found->n++;
	for (at = found->n - 1; at > 0 && found->out[at - 1].line > new.line;
	    at--)
		found->out[at] = found->out[at - 1];
	found->out[at] = new;
}

/*
 * The part of a pattern that it is indexed by.
 */
static struct slice
indexed_part(const struct dataset_row *row)
{
	struct slice key = dataset_row_key(row);

	if (row->form == DATASET_FORM_SUFFIX)
		return dataset_pattern_suffix(key);
	return slice_sub(key, 0, slice_find(key, '*'));
}

/*
 * Add the rows of one chain whose pattern matches.
 *   part_n   octets that were hashed: rows of other lengths share the chain,
 *            and have their turn at theirs
 */
static void
find_chain(struct found *found, const struct dataset_index *index,
    uint64_t hash, size_t part_n, struct slice key, bool nocase)
{
	uint32_t at = dataset_index_first(index, hash);
	const struct dataset_row *row;

	for (; at != 0 && !is_beyond(found, at - 1);
	    at = found->set->next[at - 1]) {
		row = &found->set->rows[at - 1];
		if (indexed_part(row).n == part_n && dataset_pattern_glob(
		    dataset_row_key(row), key, nocase))
			add_found(found, at - 1);
	}
}

static void
find_suffixes(struct found *found, struct slice key, bool nocase)
{
	const struct dataset *set = found->set;
	uint64_t hash = DATASET_INDEX_START;
	size_t n;

	for (n = 1; n <= key.n; n++) {
		hash = dataset_index_feed(hash, key.p[key.n - n]);
		if (set->suffix_n[n])
			find_chain(found, &set->suffix, hash, n, key, nocase);
	}
	find_chain(found, &set->literal, hash, key.n, key, nocase);
}

static void
find_prefixes(struct found *found, struct slice key, bool nocase)
{
	const struct dataset *set = found->set;
	uint64_t hash = DATASET_INDEX_START;
	size_t n;

	if (set->prefix.heads == NULL)
		return;
	for (n = 1; n <= key.n; n++) {
		hash = dataset_index_feed(hash, key.p[n - 1]);
		if (set->prefix_n[n])
			find_chain(found, &set->prefix, hash, n, key, nocase);
	}
}

/*
 * Try the rows that no index helps with.
 */
static int
find_live(struct found *found, struct slice key, bool nocase)
{
	const struct dataset *set = found->set;
	char text[DATASET_KEY_MAX + 1];
	const struct dataset_live *live;
	bool has_nul = slice_find(key, '\0') < key.n, hit;
	size_t i;
	int error;

	if (key.n > 0)
		memcpy(text, key.p, key.n);
	text[key.n] = '\0';
	for (i = 0; i < set->live_n; i++) {
		live = &set->live[i];
		if (is_beyond(found, live->row))
			break;
		if (live->compiled) {
			error = has_nul ? REG_NOMATCH : regexec(nocase ?
			    &live->folded : &live->exact, text, 0, NULL, 0);
			if (error != 0 && error != REG_NOMATCH)
				return DKIM_ERR_NOMEM;
			hit = error == 0;
		} else
			hit = dataset_pattern_glob(dataset_row_key(
			    &set->rows[live->row]), key, nocase);
		if (hit)
			add_found(found, live->row);
	}
	return 0;
}

static int
refile_find(const struct dataset *set, struct slice key, bool nocase,
    struct row *out, size_t max, size_t *n)
{
	struct found found = { set, out, max, 0 };
	int error;

	find_suffixes(&found, key, nocase);
	find_prefixes(&found, key, nocase);
	error = find_live(&found, key, nocase);
	*n = error == 0 ? found.n : 0;
	return error;
}

static int
compile(const char *text, int flags, regex_t *out, char *why, size_t why_size)
{
	int error;

	error = regcomp(out, text, REG_EXTENDED | REG_NOSUB | flags);
	if (error == 0)
		return 0;
	if (error == REG_ESPACE)
		return DKIM_ERR_NOMEM;
	regerror(error, out, why, why_size);
	return DKIM_ERR_SYNTAX;
}

/*
 * Compile the pattern of row i into live, or mark the row as dead. What a
 * pattern matches that does not compile is not known, so its mail cannot be
 * tempfailed and would go out unsigned: this stops the start.
 */
static int
compile_row(struct dataset *set, size_t i, struct dataset_live *live,
    const char *option, struct report *report)
{
	struct dataset_row *row = &set->rows[i];
	char text[DATASET_PATTERN_ERE_MAX], why[200] = "";
	const char *reason = why;
	struct report_octets shown;
	int error;

	error = dataset_pattern_ere(dataset_row_key(row), text, &reason);
	if (error == 0)
		error = compile(text, 0, &live->exact, why, sizeof(why));
	if (error == 0) {
		error = compile(text, REG_ICASE, &live->folded, why,
		    sizeof(why));
		if (error != 0)
			regfree(&live->exact);
	}
	live->compiled = error == 0;
	if (error != DKIM_ERR_SYNTAX)
		return error;
	row->form = DATASET_FORM_DEAD;
	report_fault(report, FAULT_FATAL, "%s:%u: %s: pattern \"%s\": %s",
	    set->file, row->line, report_name(option),
	    report_octets(&shown, dataset_row_key(row)), reason);
	return 0;
}

static int
open_live(struct dataset *set, size_t count, const char *option,
    struct report *report)
{
	struct dataset_live *live;
	size_t i;
	int error = 0;

	if (count == 0)
		return 0;
	if ((set->live = calloc(count, sizeof(*set->live))) == NULL)
		return DKIM_ERR_NOMEM;
	for (i = 0; i < set->n && error == 0; i++) {
		if (set->rows[i].form != DATASET_FORM_LIVE &&
		    set->rows[i].form != DATASET_FORM_GLOB)
			continue;
		live = &set->live[set->live_n];
		live->row = (uint32_t)i;
		if (set->rows[i].form == DATASET_FORM_LIVE)
			error = compile_row(set, i, live, option, report);
		if (error == 0 && set->rows[i].form != DATASET_FORM_DEAD)
			set->live_n++;
	}
	return error;
}

/*
 * Put a row into the index of its form.
 */
static void
index_row(struct dataset *set, size_t i)
{
	struct slice part = indexed_part(&set->rows[i]);
	uint32_t row = (uint32_t)i;

	switch (set->rows[i].form) {
	case DATASET_FORM_LITERAL:
		dataset_index_put(&set->literal, set->next,
		    dataset_index_backward(part), row);
		break;
	case DATASET_FORM_SUFFIX:
		dataset_index_put(&set->suffix, set->next,
		    dataset_index_backward(part), row);
		if (part.n <= DATASET_KEY_MAX)
			set->suffix_n[part.n] = true;
		break;
	case DATASET_FORM_PREFIX:
		dataset_index_put(&set->prefix, set->next,
		    dataset_index_forward(part), row);
		if (part.n <= DATASET_KEY_MAX)
			set->prefix_n[part.n] = true;
		break;
	default:
		break;
	}
}

static int
refile_open(struct dataset *set, size_t n, const char *option,
    struct report *report)
{
	size_t forms[DATASET_FORM_DEAD + 1] = { 0 }, i;
	int error;

	error = dataset_file_rows(set, n, DATASET_PATTERN_MAX, option, report);
	if (error != 0)
		return error;
	for (i = 0; i < set->n; i++) {
		set->rows[i].form = (uint8_t)dataset_pattern_form(
		    dataset_row_key(&set->rows[i]));
		forms[set->rows[i].form]++;
	}
	if ((error = dataset_index_init(&set->literal,
	    forms[DATASET_FORM_LITERAL])) != 0 ||
	    (error = dataset_index_init(&set->suffix,
	    forms[DATASET_FORM_SUFFIX])) != 0 ||
	    (error = dataset_index_init(&set->prefix,
	    forms[DATASET_FORM_PREFIX])) != 0)
		return error;
	for (i = set->n; i > 0; i--)
		index_row(set, i - 1);
	return open_live(set, forms[DATASET_FORM_GLOB] +
	    forms[DATASET_FORM_LIVE], option, report);
}

void
dataset_refile_clear(struct dataset *set)
{
	size_t i;

	for (i = 0; i < set->live_n; i++)
		if (set->live[i].compiled) {
			regfree(&set->live[i].exact);
			regfree(&set->live[i].folded);
		}
	free(set->live);
	set->live = NULL;
	set->live_n = 0;
}

const struct dataset_ops dataset_refile_ops = {
	.prefix = "refile",
	.kind = DATASET_REFILE,
	.is_file = true,
	.open = refile_open,
	.find = refile_find,
};
