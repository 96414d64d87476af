/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory of bn64: sizes that its functions ask for and what they touch, what
 * they leave behind, a child after fork, and no memory at all.
 */

/* system */
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <pthread.h>
#include <unistd.h>

/* libcrypto */
#include <openssl/crypto.h>

/* rsa-backend */
#include "rsa-backend/bn/residue.h"
#include "rsa-backend/bn/rsasign.h"
#include "rsa-backend/bn/rsaverify.h"
#include "rsa-backend/cpu.h"
#include "rsa-backend/pkcs1.h"

/* this room */
#include "tests/bn64_made.h"

#define STACK_SIZE	((size_t)512 << 10)
#define CANARY		0xc5

/* A checker has its own mmap, and its own stacks. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHECKED	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define CHECKED	1
#endif
#endif
#ifndef CHECKED
#define CHECKED	0
#endif

static struct rsab_worker *worker;
static const struct rsab_backend *libcrypto;

/* ---- memory between pages that nobody may touch ---- */

struct fence {
	uint8_t	*base, *p;
	size_t	 pages, n, room;
};

/*
 * n octets that end where a page begins that may not be touched, as near as
 * the alignment allows; before them, likewise a page.
 */
static void *
fence_open(struct fence *fence, size_t n, size_t align)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	fence->n = n;
	fence->room = (n + align - 1) / align * align;
	fence->pages = (fence->room + page - 1) / page * page + 2 * page;
	fence->base = mmap(NULL, fence->pages, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	test_true("mmap", fence->base != MAP_FAILED);
	memset(fence->base, CANARY, fence->pages);
	fence->p = fence->base + fence->pages - page - fence->room;
	mprotect(fence->base, page, PROT_NONE);
	mprotect(fence->base + fence->pages - page, page, PROT_NONE);
	return fence->p;
}

/*
 * What lies around the octets is as it was.
 */
static void
fence_close(const char *name, struct fence *fence)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (uint8_t *p = fence->base + page; p < fence->p; p++)
		test_int(name, *p, CANARY);
	for (size_t i = fence->n; i < fence->room; i++)
		test_int(name, fence->p[i], CANARY);
	munmap(fence->base, fence->pages);
}

static struct rsakey_octets
octets(struct der der)
{
	return (struct rsakey_octets){ .p = der.p, .n = der.n };
}

/* A key made ready, its requests, and all of their memory. */
struct fenced {
	struct fence		 public_fence, private_fence, sign_fence,
	    verify_fence, make_fence, number_fence[2];
	struct rsakey_public	 public;
	struct rsakey_private	 private;
	uint8_t			 em[PATH_LANES][RSAB_SIGNATURE_MAX];
	uint8_t			 signature[PATH_LANES][RSAB_SIGNATURE_MAX];
};

static void
fenced_open(struct fenced *fenced, const struct path *path,
    const struct pkcs8 *parts, unsigned n)
{
	const struct rsakey_numbers numbers = {
		.p = octets(parts->p), .q = octets(parts->q),
		.dp = octets(parts->dp), .dq = octets(parts->dq),
		.qinv = octets(parts->qinv),
	};

	rsakey_public_init(&fenced->public, path, 2 * n,
	    octets(parts->rsa.n), 65537, fence_open(&fenced->public_fence,
	    rsakey_public_size(path, 2 * n), 8));
	rsakey_private_init(&fenced->private, &fenced->public, n, &numbers,
	    fence_open(&fenced->private_fence, rsakey_private_size(path, n),
	    8), fence_open(&fenced->make_fence, rsakey_private_scratch(path,
	    n), RSAKEY_ALIGN));
	fence_close("making a key", &fenced->make_fence);
}

/*
 * Sign and verify count requests with blinding by 1.
 */
