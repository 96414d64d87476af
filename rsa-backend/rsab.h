/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RSA and Ed25519 behind one interface: backend, key, worker, job.
 *
 * A backend is a table of functions in this library. A key is immutable and
 * counted, and decides at load which backend serves it: a queue may hold any
 * mix of keys. A worker is one thread's workspace. A job is one operation, by
 * value, so that it can travel to another thread or process as it is.
 *
 * Octet strings are big-endian and have the length of the modulus (RFC 8017
 * s4); Ed25519 follows RFC 8032, over the SHA-256 hash (RFC 8463 s3).
 * Everything here but a worker may be used by many threads at once.
 */
#ifndef RSAB_H
#define RSAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MUSTUSE
#define MUSTUSE __attribute__((warn_unused_result))
#endif

/* Limits: what a key may be. */
#define RSAB_RSA_BITS_MIN	512	/* bits of the modulus */
#define RSAB_RSA_BITS_MAX	8192	/* bits of the modulus */
#define RSAB_EXPONENT_BITS_MAX	64	/* bits of the public exponent */
#define RSAB_SIGNATURE_MAX	1024	/* octets: 8192 bits */
#define RSAB_DIGEST_MAX		32	/* octets: SHA-256 */
#define RSAB_KEY_FILE_MAX	65536	/* octets of a PEM or DER private key */
#define RSAB_PASS_MAX		8	/* jobs in one pass */
#define RSAB_FINGERPRINT_SIZE	32	/* octets: SHA-256 of the SPKI */

/* Negative codes; each one that a caller acts on differently. */
enum rsab_error {
	RSAB_OK = 0,
	RSAB_ERR_NOMEM = -1,		/* no memory */
	RSAB_ERR_KEY = -2,		/* not a key, or its parts disagree */
	RSAB_ERR_KEY_SIZE = -3,		/* outside the limits above */
	RSAB_ERR_KEY_TYPE = -4,		/* not RSA of two primes, not Ed25519 */
	RSAB_ERR_ENCRYPTED = -5,	/* PEM is encrypted: not supported */
	RSAB_ERR_UNKNOWN = -6,		/* no backend of that name */
	RSAB_ERR_UNSUPPORTED = -7,	/* known name, not here: CPU, build */
	RSAB_ERR_SIGNATURE = -8,	/* verification: signature is wrong */
	RSAB_ERR_BACKEND = -9,		/* the operation itself failed */
	RSAB_ERR_ARGUMENT = -10,	/* job does not fit its key */
	RSAB_ERR_TOKEN = -11,		/* token not there now: try later */
	RSAB_ERR_PIN = -12,		/* PIN wrong, locked, missing: alarm */
	RSAB_ERR_URI = -13,		/* not a URI that may name a key */
	RSAB_ERR_TOKEN_KEY = -14,	/* no such key in the token */
	RSAB_ERR_TOKEN_KEYS = -15,	/* more than one key (token) matches */
	RSAB_ERR_IMPORT = -16,		/* token takes no imported keys */
	RSAB_ERR_TOKEN_NAME = -17,	/* token has a key of that name */
};

enum rsab_key_type {
	RSAB_RSA,
	RSAB_ED25519,
};

enum rsab_op {
	RSAB_OP_SIGN,
	RSAB_OP_VERIFY,
};

enum rsab_hash {
	RSAB_SHA1,	/* 20 octets; verifying only, for benches and vectors */
	RSAB_SHA256,	/* 32 octets */
};

struct rsab_backend;
struct rsab_key;
struct rsab_worker;

/*
 * One operation. The caller sets all but result (and, signing, signature and
 * signature_len); rsab_run sets result to RSAB_OK or a negative code.
 */
struct rsab_job {
	struct rsab_key	*key;		/* the job's own reference */
	enum rsab_op	 op;
	enum rsab_hash	 hash;
	uint8_t		 digest[RSAB_DIGEST_MAX];
	uint8_t		 signature[RSAB_SIGNATURE_MAX];
	size_t		 signature_len;	/* octets; out when signing */
	int		 result;
};

