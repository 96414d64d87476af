/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DKIM engine: octets and key records in, header fields and verdicts out.
 *
 * RFC 6376 (DKIM), RFC 8301 (no SHA-1, key sizes), RFC 8463 (Ed25519),
 * RFC 8601 (Authentication-Results), RFC 8616 (internationalized mail).
 *
 * The engine does no I/O, reads no clock, makes no threads and holds no global
 * state: now, octets and DNS answers are arguments. Functions return 0 or a
 * negative code of enum dkim_error; a bad signature is no error but a verdict.
 * Each object belongs to one thread at a time, but for those marked counted,
 * which are immutable and may be shared.
 *
 * A message: dkim_header_new, dkim_header_add for each field, then a signer or
 * a verifier on it, the body in any chunks, body_end, and the result.
 */
#ifndef DKIM_H
#define DKIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slice.h"
#include "buf.h"
#include "arena.h"
#include "explain.h"

struct rsab_backend;
struct rsab_key;
struct rsab_job;
struct rsab_worker;

/*
 * Limits of what a peer controls: the maximum, its unit, and what is done
 * beyond it. Passing one is never a cut: what is over is refused as a whole.
 * All work and memory is linear in what is within. tests/test_limits.c tries
 * each one below, at and above its edge.
 */
/* Octets of all fields of a message, colons in: dkim_header_add refuses, and
 * dkim_header_over says which limit; the message has no signature that
 * counts: permerror. MaximumHeaders sets it, 0 takes the second. */
#define DKIM_HEADER_MAX		1048576
#define DKIM_HEADER_HARD_MAX	16777216
/* Header fields of a message; octets of one, name and colon in (through a
 * milter packet less: WIRE_DATA_MAX); octets of its name: as above. */
#define DKIM_FIELDS_MAX		10000
#define DKIM_FIELD_MAX		262144
#define DKIM_FIELD_NAME_MAX	998
/* Tags of one tag list; names in h=: a signature is permerror, a key record
 * malformed. */
#define DKIM_TAGS_MAX		64
#define DKIM_SIGNED_NAMES_MAX	1000
/* Octets of a TXT record, its strings joined: it is malformed. */
#define DKIM_TXT_MAX		16384
/* TXT records at one name: permerror, none is read. Of those that parse and
 * fit, in the order of their octets, so many are tried; the best counts. */
#define DKIM_TXT_RECORDS_MAX	16
#define DKIM_TXT_RECORDS_TRIED	4
/* Bits of an RSA modulus: permerror, the key is not decoded. Fewer than the
 * floor never pass: policy (RFC 8301 s3.2). */
#define DKIM_RSA_BITS_MAX	8192	/* RSAB_RSA_BITS_MAX */
#define DKIM_RSA_BITS_FLOOR	1024
/* Octets of a domain name, s._domainkey.d whole, and of one label: no name;
 * in d= and s= permerror. */
#define DKIM_NAME_MAX		255
#define DKIM_LABEL_MAX		63
/* Mailboxes in one From: it counts as one that does not parse. */
#define DKIM_MAILBOXES_MAX	100
/* Octets of an i= that we are to write: DKIM_ERR_ARGUMENT. */
#define DKIM_ADDRESS_MAX	320
/* Signatures made on one message: DKIM_ERR_LIMIT. */
#define DKIM_SIGNATURES_MADE	16
/* Signatures verified, unless MaximumSignaturesToVerify says otherwise: those
 * left out are policy, "not evaluated". */
#define DKIM_SIGNATURES_DEFAULT	8
/* What we write in Authentication-Results: octets of a line (longer pieces are
 * DKIM_ERR_LIMIT), clauses "not evaluated" and clauses on fields at fault;
 * the others are one clause, their number. */
#define DKIM_AUTHRES_LINE_MAX	998
#define DKIM_AUTHRES_SKIPPED	8
#define DKIM_AUTHRES_FAULTY	16