static void
fenced_run(struct fenced *fenced, size_t count)
{
	const struct path *path = fenced->public.path;
	unsigned n = fenced->private.n;
	struct rsasign_request sign[PATH_LANES];
	struct rsaverify_request verify[PATH_LANES];
	size_t len = fenced->public.octets.n;
	size_t size = rsakey_number_size(path, 2 * n);
	uint8_t digest[RSAB_DIGEST_MAX] = { (uint8_t)count };
	void *one = fence_open(&fenced->number_fence[0], size, 8);
	const struct path_product product = {
		.modulus = &fenced->public.modulus,
		.a = fenced->public.modulus.rr, .b = one, .z = one,
	};
	void *scratch = fence_open(&fenced->sign_fence,
	    rsasign_scratch(path, n), RSAKEY_ALIGN);

	memset(fenced->em[0], 0, len);
	fenced->em[0][len - 1] = 1;
	path->from_octets(one, 2 * n, fenced->em[0], len);
	path->product(2 * n, &product, 1, scratch);
	for (size_t i = 0; i < count; i++) {
		digest[1] = (uint8_t)i;
		test_int("encode", pkcs1_encode(RSAB_SHA256, digest,
		    fenced->em[i], len), 0);
		sign[i] = (struct rsasign_request){
			.key = &fenced->private, .in = fenced->em[i],
			.out = fenced->signature[i],
			.blind = one, .unblind = one,
		};
		verify[i] = (struct rsaverify_request){
			.key = &fenced->public, .s = fenced->signature[i],
			.want = fenced->em[i],
		};
	}
	rsasign_run(sign, count, scratch);
	fence_close("signing", &fenced->sign_fence);
	fence_close("blinding", &fenced->number_fence[0]);
	rsaverify_run(verify, count, fence_open(&fenced->verify_fence,
	    rsaverify_scratch(path, 2 * n), RSAKEY_ALIGN));
	fence_close("verifying", &fenced->verify_fence);
	for (size_t i = 0; i < count; i++)
		test_true("right", verify[i].is_good);
}

/* Every class and path, with few requests and with as many as there can be. */
static void
sizes_are_enough(void **state)
{
	static const char *const files[] = {
		"keys/rsa512.pem", "keys-bn64/516+516.pem",
		"keys-bn64/519+518.pem", "keys-bn64/bits3072.pem",
		"keys-bn64/bits4096.pem",
	};
	static const struct path *const paths[] = {
		&scalar_portable, &scalar_adx, &lanes_emulated, &lanes_ifma,
	};
	static struct fenced fenced;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(files); i++) {
		struct rsab_key *key = made_load(
		    &backend_bn64_portable.backend, files[i]);
		struct pkcs8 parts;

		test_int(files[i], pkcs8_parse(key->der, &parts), 0);
		for (size_t k = 0; k < TEST_COUNT(paths); k++) {
			const struct path *path = paths[k];
			unsigned n;

			if ((path->features & ~cpu_features()) != 0 ||
			    (path == &lanes_emulated && i > 2))
				continue;
			n = path->digits_prime((unsigned)der_bits(parts.p));
			fenced_open(&fenced, path, &parts, n);
			fenced_run(&fenced, 1);
			fenced_run(&fenced, path->lanes == 1 ? 2 :
			    PATH_LANES);
			fence_close(files[i], &fenced.private_fence);
			fence_close(files[i], &fenced.public_fence);
		}
		rsab_key_unref(key);
	}
}

/* ---- what is left on the stack ---- */

/* Eight octets of a secret in the forms it may have somewhere. */
struct needle {
	const char	*name;
	uint64_t	 word;
};

#define NEEDLES_MAX	4096

struct search {
	struct rsab_key	*key;
	bool		 plant;
	struct needle	 needles[NEEDLES_MAX];
	size_t		 count;
};

static void
needle_add(struct search *search, const char *name, uint64_t word)
{
	/* Digits with many zeros are found everywhere. */
	if (word >> 32 == 0 || search->count == NEEDLES_MAX)
		return;
	search->needles[search->count++] = (struct needle){ name, word };
}

/*
 * A number's octets as they stand in a file, its limbs of 64 bits, its digits
 * of 52.
 */
static void
needles_of(struct search *search, const char *name, struct der number)
{
	uint64_t low[RSAB_SIGNATURE_MAX / 8] = { 0 };

	for (size_t i = 0; i < number.n; i++)
		low[i / 8] |= (uint64_t)number.p[number.n - 1 - i] <<
		    (8 * (i % 8));
	for (size_t i = 0; i + 8 <= number.n; i += 8) {
		uint64_t word;

		memcpy(&word, &number.p[i], sizeof word);
		needle_add(search, name, word);
		needle_add(search, name, low[i / 8]);
	}
	for (size_t bit = 0; bit + 52 <= 8 * number.n; bit += 52) {
		uint64_t digit = low[bit / 64] >> bit % 64;

		if (bit % 64 > 12)
			digit |= low[bit / 64 + 1] << (64 - bit % 64);
		needle_add(search, name, digit & ((UINT64_C(1) << 52) - 1));
	}
}

