/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages through libopendkim, one at a time, as its speed programs do it: a
 * handle made, header, body and result, the handle freed; the private key is
 * parsed each time, the public one read from a text file each time. But every
 * status is looked at, and every signature compared.
 *
 * In a file of its own: both libraries have a dkim.h.
 */
#ifndef OPENDKIM_WORK_H
#define OPENDKIM_WORK_H

/* system */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

#define OPENDKIM_FIELDS_MAX	16

/* What is signed and verified; outlives the work. */
struct opendkim_mail {
	const char	*fields[OPENDKIM_FIELDS_MAX];	/* "Name: value" */
	size_t		 n;
	const uint8_t	*body;
	size_t		 octets;
	bool		 header_relaxed, body_relaxed;
	const char	*domain, *selector;
	const char	*pem;			/* private key */
	const char	*record;		/* what is published of it */
	uint64_t	 now;			/* t= */
};

struct opendkim_work;

/*
 * Sign once, verify that; a corrupted signature must not verify.
 *   sign     what run does, else verify
 *   returns  0, or an exit status (what was wrong is told)
 */
int opendkim_work_new(const struct opendkim_mail *mail, bool sign,
    struct opendkim_work **out) MUSTUSE;
void opendkim_work_free(struct opendkim_work *work);

/*
 * The field body of the signature that it makes, with its leading space;
 * NUL-ended.
 */
const char *opendkim_work_field(const struct opendkim_work *work);

/*
 * The run of struct measure_contestant, one message a round; one thread only.
 *   arg      a struct opendkim_work
 */
int opendkim_work_run(void *arg, unsigned thread, size_t rounds) MUSTUSE;

/*
 * Its version, as the library tells.
 */
const char *opendkim_work_version(void);

#endif
