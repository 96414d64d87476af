/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The socket's file at start, and descriptors that run out.
 */

/* system */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* this room */
#include "tests/capture.h"
#include "milter/descriptors.h"
#include "milter/identity.h"
#include "milter/listen.h"
#include "milter/log.h"

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
	char path[256];
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
}

static struct identity who;

/* As the daemon that starts, or as dkimd -n beside one that runs. */
static int
check(const char *text, bool running)
{
	struct socketspec spec;
	struct listen_try how = { "f:1: Socket", &who, true, running };

	capture_init(&capture);
	identity_self(&who);
	assert_int_equal(socketspec_check(how.where, text, &capture.report,
	    &spec), 0);
	capture_init(&capture);
	return listen_check(&how, &spec, &capture.report);
}

/* Who may write there is whom the MTA talks to. */
static void
listen_check_open_folder(void **state)
{
	char folder[256], text[300];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/open", capture_dir());
	snprintf(text, sizeof(text), "local:%s/s", folder);
	test_int("folder", mkdir(folder, 0700), 0);
	test_int("ours", check(text, false), 0);
	capture_check("ours", &capture, NULL);
	test_int("mode", chmod(folder, 0777), 0);
	test_int("all", check(text, false), 0);
	capture_check("all", &capture, "W f:1: Socket: every user can put a");
	capture_check("all", &capture, "chmod o-w ");
	test_int("mode", chmod(folder, 01777), 0);
	test_int("sticky", check(text, false), 0);
	capture_check("sticky", &capture, NULL);
}

static void
listen_check_path(void **state)
{
	const char *file = capture_text("plain", "x");
	char path[256], group[IDENTITY_NAME_MAX], want[600];
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "%s/live", capture_dir());
	test_int("nothing there", check(path, false), 0);
	test_int("nothing stays", access(path, F_OK), -1);
	fd = listen_at(path);
	test_int("somebody listens", check(path, false), -1);
	capture_check("somebody listens", &capture, "F f:1: Socket: ");
	capture_check("somebody listens", &capture, "another process");
	test_int("for -n that may be dkimd", check(path, true), 0);
	close(fd);
	test_int("stale", check(path, false), 0);
	test_int("it is left", access(path, F_OK), 0);
	test_int("no socket", check(file, true), -1);
	capture_check("no socket", &capture, "is no socket");
	test_int("a folder", check(capture_dir(), true), -1);
	capture_check("a folder", &capture, "is no socket");
	snprintf(path, sizeof(path), "%s/missing/sock", capture_dir());
	test_int("no folder", check(path, true), -1);
	identity_group_name(who.gid, group);
	snprintf(want, sizeof(want), "f:1: Socket: the folder %s/missing is "
	    "not there; make it with\n  install -d -o %s -g %s -m 2750 "
	    "%s/missing", capture_dir(), who.user, group, capture_dir());
	capture_check("own user and group", &capture, want);
	test_int("Postfix's", check("/var/spool/postfix/no-such-folder/s",
	    true), -1);
	snprintf(want, sizeof(want), "-o %s -g postfix -m 2750 "
	    "/var/spool/postfix/no-such-folder\n", who.user);
	capture_check("Postfix's group", &capture, want);
}

/* A loopback port that nobody else has; out: who listens there. */
static int
listen_inet(unsigned *port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(sin);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &n), 0);
	*port = ntohs(sin.sin_port);
	return fd;
}

