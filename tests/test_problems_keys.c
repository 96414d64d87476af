/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Known problems with key records (PROBLEMS.tsv, rows 23 to 32), each as a
 * kind.
 */

/* system */
#include <time.h>

/* this room */
#include "tests/problems_made.h"
#include "milter/dnspacket.h"

#define ALL	SIZE_MAX
#define BODY	"Hi.\r\n"
#define FROM	"From: a@example.com\r\n"
#define NAME	PROBLEMS_NAME "\t"
#define ED_P	"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="

static struct rsab_key *rsa;
static char *rsa_p;			/* what its record has behind p= */
static char *ed_field, *rsa_field;	/* good signatures over FROM, BODY */

/*
 * Sign with this algorithm, and these tags more.
 */
static char *
sign(const char *algorithm, struct rsab_key *with, const char *more)
{
	struct problems_field f = { NULL, "From", DKIM_SIMPLE, DKIM_SIMPLE,
	    ALL };
	char *text, *field;

	assert_true(asprintf(&text, " v=1; a=%s; d=example.com; s=sel; "
	    "h=From; %sbh=%%H; b=%%B", algorithm, more) >= 0);
	f.text = text;
	field = problems_sign(&f, with, FROM, slice_text(BODY));
	free(text);
	return field;
}

static char *
record_p(const struct rsab_key *of)
{
	char *dns = made_dns(of, ""), *p;

	p = strdup(strstr(dns, "; p=") + 4);
	p[strcspn(p, "\n")] = '\0';
	free(dns);
	return p;
}

static int
set_up(void **state)
{
	if (problems_set_up(state) != 0)
		return -1;
	rsa = made_key(&world, "rfc6376.pem");
	rsa_p = record_p(rsa);
	ed_field = sign("ed25519-sha256", key, "");
	rsa_field = sign("rsa-sha256", rsa, "");
	return 0;
}

static int
tear_down(void **state)
{
	free(ed_field);
	free(rsa_field);
	free(rsa_p);
	rsab_key_unref(rsa);
	return problems_tear_down(state);
}

/*
 * What a signature is worth under this record, of which %p is the key.
 */
#define want(row, field, want_text, ...)				\
	do {								\
		char *dns_;						\
		assert_true(asprintf(&dns_, NAME __VA_ARGS__) >= 0);	\
		problems_want(row, field, FROM, slice_text(BODY), dns_,	\
		    want_text);						\
		free(dns_);						\
	} while (0)

/*
 * Row 23: white space of any kind at each place of p=, and behind it, with and
 * without a last semicolon.
 */
static void
keys_white_space_anywhere(void **state)
{
	static const char *const white[] = {
		" ", "\\t", "   ", "\\r\\n ", " \\r\\n\\t ",
	};
	static const char *const ends[] = {
		"", " ", ";", " ;", "; ", ";\\r\\n ", "\\r\\n ", " ; \\t",
	};
	const char *p[] = { ED_P, rsa_p };
	size_t i, k, at, n;

	(void)state;
	for (i = 0; i < 2; i++) {
		const char *field = i == 0 ? ed_field : rsa_field;
		const char *head = i == 0 ? "k=ed25519; p=" : "p=";

		n = strlen(p[i]);
		for (k = 0; k < TEST_COUNT(white); k++)
			for (at = 0; at <= n; at++)
				want("inside", field, "pass", "%s%.*s%s%s\n",
				    head, (int)at, p[i], white[k], p[i] + at);
		for (k = 0; k < TEST_COUNT(ends); k++)
			want("behind", field, "pass", "%s%s%s\n", head, p[i],
			    ends[k]);
	}
}

/*
 * An answer with one TXT record, in strings of so many octets, empty ones
 * between them when wanted.
 */
