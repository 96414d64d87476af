/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one table of options: name, type, member of struct options, built-in
 * default. It drives the parser, the defaults and dkimd -n; a lint compares it
 * with dkimd.conf(5).
 */
#ifndef CONF_OPTIONS_H
#define CONF_OPTIONS_H

#include "conf.h"

enum option_type {
	OPTION_TEXT,		/* char *: text, path or data set */
	OPTION_BOOL,		/* bool */
	OPTION_NUMBER,		/* uint64_t, min to max */
	OPTION_OCTAL,		/* uint64_t, min to max, written in octal */
	OPTION_ACTION,		/* enum action */
	OPTION_MODE,		/* mode_sign and mode_verify */
	OPTION_LOG_STYLE,	/* enum log_style */
	OPTION_INCLUDE,		/* no member: conf_file.c */
	OPTION_IGNORED,		/* no member: a warning says what to do */
	OPTION_LATER,		/* no member: fatal, "not supported yet" */
	OPTION_LATER_BOOL,	/* the same, but "no" is what we do anyway */
	OPTION_LATER_ZERO,	/* the same, but "0" is what we do anyway */
};

enum {
	OPTION_START = 1,	/* takes effect at start only, not at reload */
	OPTION_SECRET = 2,	/* a value that nobody is shown */
};

struct option {
	const char	*name;
	enum option_type type;
	size_t		 offset;	/* in struct options */
	uint64_t	 min, max;	/* OPTION_NUMBER */
	const char	*value;		/* built-in default, or NULL */
	unsigned	 flags;
	const char	*instead;	/* IGNORED, LATER: what to do */
};

extern const struct option conf_options_table[];
extern const size_t conf_options_count;

/*
 * The row of a name, in any case, or NULL.
 */
const struct option *conf_options_find(struct slice name);

/*
 * Is the option set, by the file or the command line?
 */
bool conf_options_is_set(const struct options *options, const char *name);

/*
 * "file:line: Option" for messages, or "Option" where it is not set.
 */
struct option_where {
	char	text[4224];
};
const char *conf_options_where(const struct options *options,
    const char *name, struct option_where *out);

/*
 * The same in parts; file is NULL where it is not set. Lives as long as
 * options.
 */
struct option_place conf_options_place(const struct options *options,
    const char *name);

/*
 * Wipe the values of secret options (to ""), once who needs them has a copy.
 */
void conf_options_forget(struct options *options);

/*
 * Warn about each option of new that differs from old but takes effect at
 * start only: for a reload.
 */
void conf_options_compare(const struct options *old, const struct options *new,
    struct report *report);

/*
 * Take each option that takes effect at start only from start, and warn where
 * options said otherwise: for a milter process that is started again, since
 * the supervisor, its PidFile and its user are those of the start.
 *   start    the options that the supervisor was started with
 *   errors   DKIM_ERR_NOMEM
 *   source   BEHAVIOUR 4
 */
int conf_options_keep(const struct options *start, struct options *options,
    struct report *report) MUSTUSE;

#endif
