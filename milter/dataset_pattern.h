/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Patterns of a refile: `*` is any text, `.` and `+` are literal, all other
 * characters of extended regular expressions are live (MIGRATION 2b).
 */
#ifndef DATASET_PATTERN_H
#define DATASET_PATTERN_H

#include "dataset_kind.h"

#define DATASET_PATTERN_ERE_MAX	(2 * DATASET_PATTERN_MAX + 8)
#define DATASET_PATTERN_REPEAT_MAX 1000	/* product of all {n,m} of one */

/*
 * Which form a pattern has; never DATASET_FORM_DEAD.
 */
enum dataset_form dataset_pattern_form(struct slice pattern);

/*
 * The text behind the last star.
 */
struct slice dataset_pattern_suffix(struct slice pattern);

/*
 * Does a pattern that has no live character match all of key?
 */
bool dataset_pattern_glob(struct slice pattern, struct slice key,
    bool nocase);

/*
 * The anchored extended regular expression of a pattern.
 *   out      NUL-ended
 *   reason   on DKIM_ERR_SYNTAX: static text
 *   errors   DKIM_ERR_SYNTAX: back-references and repetitions whose cost has
 *            no bound, a tenant may write rows
 */
int dataset_pattern_ere(struct slice pattern,
    char out[DATASET_PATTERN_ERE_MAX], const char **reason) MUSTUSE;

#endif
