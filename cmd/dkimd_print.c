/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One option's value.
 */

/* system */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/* rooms below */
#include "rsa-backend/rsab.h"
#include "milter/conf_options.h"
#include "milter/tokenuri.h"

/* this room */
#include "cmd/dkimd_print.h"

const char *
dkimd_print_action(enum action action)
{
	switch (action) {
	case ACTION_ACCEPT:
		return "accept";
	case ACTION_DISCARD:
		return "discard";
	case ACTION_QUARANTINE:
		return "quarantine";
	case ACTION_REJECT:
		return "reject";
	case ACTION_TEMPFAIL:
		return "tempfail";
	}
	return "";
}

static const char *
style_text(enum log_style style)
{
	switch (style) {
	case LOG_STYLE_DKIMD:
		return "dkimd";
	case LOG_STYLE_OPENDKIM:
		return "opendkim";
	case LOG_STYLE_BOTH:
		return "both";
	}
	return "";
}

/*
 * The built-in list of an option that names fields; it stands in the engine.
 *   returns  false: the option has none
 */
static bool
print_names(const char *name)
{
	const struct {
		const char		*name;
		enum dkim_names_kind	 kind;
	} rows[] = {
		{ "SignHeaders", DKIM_NAMES_SIGN },
		{ "OmitHeaders", DKIM_NAMES_OMIT },
		{ "OversignHeaders", DKIM_NAMES_OVERSIGN },
		{ "SenderHeaders", DKIM_NAMES_SENDER },
	};
	struct dkim_names *names;
	struct slice bad, one;
	size_t i, k;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(name, rows[i].name) == 0)
			break;
	if (i == sizeof(rows) / sizeof(rows[0]) || dkim_names_parse(
	    rows[i].kind, slice_of(NULL, 0), &names, &bad) != 0)
		return false;
	for (k = 0; k < dkim_names_count(names); k++) {
		one = dkim_names_at(names, k);
		printf("%s%.*s", k > 0 ? "," : "", (int)one.n,
		    (const char *)one.p);
	}
	printf("\n");
	dkim_names_free(names);
	return true;
}

/*
 * As it is, but for the PIN that a URI may have.
 */
static void
print_text(const char *text)
{
	char shown[RSAB_TOKEN_URI_MAX + 8];	/* "***", NUL */

	if (tokenuri_is(slice_text(text))) {
		rsab_token_uri_print(text, strlen(text), shown, sizeof(shown));
		text = shown;
	}
	printf("%s\n", text);
}

/*
 *   returns  false: it is not set and has no default, or has no value here
 */
static bool
print_value(const struct options *options, const struct option *option)
{
	const void *at = (const char *)options + option->offset;

	switch (option->type) {
	case OPTION_TEXT:
		if (*(char *const *)at == NULL)
			return print_names(option->name);
		if ((option->flags & OPTION_SECRET) != 0) {
			printf("(set, not shown)\n");
			break;
		}
		print_text(*(char *const *)at);
		break;
	case OPTION_BOOL:
		printf("%s\n", *(const bool *)at ? "yes" : "no");
		break;
	case OPTION_NUMBER:
		printf("%" PRIu64 "\n", *(const uint64_t *)at);
		break;
	case OPTION_OCTAL:
		printf("%03" PRIo64 "\n", *(const uint64_t *)at);
		break;
	case OPTION_ACTION:
		printf("%s\n", dkimd_print_action(*(const enum action *)at));
		break;
	case OPTION_MODE:
		printf("%s%s\n", options->mode_sign ? "s" : "",
		    options->mode_verify ? "v" : "");
		break;
	case OPTION_LOG_STYLE:
		printf("%s\n", style_text(*(const enum log_style *)at));
		break;
	default:
		return false;
	}
	return true;
}

int
dkimd_print_option(const struct options *options, const char *name)
{
	const struct option *option = conf_options_find(slice_text(name));

	if (option == NULL) {
		fprintf(stderr, "dkimd: there is no option \"%s\"\n", name);
		return EX_DATAERR;
	}
	return print_value(options, option) ? 0 : EX_CONFIG;
}
