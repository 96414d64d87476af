/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known answers for the paths of bn/.
 *
 * The keys are for this purpose only, made by `openssl genpkey`; a row has
 * the SHA-256 of the signature that `openssl pkeyutl -sign` makes of a digest
 * of 32 times 0xa5. What follows from p, q and e is computed when it is
 * needed. In the row of 1024 bits p is below q.
 */

/* system */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* libcrypto */
#include <openssl/bn.h>
#include <openssl/evp.h>

/* this room */
#include "bn/rsasign.h"
#include "bn/rsaverify.h"
#include "error.h"
#include "pkcs1.h"
#include "selftest.h"

#define EXPONENT	65537
#define CLASS_MAX	4096		/* bits */
#define OCTETS_MAX	(CLASS_MAX / 8)
#define REQUESTS	(PATH_LANES / 2)	/* halves fill the lanes once */

struct known {
	unsigned	 bits;
	const char	*p, *q;
	uint8_t		 sha256[32];
};

static const struct known table[] = {
	{
		.bits = 512,
		.p =
	    "d7b147afb9a47852595689d90dcd4fc895d983f791a493adf030498920d9b0e3",
		.q =
	    "c03b9f622a2877c59ab140fab4acb01484d5e80e6d0a36161534dad65f49f41f",
		.sha256 = {
			0x4c, 0xdf, 0xeb, 0x99, 0x74, 0x3b, 0x8e, 0xd1,
			0xc8, 0xdf, 0xd7, 0xf3, 0x36, 0xc6, 0xd5, 0xed,
			0xaf, 0x2a, 0x5a, 0x52, 0x19, 0x65, 0xe3, 0x66,
			0x3c, 0x90, 0xe1, 0x5c, 0x12, 0xa5, 0x49, 0x23,
		},
	},
	{
		.bits = 1024,
		.p =
	    "dec64925bbf00a3bd5dc97739e44d1c4a12a06cc5a01d6766ab0bd37bdccd461"
	    "5e25689e09cda8ab88d5305eccdc9ce29a15216a94b3edce0481bd67c2c12c59",
		.q =
	    "eb73da45cad1430b1d70255546ee689d065d5d905719ad926d5216c936031f9a"
	    "c1f5c03c167f479175919d5d51b81a7eefa3b75a67436412daf93594ace685ed",
		.sha256 = {
			0xb3, 0x85, 0xa3, 0x70, 0x0e, 0xf9, 0x55, 0x34,
			0xcd, 0x44, 0xee, 0x3c, 0xce, 0xbc, 0xa1, 0xdd,
			0x03, 0x5a, 0x2c, 0x9e, 0x01, 0x1a, 0x8c, 0xce,
			0x58, 0x75, 0xfd, 0x78, 0xb4, 0xfe, 0x03, 0x59,
		},
	},
	{
		.bits = 2048,
		.p =
	    "d3762d75a09547cf4a6fe1b28f0be8fbf787a5d4deaa74ca7848b7ad1640dabd"
	    "83ce3286a7355bcdd87a2262212e53bac08991371d875388dc765c6b06c3a4d4"
	    "97107313b2806642d85a0a62909792c2262c0bfd2b7929b65f067dbd92f31a0b"
	    "526f93f3fdc65fb7ad69102ff8538525f5035657b4a09d51d167352ab74649b3",
		.q =
	    "c2ccf6d544297496597396a177034d11717f111575577feaf965a6744ab440ff"
	    "10a8ab6ea6c3d5c7646f92ebae0d49d0e8506adab3fb9514cb2bae9c7fd3ea8c"
	    "1aca270aa932eeeb6e5a3031a06c3d18348ca246c63654350b8a6d34b291de42"
	    "988101a4cbc68fc2210449820e763bc05f1f352b4c152c88849dff37ed8dbb01",
		.sha256 = {
			0x2a, 0x3d, 0x1e, 0x26, 0x5e, 0xb7, 0x90, 0x43,
			0x4a, 0xe9, 0xdd, 0x15, 0x39, 0x68, 0x5f, 0xb7,
			0x4b, 0x81, 0x70, 0xb8, 0x37, 0xc9, 0xaf, 0xff,
			0x83, 0x4a, 0x41, 0x08, 0xef, 0x28, 0xbc, 0x9e,
		},
	},
	{
		.bits = 3072,
		.p =
	    "d19a8aaf1a3e19b361c69ed0645d7b41128c68f678ec71b963b109e6782cb567"
	    "c283edeb2a10de9fcb014e421da1d102de80fe0042b3e5a80e53afa0ab9758ba"
	    "d96df3aba3fbb6a8cdb461312da562934e75369b148c67d445b69b39d671e138"
	    "4f9e344d554852ff4b55076decf17b4fdb383f5b1d54b912fec9f40d88f62f5a"
	    "95e489fcae88e9b3818016ee702cc2ca0a69ab734b24cfd4f35c4d695e01ff0e"
	    "49b924dadaa770196e6644ee240e43a2196a7fbee7c410a52f7e1a441d9dc5d7",
		.q =
	    "b665d768b5fc52fe9f5fcc6563d01926328baa5240bcc0168867e70693c92a92"
	    "f9cdf062bd6f72fba3d2d4d54b95f6b6567c95404966533cce3c0af47cacc295"
	    "23f9e70c2703a3530905296994f8ca87378fd7040ad2bb4ec4d1b24947cee4bf"
	    "e9de023b2ccf329c73f02874053f796e4ae1b28fe2bcb040b1dc8788568888d8"
	    "d2b2c8d3f3af363836cdf777d653793884165e179b043e58e7217b1181f6a7e5"
	    "8cb7190e1672ae955f586dc9cc83be6bff05c47f63719f626fc97da80e634001",
		.sha256 = {
			0xf5, 0x97, 0x7a, 0xda, 0x43, 0x05, 0x6f, 0xed,
			0xdd, 0x86, 0x26, 0x63, 0x20, 0x6e, 0x33, 0x75,
			0x94, 0x64, 0x75, 0x31, 0x04, 0xe0, 0x32, 0xec,
			0xb2, 0x9a, 0x34, 0x34, 0xc3, 0x82, 0xbf, 0x7d,
		},
	},
	{
		.bits = 4096,
		.p =
	    "f2d7878f8eb8f9e6cc035cd9a4bf432722209f6e04ef7ffe31e965fa0017168c"
	    "fe1224b24f5b3f7cbf32e908fbe95b6f9921023a4f4b4c27d2b2cc6db5ddc414"
	    "05524fa9ba4e51193285a32c71b767ad2c402b86510705cbfe2e35397f6283ac"
	    "2cf3a0837c0d87bedaf198872db9c02624a848c7b02889edd120b11105491ec8"
	    "d212a55bb4a9250dff54b24cb1438d2f346579d2d4ab2bbf6b652b3b9d19541e"
	    "52914b398dfe627556396fb003596c635c434e50498b7559ba83e319817b130b"
	    "421af2dba4c5ec02b2517a0343d8b13f0d90c56b0f6653ddd6e8d155fdd0e1ee"
	    "1d9582dd0933cc825056ccc5a87c9f19d38f162e3c11ee9e8126a2e459490f99",
		.q =
	    "ed7ecb7605f38221821258e5747f6e014d5c8150071bbe7d61bd0120aab798af"
	    "c2e4c684d7180ffb0de8e8774ef82d4a296fe5c2a35a8ab1145bade2431826db"
	    "d449551ebf08e27253d28b27e0a9818c4d1786c896013f666db8d390d97f5313"
	    "32a5c0318afb871164128a0e1f0c21ff7aed9ccde744eaff2a68b582fe309dbf"
	    "05b5a0328e51e670ba35636bafb21438d52ed9e6a2036ea805763ebd000ea1be"
	    "88f55df59ac576e338082eb453aef1d415391f4347b21fac4cc7735aa04b94d9"
	    "2e278e7a2c69393ec58ccf394267d1be10246efecc9367f071128564b8b21748"
	    "e11c4c352a4c8aa3c36999695868ee3361ed4205bb7ab3cd48af9e3e2fe6e38b",
		.sha256 = {
			0x0e, 0x7f, 0xe9, 0xe5, 0x91, 0x68, 0x5f, 0x62,
			0x29, 0xa6, 0xb2, 0x68, 0x7f, 0xf8, 0x51, 0x9a,
			0xd2, 0x13, 0xa7, 0x16, 0xed, 0xf1, 0x18, 0x5f,
			0x7c, 0x12, 0x45, 0x29, 0x72, 0x40, 0xa8, 0x9e,
		},
	},
};

