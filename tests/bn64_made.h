/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tests of bn64 share: the backends of this machine, keys of
 * vectors/rsa/, jobs.
 */
#ifndef TESTS_BN64_MADE_H
#define TESTS_BN64_MADE_H

/* rsa-backend */
#include "rsa-backend/backend_bn64.h"
#include "rsa-backend/bn64key.h"
#include "rsa-backend/key.h"

/* this room */
#include "tests/test.h"

/* What signs with a key. */
enum made_way {
	MADE_LANES,
	MADE_SCALAR,
	MADE_LIBCRYPTO,
};

/* Keys, and which way each goes where there are lanes. */
static const struct made_key {
	const char	*file;		/* of vectors/rsa/ */
	unsigned	 bits;
	enum made_way	 way;
} made_keys[] = {
	{ "keys/rsa512.pem", 512, MADE_LANES },
	{ "keys-bn64/258+258.pem", 516, MADE_LANES },
	{ "keys/rsa1023.pem", 1023, MADE_LANES },
	{ "keys/rsa1024.pem", 1024, MADE_LANES },
	{ "keys/e3.pem", 1024, MADE_LANES },
	{ "keys-bn64/e17.pem", 1024, MADE_LANES },
	{ "keys-bn64/e257.pem", 1024, MADE_LANES },
	{ "keys-bn64/e33.pem", 1024, MADE_LANES },
	{ "keys/e64.pem", 1024, MADE_LANES },
	{ "keys/reversed.pem", 1024, MADE_LANES },
	{ "keys-bn64/511+513.pem", 1024, MADE_LANES },
	{ "keys/unequal.pem", 1024, MADE_SCALAR },
	{ "keys-bn64/800+224.pem", 1024, MADE_LIBCRYPTO },
	{ "keys-bn64/bits1025.pem", 1025, MADE_LANES },
	{ "keys-bn64/516+516.pem", 1032, MADE_LANES },
	{ "keys-bn64/518+518.pem", 1036, MADE_LANES },
	{ "keys-bn64/519+518.pem", 1037, MADE_LANES },
	{ "keys/rsa1148.pem", 1148, MADE_LANES },
	{ "keys-bn64/bits1536.pem", 1536, MADE_LANES },
	{ "keys/rsa2047.pem", 2047, MADE_LANES },
	{ "keys/rsa2048.pem", 2048, MADE_LANES },
	{ "keys-bn64/reversed2048.pem", 2048, MADE_LANES },
	{ "keys-bn64/e64-2048.pem", 2048, MADE_LANES },
	{ "keys-bn64/1200+848.pem", 2048, MADE_SCALAR },
	{ "keys-bn64/848+1200.pem", 2048, MADE_SCALAR },
	{ "keys-bn64/bits2049.pem", 2049, MADE_LANES },
	{ "keys-bn64/bits3072.pem", 3072, MADE_LANES },
	{ "keys-bn64/bits4096.pem", 4096, MADE_LANES },
	{ "keys-bn64/bits8192.pem", 8192, MADE_SCALAR },
};

#define MADE_KEYS	TEST_COUNT(made_keys)

/* Paths that the configuration can name. */
static const char *const made_paths[] = {
	"bn64:portable", "bn64:adx", "bn64:emulated", "bn64:ifma",
};

#define MADE_PATHS	TEST_COUNT(made_paths)

/*
 * A backend by its name; says which test goes without it.
 */
static inline const struct bn64 *
made_bn64(const char *name)
{
	const struct rsab_backend *backend;

	if (rsab_backend_find(name, &backend) != 0) {
		print_message("skipped: this machine has no %s\n", name);
		return NULL;
	}
	test_str("backend", rsab_backend_name(backend), name);
	return (const struct bn64 *)backend;
}

static inline const struct rsab_backend *
made_libcrypto(void)
{
	const struct rsab_backend *backend = NULL;

	test_int("libcrypto", rsab_backend_find("libcrypto", &backend), 0);
	return backend;
}

static inline struct rsab_key *
made_load(const struct rsab_backend *backend, const char *file)
{
	struct rsab_key *key = NULL;
	char path[256];
	size_t n = 0;
	uint8_t *octets;

	snprintf(path, sizeof path, "vectors/rsa/%s", file);
	octets = test_file(path, &n);
	test_int(file, rsab_key_load_private(backend, octets, n, &key), 0);
	free(octets);
	return key;
}

/*
 * The public key of a private one, loaded by a backend.
 */
static inline struct rsab_key *
made_public(const struct rsab_backend *backend, const struct rsab_key *of)
{
	struct rsab_key *key = NULL;
	uint8_t *octets = NULL;
	size_t n = 0;

	test_int("print", rsab_key_print_public(of, &octets, &n), 0);
	test_int("public", rsab_key_load_public(backend, rsab_key_type(of),
	    octets, n, &key), 0);
	free(octets);
	return key;
}

/*
 * A job with a digest of its own for each number.
 */
static inline struct rsab_job
made_job(struct rsab_key *key, enum rsab_op op, unsigned number)
{
	struct rsab_job job;

	memset(&job, 0, sizeof job);
	job.key = key;
	job.op = op;
	job.hash = RSAB_SHA256;
	for (size_t i = 0; i < sizeof job.digest; i++)
		job.digest[i] = (uint8_t)(number * 151 + i * 29 +
		    (number >> 8));
	job.result = 99;
	return job;
}

static inline void
made_run(struct rsab_worker *worker, struct rsab_job *job)
{
	rsab_run(worker, &job, 1);
}

/*
 * The same signatures as job's, by another key of the same numbers.
 */
static inline void
made_compare(const char *name, struct rsab_worker *worker,
    const struct rsab_job *job, struct rsab_key *reference)
{
	struct rsab_job copy = *job;

	copy.key = reference;
	copy.op = RSAB_OP_SIGN;
	made_run(worker, &copy);
	test_int(name, copy.result, RSAB_OK);
	test_octets(name, job->signature, job->signature_len, copy.signature,
	    copy.signature_len);
}

#endif
