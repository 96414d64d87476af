/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One value of an option, from text to its member.
 */

/* system */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* this room */
#include "conf_value.h"

static void *
member(struct options *options, const struct option *option)
{
	return (uint8_t *)options + option->offset;
}

int
conf_value_number(struct slice text, uint64_t *out)
{
	char copy[32], *end;
	unsigned long long value;

	/* strtoull takes white space and signs; a number has neither */
	if (text.n == 0 || text.n >= sizeof(copy) || text.p[0] < '0' ||
	    text.p[0] > '9')
		return DKIM_ERR_SYNTAX;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	errno = 0;
	value = strtoull(copy, &end, 0);
	if (errno != 0 || end != copy + text.n || value > INT64_MAX)
		return DKIM_ERR_SYNTAX;
	*out = value;
	return 0;
}

/*
 * By first letter: T t Y y 1, F f N n 0.
 */
static int
parse_bool(struct slice text, bool *out)
{
	switch (slice_lower(text.p[0])) {
	case 't':
	case 'y':
	case '1':
		*out = true;
		return 0;
	case 'f':
	case 'n':
	case '0':
		*out = false;
		return 0;
	default:
		return DKIM_ERR_SYNTAX;
	}
}

static int
parse_action(struct slice text, enum action *out)
{
	static const char letters[] = "adqrt";	/* in the enum's order */
	const char *at = strchr(letters, slice_lower(text.p[0]));

	if (at == NULL || *at == '\0')
		return DKIM_ERR_SYNTAX;
	*out = (enum action)(at - letters);
	return 0;
}

static int
parse_mode(struct slice text, struct options *options)
{
	bool sign = false, verify = false;
	size_t i;

	for (i = 0; i < text.n; i++)
		if (slice_lower(text.p[i]) == 's')
			sign = true;
		else if (slice_lower(text.p[i]) == 'v')
			verify = true;
		else
			return DKIM_ERR_SYNTAX;
	options->mode_sign = sign;
	options->mode_verify = verify;
	return 0;
}

static int
parse_log_style(struct slice text, enum log_style *out)
{
	static const char *const names[] = { "dkimd", "opendkim", "both" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_equal_nocase(text, slice_text(names[i]))) {
			*out = (enum log_style)i;
			return 0;
		}
	return DKIM_ERR_SYNTAX;
}

static int
set_text(struct slice text, char **out)
{
	char *copy;

	if ((copy = malloc(text.n + 1)) == NULL)
		return DKIM_ERR_NOMEM;
	memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	free(*out);
	*out = copy;
	return 0;
}

static int
set_number(const struct option *option, struct slice text, uint64_t *out)
{
	uint64_t value;
	int error;

	if ((error = conf_value_number(text, &value)) != 0)
		return error;
	if (value < option->min || value > option->max)
		return DKIM_ERR_SYNTAX;
	*out = value;
	return 0;
}

/*
 * A umask is octal whether or not it begins with 0.
 */
static int
set_octal(const struct option *option, struct slice text, uint64_t *out)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < text.n; i++) {
		if (text.p[i] < '0' || text.p[i] > '7')
			return DKIM_ERR_SYNTAX;
		value = value * 8 + (uint64_t)(text.p[i] - '0');
		if (value > option->max)
			return DKIM_ERR_SYNTAX;
	}
	if (value < option->min)
		return DKIM_ERR_SYNTAX;
	*out = value;
	return 0;
}

/*
 * An option whose effect is not built. Saying what we do anyway is fine.
 */
static int
later(const struct option *option, struct slice text, const char *where,
    struct report *report)
{
	uint64_t number;
	bool yes;

	if (option->type == OPTION_LATER_BOOL && parse_bool(text, &yes) == 0 &&
	    !yes)
		return 0;
	if (option->type == OPTION_LATER_ZERO &&
	    conf_value_number(text, &number) == 0 && number == 0)
		return 0;
	report_fault(report, FAULT_FATAL, "%s: not supported yet; %s", where,
	    option->instead);
	return DKIM_ERR_SYNTAX;
}

static const char *
wanted(const struct option *option)
{
	switch (option->type) {
	case OPTION_BOOL:
		return "yes or no";
	case OPTION_ACTION:
		return "accept, discard, quarantine, reject or tempfail";
	case OPTION_MODE:
		return "s, v or sv";
	case OPTION_LOG_STYLE:
		return "dkimd, opendkim or both";
	default:
		return "a value";
	}
}

static void
report_value(const struct option *option, struct slice text,
    const char *where, struct report *report)
{
	struct report_octets shown;

	report_octets(&shown, text);
	if (option->type == OPTION_NUMBER)
		report_fault(report, FAULT_FATAL, "%s: \"%s\" is not a whole "
		    "number from %" PRIu64 " to %" PRIu64 " (decimal, 0x "
		    "hexadecimal or 0 octal; no unit)", where, shown.text,
		    option->min, option->max);
	else if (option->type == OPTION_OCTAL)
		report_fault(report, FAULT_FATAL, "%s: \"%s\" is not an octal "
		    "number from %#" PRIo64 " to %#" PRIo64, where, shown.text,
		    option->min, option->max);
	else
		report_fault(report, FAULT_FATAL, "%s: \"%s\" is not %s", where,
		    shown.text, wanted(option));
}

static int
set_member(const struct option *option, struct slice text,
    struct options *options)
{
	switch (option->type) {
	case OPTION_TEXT:
		return set_text(text, member(options, option));
	case OPTION_BOOL:
		return parse_bool(text, member(options, option));
	case OPTION_NUMBER:
		return set_number(option, text, member(options, option));
	case OPTION_OCTAL:
		return set_octal(option, text, member(options, option));
	case OPTION_ACTION:
		return parse_action(text, member(options, option));
	case OPTION_MODE:
		return parse_mode(text, options);
	case OPTION_LOG_STYLE:
		return parse_log_style(text, member(options, option));
	default:
		return 0;
	}
}

int
conf_value_set(const struct option *option, struct slice text,
    const char *where, struct report *report, struct options *options)
{
	int error;

	if (text.n == 0) {
		report_fault(report, FAULT_FATAL, "%s: the value is missing; "
		    "wanted is \"%s value\" on one line", where, option->name);
		return DKIM_ERR_SYNTAX;
	}
	switch (option->type) {
	case OPTION_INCLUDE:
		report_fault(report, FAULT_FATAL,
		    "%s: it can stand in a file only", where);
		return DKIM_ERR_SYNTAX;
	case OPTION_IGNORED:
		report_fault(report, FAULT_WARNING, "%s: ignored; %s", where,
		    option->instead);
		return 0;
	case OPTION_LATER:
	case OPTION_LATER_BOOL:
	case OPTION_LATER_ZERO:
		return later(option, text, where, report);
	default:
		error = set_member(option, text, options);
	}
	if (error == DKIM_ERR_SYNTAX)
		report_value(option, text, where, report);
	return error;
}
