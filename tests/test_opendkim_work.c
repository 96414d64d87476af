/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libopendkim at work for bench/opendkim-loops: what is wrong with one message
 * ends the measurement. Only where libopendkim is.
 */

/* system */
#include <sysexits.h>

/* bench */
#include "bench/legacy_key.h"
#include "bench/message_reference.h"
#include "bench/opendkim_work.h"

/* this room */
#include "tests/test.h"

static struct reference *key;
static struct message message;
static struct message_reference *reference;
static struct opendkim_mail mail;

static int
set_up(void **state)
{
	static const char *const fields[] = { "From: a@example.com",
	    "Subject: loops" };

	(void)state;
	if (reference_parse(legacy_key, 1, &key) != 0 ||
	    message_make(&message, 500, true, 1) != 0 ||
	    message_reference_make(key, &message, DKIM_RELAXED, DKIM_SIMPLE,
	    &reference) != 0)
		return -1;
	buf_add_nul(&reference->record);
	if (buf_end(&reference->record) != 0)
		return -1;
	mail = (struct opendkim_mail){ .n = 2, .body = message.body,
	    .octets = message.octets, .header_relaxed = true,
	    .domain = MESSAGE_DOMAIN, .selector = MESSAGE_SELECTOR,
	    .pem = key->pem, .now = MESSAGE_NOW,
	    .record = (const char *)reference->record.p };
	memcpy(mail.fields, fields, sizeof(fields));
	return 0;
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
opendkim_work_runs(void **state)
{
	struct opendkim_work *work;

	(void)state;
	for (int sign = 0; sign < 2; sign++) {
		test_int("new", opendkim_work_new(&mail, sign != 0, &work),
		    0);
		test_true("a field with its leading space",
		    strncmp(opendkim_work_field(work), " v=1;", 5) == 0);
		test_int("run", opendkim_work_run(work, 0, 3), 0);
		opendkim_work_free(work);
	}
}

/*
 * The mail is another one than when the work was made: neither the signature
 * nor the verdict is the one before.
 */
static void
opendkim_work_tells_wrong(void **state)
{
	struct opendkim_mail other;
	struct opendkim_work *work;

	(void)state;
	for (int sign = 0; sign < 2; sign++) {
		other = mail;
		test_int("new", opendkim_work_new(&other, sign != 0, &work),
		    0);
		other.octets /= 2;
		test_int("another body", opendkim_work_run(work, 0, 1),
		    EX_SOFTWARE);
		opendkim_work_free(work);
	}
}

static void
opendkim_work_new_wrong_record(void **state)
{
	struct opendkim_mail other = mail;
	struct opendkim_work *work = NULL;

	(void)state;
	other.record = "v=DKIM1; p=";
	test_int("a key revoked", opendkim_work_new(&other, false, &work),
	    EX_SOFTWARE);
	test_true("nothing is given", work == NULL);
	other = mail;
	other.pem = "no key";
	test_int("no key", opendkim_work_new(&other, true, &work),
	    EX_SOFTWARE);
	test_true("nothing is given", work == NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opendkim_work_runs),
		cmocka_unit_test(opendkim_work_tells_wrong),
		cmocka_unit_test(opendkim_work_new_wrong_record),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
