/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who owns a want: two references, the last one gives all back.
 */

/* this room */
#include "tests/session_made.h"

static struct conf *conf;
static struct inbox *inbox;

static int
open_both(void **state)
{
	(void)state;
	conf = made_conf(MADE_TABLES);
	return inbox_new(&inbox);
}

static int
close_both(void **state)
{
	(void)state;
	inbox_close(inbox);
	inbox_unref(inbox);
	conf_unref(conf);
	return 0;
}

static struct want *
make(enum want_kind kind)
{
	struct want *w;

	assert_int_equal(want_new(kind, inbox, conf, &w), 0);
	return w;
}

static void
want_two_references(void **state)
{
	unsigned before = atomic_load(&conf->refs);
	struct want *w;
	int kind;

	(void)state;
	for (kind = WANT_ROWS; kind <= WANT_SIGNATURE; kind++) {
		w = make((enum want_kind)kind);
		test_int("references", atomic_load(&w->refs), 2);
		test_int("a configuration's", atomic_load(&conf->refs),
		    before + 1);
		want_unref(w);
		test_int("one left", atomic_load(&w->refs), 1);
		want_unref(w);
		test_int("given back", atomic_load(&conf->refs), before);
	}
	want_unref(NULL);
}

/*
 * What an answer holds goes with it (leaks: the sanitizer).
 */
static void
want_gives_answers_back(void **state)
{
	struct slice record = slice_text("v=DKIM1; p=");
	struct want *w;

	(void)state;
	w = make(WANT_PUBLIC_KEY);
	assert_int_equal(dkim_keyset_parse(made.backend, &record, 1,
	    &w->public_key.answer.keyset), 0);
	want_unref(w);
	want_unref(w);
	w = make(WANT_PRIVATE_KEY);
	w->private_key.key = rsab_key_ref(made.rsa);
	want_unref(w);
	want_unref(w);
	w = make(WANT_SIGNATURE);
	w->signature.key = rsab_key_ref(made.rsa);
	want_unref(w);
	want_unref(w);
}

/*
 * The inbox lives as long as a want refers to it.
 */
static void
want_outlives_the_session(void **state)
{
	struct inbox *own;
	struct want *w;

	(void)state;
	assert_int_equal(inbox_new(&own), 0);
	assert_int_equal(want_new(WANT_ROWS, own, conf, &w), 0);
	want_unref(w);		/* the asker leaves */
	inbox_close(own);
	inbox_unref(own);
	inbox_put(own, w);	/* the answer comes after all */
}

static bool
make_once(void *arg)
{
	struct want *w;
	struct inbox *own;

	(void)arg;
	if (inbox_new(&own) != 0)
		return false;
	if (want_new(WANT_ROWS, own, conf, &w) != 0) {
		inbox_unref(own);
		return false;
	}
	want_unref(w);
	want_unref(w);
	inbox_unref(own);
	return true;
}

static void
want_allocations(void **state)
{
	(void)state;
	test_int("sites", test_every_allocation(make_once, NULL), 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(want_two_references,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(want_gives_answers_back,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(want_outlives_the_session,
		    open_both, close_both),
		cmocka_unit_test_setup_teardown(want_allocations, open_both,
		    close_both),
	};

	return MADE_RUN(tests);
}
