/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Consistency of an RSA private key (RFC 8017 s3.2).
 */

/* system */
#include <string.h>

/* libcrypto */
#include <openssl/bn.h>

/* this room */
#include "error.h"
#include "rsacheck.h"

enum number {
	N, E, D, P, Q, DP, DQ, QINV,
	P1, Q1,			/* p - 1, q - 1 */
	T,			/* scratch */
	NUMBERS
};

/* All numbers of one check; they lie in the BN_CTX, which wipes them. */
struct check {
	BN_CTX	*context;
	BIGNUM	*number[NUMBERS];
};

static int
check_init(struct check *check, const struct pkcs8 *key)
{
	const struct der *const from[] = {
		[N] = &key->rsa.n, [E] = &key->rsa.e, [D] = &key->d,
		[P] = &key->p, [Q] = &key->q, [DP] = &key->dp,
		[DQ] = &key->dq, [QINV] = &key->qinv,
	};

	check->context = BN_CTX_secure_new();
	if (check->context == NULL)
		return RSAB_ERR_NOMEM;
	BN_CTX_start(check->context);
	for (int i = 0; i < NUMBERS; i++) {
		check->number[i] = BN_CTX_get(check->context);
		if (check->number[i] == NULL)
			return RSAB_ERR_NOMEM;
		/* BN_div takes the path without branches on values. */
		BN_set_flags(check->number[i], BN_FLG_CONSTTIME);
	}
	for (int i = 0; i <= QINV; i++)
		if (BN_bin2bn(from[i]->p, (int)from[i]->n,
		    check->number[i]) == NULL)
			return RSAB_ERR_NOMEM;
	if (BN_sub(check->number[P1], check->number[P], BN_value_one()) != 1 ||
	    BN_sub(check->number[Q1], check->number[Q], BN_value_one()) != 1)
		return RSAB_ERR_NOMEM;
	return RSAB_OK;
}

static void
check_clear(struct check *check)
{
	if (check->context == NULL)
		return;
	for (int i = 0; i < NUMBERS; i++)
		if (check->number[i] != NULL)
			BN_clear(check->number[i]);
	BN_CTX_end(check->context);
	BN_CTX_free(check->context);
}

/*
 * a b = 1 mod m
 */
static int
is_inverse(struct check *check, enum number a, enum number b, enum number m)
{
	BIGNUM **number = check->number;

	if (BN_mod_mul(number[T], number[a], number[b], number[m],
	    check->context) != 1)
		return RSAB_ERR_NOMEM;
	return BN_is_one(number[T]) ? RSAB_OK : RSAB_ERR_KEY;
}

/*
 * a = b mod m
 */
static int
is_residue(struct check *check, enum number a, enum number b, enum number m)
{
	BIGNUM **number = check->number;

	if (BN_mod(number[T], number[b], number[m], check->context) != 1)
		return RSAB_ERR_NOMEM;
	return BN_cmp(number[T], number[a]) == 0 ? RSAB_OK : RSAB_ERR_KEY;
}

static int
is_product(struct check *check)
{
	BIGNUM **number = check->number;

	if (BN_mul(number[T], number[P], number[Q], check->context) != 1)
		return RSAB_ERR_NOMEM;
	return BN_cmp(number[T], number[N]) == 0 ? RSAB_OK : RSAB_ERR_KEY;
}

int
rsacheck_run(const struct pkcs8 *key)
{
	struct check check;
	BIGNUM **number = check.number;
	int r;

	memset(&check, 0, sizeof check);
	if ((r = check_init(&check, key)) != 0)
		goto out;
	/* p - 1 and q - 1 are moduli from here on: neither 0 nor negative */
	r = RSAB_ERR_KEY;
	if (der_bits(key->p) < 2 || der_bits(key->q) < 2 ||
	    BN_cmp(number[D], number[N]) >= 0 ||
	    BN_cmp(number[QINV], number[P]) >= 0)
		goto out;
	if ((r = is_product(&check)) != 0 ||
	    (r = is_inverse(&check, E, D, P1)) != 0 ||
	    (r = is_inverse(&check, E, D, Q1)) != 0 ||
	    (r = is_residue(&check, DP, D, P1)) != 0 ||
	    (r = is_residue(&check, DQ, D, Q1)) != 0 ||
	    (r = is_inverse(&check, Q, QINV, P)) != 0)
		goto out;
out:
	check_clear(&check);
	error_drop();
	return r;
}
