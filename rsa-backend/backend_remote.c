/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The backend "pkcs11": keys in a token, which a process of its own talks to
 * (token.h). A key has the URI that names it there and its public half; both
 * outlive any process at the other end.
 *
 * What comes back is believed as little as anything from outside: rsab_run
 * verifies each signature before anybody else sees it, and asks the token once
 * more if it is wrong.
 */

/* system */
#include <string.h>

/* this room */
#include "backend_remote.h"
#include "remote.h"
#include "token_detail.h"

/* Group ids above those of all other backends (index << 16). */
#define GROUP_TOKEN	0x80000000u

static struct rsab_group
remote_group(const struct rsab_key *key, enum rsab_op op)
{
	const struct remote_key *remote = key->own;

	return (struct rsab_group){
		.id = GROUP_TOKEN | (uint32_t)token_number(remote->token) << 8 |
		    (uint32_t)op,
		.batch = 1,
	};
}

static const char *
remote_path(const struct rsab_key *key, enum rsab_op op, size_t n)
{
	(void)n;
	/* A private key's own signatures are not verified in the token */
	return op == RSAB_OP_VERIFY && key->is_private ? "evp" : "token";
}

/*
 * PEM goes through rsab_key_import_token, which knows the token.
 */
static int
remote_load_private(struct rsab_key *key, const struct pkcs8 *parts)
{
	(void)key;
	(void)parts;
	return RSAB_ERR_ARGUMENT;
}

/*
 * RSABackend pkcs11 verifies by libcrypto; a verifier knows its token.
 */
static int
remote_load_public(struct rsab_key *key)
{
	(void)key;
	return RSAB_ERR_UNSUPPORTED;
}

static void
remote_unload(struct rsab_key *key)
{
	struct remote_key *remote = key->own;

	rsab_token_unref(remote->token);
	/* the URI may have a PIN */
	rsab_wipe_free(remote, sizeof *remote + remote->uri_n);
}

/*
 * Connections belong to tokens (token.h).
 */
static int
remote_worker_new(void **state)
{
	*state = NULL;
	return RSAB_OK;
}

static void
remote_worker_free(void *state)
{
	(void)state;
}

static int
sign(struct rsab_job *job)
{
	const struct rsab_key *key = job->key;
	const struct remote_key *remote = key->own;
	struct token_wire request = remote_request_of(TOKEN_WIRE_SIGN, remote);
	struct token_wire answer;
	struct rsab_token_detail detail;
	uint8_t buffer[TOKEN_WIRE_MAX];
	struct der signature;
	int r;

	request.type = key->type;
	request.field[TOKEN_WIRE_DIGEST] =
	    (struct der){ job->digest, RSAB_DIGEST_MAX };
	r = token_ask(remote->token, &request, buffer, &answer, NULL);
	if (r != 0)
		return r;
	signature = answer.field[TOKEN_WIRE_RESULT];
	if (signature.n != key->signature_size) {
		token_detail_set(&detail, "the token made a signature of %zu "
		    "octets, not %zu", signature.n, key->signature_size);
		token_note(remote->token, &detail);
		return RSAB_ERR_BACKEND;
	}
	memcpy(job->signature, signature.p, signature.n);
	job->signature_len = signature.n;
	return RSAB_OK;
}

static void
remote_run(void *state, struct rsab_job *const *jobs, backend_em em, size_t n)
{
	(void)state;
	for (size_t i = 0; i < n; i++) {
		if (jobs[i]->op == RSAB_OP_SIGN)
			jobs[i]->result = sign(jobs[i]);
		else
			remote_verify(jobs[i], &em[i]);
	}
}

const struct rsab_backend backend_remote = {
	.name = "pkcs11",
	.index = BACKEND_REMOTE_INDEX,
	.checks_itself = false,
	.second = &backend_remote,
	.group = remote_group,
	.path = remote_path,
	.selftest = NULL,
	.load_private = remote_load_private,
	.load_public = remote_load_public,
	.unload = remote_unload,
	.worker_new = remote_worker_new,
	.worker_free = remote_worker_free,
	.run = remote_run,
	.verify = NULL,
};

struct rsab_token *
rsab_key_token(const struct rsab_key *key)
{
	const struct remote_key *remote = key->own;

	return key->backend == &backend_remote ? remote->token : NULL;
}