#define CLASSES	(sizeof table / sizeof table[0])

enum number { P, Q, DP, DQ, QINV, N, NUMBERS };

/* One class at work. */
struct trial {
	const struct known	*known;
	const struct path	*path;
	uint8_t			 octets[NUMBERS][OCTETS_MAX];
	uint8_t			 em[PATH_LANES][OCTETS_MAX];
	uint8_t			 signature[PATH_LANES][OCTETS_MAX];
	struct rsakey_public	 public;
	struct rsakey_private	 private;
	uint8_t			*memory, *scratch;	/* the key's; aligned */
};

/*
 * Compute the numbers of a key.
 *   errors   RSAB_ERR_NOMEM
 */
static int
trial_numbers(struct trial *trial)
{
	size_t len = trial->known->bits / 8;
	BN_CTX *context = BN_CTX_new();
	BIGNUM *number[NUMBERS] = { NULL }, *t = NULL;
	int r = RSAB_ERR_NOMEM;

	if (context == NULL)
		return error_take(r);
	BN_CTX_start(context);
	for (int i = 0; i < NUMBERS; i++)
		number[i] = BN_CTX_get(context);
	if ((t = BN_CTX_get(context)) == NULL ||
	    BN_hex2bn(&number[P], trial->known->p) == 0 ||
	    BN_hex2bn(&number[Q], trial->known->q) == 0 ||
	    BN_mul(number[N], number[P], number[Q], context) != 1 ||
	    BN_mod_inverse(number[QINV], number[Q], number[P], context) ==
	    NULL || BN_set_word(number[DP], EXPONENT) != 1 ||
	    BN_set_word(number[DQ], EXPONENT) != 1 ||
	    BN_sub(t, number[P], BN_value_one()) != 1 ||
	    BN_mod_inverse(number[DP], number[DP], t, context) == NULL ||
	    BN_sub(t, number[Q], BN_value_one()) != 1 ||
	    BN_mod_inverse(number[DQ], number[DQ], t, context) == NULL)
		goto out;
	r = RSAB_OK;
	for (int i = 0; i < NUMBERS; i++)
		if (BN_bn2binpad(number[i], trial->octets[i],
		    (int)(i == N ? len : len / 2)) < 0)
			r = RSAB_ERR_NOMEM;
out:
	BN_CTX_end(context);
	BN_CTX_free(context);
	return r == 0 ? r : error_take(r);
}

