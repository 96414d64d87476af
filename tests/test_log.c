/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log, against a syslog socket of the test's own: form, escapes, lines
 * held back, and a syslog that stands still.
 */

/* system */
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/clock.h"
#include "milter/log.h"
#include "milter/stats.h"

static char folder[64], path[108];
static int syslog_fd;
static char line[LOG_TEXT_MAX + 256];

static int
set_up(void **state)
{
	struct options options = { .syslog = true,
	    .syslog_name = (char *)(uintptr_t)"tester" };
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/logXXXXXX");
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
	syslog_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (bind(syslog_fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		return -1;
	log_open_at(&options, false, path);
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	close(syslog_fd);
	unlink(path);
	rmdir(folder);
	return 0;
}

/* The next line that syslog got, or "". */
static const char *
next(void)
{
	ssize_t n = recv(syslog_fd, line, sizeof(line) - 1, 0);

	line[n < 0 ? 0 : n] = '\0';
	return line;
}

static const char *
text_of(const char *whole)
{
	const char *at = strstr(whole, "]: ");

	return at == NULL ? whole : at + 3;
}

static void
log_line_form(void **state)
{
	char want[64];

	(void)state;
	log_line(LOG_WARNING, "value %d of %s", 5, "x");
	next();
	/* RFC 3164 s4.1.1: facility mail (2 << 3) and severity 4 */
	test_true("priority", strncmp(line, "<20>", 4) == 0);
	snprintf(want, sizeof(want), " tester[%ld]: ", (long)getpid());
	test_true("name and process", strstr(line, want) != NULL);
	test_str("text", text_of(line), "value 5 of x");
	test_str("one line", next(), "");
}

static void
log_line_escapes(void **state)
{
	(void)state;
	log_line(LOG_INFO, "a\nb\tc\x7f\x1b");
	test_str("control octets", text_of(next()),
	    "a\\x0ab\\x09c\\x7f\\x1b");
}

static void
log_line_long(void **state)
{
	char *big = malloc(3 * LOG_TEXT_MAX);

	(void)state;
	memset(big, 'x', 3 * LOG_TEXT_MAX - 1);
	big[3 * LOG_TEXT_MAX - 1] = '\0';
	log_line(LOG_INFO, "%s", big);
	next();
	test_true("bounded", strlen(text_of(line)) <= LOG_TEXT_MAX);
	test_str("and says so", line + strlen(line) - 3, "...");
	memset(big, '\n', 3 * LOG_TEXT_MAX - 1);
	log_line(LOG_INFO, "%s", big);
	next();
	test_true("bounded when escaped", strlen(text_of(line)) <=
	    LOG_TEXT_MAX);
	test_str("and says so", line + strlen(line) - 3, "...");
	free(big);
}

static void
log_limited_counts(void **state)
{
	uint64_t before = stats_get(STAT_LOG_SUPPRESSED);

	(void)state;
	for (int i = 0; i < 5; i++)
		log_limited(LOG_ERR, "key /a", "number %d", i);
	log_limited(LOG_ERR, "key /b", "other");
	test_str("the first", text_of(next()), "number 0");
	test_str("another key", text_of(next()), "other");
	test_str("nothing else", next(), "");
	test_int("counted", stats_get(STAT_LOG_SUPPRESSED) - before, 4);
	log_flush();
	test_str("told at the end", text_of(next()),
	    "key /a: 4 more like it held back");
	test_str("once", next(), "");
}

static void
log_limited_many_keys(void **state)
{
	char key[32];

	(void)state;
	for (int i = 0; i < 4 * LOG_KEYS_MAX; i++) {
		snprintf(key, sizeof(key), "key %d", i);
		log_limited(LOG_ERR, key, "line %d", i);
		test_true("each new key is written",
		    strncmp(text_of(next()), "line ", 5) == 0);
	}
	log_limited(LOG_ERR, "key 0", "again");
	test_str("the oldest was forgotten", text_of(next()), "again");
	log_flush();
	while (next()[0] != '\0')
		continue;
}

static bool
wait_for_line(void)
{
	struct pollfd p = { .fd = syslog_fd, .events = POLLIN };

	return poll(&p, 1, 5000) == 1;
}

/* With the writer: callers never wait, lines are lost and counted. */
static void
log_line_syslog_stands(void **state)
{
	uint64_t before = stats_get(STAT_LOG_DROPPED), start, lost;
	int lines = 0;
	bool told = false;

	(void)state;
	log_start();
	start = clock_us();
	for (int i = 0; i < LOG_QUEUE_MAX + 2000; i++)
		log_line(LOG_INFO, "line %d", i);
	test_true("nobody waited", clock_us() - start < 2000000);
	lost = stats_get(STAT_LOG_DROPPED) - before;
	test_true("some were lost", lost > 0);
	/* It reads again */
	while ((lines + (int)lost < LOG_QUEUE_MAX + 2000 || !told) &&
	    wait_for_line()) {
		next();
		lines += strncmp(text_of(line), "line ", 5) == 0;
		told = told || strstr(line, "lines lost") != NULL;
	}
	test_true("and that is told", told);
	test_int("none is missing", lines + (int)lost, LOG_QUEUE_MAX + 2000);
}

static void
log_line_no_memory(void **state)
{
	uint64_t before = stats_get(STAT_LOG_DROPPED);

	(void)state;
	failmalloc_at(1);
	log_line(LOG_INFO, "lost");
	failmalloc_off();
	test_int("counted", stats_get(STAT_LOG_DROPPED) - before, 1);
	log_flush();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_line_form),
		cmocka_unit_test(log_line_escapes),
		cmocka_unit_test(log_line_long),
		cmocka_unit_test(log_limited_counts),
		cmocka_unit_test(log_limited_many_keys),
		cmocka_unit_test(log_line_syslog_stands),
		cmocka_unit_test(log_line_no_memory),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