/* Where a job queues: jobs of one id may be run together, batch at a time. */
struct rsab_group {
	uint32_t	id;
	unsigned	batch;		/* jobs that fill one pass, >= 1 */
};

/*
 * Text of a code, for messages; never NULL, static.
 */
const char *rsab_strerror(int error);

/*
 * Find the backend that a configuration names.
 *   name     "libcrypto", "bn64" (its fastest path on this machine),
 *            "bn64:ifma", "bn64:adx", "bn64:portable", "bn64:emulated" (that
 *            path), "pkcs11", or "auto" (bn64 where it has lanes in hardware,
 *            else libcrypto); NUL-ended
 *   out      static, never freed
 *   errors   RSAB_ERR_UNKNOWN, RSAB_ERR_UNSUPPORTED (not on this machine, or
 *            not built in)
 */
int rsab_backend_find(const char *name, const struct rsab_backend **out)
    MUSTUSE;

/*
 * The backend's name, as in the configuration, with its path ("bn64:ifma");
 * static.
 */
const char *rsab_backend_name(const struct rsab_backend *backend);

/*
 * Known answers, one a size class and operation, through every path of bn64
 * that the backend uses; the others have none and pass. To be run once, before
 * a backend gets its first key.
 *   next     out, on RSAB_ERR_BACKEND: the next best, not yet tested, in the
 *            end libcrypto; static; NULL: there is none
 *   class    out, on RSAB_ERR_BACKEND: bits of the modulus that came out wrong
 *   errors   RSAB_ERR_BACKEND: a wrong answer, do not use it; RSAB_ERR_NOMEM
 */
int rsab_backend_selftest(const struct rsab_backend *backend,
    const struct rsab_backend **next, unsigned *class) MUSTUSE;

/*
 * Load a private key: PEM (PKCS#1 or PKCS#8), DER of either, or base64 of DER.
 * The key is checked: sizes, consistency of its parts, and one signature made
 * and verified.
 *   backend  serves the key, if its shape allows (else libcrypto does)
 *   in       n octets, the caller wipes them
 *   out      one reference; rsab_key_unref frees and wipes
 *   errors   RSAB_ERR_KEY, _KEY_SIZE, _KEY_TYPE, _ENCRYPTED, _NOMEM
 *   source   RFC 8017 A.1.2, RFC 5958, RFC 8410
 */
int rsab_key_load_private(const struct rsab_backend *backend,
    const uint8_t *in, size_t n, struct rsab_key **out) MUSTUSE;

/*
 * Load a public key as a key record carries it, after base64.
 *   type     RSAB_RSA: in is a DER SubjectPublicKeyInfo or a bare
 *            RSAPublicKey, nothing behind it; RSAB_ED25519: in is 32 octets
 *   errors   as above; a modulus above RSAB_RSA_BITS_MAX is told from its
 *            length before anything is computed
 *   source   RFC 6376 s3.6.1, RFC 8463 s4.2
 */
int rsab_key_load_public(const struct rsab_backend *backend,
    enum rsab_key_type type, const uint8_t *in, size_t n,
    struct rsab_key **out) MUSTUSE;

/*
 * Make a new private key.
 *   bits     of the modulus, RSAB_RSA; ignored for RSAB_ED25519
 */
int rsab_key_generate(const struct rsab_backend *backend,
    enum rsab_key_type type, unsigned bits, struct rsab_key **out) MUSTUSE;

/*
 * Write a private key as PKCS#8 PEM.
 *   out      malloc'd, out_len octets and a NUL; rsab_wipe_free frees it
 *   errors   RSAB_ERR_ARGUMENT for a public key or one in a token
 */
int rsab_key_print_private(const struct rsab_key *key, char **out,
    size_t *out_len) MUSTUSE;

/*
 * Write the public half as a key record carries it: DER SubjectPublicKeyInfo
 * for RSA, 32 raw octets for Ed25519.
 *   out      malloc'd, the caller frees
 */
int rsab_key_print_public(const struct rsab_key *key, uint8_t **out,
    size_t *out_len) MUSTUSE;

/*
 * Count a reference up; gives key back.
 */
struct rsab_key *rsab_key_ref(struct rsab_key *key);

