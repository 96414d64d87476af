/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket's file at start, and descriptors that run out.
 */

/* system */
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* this room */
#include "tests/capture.h"
#include "milter/descriptors.h"
#include "milter/listen.h"

static struct capture capture;

static int
listen_at(const char *path)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(strlen(path) < sizeof(sun.sun_path));
	memcpy(sun.sun_path, path, strlen(path));
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static int
prepare(const char *path)
{
	char text[512];

	capture_init(&capture);
	snprintf(text, sizeof(text), "unix:%s", path);
	return listen_prepare(text, &capture.report);
}

static void
listen_prepare_stale(void **state)
{
	const char *file = capture_text("file", "x");
	char path[256], inside[300];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/sock", capture_dir());
	test_int("nothing there", prepare(path), 0);
	fd = listen_at(path);
	test_int("somebody listens", prepare(path), -1);
	capture_check("somebody listens", &capture, "another process");
	test_int("it is still there", access(path, F_OK), 0);
	close(fd);
	test_int("stale", prepare(path), 0);
	test_int("gone", access(path, F_OK), -1);
	test_int("no socket", prepare(file), -1);
	capture_check("no socket", &capture, "is no socket");
	test_int("still there", access(file, F_OK), 0);
	snprintf(inside, sizeof(inside), "%s/missing/sock", capture_dir());
	test_int("no folder", prepare(inside), -1);
	capture_check("no folder", &capture, "install -d");
}

static void
listen_path_kinds(void **state)
{
	(void)state;
	test_str("local", listen_path("local:/a"), "/a");
	test_str("unix", listen_path("unix:/a"), "/a");
	test_str("bare", listen_path("/a"), "/a");
	test_true("inet", listen_path("inet:1@localhost") == NULL);
	test_int("inet has no file", listen_prepare("inet:1@localhost",
	    &capture.report), 0);
}

static void
descriptors_reserve(void **state)
{
	struct descriptors d;
	struct rlimit was, now;
	int fds[64], n = 0, lowest;

	(void)state;
	assert_int_equal(descriptors_open(&d), 0);
	test_true("enough", descriptors_are_left(&d));
	lowest = dup(0);
	close(lowest);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	now = was;
	now.rlim_cur = (rlim_t)lowest + 17;	/* sixteen and this one */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &now), 0);
	test_true("one more", descriptors_are_left(&d));
	fds[n++] = dup(0);
	test_true("the reserve stays", !descriptors_are_left(&d));
	while (n < 17 && (fds[n] = dup(0)) >= 0)
		n++;
	/* some of these numbers may be taken by what started us */
	test_true("they were kept back", n > 8);
	test_true("none", !descriptors_are_left(&d));
	test_int("the spare one was let go", atomic_load(&d.spare), -1);
	test_true("none until one is freed", !descriptors_are_left(&d));
	while (n > 0)
		close(fds[--n]);
	descriptors_freed(&d);
	test_true("taken back", atomic_load(&d.spare) >= 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	test_true("enough again", descriptors_are_left(&d));
	close(atomic_load(&d.spare));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listen_prepare_stale),
		cmocka_unit_test(listen_path_kinds),
		cmocka_unit_test(descriptors_reserve),
	};

	return CAPTURE_RUN(tests);
}