static void
put_answer(struct slice record, size_t piece, bool empty, struct buf *out)
{
	static const char head[] = "\x12\x34\x81\x80\0\1\0\1\0\0\0\0"
	    "\3sel\12_domainkey\7example\3com\0\0\20\0\1"
	    "\xc0\x0c\0\20\0\1\0\0\1\0";
	size_t at, n, strings = (record.n + piece - 1) / piece;
	size_t octets = record.n + strings + (empty ? strings : 0);

	buf_add(out, slice_of(head, sizeof(head) - 1));
	buf_add_octet(out, (uint8_t)(octets >> 8));
	buf_add_octet(out, (uint8_t)octets);
	for (at = 0; at < record.n; at += n) {
		n = record.n - at < piece ? record.n - at : piece;
		buf_add_octet(out, (uint8_t)n);
		buf_add(out, slice_sub(record, at, n));
		if (empty)
			buf_add_octet(out, 0);
	}
	assert_int_equal(buf_end(out), 0);
}

/*
 * Row 23: a record in strings of every length is one record, nothing put
 * between.
 */
static void
keys_strings_joined(void **state)
{
	struct dnspacket packet;
	struct slice record;
	struct buf wire;
	char text[512];
	size_t piece;

	(void)state;
	snprintf(text, sizeof(text), "v=DKIM1; k=rsa; p=%s", rsa_p);
	record = slice_text(text);
	buf_init(&wire, 65536);
	for (piece = 1; piece <= 255; piece++)
		for (size_t empty = 0; empty < 2; empty++) {
			buf_reset(&wire);
			put_answer(record, piece, empty == 1, &wire);
			assert_int_equal(dnspacket_parse(buf_slice(&wire),
			    PROBLEMS_NAME, &packet), 0);
			test_int("records", packet.n, 1);
			test_octets("record", packet.records[0].p,
			    packet.records[0].n, record.p, record.n);
			dnspacket_clear(&packet);
		}
	buf_clear(&wire);
}

/*
 * Row 24: v= at each place of a record and in each form; tags that nobody knows
 * at each place.
 */
static void
keys_version_and_unknown_tags(void **state)
{
	static const char *const tags[] = { "h=sha256", "k=ed25519", "s=*",
	    ("p=" ED_P) };
	static const struct {
		const char	*tag;
		bool		 anywhere, first;
	} rows[] = {
		{ "", true, true },
		{ "v=DKIM1;", false, true }, { " v = DKIM1 ;", false, true },
		{ "v=DKIM2;", false, false }, { "v=dkim1;", false, false },
		{ "v=DKIM10;", false, false }, { "v=DKIM;", false, false },
		{ "v=;", false, false }, { "v=1;", false, false },
		{ "V=DKIM1;", true, true }, { "g=nobody;", true, true },
		{ "n=DKIM2 p;", true, true }, { "x_1=;", true, true },
		{ "vv=x;", true, true },
	};
	char record[512];
	size_t i, place, k;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++)
		for (place = 0; place <= TEST_COUNT(tags); place++) {
			bool good = place == 0 ? rows[i].first :
			    rows[i].anywhere;

			record[0] = '\0';
			for (k = 0; k <= TEST_COUNT(tags); k++) {
				if (k == place)
					strcat(record, rows[i].tag);
				if (k < TEST_COUNT(tags))
					sprintf(record + strlen(record), "%s;",
					    tags[k]);
			}
			want(record, ed_field, good ? "pass" :
			    "permerror: key syntax error: bad v=", "%s\n",
			    record);
		}
}

/*
 * Row 25: sets of records at one name, in each order: the best of them counts,
 * and no two are read as one.
 */