/*
 * Give a reference back; the last one wipes and frees. NULL is allowed.
 */
void rsab_key_unref(struct rsab_key *key);

enum rsab_key_type rsab_key_type(const struct rsab_key *key);

/*
 * Bits of the modulus; 256 for Ed25519.
 */
unsigned rsab_key_bits(const struct rsab_key *key);

bool rsab_key_is_private(const struct rsab_key *key);

/*
 * The backend that serves the key.
 */
const struct rsab_backend *rsab_key_backend(const struct rsab_key *key);

/*
 * Octets of a signature by this key.
 */
size_t rsab_key_signature_size(const struct rsab_key *key);

/*
 * SHA-256 of the DER SubjectPublicKeyInfo: names a key in logs.
 */
void rsab_key_fingerprint(const struct rsab_key *key,
    uint8_t out[RSAB_FINGERPRINT_SIZE]);

/*
 * Group and batch of a key's jobs.
 */
struct rsab_group rsab_key_group(const struct rsab_key *key, enum rsab_op op);

/*
 * What runs n jobs of this key: "evp", "token", or the path of bn64 ("ifma",
 * "adx", "portable", "emulated"). For benches and tests, which print it;
 * static.
 */
const char *rsab_key_path(const struct rsab_key *key, enum rsab_op op,
    size_t n);

/*
 * One thread's workspace: scratch, contexts. Not to be shared.
 */
int rsab_worker_new(struct rsab_worker **out) MUSTUSE;
void rsab_worker_free(struct rsab_worker *worker);

/*
 * Run jobs of one group and set each job's result. Never fails as a whole;
 * one bad job never changes another.
 *   jobs     n pointers, n any
 */
void rsab_run(struct rsab_worker *worker, struct rsab_job *const *jobs,
    size_t n);

/*
 * The digest that an RSA signature was made over, to explain why it does not
 * verify; never for a verdict.
 *   key      RSA
 *   hash     out: RSAB_SHA256 or RSAB_SHA1
 *   digest   out
 *   errors   RSAB_ERR_SIGNATURE: it is no encoding, so another key made it;
 *            RSAB_ERR_UNSUPPORTED: this key made it, over another hash;
 *            RSAB_ERR_ARGUMENT: not RSA, or n is not the key's length;
 *            RSAB_ERR_NOMEM, RSAB_ERR_BACKEND
 *   source   RFC 8017 s5.2.2, s9.2
 */
int rsab_recover(const struct rsab_key *key, const uint8_t *signature,
    size_t n, enum rsab_hash *hash, uint8_t digest[RSAB_DIGEST_MAX]) MUSTUSE;

/*
 * Signatures of this worker that failed the check after signing (a fault of
 * the machine, of a backend or of a token), also those a second try mended.
 * For a counter and a critical log line.
 */
unsigned long rsab_worker_faults(const struct rsab_worker *worker);

/*
 * Passes of signing so far by how many jobs were in one: counts[0] is of one
 * job. For a histogram of lanes filled.
 */
void rsab_worker_passes(const struct rsab_worker *worker,
    unsigned long counts[RSAB_PASS_MAX]);

/*
 * ---- tokens ----
 *
 * Keys in a PKCS#11 token, behind a process of its own: Cryptoki is never
 * loaded into a program that links this library without rsab_token_serve.
 *
 * A *helper* process (dkimd-token) has loaded one module. A *peer* is the
 * caller's handle on it, and knows how to connect and how to kill; a
 * *connection* is a socket to one thread in the helper. A token's sign jobs
 * are run by rsab_run like any others, on a connection that the thread takes
 * for one job. A new process needs nothing but its set-up: each request names
 * its key by URI.
 */
#define RSAB_TOKEN_URI_MAX	2048	/* octets of a URI, RFC 7512 */
#define RSAB_TOKEN_PATH_MAX	1023	/* octets: module, init args */
#define RSAB_TOKEN_FOLDERS_MAX	2047	/* octets: folders for PIN files */
#define RSAB_TOKEN_PIN_MAX	255	/* octets */
#define RSAB_TOKEN_SESSIONS_MAX	64	/* sessions of a token */
#define RSAB_TOKEN_REFUSED_MAX	16	/* identities that a peer remembers */
#define RSAB_TOKEN_IDENTITY	65	/* octets of an identity, with NUL */
#define RSAB_TOKEN_DETAIL	512	/* octets of a detail, with NUL */