static void
needles_digits(struct search *search, const char *name,
    const struct path *path, const void *number, unsigned n)
{
	const uint8_t *p = number;

	for (unsigned i = 0; path->digit_size == 8 && i < n; i++) {
		uint64_t digit;

		memcpy(&digit, &p[8 * i], sizeof digit);
		needle_add(search, name, digit);
	}
}

static uint64_t
low_word(struct der number)
{
	uint64_t word = 0;

	for (size_t i = number.n - 8; i < number.n; i++)
		word = word << 8 | number.p[i];
	return word;
}

static void
needles_of_key(struct search *search)
{
	const struct rsakey_private *private = bn64key_private(search->key);
	const struct path *path = private->public->path;
	unsigned n = private->n;
	struct pkcs8 parts;

	test_int("parse", pkcs8_parse(search->key->der, &parts), 0);
	search->count = 0;
	needles_of(search, "p", parts.p);
	needles_of(search, "q", parts.q);
	needles_of(search, "dp", parts.dp);
	needles_of(search, "dq", parts.dq);
	needles_of(search, "d", parts.d);
	needles_of(search, "qinv", parts.qinv);
	needles_digits(search, "qinv R", path, private->qinv, n);
	needles_digits(search, "R^2 mod p", path, private->p.modulus.rr, n);
	needles_digits(search, "R^3 mod p", path, private->p.r3, n);
	needles_digits(search, "R^2 mod q", path, private->q.modulus.rr, n);
	needles_digits(search, "R^3 mod q", path, private->q.r3, n);
	needle_add(search, "k0 of p", private->p.modulus.k0);
	needle_add(search, "k0 of q", private->q.modulus.k0);
	needle_add(search, "k0 of p, whole", residue_k0(low_word(parts.p)));
}

/*
 * On the thread's stack: sign, and if asked, leave something behind.
 */
__attribute__((noinline)) static void
leave_behind(const struct search *search)
{
	const struct rsakey_private *private = bn64key_private(search->key);
	volatile uint64_t left[1024];	/* more than the thread's end takes */
	uint64_t digits[4];

	memcpy(digits, private->p.d, sizeof digits);
	for (size_t i = 0; i < TEST_COUNT(left); i++)
		left[i] = digits[i % 4];
}

/*
 * On the thread's stack, below what the thread's end takes: make the key's
 * numbers once more.
 */
__attribute__((noinline)) static void
make_again(const struct search *search)
{
	const struct rsakey_private *private = bn64key_private(search->key);
	const struct path *path = private->public->path;
	volatile uint8_t above[8192];
	struct rsakey_private made;
	struct pkcs8 parts;
	void *memory = malloc(rsakey_private_size(path, private->n));
	void *scratch = aligned_alloc(RSAKEY_ALIGN, rsakey_align(
	    rsakey_private_scratch(path, private->n)));

	above[0] = 0;
	if (memory == NULL || scratch == NULL ||
	    pkcs8_parse(search->key->der, &parts) != 0)
		abort();
	rsakey_private_init(&made, private->public, private->n,
	    &(const struct rsakey_numbers){
		.p = octets(parts.p), .q = octets(parts.q),
		.dp = octets(parts.dp), .dq = octets(parts.dq),
		.qinv = octets(parts.qinv),
	    }, memory, scratch);
	/* Its k0 are the caller's to wipe. */
	rsab_wipe(&made, sizeof made);
	free(scratch);
	free(memory);
	(void)above[0];
}

static void *
sign_on_stack(void *arg)
{
	struct search *search = arg;
	struct rsab_job jobs[3], *const pointers[] = {
		&jobs[0], &jobs[1], &jobs[2],
	};

	for (unsigned i = 0; i < 3; i++)
		jobs[i] = made_job(search->key, RSAB_OP_SIGN, i);
	rsab_run(worker, pointers, 3);
	rsab_run(worker, pointers, 1);
	make_again(search);
	if (search->plant)
		leave_behind(search);
	return jobs[0].result == 0 && jobs[2].result == 0 ? NULL : arg;
}

/*
 * Sign on a stack of its own and look through it.
 *   returns  needles found; the first one is printed where none may be
 */