static void
keys_several_records(void **state)
{
	static const char *const wants[] = {
		"pass", "policy: key is too small",
		"fail: signature did not verify", "permerror: key revoked",
		"permerror: key syntax error",
	};
	struct rsab_key *small, *other;
	char *records[5], dns[8192];
	size_t set, turn, i, best;

	(void)state;
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 768,
	    &small), 0);
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, 1024,
	    &other), 0);
	records[0] = made_dns(rsa, PROBLEMS_NAME);
	records[1] = made_dns(small, PROBLEMS_NAME);
	records[2] = made_dns(other, PROBLEMS_NAME);
	records[3] = strdup(NAME "v=DKIM1; p=\n");
	records[4] = strdup(NAME "google-site-verification\n");
	for (set = 1; set < 32; set++)
		for (turn = 0; turn < 5; turn++) {
			dns[0] = '\0';
			for (best = 0; (set >> best & 1) == 0; best++)
				;
			for (i = 0; i < 5; i++)
				if (set >> (i + turn) % 5 & 1)
					strcat(dns, records[(i + turn) % 5]);
			problems_want("set", rsa_field, FROM, slice_text(BODY),
			    dns, wants[best]);
		}
	snprintf(dns, sizeof(dns), NAME "v=DKIM1; k=ed25519; \n" NAME
	    "p=" ED_P "\n");
	problems_want("halves", ed_field, FROM, slice_text(BODY), dns,
	    "permerror");
	snprintf(dns, sizeof(dns), NAME "v=DKIM1; p=%.100s\n" NAME "%s\n",
	    rsa_p, rsa_p + 100);
	problems_want("cut", rsa_field, FROM, slice_text(BODY), dns,
	    "permerror");
	for (i = 0; i < 5; i++)
		free(records[i]);
	rsab_key_unref(small);
	rsab_key_unref(other);
}

/*
 * Row 26: an empty p= is a revoked key whatever stands round it.
 */
static void
keys_revoked(void **state)
{
	static const char *const empty[] = {
		"p=", "p= ", "p=\\t", "p=\\r\\n ", " p = ",
	};
	static const char *const before[] = {
		"", "v=DKIM1;", "v=DKIM1; k=rsa;", "k=ed25519;", "k=unknown;",
		"h=sha1;", "s=other;", "t=s;", "n=x;",
	};
	static const char *const behind[] = {
		"", ";", "; ", "; y=t", ";H=sha1;S=other",
	};
	size_t i, k, l;

	(void)state;
	for (i = 0; i < TEST_COUNT(empty); i++)
	for (k = 0; k < TEST_COUNT(before); k++)
	for (l = 0; l < TEST_COUNT(behind); l++)
		want(before[k], rsa_field, "permerror: key revoked", "%s%s%s\n",
		    before[k], empty[i], behind[l]);
}

/*
 * Row 27: any tag twice, with the same value or another, makes the list none:
 * in records and in signatures; names in other case are other tags.
 */
static void
keys_tag_twice(void **state)
{
	static const char *const of_record[] = {
		"v=DKIM1", "h=sha256", "k=ed25519", "n=x", ("p=" ED_P), "s=*",
		"t=", "x=1",
	};
	static const char *const of_field[] = {
		"v=1", "a=ed25519-sha256", "d=example.com", "s=sel", "h=From",
		"c=simple", "i=@example.com", "l=5", "q=dns/txt", "t=1",
		"x=99999999999", "z=From:x", "bh=%H", "b=%B", "y=1",
	};
	struct problems_field f = { NULL, "From", DKIM_SIMPLE, DKIM_SIMPLE,
	    ALL };
	char text[1024], reason[64], *field;
	size_t i, k, kind;

	(void)state;
	/* kind 0: none twice; 1: the same; 2: another value; 3: other case */
	for (kind = 0; kind < 4; kind++)
	for (i = 0; i < TEST_COUNT(of_record); i++) {
		text[0] = '\0';
		for (k = 0; k < TEST_COUNT(of_record); k++)
			sprintf(text + strlen(text), "%s;", of_record[k]);
		if (kind == 1)
			strcat(text, of_record[i]);
		if (kind > 1)
			sprintf(text + strlen(text), "%c=other",
			    kind == 2 ? of_record[i][0] :
			    of_record[i][0] & ~0x20);
		snprintf(reason, sizeof(reason),
		    "permerror: key syntax error: %.*s twice",
		    of_record[i][0] == 'x' ? 5 : 2, of_record[i][0] == 'x' ?
		    "a tag" : of_record[i]);
		want(text, ed_field, kind == 0 || kind == 3 ? "pass" :
		    reason, "%s\n", text);
	}
	for (kind = 0; kind < 4; kind++)
	for (i = 0; i < TEST_COUNT(of_field); i++) {
		size_t n = strcspn(of_field[i], "=");

		text[0] = '\0';
		for (k = 0; k < TEST_COUNT(of_field); k++)
			sprintf(text + strlen(text), " %s;", of_field[k]);
		if (kind == 1)
			sprintf(text + strlen(text), " %s", of_field[i]);
		if (kind > 1)
			sprintf(text + strlen(text), " %c%.*s=other",
			    kind == 2 ? of_field[i][0] :
			    of_field[i][0] & ~0x20, (int)n - 1,
			    of_field[i] + 1);
		f.text = text;
		field = problems_sign(&f, key, FROM, slice_text(BODY));
		want(text, field, kind == 0 || kind == 3 ? "pass" :
		    "permerror: signature syntax error: bad tag list",
		    "k=ed25519; p=" ED_P "\n");
		free(field);
	}
}