enum dkim_error {
	DKIM_OK = 0,
	DKIM_ERR_NOMEM = -1,	/* no memory */
	DKIM_ERR_LIMIT = -2,	/* over one of the limits above */
	DKIM_ERR_SYNTAX = -3,	/* input is not what its grammar says */
	DKIM_ERR_ARGUMENT = -4,	/* the caller's own value is bad */
	DKIM_ERR_CRYPTO = -5,	/* libcrypto failed */
	DKIM_ERR_NO_FROM = -6,	/* signing a message without From */
	DKIM_ERR_MANY_FROM = -7, /* signing a message with several From */
	DKIM_ERR_STATE = -8,	/* a required step has not been done */
};

/*
 * Text of a code, for messages; never NULL, static.
 */
const char *dkim_strerror(int error);

/* ---- the library ------------------------------------------------------- */

/*
 * What all messages share and nobody changes: digests fetched once. Made at
 * start-up, used by any number of threads, freed last.
 */
struct dkim_lib;

int dkim_lib_new(struct dkim_lib **out) MUSTUSE;
void dkim_lib_free(struct dkim_lib *lib);

/*
 * Each call that a running digest makes of libcrypto, for dkimbench trace.
 */
enum dkim_digest_call {
	DKIM_DIGEST_INIT,
	DKIM_DIGEST_UPDATE,
	DKIM_DIGEST_FINAL,
};

/*
 * Have them told, before the lib is used; by any thread that uses it.
 *   watch    octets: of an update, else 0; NULL: nobody wants to know
 */
void dkim_lib_watch(struct dkim_lib *lib, void (*watch)(void *context,
    enum dkim_digest_call call, size_t octets), void *context);

/* ---- names ------------------------------------------------------------- */

/*
 * Bring a domain into the form used for look-ups and in d=: A-labels, lower
 * case, no trailing dot, strict grammar: labels of letters, digits, - and _,
 * 1 to 63 octets, two labels at least, 255 octets at most.
 *   domain   UTF-8 U-labels, A-labels or both
 *   out      DKIM_NAME_MAX + 1 octets, NUL-ended
 *   errors   DKIM_ERR_SYNTAX
 *   source   RFC 6376 s3.5 d=, RFC 8616 s3, RFC 5890, RFC 5321 s4.1.2
 */
int dkim_domain_to_ascii(struct slice domain, char out[DKIM_NAME_MAX + 1])
    MUSTUSE;

/*
 * Is name, in any case, domain itself or below it? Both as to_ascii gives.
 */
bool dkim_domain_is_within(struct slice name, struct slice domain);

/*
 * A selector in the form used for look-ups: as a domain, one label enough.
 */
int dkim_selector_to_ascii(struct slice selector,
    char out[DKIM_NAME_MAX + 1]) MUSTUSE;

/*
 * One mailbox of an address list, quoted-pairs and quotes undone.
 */
struct dkim_mailbox {
	struct slice	local;
	struct slice	domain;		/* as written, white space and
					 * comments out; not yet to_ascii */
};

/*
 * Parse an address-list or mailbox-list: display names, comments, quoted
 * strings, groups, source routes, RFC 6532 UTF-8. Never a search for "@".
 *   value    field body, folds as LF or CRLF
 *   out      room for max mailboxes; slices into a (or value)
 *   n        mailboxes found; 0 for an empty group
 *   errors   DKIM_ERR_SYNTAX, _LIMIT (more than max), _NOMEM
 *   source   RFC 5322 s3.4, s4.4; RFC 6854
 */
int dkim_mailbox_parse(struct slice value, struct arena *a,
    struct dkim_mailbox *out, size_t max, size_t *n) MUSTUSE;

/*
 * Lists of field names: what to sign, leave out, sign once more.
 */
enum dkim_names_kind {
	DKIM_NAMES_SIGN,	/* SignHeaders */
	DKIM_NAMES_OMIT,	/* OmitHeaders */
	DKIM_NAMES_OVERSIGN,	/* OversignHeaders; no "*" */
	DKIM_NAMES_SENDER,	/* SenderHeaders */
};

struct dkim_names;