static void
listen_check_inet(void **state)
{
	unsigned port;
	char text[64];
	int fd = listen_inet(&port);

	(void)state;
	snprintf(text, sizeof(text), "inet:%u@127.0.0.1", port);
	test_int("in use", check(text, false), -1);
	capture_check("in use", &capture, "another process is listening");
	test_int("for -n that may be dkimd", check(text, true), 0);
	close(fd);
	test_int("free", check(text, false), 0);
	/* RFC 5737: an address that is nobody's */
	snprintf(text, sizeof(text), "inet:%u@192.0.2.1", port);
	test_int("not ours", check(text, true), -1);
	capture_check("not ours", &capture, "must be an address of this");
	/* RFC 6761 s6.4: a name that does not exist */
	snprintf(text, sizeof(text), "inet:%u@host.invalid", port);
	test_int("no host", check(text, true), -1);
	capture_check("no host", &capture, "the host host.invalid does not "
	    "resolve: ");
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
	/*
	 * Until there is none: some numbers may be taken by what started us,
	 * and a log whose peer went away gives one back.
	 */
	while (n < (int)TEST_COUNT(fds) && (fds[n] = dup(0)) >= 0)
		n++;
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

/*
 * What the log says of a socket; "" when it is only owner, group and mode.
 */
static const char *
describe(const char *row, int log, const char *path)
{
	static char line[1024];
	char socket[300], want[512], user[IDENTITY_NAME_MAX];
	char group[IDENTITY_NAME_MAX];
	struct stat st;
	ssize_t n;

	snprintf(socket, sizeof(socket), "unix:%s", path);
	listen_describe(socket);
	n = recv(log, line, sizeof(line) - 1, 0);
	line[n < 0 ? 0 : n] = '\0';
	assert_int_equal(stat(path, &st), 0);
	identity_user_name(st.st_uid, user);
	identity_group_name(st.st_gid, group);
	snprintf(want, sizeof(want), "%s: owner %s, group %s, mode %04o",
	    path, user, group, (unsigned)(st.st_mode & 07777));
	test_true(row, strstr(line, want) != NULL);
	n = recv(log, line, sizeof(line) - 1, 0);
	line[n < 0 ? 0 : n] = '\0';
	return line;
}

/*
 * PROBLEMS 52: who can connect, by the mode of the socket and of its folder:
 * nobody but us, or everybody, is warned about, with what to set.
 */
static void
listen_describe_modes(void **state)
{
	static const struct {
		const char	*name;
		mode_t		 socket, folder;
		const char	*want;		/* "": no warning */
	} rows[] = {
		{ "as it should be", 0770, 02750, "" },
		{ "write is what counts", 0720, 0710, "" },
		{ "for all", 0777, 02750, "every local user can connect" },
		{ "others write", 0702, 0755, "every local user can connect" },
		{ "for us alone", 0700, 02750, " cannot connect; set UMask 007"
		},
		{ "the group reads only", 0750, 02750,
		    " cannot connect; set UMask 007" },
		{ "folder for us alone", 0770, 0700, " cannot pass the folder "
		},
		{ "the group may only read the folder", 0770, 0740,
		    " cannot pass the folder " },
		{ "a folder that all pass", 0770, 0711, "" },
	};
	struct options options = { .syslog = true,
	    .syslog_name = (char *)(uintptr_t)"tester" };
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char folder[200], path[256];
	int fd, log = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	const char *got;

	(void)state;
	snprintf(at.sun_path, sizeof(at.sun_path), "%s/log", capture_dir());
	assert_int_equal(bind(log, (struct sockaddr *)&at, sizeof(at)), 0);
	log_open_at(&options, false, at.sun_path);
	snprintf(folder, sizeof(folder), "%s/modes", capture_dir());
	assert_int_equal(mkdir(folder, 0700), 0);
	snprintf(path, sizeof(path), "%s/s", folder);
	fd = listen_at(path);
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		assert_int_equal(chmod(path, rows[i].socket), 0);
		assert_int_equal(chmod(folder, rows[i].folder), 0);
		got = describe(rows[i].name, log, path);
		if (rows[i].want[0] == '\0')
			test_str(rows[i].name, got, "");
		else
			test_true(got, strstr(got, rows[i].want) != NULL);
	}
	close(fd);
	close(log);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(listen_check_open_folder),
		cmocka_unit_test(listen_prepare_stale),
		cmocka_unit_test(listen_check_path),
		cmocka_unit_test(listen_check_inet),
		cmocka_unit_test(listen_describe_modes),
		cmocka_unit_test(listen_path_kinds),
		cmocka_unit_test(descriptors_reserve),
	};

	return CAPTURE_RUN(tests);
}