/*
 * One size on one backend: signed there, verified there, b= as long as the
 * modulus in octets; one octet more or less fails.
 */
static void
check_size(const char *pem, size_t pem_n, unsigned bits, const char *backend)
{
	struct rsab_job job = { .op = RSAB_OP_SIGN, .hash = RSAB_SHA256 };
	struct rsab_job *jobs[] = { &job };
	size_t size = (bits + 7) / 8;
	struct rsab_key *odd;
	char *field, *dns, row[64];

	snprintf(row, sizeof(row), "%u bits, %s", bits, backend);
	test_int(row, rsab_key_load_private(world.backend,
	    (const uint8_t *)pem, pem_n, &odd), 0);
	test_int(row, rsab_key_signature_size(odd), size);
	dns = made_dns(odd, PROBLEMS_NAME);
	field = sign("rsa-sha256", odd, "");
	problems_want(row, field, FROM, slice_text(BODY), dns, bits < 1024 ?
	    "policy: key is too small" : "pass");
	free(field);
	job.key = odd;
	memset(job.digest, 7, sizeof(job.digest));
	rsab_run(world.worker, jobs, 1);
	test_int(row, job.result, 0);
	test_int(row, job.signature_len, size);
	job.op = RSAB_OP_VERIFY;
	rsab_run(world.worker, jobs, 1);
	test_int(row, job.result, 0);
	job.signature_len = size - 1;
	rsab_run(world.worker, jobs, 1);
	test_true(row, job.result != 0);
	memmove(job.signature + 1, job.signature, size);
	job.signature[0] = 0;
	job.signature_len = size + 1;
	rsab_run(world.worker, jobs, 1);
	test_true(row, job.result != 0);
	free(dns);
	rsab_key_unref(odd);
}

/*
 * A key of so many bits: a new one, but of more than 2048 OpenSSL makes even
 * sizes only.
 */
static char *
make_pem(unsigned bits, size_t *n)
{
	struct rsab_key *odd;
	char *pem, *copy;

	if (bits == 2049)
		return replay_file(TESTS_SRCDIR "/vectors/rsa/keys-bn64",
		    "bits2049.pem", n);
	assert_int_equal(rsab_key_generate(world.backend, RSAB_RSA, bits,
	    &odd), 0);
	test_int("bits", rsab_key_bits(odd), bits);
	assert_int_equal(rsab_key_print_private(odd, &pem, n), 0);
	rsab_key_unref(odd);
	copy = strdup(pem);
	rsab_wipe_free(pem, *n);
	return copy;
}