static size_t
search_stack(struct search *search)
{
	uint8_t *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;
	size_t found = 0;

	test_true("mmap", stack != MAP_FAILED);
	memset(stack, 0xd7, STACK_SIZE);
	test_int("attributes", pthread_attr_init(&attributes) |
	    pthread_attr_setstack(&attributes, stack, STACK_SIZE), 0);
	test_int("create", pthread_create(&thread, &attributes, sign_on_stack,
	    search), 0);
	test_int("join", pthread_join(thread, &result), 0);
	test_true("signed", result == NULL);
	pthread_attr_destroy(&attributes);
	for (size_t i = 0; i + 8 <= STACK_SIZE; i++) {
		uint64_t word;

		memcpy(&word, &stack[i], sizeof word);
		if (word >> 32 == 0 || word == UINT64_C(0xd7d7d7d7d7d7d7d7))
			continue;
		for (size_t k = 0; k < search->count; k++) {
			if (search->needles[k].word != word)
				continue;
			if (!search->plant)
				print_message("%s at %zu of the stack\n",
				    search->needles[k].name, i);
			found++;
		}
	}
	munmap(stack, STACK_SIZE);
	return found;
}

static void
sign_leaves_nothing_on_the_stack(void **state)
{
	static const char *const files[] = {
		"keys/rsa512.pem", "keys/rsa1024.pem", "keys/unequal.pem",
		"keys/rsa2048.pem",
	};
	static struct search search;

	(void)state;
	if (CHECKED)
		skip();
	for (size_t i = 0; i < MADE_PATHS * TEST_COUNT(files); i++) {
		const struct bn64 *bn64 = made_bn64(made_paths[i % MADE_PATHS]);

		if (bn64 == NULL)
			continue;
		search.key = made_load(&bn64->backend, files[i / MADE_PATHS]);
		needles_of_key(&search);
		search.plant = false;
		test_int(made_paths[i % MADE_PATHS], search_stack(&search),
		    0);
		/* The search finds what is there to be found. */
		search.plant = true;
		test_true("planted", search_stack(&search) >= 2);
		rsab_key_unref(search.key);
	}
}

/* ---- fork ---- */

/*
 * In a child: its parent's keys sign no more, and say so; keys of its own do.
 */
static int
child_run(const struct bn64 *bn64, struct rsab_key *key)
{
	struct rsab_job job = made_job(key, RSAB_OP_SIGN, 3);
	unsigned long before = rsab_worker_faults(worker);
	struct rsab_key *own, *public;

	made_run(worker, &job);
	if (bn64key_private(key) == NULL ? job.result != RSAB_ERR_BACKEND ||
	    job.signature_len != 0 : job.result != RSAB_OK)
		return 1;
	if (rsab_worker_faults(worker) != before)
		return 2;
	own = made_load(&bn64->backend, "keys/rsa512.pem");
	job = made_job(own, RSAB_OP_SIGN, 4);
	made_run(worker, &job);
	if (job.result != RSAB_OK)
		return 3;
	public = made_public(&bn64->backend, own);
	job.op = RSAB_OP_VERIFY;
	job.key = public;
	made_run(worker, &job);
	rsab_key_unref(public);
	rsab_key_unref(own);
	rsab_key_unref(key);
	return job.result == RSAB_OK ? 0 : 4;
}

static void
key_in_a_child(void **state)
{
	(void)state;
	for (size_t i = 0; i < MADE_PATHS; i++) {
		const struct bn64 *bn64 = made_bn64(made_paths[i]);
		struct rsab_key *key;
		struct rsab_job job;
		pid_t child;
		int status;

		if (bn64 == NULL)
			continue;
		key = made_load(&bn64->backend, "keys/rsa1024.pem");
		job = made_job(key, RSAB_OP_SIGN, 2);
		made_run(worker, &job);
		child = fork();
		if (child == 0)
			_exit(child_run(bn64, key));
		test_int("waitpid", waitpid(child, &status, 0), child);
		test_true("exit", WIFEXITED(status));
		test_int("child", WEXITSTATUS(status), 0);
		job = made_job(key, RSAB_OP_SIGN, 3);
		made_run(worker, &job);
		test_int("the parent", job.result, RSAB_OK);
		rsab_key_unref(key);
	}
}

/* ---- no memory ---- */

static long mmap_fails;		/* calls until one fails; 0: none does */
static bool mmap_failed;
static long crypto_fails;	/* the same for libcrypto's allocations */
static bool crypto_failed;

static bool
fails(long *countdown, bool *failed)
{
	if (*countdown == 0 || --*countdown != 0)
		return false;
	*failed = true;
	return true;
}

