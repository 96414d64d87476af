/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkim: sign, verify and make keys from the command line; dkim(1).
 */

/* system */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* made by configure */
#include "config.h"

/* room below */
#include "milter/log.h"

/* this room */
#include "subcommand.h"

static const struct {
	const char	*name;
	int		(*run)(int argc, char **argv);
	const char	*summary;
} subcommands[] = {
	{ "sign", subcommand_sign, "sign a message" },
	{ "verify", subcommand_verify, "verify the signatures of messages" },
	{ "keygen", subcommand_keygen, "make a key and its record" },
	{ "keycheck", subcommand_keycheck,
	    "compare keys with their published records" },
	{ "try", subcommand_try, "send a message through a milter" },
};

#define N_SUBCOMMANDS	(sizeof(subcommands) / sizeof(subcommands[0]))

static void
usage(FILE *out)
{
	size_t i;

	fprintf(out, "usage: dkim SUBCOMMAND [options] [FILE ...]\n");
	for (i = 0; i < N_SUBCOMMANDS; i++)
		fprintf(out, "  %-10s%s\n", subcommands[i].name,
		    subcommands[i].summary);
	fprintf(out, "See dkim(1); dkim SUBCOMMAND --help lists its "
	    "options.\n");
}

int
subcommand_number(const char *option, const char *text,
    unsigned long long max, unsigned long long *out)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
	    n > max) {
		warnx("%s %s: a whole number from 0 to %llu is wanted",
		    option, text, max);
		return EX_USAGE;
	}
	*out = n;
	return 0;
}

int
main(int argc, char **argv)
{
	size_t i;

	log_as("dkim");
	if (argc < 2) {
		usage(stderr);
		return EX_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("dkim (dkimd) %s\n", DKIMD_VERSION);
		return EX_OK;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return EX_OK;
	}
	for (i = 0; i < N_SUBCOMMANDS; i++)
		if (strcmp(argv[1], subcommands[i].name) == 0)
			return subcommands[i].run(argc - 1, argv + 1);
	warnx("%s: no such subcommand", argv[1]);
	usage(stderr);
	return EX_USAGE;
}
