/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof of the trust anchor (BEHAVIOUR 5, PROBLEMS 57) against a server
 * that refuses, says nothing, or passes DNSSEC: a root signed by the test.
 */

/* system */
#include <openssl/evp.h>

/* this room */
#include "tests/capture.h"
#include "tests/dns_server.h"
#include "milter/clock.h"
#include "milter/loop.h"
#include "milter/upstream.h"

#define RETRY		100	/* milliseconds */
#define TTL		3600
#define INCEPTION	1577836800u	/* 2020 */
#define EXPIRATION	3471292800u	/* 2080 */

static struct loop *loop;
static char nameserver[64], anchor[512];
static const char *said;	/* file that standard error goes to */
static int terminal;		/* where it went before */

/* ---- a signed root ------------------------------------------------------ */

/* RFC 4034 appendix B */
static unsigned
key_tag(const uint8_t *rdata, size_t n)
{
	unsigned long sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += i % 2 == 1 ? rdata[i] : (unsigned long)rdata[i] << 8;
	sum += sum >> 16 & 0xffff;
	return (unsigned)(sum & 0xffff);
}

static size_t
put_number(uint8_t *at, size_t octets, uint32_t value)
{
	size_t i;

	for (i = 0; i < octets; i++)
		at[i] = (uint8_t)(value >> 8 * (octets - 1 - i));
	return octets;
}

/* An RR of the root without its rdata. */
static size_t
put_head(uint8_t *at, unsigned type, unsigned rdata_n)
{
	size_t n = put_number(at, 1, 0);

	n += put_number(at + n, 2, type);
	n += put_number(at + n, 2, 1);
	n += put_number(at + n, 4, TTL);
	return n + put_number(at + n, 2, rdata_n);
}

/*
 * `. DNSKEY` with its RRSIG (RFC 4034, RFC 8080), and the anchor's file.
 */
static void
sign_root(void)
{
	static const uint8_t seed[32] = { 57 };
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL,
	    seed, sizeof(seed));
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	uint8_t rdata[36], record[64], rrsig[128], text[512];
	size_t n = 0, record_n, key_n = 32, sig_n = 64;
	char base64[64];

	n += put_number(rdata, 2, 257);
	n += put_number(rdata + n, 1, 3);
	n += put_number(rdata + n, 1, 15);
	assert_int_equal(EVP_PKEY_get_raw_public_key(key, rdata + n, &key_n),
	    1);
	record_n = put_head(record, 48, sizeof(rdata));
	memcpy(record + record_n, rdata, sizeof(rdata));
	record_n += sizeof(rdata);
	n = put_number(rrsig, 2, 48);
	n += put_number(rrsig + n, 1, 15);
	n += put_number(rrsig + n, 1, 0);	/* labels */
	n += put_number(rrsig + n, 4, TTL);
	n += put_number(rrsig + n, 4, EXPIRATION);
	n += put_number(rrsig + n, 4, INCEPTION);
	n += put_number(rrsig + n, 2, key_tag(rdata, sizeof(rdata)));
	n += put_number(rrsig + n, 1, 0);	/* signer */
	memcpy(text, rrsig, n);
	memcpy(text + n, record, record_n);
	assert_int_equal(EVP_DigestSignInit(md, NULL, NULL, NULL, key), 1);
	assert_int_equal(EVP_DigestSign(md, rrsig + n, &sig_n, text, n +
	    record_n), 1);
	n += sig_n;
	memcpy(dns_server.signed_root, record, record_n);
	record_n += put_head(dns_server.signed_root + record_n, 46,
	    (unsigned)n);
	memcpy(dns_server.signed_root + record_n, rrsig, n);
	dns_server.signed_root_n = record_n + n;
	EVP_EncodeBlock((uint8_t *)base64, rdata + 4, 32);
	snprintf(anchor, sizeof(anchor), ". IN DNSKEY 257 3 15 %s\n", base64);
	EVP_MD_CTX_free(md);
	EVP_PKEY_free(key);
}

/* ---- on the loop's thread ----------------------------------------------- */