/*
 * Row 28: moduli of every size around a whole number of octets, on each backend
 * and path that this machine has.
 */
static void
keys_odd_moduli(void **state)
{
	static const unsigned sizes[] = {
		1017, 1023, 1024, 1025, 1028, 1031, 1032, 1033, 1148, 1535,
		2047, 2049,
	};
	static const char *const backends[] = {
		"libcrypto", "bn64", "bn64:portable", "bn64:adx", "bn64:ifma",
		"bn64:emulated",
	};
	const struct rsab_backend *usual = world.backend;
	size_t i, k, n;
	char *pem;

	(void)state;
	for (i = 0; i < TEST_COUNT(sizes); i++) {
		pem = make_pem(sizes[i], &n);
		for (k = 0; k < TEST_COUNT(backends); k++)
			if (rsab_backend_find(backends[k], &world.backend) ==
			    0)
				check_size(pem, n, sizes[i], backends[k]);
		world.backend = usual;
		free(pem);
	}
}

static double
seconds(clock_t begun)
{
	return (double)(clock() - begun) / CLOCKS_PER_SEC;
}

/*
 * RSAPublicKey in DER and base64, as p= may have it: a modulus of n octets with
 * all bits set and the exponent 65537. Lengths take two octets.
 */
static void
print_modulus(size_t n, char *out)
{
	uint8_t der[4200];
	size_t at = 0, all = 4 + 1 + n + 5;

	assert_true(n > 255 && n + 20 < sizeof(der));
	memset(der, 0xff, sizeof(der));
	der[at++] = 0x30;
	der[at++] = 0x82;
	der[at++] = (uint8_t)(all >> 8);
	der[at++] = (uint8_t)all;
	der[at++] = 0x02;
	der[at++] = 0x82;
	der[at++] = (uint8_t)((n + 1) >> 8);
	der[at++] = (uint8_t)(n + 1);
	der[at++] = 0;
	at += n;
	memcpy(der + at, "\x02\x03\x01\0\x01", 5);
	at += 5;
	base64_write(slice_of(der, at), (uint8_t *)out);
	out[BASE64_SIZE(at)] = '\0';
}

/*
 * Row 29: records of all sizes from the cap to 64 KB, and p= of keys from 8200
 * to 32768 bits: no key is made of them, at no cost; RSA-8192, whose record is
 * longer than 1,023 characters, signs and verifies.
 */
static void
keys_huge(void **state)
{
	static const size_t octets[] = { 16384, 16385, 32768, 65535 };
	char *record, *dns, *field, *pem;
	struct rsab_key *large;
	clock_t begun = clock();
	size_t i, n;

	(void)state;
	record = calloc(1, 70000);
	for (i = 0; i < TEST_COUNT(octets); i++) {
		n = (size_t)sprintf(record, "k=ed25519; p=" ED_P "; n=");
		memset(record + n, 'x', octets[i] - n);
		record[octets[i]] = '\0';
		want("long", ed_field, i == 0 ? "pass" :
		    "permerror: key record is too long", "%s\n", record);
	}
	for (i = 8200; i <= 32768; i += 8) {
		print_modulus(i / 8, record);
		want("large", rsa_field,
		    "permerror: key is larger than 8192 bits", "p=%s\n",
		    record);
	}
	free(record);
	test_true("no time at all", seconds(begun) < 5);
	pem = replay_file(TESTS_SRCDIR "/vectors/rsa/keys-bn64",
	    "bits8192.pem", &n);
	assert_non_null(pem);
	assert_int_equal(rsab_key_load_private(world.backend,
	    (const uint8_t *)pem, n, &large), 0);
	dns = made_dns(large, PROBLEMS_NAME);
	test_true("the record is long", strlen(dns) > 1023);
	field = sign("rsa-sha256", large, "");
	problems_want("RSA-8192", field, FROM, slice_text(BODY), dns, "pass");
	rsab_key_unref(large);
	free(field);
	free(dns);
	free(pem);
}