static struct rsakey_octets
number_octets(const struct trial *trial, enum number i)
{
	size_t len = trial->known->bits / 8;

	return (struct rsakey_octets){
		.p = trial->octets[i], .n = i == N ? len : len / 2,
	};
}

static size_t
at_least(size_t a, size_t b)
{
	return a > b ? a : b;
}

/*
 * Make the key ready.
 *   n        digits of a prime
 */
static int
trial_key(struct trial *trial, unsigned n)
{
	const struct path *path = trial->path;
	const struct rsakey_numbers numbers = {
		.p = number_octets(trial, P), .q = number_octets(trial, Q),
		.dp = number_octets(trial, DP),
		.dq = number_octets(trial, DQ),
		.qinv = number_octets(trial, QINV),
	};
	size_t public_size = rsakey_public_size(path, 2 * n);
	/* Behind a path's own scratch: three numbers of 2n digits a lane */
	size_t size = at_least(rsakey_private_scratch(path, n),
	    at_least(rsasign_scratch(path, n), rsaverify_scratch(path, 2 * n) +
	    3 * PATH_LANES * rsakey_number_size(path, 2 * n)));

	trial->memory = malloc(public_size + rsakey_private_size(path, n));
	trial->scratch = aligned_alloc(RSAKEY_ALIGN, rsakey_align(size));
	if (trial->memory == NULL || trial->scratch == NULL)
		return RSAB_ERR_NOMEM;
	rsakey_public_init(&trial->public, path, 2 * n,
	    number_octets(trial, N), EXPONENT, trial->memory);
	rsakey_private_init(&trial->private, &trial->public, n, &numbers,
	    trial->memory + public_size, trial->scratch);
	return RSAB_OK;
}

/*
 * Sign one message, or as many as fill the lanes. The first is the known one.
 *   errors   RSAB_ERR_BACKEND: it comes out wrong; RSAB_ERR_NOMEM
 */
static int
trial_sign(struct trial *trial)
{
	size_t len = trial->known->bits / 8, n = sizeof trial->known->sha256;
	size_t count = trial->path->lanes == 1 ? 1 : REQUESTS;
	struct rsasign_request request[REQUESTS];
	uint8_t sha256[sizeof trial->known->sha256];

	for (size_t i = 0; i < count; i++)
		request[i] = (struct rsasign_request){
			.key = &trial->private, .in = trial->em[i],
			.out = trial->signature[i],
		};
	rsasign_run(request, count, trial->scratch);
	for (size_t i = count; i < PATH_LANES; i++)
		memcpy(trial->signature[i], trial->signature[i % count], len);
	/* Without a digest nothing is known of the path */
	if (EVP_Q_digest(NULL, "SHA256", NULL, trial->signature[0], len,
	    sha256, &n) != 1)
		return error_take(RSAB_ERR_NOMEM);
	return memcmp(sha256, trial->known->sha256, n) == 0 ? RSAB_OK :
	    RSAB_ERR_BACKEND;
}