struct rsab_token;

/*
 * What went wrong, in words for a log line: module, token, function, CKR name
 * and what would be right. Printable ASCII, no PIN; "" when there is nothing.
 */
struct rsab_token_detail {
	char	text[RSAB_TOKEN_DETAIL];
};

/*
 * The caller's handle on a helper process. All functions may be called by many
 * threads at once and must return soon.
 */
struct rsab_token_peer {
	void	*context;

	/*
	 * A new connection: the other end of what rsab_token_connect sent.
	 *   incarnation  out: which process this is; a new one, a new number
	 *   returns      a descriptor, the token closes it; -1: not now (it is
	 *                starting, or backing off)
	 */
	int	(*connect)(void *context, uint64_t *incarnation);

	/*
	 * This incarnation did not answer in time, or answered nonsense: kill
	 * it. May be called again for one that is dead already.
	 */
	void	(*hung)(void *context, uint64_t incarnation);

	/*
	 * The PIN of this token was refused. To be kept, and given to each
	 * process that is started later (rsab_token_setup.refused), so that no
	 * restart tries it again; to be forgotten when an operator has acted
	 * (reload).
	 */
	void	(*refused)(void *context, const char *identity);

	/*
	 * The token is gone: called once, by the thread that gave its last
	 * reference back. NULL: nobody wants to know.
	 */
	void	(*release)(void *context);
};

struct rsab_token_options {
	int		timeout_ms;	/* a signature, a look-up */
	int		generate_ms;	/* making a key pair */
	unsigned	sessions;	/* connections at once, at most */
	uint16_t	number;		/* the caller's; part of the group id */
};

/*
 * A token for the keys that follow.
 *   peer     copied; its context lives until release
 *   out      one reference; each key holds one
 *   errors   RSAB_ERR_NOMEM, RSAB_ERR_ARGUMENT
 */
int rsab_token_new(const struct rsab_token_peer *peer,
    const struct rsab_token_options *options, struct rsab_token **out) MUSTUSE;
struct rsab_token *rsab_token_ref(struct rsab_token *token);
void rsab_token_unref(struct rsab_token *token);

/*
 * The context of the peer that it was made with: what its maker keeps for it.
 */
void *rsab_token_context(const struct rsab_token *token);

/*
 * What went wrong last in any job of this token.
 */
void rsab_token_detail(struct rsab_token *token,
    struct rsab_token_detail *out);

/*
 * Is a text a URI that may name a key or a token? Asks no token.
 *   pin_value  the URI comes from the configuration file, where pin-value is
 *            allowed
 *   errors   RSAB_ERR_URI: not RFC 7512; module-path or module-name; a
 *            pin-source that is a command or no absolute path
 *   source   RFC 7512 s2.3, s2.4, s6
 */
int rsab_token_uri_check(const char *uri, size_t n, bool pin_value,
    struct rsab_token_detail *detail) MUSTUSE;

/*
 * Write a URI as it may stand in a log: without the value of pin-value.
 *   out      size octets; NUL-ended; cut at its end, after "..."
 */
void rsab_token_uri_print(const char *uri, size_t n, char *out, size_t size);

/*
 * The attributes of a URI that name the token, its slot and its library, in
 * the order of their octets, as a URI: those with the same one mean the same
 * token, and no PIN is in it.
 *   out      RSAB_TOKEN_URI_MAX octets, no NUL
 *   returns  octets written; 0: the URI is too long
 */
size_t rsab_token_uri_token(const char *uri, size_t n, char *out);

/*
 * The path of pin-source, decoded, without "file:".
 *   out      as above
 *   returns  octets written; 0: there is none
 */
size_t rsab_token_uri_pin_source(const char *uri, size_t n, char *out);

