/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who dkimbench body measures: the engine's body hash in one form, or SHA-256
 * alone on the same octets.
 */
#ifndef BODY_CONTESTANT_H
#define BODY_CONTESTANT_H

/* rooms below */
#include "dkim/bodyhash.h"

#define BODY_CONTESTANT_FORMS \
	"simple,relaxed,simple-l,relaxed-l,simple-fixcrlf,relaxed-fixcrlf," \
	"both,sha256"
#define BODY_CONTESTANT_ALONE	"sha256"
#define BODY_CONTESTANT_HASHES	2	/* of a form at most */

struct body_contestant {
	const struct dkim_lib	*lib;
	const struct body_form	*form;
	struct slice		 body;
	size_t			 chunk;

	/* What each run must give. */
	struct {
		enum dkim_canon	 alg;
		uint64_t	 length;
		uint8_t		 value[DIGEST_SIZE];
	}			 want[BODY_CONTESTANT_HASHES];
	size_t			 n;
};

/*
 * Make a contestant and what it must give: the canonical octets line by line,
 * by other code than the engine's, then SHA-256 by EVP at once.
 *   form     simple, relaxed: one signature over all; -l: a second one over
 *            half of the canonical octets (l=); -fixcrlf: as under FixCRLF;
 *            both: a simple one and a relaxed one; sha256: that alone, also
 *            as a control, which must come out as fast as itself
 *   body     without bare CR or LF; kept, as lib is
 *   chunk    octets that come at once, as in packets of the milter protocol
 *   returns  0, EX_USAGE (no such form), EX_OSERR or EX_SOFTWARE (told)
 */
int body_contestant_init(struct body_contestant *c, const struct dkim_lib *lib,
    const char *form, struct slice body, size_t chunk) MUSTUSE;

/*
 * As run of struct measure_contestant: a body a round, each hash compared.
 */
int body_contestant_run(void *arg, unsigned thread, size_t rounds) MUSTUSE;

#endif