/*
 * Parse a comma list. `*` or a list of only +name and -name items stands for
 * the kind's defaults (BEHAVIOUR: built-in), changed by +name and -name.
 *   text     NULL-p slice: the defaults alone
 *   bad      on DKIM_ERR_SYNTAX: the item that is no field name
 *   out      the caller frees
 */
int dkim_names_parse(enum dkim_names_kind kind, struct slice text,
    struct dkim_names **out, struct slice *bad) MUSTUSE;
size_t dkim_names_count(const struct dkim_names *names);
struct slice dkim_names_at(const struct dkim_names *names, size_t i);
bool dkim_names_has(const struct dkim_names *names, struct slice name);
void dkim_names_free(struct dkim_names *names);

/* ---- a message's header ------------------------------------------------ */

struct dkim_header;

/*
 * An empty header.
 *   max      octets over all fields; 0 is DKIM_HEADER_HARD_MAX
 */
int dkim_header_new(size_t max, struct dkim_header **out) MUSTUSE;
void dkim_header_free(struct dkim_header *header);

/*
 * Add the next field, top down; octets are copied.
 *   name     before the colon, trailing white space is part of it
 *   value    behind the colon, leading white space included, without the
 *            final line end; inner line ends as CRLF
 *   errors   DKIM_ERR_LIMIT: dkim_header_over tells which, the field is not
 *            added; _SYNTAX (empty name, octets that no name has); _NOMEM
 */
int dkim_header_add(struct dkim_header *header, struct slice name,
    struct slice value) MUSTUSE;

/*
 * The same for what libmilter gives: folds are LF, and are made CRLF here.
 */
int dkim_header_add_milter(struct dkim_header *header, struct slice name,
    struct slice value) MUSTUSE;

/*
 * The limit that a field passed ("header over 1048576 octets"), or NULL. Once
 * passed, every further field is refused.
 */
const char *dkim_header_over(const struct dkim_header *header);

/*
 * Fields of the header, from the top; name and value as added.
 */
size_t dkim_header_count(const struct dkim_header *header);
struct slice dkim_header_name(const struct dkim_header *header, size_t i);
struct slice dkim_header_value(const struct dkim_header *header, size_t i);

/*
 * Index of the first field of this name at or after from, or count.
 */
size_t dkim_header_find(const struct dkim_header *header, struct slice name,
    size_t from);

/*
 * Does the header already carry a signature of this d= and s=?
 */
bool dkim_header_has_signature(const struct dkim_header *header,
    struct slice domain, struct slice selector);

/*
 * Cut a message, as a file holds it, into header fields and body octets.
 * A message whose first line ends in LF is read with LF for CRLF throughout;
 * one that begins with CRLF or whose first line ends in CRLF is taken octet
 * for octet. The envelope line of mbox in front ("From a@x Mon ..") is left
 * out.
 */
struct dkim_reader;

/*
 * Is given body octets, CRLF as line end; 0 or a code that feed returns.
 */
typedef int (*dkim_body_fn)(void *context, struct slice octets);

/*
 *   header   fields go here; on_header is called once, when it is complete
 *            (at the empty line, or at the end), before any body octet
 *   errors   of feed and end: DKIM_ERR_SYNTAX (a line that is no field, no
 *            field at all), _LIMIT, _NOMEM, and those of the two functions
 */
int dkim_reader_new(struct dkim_header *header,
    int (*on_header)(void *context), dkim_body_fn on_body, void *context,
    struct dkim_reader **out) MUSTUSE;
int dkim_reader_feed(struct dkim_reader *reader, struct slice in) MUSTUSE;
int dkim_reader_end(struct dkim_reader *reader) MUSTUSE;
bool dkim_reader_is_lf(const struct dkim_reader *reader);
void dkim_reader_free(struct dkim_reader *reader);

/* ---- canonicalization -------------------------------------------------- */

enum dkim_canon {
	DKIM_SIMPLE,
	DKIM_RELAXED,
};

/*
 * Parse "relaxed/simple"; one word is the header's, the body's is simple then.
 *   errors   DKIM_ERR_SYNTAX
 *   source   RFC 6376 s3.5 c=
 */
int dkim_canon_parse(struct slice text, enum dkim_canon *header,
    enum dkim_canon *body) MUSTUSE;