struct asked {
	struct upstream		*upstream;
	const char		*name;
	struct resolver_unbound	*context;
	enum dkim_dnssec	 dnssec;
	bool			 found;
	int			 done[2];	/* pipe */
};

static void
got(void *arg, const struct resolver_unbound_answer *answer)
{
	struct asked *asked = arg;

	asked->dnssec = answer->dnssec;
	asked->found = answer->status == 0 && answer->wire.n > 12 &&
	    (answer->wire.p[3] & 0x0f) == 0 && answer->wire.p[7] > 0;
	(void)!write(asked->done[1], "", 1);
}

static void
run_ask(void *arg)
{
	struct resolver_unbound_question *question;
	struct asked *asked = arg;

	asked->context = upstream_context(asked->upstream);
	if (resolver_unbound_ask(asked->context, asked->name, 16, got, asked,
	    &question) != 0)
		(void)!write(asked->done[1], "", 1);
}

static void
run_start(void *arg)
{
	upstream_start(arg);
}

static void
run_free(void *arg)
{
	struct asked *asked = arg;

	upstream_free(asked->upstream);
	(void)!write(asked->done[1], "", 1);
}

static void
run_on_loop(struct asked *asked, loop_fn run)
{
	char c;

	assert_int_equal(pipe(asked->done), 0);
	assert_int_equal(loop_post(loop, run, asked), 0);
	assert_int_equal(read(asked->done[0], &c, 1), 1);
	close(asked->done[0]);
	close(asked->done[1]);
}

static struct asked
ask(struct upstream *upstream, const char *name)
{
	struct asked asked = { .upstream = upstream, .name = name };

	run_on_loop(&asked, run_ask);
	return asked;
}

static void
end(struct upstream *upstream)
{
	struct asked asked = { .upstream = upstream };

	run_on_loop(&asked, run_free);
}

static void
count(void *arg)
{
	atomic_fetch_add((atomic_int *)arg, 1);
}

static struct upstream *
begin(const char *anchor_file, unsigned ms, atomic_int *validated)
{
	const struct resolver_unbound_options options = {
		.nameservers = nameserver,
		.anchor = anchor_file,
	};
	struct upstream *upstream;
	const char *reason;

	assert_int_equal(upstream_new(loop, &options, RETRY, &upstream,
	    &reason), 0);
	upstream_notify(upstream, count, validated);
	assert_int_equal(loop_post(loop, run_start, upstream), 0);
	upstream_wait(upstream, ms);
	return upstream;
}

/* Lines on standard error, where the log goes, that have this in them. */
static unsigned
lines_with(const char *part)
{
	static char text[100000];
	FILE *f = fopen(said, "r");
	size_t n = fread(text, 1, sizeof(text) - 1, f);
	unsigned lines = 0;
	char *at;

	fclose(f);
	text[n] = '\0';
	for (at = text; (at = strstr(at, part)) != NULL; at++)
		lines++;
	return lines;
}

static int
set_up(void **state)
{
	(void)state;
	sign_root();
	if (dns_server_start() != 0 || loop_new(&loop) != 0)
		return -1;
	snprintf(nameserver, sizeof(nameserver), "127.0.0.1@%u",
	    dns_server.port);
	said = strdup(capture_text("stderr", ""));
	terminal = dup(STDERR_FILENO);
	return freopen(said, "a", stderr) == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
	char text[4096];
	FILE *f = fopen(said, "r");

	while (fgets(text, sizeof(text), f) != NULL)
		(void)!write(terminal, text, strlen(text));
	fclose(f);
	loop_free(loop);
	dns_server_stop();
	free((void *)(uintptr_t)said);
	return capture_clean(state);
}

static bool
wait_until(const atomic_int *at, int least)
{
	uint64_t limit = clock_us() + 20000000;

	while (atomic_load(at) < least && clock_us() < limit)
		usleep(10000);
	return atomic_load(at) >= least;
}

/* ---- tests -------------------------------------------------------------- */

