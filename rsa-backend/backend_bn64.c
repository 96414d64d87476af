/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backends "bn64:...": our own arithmetic, on the paths of bn/. Which
 * shape of key goes which way is bn64key.c's to say; what runs, bn64run.c's.
 */

/* system */
#include <string.h>

/* this room */
#include "backend_bn64.h"
#include "bn64key.h"
#include "bn64run.h"
#include "cpu.h"
#include "selftest.h"

/* Halves of four signatures fill the lanes of a pass. */
#define SIGN_BATCH	(PATH_LANES / 2)

static const struct bn64 *
bn64_of(const struct rsab_backend *backend)
{
	return (const struct bn64 *)backend;
}

static const struct rsakey_public *
public_lanes(const struct rsab_key *key)
{
	const struct bn64_key *own = key->own;

	return own->lanes.path == NULL ? NULL : &own->lanes;
}

/*
 * Lanes: by digits of the modulus; all keys without are one class, 0.
 */
static struct rsab_group
bn64_group(const struct rsab_key *key, enum rsab_op op)
{
	const struct rsakey_public *lanes = public_lanes(key);
	unsigned batch = op == RSAB_OP_SIGN ? SIGN_BATCH : PATH_LANES;

	return (struct rsab_group){
		.id = key->backend->index << 16 | (uint32_t)op << 8 |
		    (lanes == NULL ? 0 : lanes->n),
		.batch = lanes == NULL ? 1 : batch,
	};
}

static const char *
bn64_path(const struct rsab_key *key, enum rsab_op op, size_t n)
{
	const struct rsakey_public *lanes = public_lanes(key);
	const struct bn64_key *own = key->own;

	if (lanes != NULL && (op == RSAB_OP_SIGN || n >= BN64RUN_LANES_MIN))
		return lanes->path->name;
	return own->scalar.path->name;
}

static int
bn64_load_private(struct rsab_key *key, const struct pkcs8 *parts)
{
	const struct bn64 *bn64 = bn64_of(key->backend);

	return bn64key_load(key, bn64->lanes, bn64->scalar, parts);
}

static int
bn64_load_public(struct rsab_key *key)
{
	return bn64_load_private(key, NULL);
}

static const struct bn64 backend_ifma_adx, backend_ifma_portable,
    backend_adx, backend_emulated;

/* Best first; the one for checks is nobody's next. */
static const struct bn64 *const all[] = {
	&backend_ifma_adx,
	&backend_ifma_portable,
	&backend_adx,
	&backend_bn64_portable,
	&backend_emulated,
};

#define ALL	(sizeof all / sizeof all[0])

static bool
is_usable(const struct bn64 *bn64, unsigned features)
{
	unsigned needs = bn64->scalar->features |
	    (bn64->lanes == NULL ? 0 : bn64->lanes->features);

	return (needs & ~features) == 0;
}

/*
 * The name behind the colon.
 */
static const char *
path_name(const struct bn64 *bn64)
{
	return strchr(bn64->backend.name, ':') + 1;
}

int
backend_bn64_find(const char *path, const struct rsab_backend **out)
{
	unsigned features = cpu_features();
	int r = RSAB_ERR_UNKNOWN;

	for (size_t i = 0; i < ALL; i++) {
		if (path != NULL && strcmp(path, path_name(all[i])) != 0)
			continue;
		r = RSAB_ERR_UNSUPPORTED;
		if (is_usable(all[i], features)) {
			*out = &all[i]->backend;
			return RSAB_OK;
		}
	}
	return r;
}

/*
 * The best of another name that comes after a backend.
 */
static const struct rsab_backend *
next_best(const struct rsab_backend *backend)
{
	unsigned features = cpu_features();
	bool past = false;

	for (size_t i = 0; i < ALL; i++) {
		bool same = strcmp(all[i]->backend.name, backend->name) == 0;

		if (past && !same && all[i] != &backend_emulated &&
		    is_usable(all[i], features))
			return &all[i]->backend;
		past = past || same;
	}
	return &backend_libcrypto;
}

static int
bn64_selftest(const struct rsab_backend *backend,
    const struct rsab_backend **next, unsigned *class)
{
	const struct bn64 *bn64 = bn64_of(backend);
	const struct path *const paths[] = { bn64->scalar, bn64->lanes };
	size_t n = sizeof paths / sizeof paths[0];
	int r = RSAB_OK;

	for (size_t i = 0; i < n && r == 0; i++)
		if (paths[i] != NULL)
			r = selftest_path(paths[i], class);
	if (r == RSAB_ERR_BACKEND)
		*next = next_best(backend);
	return r;
}

#define BN64_BACKEND(kind) { \
	.name = "bn64:" kind, \
	.index = 1, \
	.checks_itself = false, \
	.second = &backend_libcrypto, \
	.group = bn64_group, \
	.path = bn64_path, \
	.selftest = bn64_selftest, \
	.load_private = bn64_load_private, \
	.load_public = bn64_load_public, \
	.unload = bn64key_unload, \
	.worker_new = bn64run_worker_new, \
	.worker_free = bn64run_worker_free, \
	.run = bn64run_run, \
	.verify = bn64run_verify, \
}

static const struct bn64 backend_ifma_adx = {
	.backend = BN64_BACKEND("ifma"),
	.lanes = &lanes_ifma,
	.scalar = &scalar_adx,
};

static const struct bn64 backend_ifma_portable = {
	.backend = BN64_BACKEND("ifma"),
	.lanes = &lanes_ifma,
	.scalar = &scalar_portable,
};

static const struct bn64 backend_adx = {
	.backend = BN64_BACKEND("adx"),
	.scalar = &scalar_adx,
};

const struct bn64 backend_bn64_portable = {
	.backend = BN64_BACKEND("portable"),
	.scalar = &scalar_portable,
};

static const struct bn64 backend_emulated = {
	.backend = BN64_BACKEND("emulated"),
	.lanes = &lanes_emulated,
	.scalar = &scalar_portable,
};