/*
 * Row 30: each algorithm against each way to write a key and its type: only
 * those that belong together pass, all others are permerror.
 */
static void
keys_of_another_type(void **state)
{
	static const struct {
		const char	*k;
		bool		 rsa, ed25519;
	} rows[] = {
		{ "", true, false }, { "k=rsa; ", true, false },
		{ "k=RSA; ", true, false }, { "k=ed25519; ", false, true },
		{ "k=Ed25519; ", false, true }, { "k=; ", false, false },
		{ "k=dsa; ", false, false },
		{ "k=rsa:ed25519; ", false, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < TEST_COUNT(rows); i++) {
		want(rows[i].k, rsa_field, rows[i].rsa ? "pass" : "permerror",
		    "%sp=%s\n", rows[i].k, rsa_p);
		want(rows[i].k, ed_field, rows[i].ed25519 ? "pass" :
		    "permerror", "%sp=%s\n", rows[i].k, ED_P);
		want(rows[i].k, rsa_field, "permerror", "%sp=%s\n", rows[i].k,
		    ED_P);
		want(rows[i].k, ed_field, "permerror", "%sp=%s\n", rows[i].k,
		    rsa_p);
	}
}

/*
 * A colon list of the words of a set, with white space round them.
 */
static void
put_list(const char *const *words, size_t set, char *out)
{
	size_t i;

	out[0] = '\0';
	for (i = 0; set >> i != 0; i++)
		if (set >> i & 1)
			sprintf(out + strlen(out), "%s%s ",
			    out[0] == '\0' ? "" : ":", words[i]);
}

/*
 * Row 31: h=, s= and t= with each set of words, known and unknown.
 */
static void
keys_lists_of_words(void **state)
{
	static const char *const hashes[] = { "sha1", "x-hash", "sha512",
	    "SHA256" };
	static const char *const services[] = { "tlsrpt", "x", "*", "Email" };
	static const char *const flags[] = { "x", "y", "S" };
	static const char *const identities[] = { "", "i=@example.com; ",
	    "i=a@EXAMPLE.com; ", "i=@mail.example.com; " };
	char list[128], *field;
	size_t set, i;

	(void)state;
	for (set = 0; set < 16; set++) {
		put_list(hashes, set, list);
		want(list, ed_field, set & 8 ? "pass" :
		    "permerror: inappropriate hash algorithm",
		    "k=ed25519; h=%s; p=" ED_P "\n", list);
		put_list(services, set, list);
		want(list, ed_field, set & 12 ? "pass" :
		    "permerror: key is not for email",
		    "k=ed25519; s=%s; p=" ED_P "\n", list);
	}
	for (i = 0; i < TEST_COUNT(identities); i++) {
		field = sign("ed25519-sha256", key, identities[i]);
		for (set = 0; set < 8; set++) {
			put_list(flags, set, list);
			want(list, field, set & 4 && i == 3 ?
			    "permerror: domain mismatch: i= in a subdomain, "
			    "key has t=s" : "pass",
			    "k=ed25519; t=%s; p=" ED_P "\n", list);
		}
		free(field);
	}
}

/*
 * Row 31: t=y changes no verdict and is shown beside each.
 */
static void
keys_testing_is_shown(void **state)
{
	static const char *const records[] = {
		("k=ed25519; p=" ED_P), "p=", ("k=rsa; p=" ED_P),
		("h=sha1; k=ed25519; p=" ED_P),
		("s=x; k=ed25519; p=" ED_P),
	};
	const struct dkim_verdict *v;
	struct replay_message m;
	enum dkim_result plain;
	size_t i, changed, testing;
	char dns[256], *lines;

	(void)state;
	assert_true(asprintf(&lines, "%s" FROM, ed_field) >= 0);
	for (i = 0; i < TEST_COUNT(records); i++)
		for (changed = 0; changed < 2; changed++)
			for (testing = 0; testing < 2; testing++) {
				snprintf(dns, sizeof(dns), NAME "%s%s\n",
				    testing ? "t=y; " : "", records[i]);
				problems_verify(lines, slice_text(changed ?
				    "x\r\n" : BODY), NULL, 0, dns, &made_plain,
				    &m);
				v = dkim_verifier_verdict(m.verifier, 0);
				test_int(records[i], v->testing, testing);
				if (testing)
					test_int(records[i], v->result, plain);
				plain = v->result;
				replay_done(&m);
			}
	free(lines);
}

/*
 * Row 32: whatever the DNS says but a record: no pass, of a good message as of
 * a bad one, and what can be tried again is a temperror.
 */
static void
keys_not_there(void **state)
{
	static const struct {
		struct dkim_answer	 answer;
		bool			 answered;
		const char		*want;
	} rows[] = {
		{ { DKIM_ANSWER_NO_KEY, NULL, 0, NULL }, true,
		    "permerror: no key for signature" },
		{ { DKIM_ANSWER_NO_KEY, NULL, DKIM_DNSSEC_SECURE, "x" }, true,
		    "permerror: no key for signature" },
		{ { DKIM_ANSWER_FOUND, NULL, 0, NULL }, true,
		    "permerror: no key for signature" },
		{ { DKIM_ANSWER_OVER, NULL, 0, NULL }, true,
		    "permerror: too many key look-ups" },
		{ { DKIM_ANSWER_TEMPERROR, NULL, 0, NULL }, true,
		    "temperror: key unavailable" },
		{ { DKIM_ANSWER_TEMPERROR, NULL, 0, "SERVFAIL" }, true,
		    "temperror: key unavailable: SERVFAIL" },
		{ { DKIM_ANSWER_TEMPERROR, NULL, 0, "timeout" }, true,
		    "temperror: key unavailable: timeout" },
		{ { DKIM_ANSWER_TEMPERROR, NULL, 0, "REFUSED" }, true,
		    "temperror: key unavailable" },
		{ { DKIM_ANSWER_FOUND, NULL, DKIM_DNSSEC_BOGUS, NULL }, true,
		    "temperror: key unavailable: DNSSEC bogus" },
		{ { 0, NULL, 0, NULL }, false, "temperror: key unavailable" },
	};
	struct replay_message m;
	size_t i, changed;
	char *lines;

	(void)state;
	assert_true(asprintf(&lines, "%s" FROM, ed_field) >= 0);
	for (i = 0; i < TEST_COUNT(rows); i++)
		for (changed = 0; changed < 2; changed++) {
			m.header = made_header(lines);
			assert_int_equal(dkim_verifier_new(world.lib, m.header,
			    &made_plain, &m.verifier), 0);
			if (rows[i].answered)
				dkim_verifier_answer(m.verifier, 0,
				    rows[i].answer);
			assert_int_equal(dkim_verifier_body(m.verifier,
			    slice_text(changed ? "x\r\n" : BODY)), 0);
			assert_int_equal(dkim_verifier_body_end(m.verifier),
			    0);
			assert_int_equal(dkim_verifier_finish(m.verifier,
			    world.worker), 0);
			made_want(rows[i].want, &m, 0, rows[i].want);
			replay_done(&m);
		}
	free(lines);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_white_space_anywhere),
		cmocka_unit_test(keys_strings_joined),
		cmocka_unit_test(keys_version_and_unknown_tags),
		cmocka_unit_test(keys_several_records),
		cmocka_unit_test(keys_revoked),
		cmocka_unit_test(keys_tag_twice),
		cmocka_unit_test(keys_odd_moduli),
		cmocka_unit_test(keys_huge),
		cmocka_unit_test(keys_of_another_type),
		cmocka_unit_test(keys_lists_of_words),
		cmocka_unit_test(keys_testing_is_shown),
		cmocka_unit_test(keys_not_there),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