#if !CHECKED
/*
 * In place of the C library's, for the private pages.
 */
void *
mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	if (fails(&mmap_fails, &mmap_failed))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, n, protection, flags, fd,
	    offset);
}
#endif

/* Past failmalloc.c, which counts the calls of our own code. */
void *__real_malloc(size_t n);
void *__real_realloc(void *p, size_t n);

static void *
crypto_malloc(size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return fails(&crypto_fails, &crypto_failed) ? NULL : __real_malloc(n);
}

static void *
crypto_realloc(void *p, size_t n, const char *file, int line)
{
	(void)file;
	(void)line;
	return fails(&crypto_fails, &crypto_failed) ? NULL :
	    __real_realloc(p, n);
}

static void
crypto_free(void *p, const char *file, int line)
{
	(void)file;
	(void)line;
	free(p);
}

static uint8_t *key_octets;
static size_t key_n;
static const struct bn64 *loading;

/*
 * Load both halves, sign with a new worker, verify alone and in lanes.
 */
static bool
whole_life(void *arg)
{
	struct rsab_key *key = NULL, *public = NULL;
	struct rsab_worker *own = NULL;
	struct rsab_job job, copy;
	struct rsab_job *const pair[] = { &job, &copy };
	uint8_t *octets_of = NULL;
	size_t n;
	int r;

	(void)arg;
	if ((r = rsab_key_load_private(&loading->backend, key_octets, key_n,
	    &key)) != 0 || (r = rsab_worker_new(&own)) != 0)
		goto out;
	job = made_job(key, RSAB_OP_SIGN, 1);
	made_run(own, &job);
	test_true("wiped", job.result == 0 || job.signature_len == 0);
	if ((r = job.result) != 0 ||
	    (r = rsab_key_print_public(key, &octets_of, &n)) != 0 ||
	    (r = rsab_key_load_public(&loading->backend, RSAB_RSA, octets_of,
	    n, &public)) != 0)
		goto out;
	job.key = public;
	job.op = RSAB_OP_VERIFY;
	copy = job;
	rsab_run(own, pair, 2);
	if ((r = job.result) == 0)
		r = copy.result;
	if (r == 0) {
		made_run(own, &job);
		r = job.result;
	}
out:
	test_int("faults", own == NULL ? 0 : rsab_worker_faults(own), 0);
	rsab_worker_free(own);
	rsab_key_unref(public);
	rsab_key_unref(key);
	free(octets_of);
	/* Of libcrypto's own failures some have another name. */
	test_true("RSAB_ERR_NOMEM", r == 0 || r == RSAB_ERR_NOMEM ||
	    (crypto_failed && (r == RSAB_ERR_BACKEND || r == RSAB_ERR_KEY)));
	return r == 0;
}

static void
every_allocation_fails(void **state)
{
	(void)state;
	key_octets = test_file("vectors/rsa/keys/rsa512.pem", &key_n);
	for (size_t i = 0; i < MADE_PATHS; i++) {
		long n;

		loading = made_bn64(made_paths[i]);
		if (loading == NULL)
			continue;
		test_true("malloc", test_every_allocation(whole_life, NULL)
		    >= 8);
		for (n = 1; !CHECKED; n++) {
			bool done;

			mmap_failed = false;
			mmap_fails = n;
			done = whole_life(NULL);
			test_int("mmap", done, !mmap_failed);
			if (!mmap_failed)
				break;
		}
		test_true("mmap", CHECKED || n > 5);
		mmap_fails = 0;
		/* A use that libcrypto can do without is no failure. */
		for (n = 1; loading->lanes == NULL || n == 1; n++) {
			crypto_failed = false;
			crypto_fails = n;
			(void)whole_life(NULL);
			if (!crypto_failed)
				break;
		}
		crypto_fails = 0;
		crypto_failed = false;
		test_true("at last", whole_life(NULL));
	}
	free(key_octets);
}

static int
setup(void **state)
{
	(void)state;
	libcrypto = made_libcrypto();
	return rsab_worker_new(&worker) != 0;
}

static int
teardown(void **state)
{
	(void)state;
	rsab_worker_free(worker);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_enough),
		cmocka_unit_test(sign_leaves_nothing_on_the_stack),
		cmocka_unit_test(key_in_a_child),
		cmocka_unit_test(every_allocation_fails),
	};

	if (CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc,
	    crypto_free) != 1)
		return 1;
	return cmocka_run_group_tests(tests, setup, teardown) != 0;
}
