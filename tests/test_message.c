/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The message of dkimbench, its signatures to compare with, and the trace of
 * the calls that it takes. Sizes of updates: a file of 2009 that traced the
 * same message.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/digest_trace.h"
#include "bench/legacy_key.h"

/* this room */
#include "tests/test.h"

static struct reference *key;
static struct message message;
static struct message_reference *reference;

static int
set_up(void **state)
{
	(void)state;
	if (reference_parse(legacy_key, 1, &key) != 0 ||
	    message_make(&message, 1024, true, 1) != 0)
		return -1;
	return message_reference_make(key, &message, DKIM_RELAXED,
	    DKIM_SIMPLE, &reference);
}

static int
tear_down(void **state)
{
	(void)state;
	message_reference_free(reference);
	message_clear(&message);
	reference_free(key);
	return 0;
}

static void
message_make_lines(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 75, 76, 77, 78, 152, 153, 154,
	    155, 1024, 70000 };
	struct message m, again, other;

	(void)state;
	for (size_t i = 0; i < 2 * TEST_COUNT(sizes); i++) {
		size_t size = sizes[i / 2], column = 0;
		bool line_end = i % 2 != 0;

		test_int("make", message_make(&m, size, line_end, 7), 0);
		test_int("octets", m.octets, size + (line_end ? 2 : 0));
		for (size_t k = 0; k < m.octets; k++) {
			if (m.body[k] == '\r') {
				test_true("LF behind CR", k + 1 < m.octets &&
				    m.body[k + 1] == '\n');
				k++;
				column = 0;
				continue;
			}
			test_true("printable", m.body[k] >= ' ' &&
			    m.body[k] <= '~');
			column++;
			/* one more where a line end would be cut in two */
			test_true("line", column <= 75 ||
			    (column == 76 && k + 1 == size));
		}
		test_int("again", message_make(&again, size, line_end, 7), 0);
		test_octets("the same", m.body, m.octets, again.body,
		    again.octets);
		test_int("other", message_make(&other, 1024, line_end, 8), 0);
		if (size == 1024)
			test_true("another seed", memcmp(m.body, other.body,
			    1024) != 0);
		message_clear(&m);
		message_clear(&again);
		message_clear(&other);
	}
}

static void
message_reference_corrupt_one_digit(void **state)
{
	struct buf *field = &reference->field[3];
	char *before = strndup((const char *)field->p, field->n);

	(void)state;
	test_true("copy", before != NULL);
	for (size_t number = 0; number < 400; number++) {
		size_t other = 0, at = 0;

		message_reference_corrupt(reference, 3, number);
		for (size_t i = 0; i < field->n; i++)
			if (field->p[i] != (uint8_t)before[i]) {
				other++;
				at = i;
			}
		test_int("octets that differ", other, 1);
		test_true("behind b=", strstr(before + at, "b=") == NULL);
		message_reference_corrupt(reference, 3, number);
		test_octets("put right", field->p, field->n, before,
		    strlen(before));
	}
	free(before);
}

static void
message_reference_counts_octets(void **state)
{
	(void)state;
	/* the body as it is; 302 of the eight fields, 202 of our own */
	test_int("body", reference->hashed[0], 1026);
	test_int("header", reference->hashed[1], 302 + 202);
}

/*
 * 47 26 26 45 49 38 27 and 44: the fields in the order of h=, Received from
 * the bottom.
 */
#define HEADER \
	"SHA256_Init\nSHA256_Update 47\nSHA256_Update 26\n" \
	"SHA256_Update 26\nSHA256_Update 45\nSHA256_Update 49\n" \
	"SHA256_Update 38\nSHA256_Update 27\nSHA256_Update 44\n" \
	"SHA256_Update 202\nSHA256_Final\n"
#define BODY \
	"SHA256_Init\nSHA256_Update 1024\nSHA256_Update 2\nSHA256_Final\n"

static void
digest_trace_of_2009(void **state)
{
	char text[2000];
	FILE *out;

	(void)state;
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	test_int("sign", digest_trace_print(reference, RSAB_OP_SIGN, false,
	    out), 0);
	fclose(out);
	test_str("sign", text, BODY HEADER
	    "RSA_sign siglen=128 diglen=32\n");
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	test_int("verify", digest_trace_print(reference, RSAB_OP_VERIFY, false,
	    out), 0);
	fclose(out);
	test_str("verify", text, BODY HEADER
	    "RSA_verify siglen=128 diglen=32\n");
}

static void
digest_trace_tsv(void **state)
{
	static const char begin[] = "#call\toctets\tdigest\nSHA256_Init\t-\t-\n"
	    "SHA256_Update\t1024\t-\n";
	static const char end[] = "SHA256_Final\t-\t-\nRSA_sign\t128\t32\n";
	char text[2000];
	FILE *out;

	(void)state;
	memset(text, 0, sizeof text);
	out = fmemopen(text, sizeof text, "w");
	test_int("sign", digest_trace_print(reference, RSAB_OP_SIGN, true,
	    out), 0);
	fclose(out);
	test_octets("begins", text, sizeof begin - 1, begin, sizeof begin - 1);
	test_str("ends", text + strlen(text) - (sizeof end - 1), end);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_make_lines),
		cmocka_unit_test(message_reference_corrupt_one_digit),
		cmocka_unit_test(message_reference_counts_octets),
		cmocka_unit_test(digest_trace_of_2009),
		cmocka_unit_test(digest_trace_tsv),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