const char *dkim_canon_text(enum dkim_canon canon);

/* ---- key records ------------------------------------------------------- */

enum dkim_dnssec {
	DKIM_DNSSEC_INSECURE,	/* not signed, or not validated */
	DKIM_DNSSEC_SECURE,
	DKIM_DNSSEC_BOGUS,
};

/*
 * All TXT records of one name, parsed, their keys loaded once. Counted.
 */
struct dkim_keyset;

/*
 * Parse the TXT records of a name. A record that is no key record is kept as
 * such, with its reason: only limits and memory make this fail.
 *   backend  serves the keys
 *   records  n records, the strings of each joined
 *   errors   DKIM_ERR_NOMEM; more than DKIM_TXT_RECORDS_MAX records or one
 *            above DKIM_TXT_MAX is kept as a reason, not an error
 *   source   RFC 6376 s3.6.1, s3.6.2.2; RFC 8301 s3.2; RFC 8463 s4
 */
int dkim_keyset_parse(const struct rsab_backend *backend,
    const struct slice *records, size_t n, struct dkim_keyset **out) MUSTUSE;
struct dkim_keyset *dkim_keyset_ref(struct dkim_keyset *set);
void dkim_keyset_unref(struct dkim_keyset *set);

/*
 * Octets of memory that it holds, for the cache's bound.
 */
size_t dkim_keyset_octets(const struct dkim_keyset *set);

/*
 * One record of a set, for people and `dkim keycheck`.
 */
struct dkim_key_info {
	const char	*error;		/* NULL: a usable record; static */
	struct rsab_key	*key;		/* borrowed; NULL when error is set */
	bool		 revoked;	/* p= empty */
	bool		 testing;	/* t=y */
	bool		 strict;	/* t=s */
};
size_t dkim_keyset_count(const struct dkim_keyset *set);
void dkim_keyset_info(const struct dkim_keyset *set, size_t i,
    struct dkim_key_info *out);

/*
 * What the DNS said about one key name.
 */
enum dkim_answer_state {
	DKIM_ANSWER_FOUND,	/* keyset is set */
	DKIM_ANSWER_NO_KEY,	/* NXDOMAIN, or no TXT */
	DKIM_ANSWER_TEMPERROR,	/* SERVFAIL, timeout, bogus: try later */
	DKIM_ANSWER_OVER,	/* over a limit of look-ups: permerror */
};

struct dkim_answer {
	enum dkim_answer_state	 state;
	struct dkim_keyset	*keyset;	/* moves to the taker */
	enum dkim_dnssec	 dnssec;
	const char		*detail;	/* static, or NULL */
};

/*
 * Write the key record that publishes key: "v=DKIM1; k=rsa; p=...".
 *   errors   DKIM_ERR_NOMEM, _LIMIT
 */
int dkim_key_record_print(const struct rsab_key *key, bool testing,
    bool no_subdomains, struct buf *out) MUSTUSE;

/* ---- signing ----------------------------------------------------------- */

struct dkim_signer;

struct dkim_sign_options {
	struct slice		 domain;	/* d=, A-label or U-label */
	struct slice		 selector;	/* s= */
	struct slice		 identity;	/* i=, empty: no tag */
	enum dkim_canon		 header_canon;
	enum dkim_canon		 body_canon;
	const struct dkim_names	*sign;		/* fields to sign if present */
	const struct dkim_names	*omit;		/* but not these */
	const struct dkim_names	*oversign;	/* once more than present */
	uint64_t		 now;		/* t=, seconds of Unix time */
	uint64_t		 ttl;		/* x= = now + ttl; 0: no x= */
	bool			 copy_fields;	/* z= */
	const struct rsab_key	*key;		/* decides a=; borrowed only
						 * during the call */
};

/*
 * A signer of one message: any number of signatures over one pass.
 *   lib, header   outlive the signer; all fields are there
 *   fix_crlf      bare CR and bare LF of the body count as CRLF
 */
int dkim_signer_new(const struct dkim_lib *lib,
    const struct dkim_header *header, bool fix_crlf,
    struct dkim_signer **out) MUSTUSE;