/* It answers, but no proof: keys are insecure until there is one. */
static void
upstream_start_refused(void **state)
{
	static const struct {
		const char	*name;
		int		 root;
	} rows[] = {
		{ "SERVFAIL", 2 }, { "REFUSED", 5 }, { "NXDOMAIN", 3 },
		{ "nothing there", 0 },
	};
	const char *file = strdup(capture_text("anchor", anchor));

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		unsigned before = lines_with("passes no DNSSEC");
		atomic_int validated = 0;
		struct upstream *upstream;
		struct asked asked;

		atomic_store(&dns_server.root, rows[i].root);
		atomic_store(&dns_server.roots, 0);
		upstream = begin(file, 20000, &validated);
		asked = ask(upstream, "ok-1.example.net");
		test_true(rows[i].name, asked.found);
		test_int(rows[i].name, asked.dnssec, DKIM_DNSSEC_INSECURE);
		/* Asked again, more than once, and said once */
		atomic_store(&dns_server.roots, 0);
		test_true(rows[i].name, wait_until(&dns_server.roots, 4));
		test_int(rows[i].name, lines_with("passes no DNSSEC") - before,
		    1);
		test_int(rows[i].name, atomic_load(&validated), 0);
		atomic_store(&dns_server.root, DNS_SERVER_SIGNED);
		test_true(rows[i].name, wait_until(&validated, 1));
		/* A root without a delegation that proves anything */
		asked = ask(upstream, "ok-2.example.net");
		test_int(rows[i].name, asked.dnssec, DKIM_DNSSEC_BOGUS);
		test_int(rows[i].name, atomic_load(&validated), 1);
		end(upstream);
	}
	test_int("the resolver is named", lines_with(nameserver) > 0, 1);
	free((void *)(uintptr_t)file);
}

/*
 * Silence proves nothing: who can stop answers must not turn it off. (That
 * libunbound gives the question up takes half a minute; here it goes on.)
 */
static void
upstream_start_silent(void **state)
{
	const char *file = strdup(capture_text("anchor", anchor));
	unsigned before = lines_with("passes no DNSSEC");
	atomic_int validated = 0;
	struct upstream *upstream;
	struct asked asked;

	(void)state;
	atomic_store(&dns_server.root, DNS_SERVER_DROP);
	upstream = begin(file, 1000, &validated);
	test_int("not turned off", lines_with("passes no DNSSEC"), before);
	atomic_store(&dns_server.root, DNS_SERVER_SIGNED);
	asked = ask(upstream, "ok-3.example.net");
	test_int("validates", asked.dnssec, DKIM_DNSSEC_BOGUS);
	test_int("from the start", atomic_load(&validated), 0);
	end(upstream);
	free((void *)(uintptr_t)file);
}

static void
upstream_start_proved(void **state)
{
	const char *file = strdup(capture_text("anchor", anchor));
	unsigned before = lines_with("DNSSEC");
	atomic_int validated = 0;
	struct upstream *upstream;
	struct asked asked;

	(void)state;
	atomic_store(&dns_server.root, DNS_SERVER_SIGNED);
	upstream = begin(file, 20000, &validated);
	atomic_store(&dns_server.roots, 0);
	asked = ask(upstream, "ok-4.example.net");
	test_int("validates", asked.dnssec, DKIM_DNSSEC_BOGUS);
	test_int("from the start", atomic_load(&validated), 0);
	test_int("nothing said", lines_with("DNSSEC"), before);
	end(upstream);
	/* Without an anchor nothing is asked of the root */
	upstream = begin(NULL, 20000, &validated);
	atomic_store(&dns_server.roots, 0);
	asked = ask(upstream, "ok-5.example.net");
	test_true("found", asked.found);
	test_int("insecure", asked.dnssec, DKIM_DNSSEC_INSECURE);
	test_int("root", atomic_load(&dns_server.roots), 0);
	end(upstream);
	free((void *)(uintptr_t)file);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(upstream_start_refused),
		cmocka_unit_test(upstream_start_silent),
		cmocka_unit_test(upstream_start_proved),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
