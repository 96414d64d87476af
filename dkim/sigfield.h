/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One DKIM-Signature field, taken apart (RFC 6376 s3.5, s6.1.1; RFC 8463 s4.1;
 * RFC 8616 s5).
 */
#ifndef DKIM_SIGFIELD_H
#define DKIM_SIGFIELD_H

#include "dkim.h"
#include "digest.h"

enum sigfield_algorithm {
	SIGFIELD_UNKNOWN,
	SIGFIELD_RSA_SHA1,
	SIGFIELD_RSA_SHA256,
	SIGFIELD_ED25519_SHA256,
};

struct sigfield {
	const char		*error;		/* NULL, or the fault that comes
						 * first; static */
	enum sigfield_algorithm	 alg;
	enum dkim_canon		 header_canon;
	enum dkim_canon		 body_canon;
	struct slice		 algorithm;	/* a= as written */
	struct slice		 domain;	/* d= as written, empty: bad */
	struct slice		 selector;	/* s= as written, empty: bad */
	struct slice		 identity;	/* i= decoded, empty: none */
	struct slice		 names;		/* h= as written */
	size_t			 names_n;
	struct slice		 copies;	/* z= as written, empty: none */
	struct slice		 base64;	/* b=, white space out */
	struct slice		 query;		/* s._domainkey.d in A-labels,
						 * lower case, a NUL behind */
	struct slice		 ascii_domain;	/* the end of query */
	bool			 below;		/* i= lies below d= */
	uint8_t			 body_hash[DIGEST_SIZE];
	uint8_t			*signature;	/* b= decoded */
	size_t			 signature_len;
	bool			 has_length;
	uint64_t		 length;	/* l=; UINT64_MAX without */
	bool			 has_time;
	uint64_t		 time;		/* t= */
	bool			 has_expiry;
	uint64_t		 expiry;	/* x= */
	size_t			 b_at;		/* raw value of b= in the */
	size_t			 b_n;		/* field body, in octets */
};

/*
 * Take a field body apart. What is wrong with it goes to out->error, what was
 * right is filled in all the same. An algorithm that nobody knows is no fault
 * here, but alg.
 *   value    outlives out
 *   a        gets what out points to
 *   errors   DKIM_ERR_NOMEM
 *   source   RFC 6376 s3.5, s6.1.1
 */
int sigfield_parse(struct slice value, struct arena *a, struct sigfield *out)
    MUSTUSE;

/*
 * The names of h=, in order.
 *   out      room for f->names_n
 */
void sigfield_names(const struct sigfield *f, struct slice *out);

#endif
