/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the figures were made on.
 */
#ifndef MACHINE_H
#define MACHINE_H

/* system */
#include <stdio.h>

/* this room */
#include "pin.h"

/*
 * Print, a line each and every one begun with prefix: version and compiler of
 * this program, processor and the flags that matter here, its clock as seen
 * now, kernel, libcrypto (and OPENSSL_ia32cap where it is set), and where the
 * first thread is pinned.
 */
void machine_print(FILE *out, const char *prefix, const struct pin *pin);

#define MACHINE_TEXT_SIZE	64	/* octets of a text and its NUL */

/* The same in short, for a column each; "-" where it is not known. */
struct machine_facts {
	char	model[MACHINE_TEXT_SIZE];	/* of the processor */
	char	os[MACHINE_TEXT_SIZE];		/* kernel, its version */
	char	openssl[MACHINE_TEXT_SIZE];	/* version of libcrypto */
	double	ghz;				/* as seen now; 0: not known */
};

void machine_look(struct machine_facts *out, const struct pin *pin);

/*
 * How long the version number is that begins a kernel's release: a figure that
 * is published names no build of its owner ("6.1.0" of "6.1.0-18-amd64").
 *   release  as uname(2) gives it
 *   returns  octets; all of them where it begins with no number
 */
size_t machine_version(const char *release);

#endif
