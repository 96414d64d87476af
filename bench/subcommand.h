/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The subcommands of dkimbench; each has a file of its own. They are given
 * their own name as argv[0] and return an exit status of sysexits.h.
 *
 * One more: a line here, a row in dkimbench.c, its file in DKIMBENCH_SRCS; its
 * command line by options_parse, its beginning by options_begin (options.h).
 */
#ifndef SUBCOMMAND_H
#define SUBCOMMAND_H

int subcommand_all(int argc, char **argv);
int subcommand_bn(int argc, char **argv);
int subcommand_body(int argc, char **argv);
int subcommand_digest(int argc, char **argv);
int subcommand_growth(int argc, char **argv);
int subcommand_milter(int argc, char **argv);
int subcommand_rsa(int argc, char **argv);
int subcommand_sign(int argc, char **argv);
int subcommand_table(int argc, char **argv);
int subcommand_trace(int argc, char **argv);
int subcommand_verify(int argc, char **argv);

#endif
