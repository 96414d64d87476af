/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of dkim, one file each. Each takes its own argv (argv[0] is
 * its name) and returns an exit code of sysexits.h; 1 is "not pass" or
 * "refused".
 */
#ifndef SUBCOMMAND_H
#define SUBCOMMAND_H

int subcommand_sign(int argc, char **argv);
int subcommand_verify(int argc, char **argv);
int subcommand_keygen(int argc, char **argv);
int subcommand_keycheck(int argc, char **argv);
int subcommand_try(int argc, char **argv);

/*
 * Parse a number option; wrong ones are told on stderr.
 *   returns  0 or EX_USAGE
 */
int subcommand_number(const char *option, const char *text,
    unsigned long long max, unsigned long long *out)
    __attribute__((warn_unused_result));

#endif