/*
 * Every signature is right for its message, and for no other.
 */
static bool
trial_verify(struct trial *trial)
{
	size_t count = trial->path->lanes == 1 ? 1 : REQUESTS;
	struct rsaverify_request request[PATH_LANES];
	bool right = true;

	for (size_t i = 0; i < PATH_LANES; i++)
		request[i] = (struct rsaverify_request){
			.key = &trial->public, .s = trial->signature[i],
			.want = trial->em[i],
		};
	rsaverify_run(request, PATH_LANES, trial->scratch);
	for (size_t i = 0; i < PATH_LANES; i++)
		right = right && request[i].is_good == (i < count);
	return right;
}

/*
 * x^3 by products, as blinding has them, and by the public operation.
 */
static bool
trial_product(struct trial *trial)
{
	const struct path *path = trial->path;
	unsigned n = trial->public.n;
	size_t len = trial->known->bits / 8;
	size_t size = rsakey_number_size(path, n);
	uint8_t *x = trial->scratch + rsakey_align(rsaverify_scratch(path, n));
	uint8_t *y = x + PATH_LANES * size, *z = y + PATH_LANES * size;
	uint8_t a[OCTETS_MAX], b[OCTETS_MAX];
	struct path_product product[PATH_LANES];
	struct path_power power[PATH_LANES];
	bool right = true;

	for (size_t i = 0; i < PATH_LANES; i++) {
		path->from_octets(x + i * size, n, trial->em[i], len);
		power[i] = (struct path_power){
			.modulus = &trial->public.modulus, .e = 3,
			.x = x + i * size, .z = z + i * size,
		};
		product[i] = (struct path_product){
			.modulus = &trial->public.modulus, .a = x + i * size,
			.b = trial->public.modulus.rr, .z = y + i * size,
		};
	}
	path->power_public(n, power, PATH_LANES, trial->scratch);
	/* x R, x^2, x^2 R, x^3 */
	for (int step = 0; step < 4; step++) {
		path->product(n, product, PATH_LANES, trial->scratch);
		for (size_t i = 0; i < PATH_LANES; i++) {
			product[i].a = y + i * size;
			product[i].b = step == 1 ?
			    trial->public.modulus.rr : x + i * size;
		}
	}
	for (size_t i = 0; i < PATH_LANES; i++) {
		path->to_octets(a, len, y + i * size, n);
		path->to_octets(b, len, z + i * size, n);
		right = right && memcmp(a, b, len) == 0;
	}
	return right;
}

/*
 * One class.
 */
static int
trial_run(struct trial *trial, unsigned n)
{
	size_t len = trial->known->bits / 8;
	int r;

	for (size_t i = 0; i < PATH_LANES; i++) {
		uint8_t digest[RSAB_DIGEST_MAX];

		memset(digest, 0xa5 ^ (int)i, sizeof digest);
		if ((r = pkcs1_encode(RSAB_SHA256, digest, trial->em[i],
		    len)) != 0)
			return r;
	}
	if ((r = trial_numbers(trial)) != 0 ||
	    (r = trial_key(trial, n)) != 0 ||
	    (r = trial_sign(trial)) != 0)
		return r;
	return trial_verify(trial) && trial_product(trial) ? RSAB_OK :
	    RSAB_ERR_BACKEND;
}

int
selftest_path(const struct path *path, unsigned *class)
{
	struct trial *trial = malloc(sizeof *trial);
	int r = RSAB_OK;

	if (trial == NULL)
		return RSAB_ERR_NOMEM;
	for (size_t i = 0; i < CLASSES && r == 0; i++) {
		unsigned n = path->digits_prime(table[i].bits / 2);

		memset(trial, 0, sizeof *trial);
		trial->known = &table[i];
		trial->path = path;
		r = n == 0 ? RSAB_ERR_BACKEND : trial_run(trial, n);
		if (r == RSAB_ERR_BACKEND)
			*class = table[i].bits;
		free(trial->memory);
		free(trial->scratch);
	}
	free(trial);
	return r;
}
