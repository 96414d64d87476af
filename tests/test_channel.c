/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socketpair between supervisor and milter process.
 */

/* system */
#include <sys/socket.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/channel.h"

static int ends[2];

static int
open_ends(void **state)
{
	(void)state;
	return channel_open(ends);
}

static int
close_ends(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void
channel_send_each(void **state)
{
	struct channel_message m;

	(void)state;
	for (int kind = CHANNEL_RELOAD; kind < CHANNEL_KINDS; kind++) {
		test_int("send", channel_send(ends[0],
		    (enum channel_kind)kind, "some text"), 0);
		test_int("receive", channel_receive(ends[1], &m), 1);
		test_int("kind", m.kind, kind);
		test_str("text", m.text, "some text");
	}
	test_int("nothing more, and no wait", channel_receive(ends[1], &m), 0);
	test_int("two at once", channel_send(ends[1], CHANNEL_READY, ""), 0);
	test_int("two at once", channel_send(ends[1], CHANNEL_WATCHDOG, "b"),
	    0);
	test_int("first", channel_receive(ends[0], &m), 1);
	test_str("no text", m.text, "");
	test_int("second", channel_receive(ends[0], &m), 1);
	test_int("kept apart", m.kind, CHANNEL_WATCHDOG);
}

static void
channel_send_long(void **state)
{
	char text[2 * CHANNEL_TEXT_MAX];
	struct channel_message m;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	test_int("send", channel_send(ends[0], CHANNEL_READY, text), 0);
	test_int("receive", channel_receive(ends[1], &m), 1);
	test_int("cut", strlen(m.text), CHANNEL_TEXT_MAX - 1);
}

static void
channel_receive_junk(void **state)
{
	static const char *const junk[] = { "\0x", "\77x", "\377" };
	char big[2 * CHANNEL_TEXT_MAX];
	struct channel_message m;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(junk); i++) {
		test_int("send", send(ends[0], junk[i], 2, 0), 2);
		test_int("refused", channel_receive(ends[1], &m), -1);
	}
	memset(big, CHANNEL_READY, sizeof(big));
	test_int("send", send(ends[0], big, sizeof(big), 0), sizeof(big));
	test_int("too long", channel_receive(ends[1], &m), -1);
}

static void
channel_receive_end(void **state)
{
	struct channel_message m;

	(void)state;
	test_int("send", channel_send(ends[0], CHANNEL_STOP, ""), 0);
	close(ends[0]);
	test_int("what was sent", channel_receive(ends[1], &m), 1);
	test_int("then the end", channel_receive(ends[1], &m), -1);
	test_int("nobody there", channel_send(ends[1], CHANNEL_READY, ""), -1);
	ends[0] = dup(ends[1]);
}

static void
channel_send_full(void **state)
{
	int n = 0;

	(void)state;
	/* Must end: a supervisor that does not read stops nobody */
	while (channel_send(ends[0], CHANNEL_WATCHDOG, "") == 0 && n < 1000000)
		n++;
	test_true("full, without a wait", n < 1000000);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_ends, close_ends)
	const struct CMUnitTest tests[] = {
		TEST(channel_send_each),
		TEST(channel_send_long),
		TEST(channel_receive_junk),
		TEST(channel_receive_end),
		TEST(channel_send_full),
	};
	return TEST_RUN(tests);
}
