/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sentences of an explanation that tell what to do about a reason; see
 * explain_advice.h.
 */

/* system */
#include <stddef.h>
#include <string.h>

/* this room */
#include "explain_advice.h"

/* Reasons are matched by their beginning, the longer one first. */
static const struct {
	const char	*reason;
	const char	*advice;
} advices[] = {
	{ "signature missing", "the DKIM-Signature field is not whole; "
	    "the signer or a gateway on the way is at fault" },
	{ "incompatible version", "v= must be 1; the signer is at "
	    "fault" },
	{ "signature syntax error: x=", "x= must be later than t=; "
	    "the signer's configuration is at fault" },
	{ "signature syntax error: no known query", "q= must have "
	    "dns/txt; the signer is at fault" },
	{ "signature syntax error", "the DKIM-Signature field breaks "
	    "RFC 6376 s3.5; the signer or a gateway on the way is at "
	    "fault" },
	{ "From field not signed", "h= must have From; add it to what "
	    "the signer signs" },
	{ "domain mismatch: i= not", "the domain of i= must be d= or "
	    "below it; correct the signer's i= or d=" },
	{ "domain mismatch: i= in", "the key record has t=s, so the "
	    "domain of i= must be d= itself; take t=s out of the "
	    "record or i= out of the signature" },
	{ "no From field", "h= names From: removed on the way? A "
	    "message without it is not valid mail (RFC 5322 s3.6)" },
	{ "unknown algorithm", "a= is neither rsa-sha256 nor "
	    "ed25519-sha256; the signer must use one of them" },
	{ "rsa-sha1", "RFC 8301 forbids rsa-sha1; the signer must use "
	    "rsa-sha256" },
	{ "signature expired", "the message came late, or is a "
	    "replay; if it was only late, let the signer give more "
	    "time" },
	{ "key unavailable: DNSSEC", "the record does not validate; "
	    "the zone's DNSSEC is broken, or this resolver's trust "
	    "anchor" },
	{ "key unavailable", "the DNS gave no answer; ask again "
	    "later, or look at the zone's name servers" },
	{ "too many key look-ups", "this message asks for more keys "
	    "than one message may" },
	{ "no key for signature", "there is no TXT record at that "
	    "name; publish it, or sign with a selector that is "
	    "published" },
	{ "key revoked", "p= of the record is empty: the domain has "
	    "withdrawn this key; sign with a new selector" },
	{ "key is larger", "make a key of 2048 bits" },
	{ "key size", "make a key of 2048 bits" },
	{ "key is too small", "RFC 8301 wants RSA keys of 1024 bits "
	    "at least (MinimumKeyBits may want more); make a key of "
	    "2048 bits" },
	{ "key record is too long", "a key record has at most 16384 "
	    "octets here" },
	{ "too many TXT", "only key records belong at that name, few "
	    "of them" },
	{ "key is not for email", "s= of the record must have email "
	    "or *" },
	{ "inappropriate hash", "h= of the record must have sha256" },
	{ "inappropriate key", "k= of the record is not the kind of "
	    "key that a= of the signature names; publish this "
	    "signer's key, or use another selector" },
	{ "key syntax error", "the record is not what RFC 6376 s3.6.1 "
	    "says; compare it with what dkim keygen wrote" },
	{ "l= is larger", "the end of the body is missing: it was cut "
	    "on the way, or rewritten" },
	{ "too much of the body", "l= leaves more of the body "
	    "unsigned than Minimum allows; the signer should not use "
	    "l=" },
	{ "part of the body", "what follows the octets under l= may "
	    "be anybody's; the signer should not use l=" },
	{ "signature time", "t= is beyond this clock and ClockDrift; "
	    "compare the clocks of signer and receiver" },
	{ "more than one From", "a message has one From field (RFC "
	    "5322 s3.6); the signature is right, but which From a "
	    "reader sees is not certain" },
	{ "not evaluated", "there are more signatures than are looked "
	    "at; see --max-signatures" },
};

const char *
explain_advice(const char *reason)
{
	size_t i;

	for (i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if (strncmp(reason, advices[i].reason,
		    strlen(advices[i].reason)) == 0)
			return advices[i].advice;
	return NULL;
}