/*
 * Load the private key that a URI names. Its public half is read from the
 * token; it is checked like any key, one signature made and verified included.
 *   uri      n octets; names one key: token and object, id or both
 *   detail   out, on errors
 *   out      one reference
 *   errors   RSAB_ERR_TOKEN: not now; RSAB_ERR_PIN, _URI, _TOKEN_KEY,
 *            _TOKEN_KEYS; RSAB_ERR_KEY, _KEY_SIZE, _KEY_TYPE as for any key
 */
int rsab_key_load_token(struct rsab_token *token, const char *uri, size_t n,
    bool pin_value, struct rsab_token_detail *detail,
    struct rsab_key **out) MUSTUSE;

/*
 * Load a private key from octets, as rsab_key_load_private, into a token as a
 * session object, and sign there.
 *   uri      uri_n octets; names the token (token, serial, ...), no object
 *   in       n octets, the caller wipes them
 *   errors   those of both; RSAB_ERR_IMPORT: this token takes no keys.
 *            Later jobs of the key end with RSAB_ERR_TOKEN_KEY once the object
 *            is gone (process or session ended): load it again from its file
 */
int rsab_key_import_token(struct rsab_token *token, const char *uri,
    size_t uri_n, bool pin_value, const uint8_t *in, size_t n,
    struct rsab_token_detail *detail, struct rsab_key **out) MUSTUSE;

/*
 * Who watches over verifying in a token. Both functions get the context of the
 * token's peer, and may be called by many threads at once.
 */
struct rsab_token_watch {
	/*
	 * May the token be asked now? If not, libcrypto verifies. Must not
	 * wait.
	 */
	bool	(*begin)(void *context);

	/*
	 * What became of it, after each begin that said yes.
	 *   error    RSAB_OK: the verdict is the token's; _KEY, _KEY_SIZE,
	 *            _KEY_TYPE: it is never asked about this key again;
	 *            _BACKEND: it called right what is wrong, or wrong what is
	 *            right; else it gave none
	 */
	void	(*end)(void *context, int error,
	    const struct rsab_token_detail *detail);
};

/*
 * A backend for public keys that verifies in a token: RSA, with keys of the
 * sizes that the token takes. What the token calls wrong, has no answer to in
 * time or cannot do, and all of Ed25519, libcrypto verifies.
 *   uri      n octets; names the token (token, serial, ...), no object; no PIN
 *            is ever needed
 *   watch    lives as long as the token; NULL: it is always asked
 *   out      loads public keys only; rsab_backend_free frees it, the keys that
 *            it loaded need it no more
 *   errors   RSAB_ERR_NOMEM, RSAB_ERR_URI
 */
int rsab_backend_new_token(struct rsab_token *token, const char *uri,
    size_t n, const struct rsab_token_watch *watch,
    struct rsab_backend **out) MUSTUSE;
void rsab_backend_free(struct rsab_backend *backend);

/*
 * Load one public key by such a backend, without a watch.
 *   uri      as for rsab_key_import_token
 *   errors   those of rsab_key_load_public; RSAB_ERR_URI
 */
int rsab_key_load_public_token(struct rsab_token *token, const char *uri,
    size_t uri_n, bool pin_value, enum rsab_key_type type, const uint8_t *in,
    size_t n, struct rsab_key **out) MUSTUSE;

/*
 * Make a key pair in a token: sensitive, not extractable, to sign only.
 *   uri      n octets; names the token and the new object or id
 *   bits     of the modulus, RSAB_RSA; ignored for RSAB_ED25519
 *   errors   as rsab_key_load_token; RSAB_ERR_TOKEN_NAME: there is one of
 *            that name already; RSAB_ERR_KEY_SIZE, _KEY_TYPE: not in this token
 */
int rsab_key_generate_token(struct rsab_token *token, const char *uri,
    size_t n, bool pin_value, enum rsab_key_type type, unsigned bits,
    struct rsab_token_detail *detail, struct rsab_key **out) MUSTUSE;

/*
 * The token that signs with a key, borrowed; NULL where libcrypto or bn64 do.
 */
struct rsab_token *rsab_key_token(const struct rsab_key *key);

