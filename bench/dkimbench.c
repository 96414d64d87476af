/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dkimbench: how many signatures and verifications a second; dkimbench(1).
 */

/* system */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

/* made by configure */
#include "config.h"

/* this room */
#include "subcommand.h"

static const struct {
	const char	*name;
	int		(*run)(int argc, char **argv);
	const char	*summary;
} subcommands[] = {
	{ "rsa", subcommand_rsa,
	    "raw RSA by backend, key size and batch" },
	{ "sign", subcommand_sign,
	    "messages signed, by backend, key size, body and batch" },
	{ "verify", subcommand_verify,
	    "messages verified, likewise" },
	{ "trace", subcommand_trace,
	    "digest updates and the RSA call of one message" },
	{ "milter", subcommand_milter,
	    "a load for any milter over its socket" },
	{ "bn", subcommand_bn,
	    "the same arithmetic with 32-bit and 64-bit limbs" },
	{ "digest", subcommand_digest,
	    "SHA-1 and SHA-256 by size" },
	{ "body", subcommand_body,
	    "canonicalizing and hashing a body, against SHA-256 alone" },
	{ "growth", subcommand_growth,
	    "time and memory while a message grows twofold" },
	{ "table", subcommand_table,
	    "recorded runs as the table of 2009" },
	{ "all", subcommand_all,
	    "all of it on this machine, with table and plots" },
};

#define N_SUBCOMMANDS	(sizeof subcommands / sizeof subcommands[0])

static void
usage(FILE *out)
{
	fprintf(out, "usage: dkimbench SUBCOMMAND [options]\n");
	for (size_t i = 0; i < N_SUBCOMMANDS; i++)
		fprintf(out, "  %-8s%s\n", subcommands[i].name,
		    subcommands[i].summary);
	fprintf(out, "See dkimbench(1); dkimbench SUBCOMMAND --help lists "
	    "its options.\n");
}

/*
 * Figures that could not be written are no figures. What failed has been told,
 * a full disk among it.
 */
static int
finish(int status)
{
	if (status != 0 || (fflush(stdout) == 0 && !ferror(stdout)))
		return status;
	warn("standard output");
	return EX_IOERR;
}

int
main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EX_USAGE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		printf("dkimbench (dkimd) %s\n", DKIMD_VERSION);
		return finish(EX_OK);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0) {
		usage(stdout);
		return finish(EX_OK);
	}
	for (size_t i = 0; i < N_SUBCOMMANDS; i++)
		if (strcmp(argv[1], subcommands[i].name) == 0)
			return finish(subcommands[i].run(argc - 1, argv + 1));
	warnx("%s: no such subcommand", argv[1]);
	usage(stderr);
	return EX_USAGE;
}