void dkim_signer_free(struct dkim_signer *signer);

/*
 * One more signature wanted; before the first body octet.
 *   options  copied, names too
 *   index    0, 1, ..
 *   errors   DKIM_ERR_NO_FROM, _MANY_FROM (RFC 6376 s5.4, s8.15), _ARGUMENT
 *            (d=, s=, i= by their grammar), _LIMIT, _NOMEM, _STATE
 */
int dkim_signer_add(struct dkim_signer *signer,
    const struct dkim_sign_options *options, size_t *index) MUSTUSE;

/*
 * The next body octets, cut anywhere.
 */
int dkim_signer_body(struct dkim_signer *signer, struct slice in) MUSTUSE;
int dkim_signer_body_end(struct dkim_signer *signer) MUSTUSE;

/*
 * The operation that makes signature index: sets op, hash and digest of job;
 * the caller sets the key and runs it.
 *   errors   DKIM_ERR_STATE before body_end, _CRYPTO, _NOMEM
 */
int dkim_signer_job(struct dkim_signer *signer, size_t index,
    struct rsab_job *job) MUSTUSE;

/*
 * The field body of DKIM-Signature, from its leading space, folded at column
 * 75, without final line end.
 *   signature   octets that the job gave
 *   line_end    "\r\n" or "\n"
 *   out         appended to
 */
int dkim_signer_field(const struct dkim_signer *signer, size_t index,
    struct slice signature, const char *line_end, struct buf *out) MUSTUSE;

/* ---- verifying --------------------------------------------------------- */

enum dkim_result {		/* RFC 8601 s2.7.1 */
	DKIM_NONE,
	DKIM_PASS,
	DKIM_FAIL,
	DKIM_POLICY,
	DKIM_NEUTRAL,
	DKIM_TEMPERROR,
	DKIM_PERMERROR,
};

/*
 * The word of RFC 8601: "pass".
 */
const char *dkim_result_text(enum dkim_result result);

struct dkim_minimum {		/* least body share that l= covers */
	enum { DKIM_MINIMUM_NONE, DKIM_MINIMUM_OCTETS, DKIM_MINIMUM_PERCENT,
	    DKIM_MINIMUM_UNSIGNED } kind; /* UNSIGNED: at most value not */
	uint64_t	value;
};

struct dkim_verify_options {
	uint64_t		now;		/* seconds of Unix time */
	uint64_t		clock_drift;	/* seconds */
	size_t			max_signatures;	/* looked at; 0: default; as
						 * many more under names that
						 * are asked for anyway */
	unsigned		min_bits;	/* RSA; below: policy; 0: the
						 * floor of RFC 8301 */
	struct dkim_minimum	minimum;
	bool			fix_crlf;
};

struct dkim_verifier;

/*
 * One per DKIM-Signature field, from the top. Slices live as long as the
 * verifier and are untrusted octets until checked (domain and selector are
 * empty where the field did not parse that far).
 */
struct dkim_verdict {
	enum dkim_result	 result;
	const char		*reason;	/* never NULL; printable
						 * ASCII without quotes */
	bool			 no_key;	/* there is no key record */
	bool			 testing;	/* the key's t=y */
	bool			 evaluated;	/* within max_signatures */
	struct slice		 domain;	/* d= as written */
	struct slice		 selector;	/* s= as written */
	struct slice		 identity;	/* i= decoded, or empty */
	struct slice		 algorithm;	/* a= as written */
	struct slice		 signature;	/* b=, white space out */
	enum dkim_dnssec	 dnssec;
	bool			 key_known;
	unsigned		 key_bits;
	bool			 has_length;	/* l= */
	uint64_t		 covered;	/* body octets under bh= */
	uint64_t		 body;		/* canonicalized body octets */
};

/*
 * A verifier of one message: parses all DKIM-Signature fields, picks those to
 * look at (author domain's first) and says which keys it wants.
 *   lib, header   outlive the verifier; all fields are there
 *   source        RFC 6376 s6.1
 */