/* Of one token, as it tells; texts are printable ASCII without padding. */
struct rsab_token_info {
	char		label[33], manufacturer[33], model[17], serial[17];
	unsigned long	sessions_max;	/* 0: not known */
	bool		signs_rsa, signs_ed25519, needs_login, pin_locked;
	unsigned	rsa_bits_min, rsa_bits_max;	/* 0: not known */
};

/*
 * Look for the token that a URI names, without login.
 *   errors   RSAB_ERR_TOKEN, _URI, _TOKEN_KEYS: several tokens match
 */
int rsab_token_info(struct rsab_token *token, const char *uri, size_t n,
    bool pin_value, struct rsab_token_info *out,
    struct rsab_token_detail *detail) MUSTUSE;

/*
 * Ask the helper process for what takes the way of a signature by a key of
 * that URI, but leaves out the module: what the process between costs.
 *   octets   of the signature, 1 to RSAB_SIGNATURE_MAX
 *   errors   RSAB_ERR_TOKEN, RSAB_ERR_URI, RSAB_ERR_ARGUMENT
 */
int rsab_token_echo(struct rsab_token *token, const char *uri, size_t n,
    size_t octets, struct rsab_token_detail *detail) MUSTUSE;

/* ---- the helper process, for who starts it ---- */

struct rsab_token_setup {
	const char	*module;	/* path; NULL: all that p11-kit has */
	const char	*init_args;	/* NSS wants some; NULL */
	const uint8_t	*pin;		/* of the configuration; NULL */
	size_t		 pin_n;
	const char	*folders;	/* for PIN files, parted by ':'; NULL */
	unsigned	 sessions;	/* connections at once, at most */
	bool		 careful;	/* try no PIN where the token tells of
					 * a wrong one since the last login:
					 * who is started again and again must
					 * not lock it */

	/* Identities from rsab_token_peer.refused, NUL-ended. */
	const char	*const *refused;
	size_t		 refused_n;
};

/*
 * Tell a new process what to load, and wait until it has.
 *   control  the parent's end of a SOCK_SEQPACKET socketpair, whose other end
 *            is the child's descriptor 3
 *   errors   RSAB_ERR_TOKEN: module does not load, no answer in time, process
 *            gone (all with detail: end it, start it later);
 *            RSAB_ERR_ARGUMENT: a text is too long; RSAB_ERR_NOMEM
 */
int rsab_token_setup_send(int control, const struct rsab_token_setup *setup,
    int timeout_ms, struct rsab_token_detail *detail) MUSTUSE;

/*
 * Make a connection over a control socket; never waits.
 *   out      this side's end, close-on-exec
 *   errors   RSAB_ERR_TOKEN: the process is gone or takes nothing
 */
int rsab_token_connect(int control, int *out) MUSTUSE;

/* What the helper's program gives to the code that serves. */
struct rsab_token_host {
	void	*context;

	/*
	 * Read a PIN file.
	 *   path     absolute, NUL-ended
	 *   folders  as in rsab_token_setup
	 *   out      the first line; n: its octets
	 *   errors   RSAB_ERR_PIN with detail
	 */
	int	(*pin)(void *context, const char *path, const char *folders,
	    uint8_t out[RSAB_TOKEN_PIN_MAX], size_t *n,
	    struct rsab_token_detail *detail);

	uint64_t	(*now)(void *context);	/* monotonic, ms */

	/*
	 * The parent is gone, the module is about to be finalized: see to it
	 * that the process ends soon, whatever the module does.
	 */
	void	(*ending)(void *context);
};

/*
 * Be the helper: read the set-up, load the module, serve connections until
 * end of file. The caller ends the process afterwards, by _exit. (In a library
 * of its own, librsab-pkcs11.a; there only with p11-kit.)
 *   errors   RSAB_ERR_*: why it never began
 */
int rsab_token_serve(int control, const struct rsab_token_host *host) MUSTUSE;

/*
 * Wipe n octets so that no compiler leaves it out; then, second form, free
 * what malloc gave (NULL is allowed).
 */
void rsab_wipe(void *p, size_t n);
void rsab_wipe_free(void *p, size_t n);

#endif
