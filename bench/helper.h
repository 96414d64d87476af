/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small programs that dkimbench runs.
 */
#ifndef BENCH_HELPER_H
#define BENCH_HELPER_H

/* system */
#include <stddef.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

/*
 * Where a program of that name is: beside this one or in the cmd folder next
 * to its own (in a build folder), else where make install puts it: sbin or
 * libexec.
 *   returns  0; EX_UNAVAILABLE: nowhere, which is told
 */
int helper_find(const char *name, char *path, size_t size) MUSTUSE;

/*
 * Run a program to its end.
 *   argv     ends with NULL; argv[0] is the path
 *   in       n octets for its standard input, fewer than a pipe holds
 *   out      its standard output, as a string; more than fits is dropped
 *   returns  its exit status; EX_OSERR: it could not be run or a signal ended
 *            it, which is told
 */
int helper_run(char *const argv[], const void *in, size_t n, char *out,
    size_t size) MUSTUSE;

#endif