int dkim_verifier_new(const struct dkim_lib *lib,
    const struct dkim_header *header,
    const struct dkim_verify_options *options, struct dkim_verifier **out)
    MUSTUSE;
void dkim_verifier_free(struct dkim_verifier *verifier);

/*
 * Distinct key names wanted: "selector._domainkey.domain", A-labels, lower
 * case, NUL-ended; the text lives as long as the verifier.
 */
size_t dkim_verifier_queries(const struct dkim_verifier *verifier);
const char *dkim_verifier_query(const struct dkim_verifier *verifier,
    size_t i);

/*
 * The answer to query i, at any time before finish; the keyset reference
 * moves to the verifier. A query never answered counts as a temperror.
 */
void dkim_verifier_answer(struct dkim_verifier *verifier, size_t i,
    struct dkim_answer answer);

int dkim_verifier_body(struct dkim_verifier *verifier, struct slice in)
    MUSTUSE;
int dkim_verifier_body_end(struct dkim_verifier *verifier) MUSTUSE;

/*
 * Does any signature still need body octets (all l= reached, or none to
 * verify: no)?
 */
bool dkim_verifier_wants_body(const struct dkim_verifier *verifier);

/*
 * Judge all signatures: after body_end and the answers.
 *   worker   the calling thread's
 *   errors   DKIM_ERR_STATE, _NOMEM, _CRYPTO: no verdict could be reached
 *   source   BEHAVIOUR 6 (doc/ARCHITECTURE.md), RFC 6376 s6.1
 */
int dkim_verifier_finish(struct dkim_verifier *verifier,
    struct rsab_worker *worker) MUSTUSE;

/*
 * The same in two steps, for who runs the operations of many messages
 * together: what the verdicts depend on, and the verdicts.
 *   jobs     n operations, ready to run, those of one group in a row; the
 *            array and its jobs live as long as the verifier
 *   errors   DKIM_ERR_STATE: jobs before body_end, or twice; judge before
 *            jobs, or twice; _NOMEM, _CRYPTO
 */
int dkim_verifier_jobs(struct dkim_verifier *verifier,
    struct rsab_job *const **jobs, size_t *n) MUSTUSE;
int dkim_verifier_judge(struct dkim_verifier *verifier) MUSTUSE;

/*
 * Signature fields of the message, and the verdict on each; after finish.
 */
size_t dkim_verifier_count(const struct dkim_verifier *verifier);
const struct dkim_verdict *dkim_verifier_verdict(
    const struct dkim_verifier *verifier, size_t i);

/* ---- Authentication-Results -------------------------------------------- */

struct dkim_authres {
	struct slice	 authserv_id;
	struct slice	 job_id;	/* empty: none; AuthservIDWithJobID */
	bool		 no_header_b;	/* NoHeaderB */
	const char	*line_end;	/* "\r\n" or "\n" */
};

/*
 * The field body of Authentication-Results, from its leading space: one dkim
 * clause a signature, or dkim=none. No line passes DKIM_AUTHRES_LINE_MAX.
 *   verifier   finished; NULL with over NULL: dkim=none
 *   over       not NULL: the message passed this limit, dkim=permerror
 *   out        appended to
 *   source     RFC 8601 s2.2, s2.7.1; RFC 6008
 */
int dkim_authres_print(const struct dkim_authres *ar,
    const struct dkim_verifier *verifier, const char *over, struct buf *out)
    MUSTUSE;

enum dkim_authres_claim {
	DKIM_AUTHRES_FOREIGN,	/* names somebody else */
	DKIM_AUTHRES_OURS,	/* names one of ids, holds no dkim result */
	DKIM_AUTHRES_OURS_DKIM,	/* names one of ids and holds a dkim result,
				 * or is in doubt: fails closed */
};

/*
 * Whose Authentication-Results is this?
 *   value    the field body
 *   ids      n names, compared without case, quoted or not, with or without
 *            "/jobid" behind
 *   source   RFC 8601 s2.2, s5; RFC 5322 CFWS
 */
enum dkim_authres_claim dkim_authres_claims(struct slice value,
    const struct slice *ids, size_t n);

#endif
