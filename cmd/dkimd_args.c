/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of dkimd.
 */

/* system */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "cmd/dkimd_args.h"

#define LETTERS	"Ab:c:d:De:fF:k:lL:no:p:P:qQrs:S:t:T:u:vVWx:X"

static const char usage[] =
"usage: dkimd [-fnlvV] [-x conf] [-p socket] [-P pidfile] [-u user[:group]]\n"
"             [-ADqrWX] [-b modes] [-c canon] [-d domains] [-k keyfile]\n"
"             [-L minimum] [-o headers] [-s selector] [-S algorithm]\n"
"             [-T seconds]\n"
"       dkimd -t file[,file...] [-F time] [-v] [letters as above]\n"
"       dkimd -n [-v] | -e option | -Q | -V\n"
"  -f  stay in the foreground      -n  check the configuration and exit\n"
"  -l  log to syslog               -v  more words with -n and -t\n"
"  -t  sign or verify messages     -Q  look up rows of a data set\n"
"  -V  print the version           -x  read this file, not the usual one\n"
"dkimd(8) has the rest.\n";

/* Letters that are options of the file; value NULL: the letter's argument. */
static const struct {
	char		 letter;
	const char	*name, *value;
} letters[] = {
	{ 'A', "AutoRestart", "yes" },
	{ 'b', "Mode", NULL },
	{ 'c', "Canonicalization", NULL },
	{ 'd', "Domain", NULL },
	{ 'D', "SubDomains", "yes" },
	{ 'f', "Background", "no" },
	{ 'k', "KeyFile", NULL },
	{ 'l', "Syslog", "yes" },
	{ 'L', "Minimum", NULL },
	{ 'o', "OmitHeaders", NULL },
	{ 'p', "Socket", NULL },
	{ 'P', "PidFile", NULL },
	{ 'q', "Quarantine", "yes" },
	{ 'r', "RequiredHeaders", "yes" },
	{ 's', "Selector", NULL },
	{ 'S', "SignatureAlgorithm", NULL },
	{ 'T', "DNSTimeout", NULL },
	{ 'u', "UserID", NULL },
	{ 'W', "LogWhy", "yes" },
};

static int
complain(const char *text)
{
	fprintf(stderr, "dkimd: %s\n%s", text, usage);
	return EX_USAGE;
}

static int
set_option(struct dkimd_args *args, int letter, const char *value)
{
	size_t i;

	for (i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		if (letters[i].letter != letter)
			continue;
		if (args->n == DKIMD_ARGS_MAX)
			return complain("too many options");
		args->overrides[args->n++] = (struct conf_override){
			letters[i].name,
			letters[i].value != NULL ? letters[i].value : value,
		};
	}
	return 0;
}

static int
take_time(struct dkimd_args *args, const char *value)
{
	char *end;

	errno = 0;
	args->time = strtoull(value, &end, 10);
	args->has_time = true;
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0)
		return complain("invalid time value: -F wants seconds since "
		    "1970, as in -F 1700000000");
	return 0;
}

static int
take(struct dkimd_args *args, int letter, const char *value)
{
	switch (letter) {
	case 'e':
		args->mode = DKIMD_MODE_PRINT;
		args->print = value;
		return 0;
	case 'f':
		args->foreground = true;
		break;
	case 'F':
		return take_time(args, value);
	case 't':
		args->mode = DKIMD_MODE_TEST;
		args->files = value;
		return value[strspn(value, ",")] != '\0' ? 0 :
		    complain("-t wants files: message.eml,other.eml or - for "
		    "standard input");
	case 'n':
		args->mode = DKIMD_MODE_CHECK;
		return 0;
	case 'Q':
		args->mode = DKIMD_MODE_QUERY;
		return 0;
	case 'v':
		args->verbose++;
		return 0;
	case 'V':
		args->mode = DKIMD_MODE_VERSION;
		return 0;
	case 'x':
		args->conf = value;
		return 0;
	case 'X':
		/* Old options are warned about, never refused, without it */
		return 0;
	case '?':
		fputs(usage, stderr);
		return EX_USAGE;
	default:
		break;
	}
	return set_option(args, letter, value);
}

int
dkimd_args_parse(int argc, char **argv, struct dkimd_args *out)
{
	int letter, r;

	memset(out, 0, sizeof(*out));
	while ((letter = getopt(argc, argv, LETTERS)) != -1) {
		r = take(out, letter, optarg);
		if (r != 0)
			return r;
	}
	if (optind < argc)
		return complain("arguments without a letter have no meaning");
	return 0;
}
