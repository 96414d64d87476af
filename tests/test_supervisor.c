/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor with milter processes that only play one: signals, reloads
 * that meet, PID file, restarts, exit codes, words to systemd.
 */

/* system */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/channel.h"
#include "milter/supervisor.h"

/* What the played milter process does; results come by the pipe. */
struct play {
	int	out;			/* pipe: one octet an event */
	int	code;			/* ends with it after READY; -1: no */
	bool	dies;			/* by a signal */
	int	runs;			/* of restarts, told as 'A' */
	bool	coredumps;		/* may be made */
};

static char folder[64], pid_file[128], system_path[100];
static int events[2], system_fd;

static void
event(struct play *play, char c)
{
	(void)!write(play->out, &c, 1);
}

/* From the supervisor over the fork: DESIGN "Threats". */
static bool
is_hidden(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_CORE, &limit);
#ifdef PR_SET_DUMPABLE
	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return false;
#endif
	return limit.rlim_cur == 0 && limit.rlim_max == 0;
}

static int
run(void *context, int channel, bool again)
{
	struct play *play = context;
	struct channel_message m;
	struct pollfd p = { .fd = channel, .events = POLLIN };
	int r = 0, stops = 0;

	event(play, again ? 'A' : 'S');
	if (getsid(0) != getpid())
		return 99;
	if (getenv("NOTIFY_SOCKET") != NULL)
		return 98;
	if (is_hidden() == play->coredumps)
		return 97;
	(void)!channel_send(channel, CHANNEL_READY, "up");
	if (play->dies)
		kill(getpid(), SIGKILL);
	if (play->code >= 0)
		return play->code;
	while (r >= 0 && poll(&p, 1, 20000) == 1) {
		r = channel_receive(channel, &m);
		if (r <= 0)
			continue;
		if (m.kind == CHANNEL_RELOAD) {
			event(play, 'R');
			usleep(200000);
			(void)!channel_send(channel, CHANNEL_RELOADED, "new");
		} else if (m.kind == CHANNEL_STOP) {
			event(play, 'T');
			/* The first one leaves a message in hand */
			if (++stops == 2)
				return 0;
			if (play->runs == 1)
				return 0;
		}
	}
	event(play, 'E');
	return 0;
}

static void
ready(void *context)
{
	event(context, '!');
}

static pid_t
start(struct play *play, const struct options *options)
{
	static struct supervisor_setup setup;
	pid_t pid;

	play->out = events[1];
	setup = (struct supervisor_setup){ .run = run, .ready = ready,
	    .context = play, .pid_file = pid_file, .stop_timeout = 5,
	    .coredumps = play->coredumps };
	restart_init(&setup.restart, options);
	pid = fork();
	if (pid == 0) {
		setenv("NOTIFY_SOCKET", system_path, 1);
		notify_open(&setup.notify);
		_exit(supervisor_run(&setup));
	}
	return pid;
}

static char
next(void)
{
	struct pollfd p = { .fd = events[0], .events = POLLIN };
	char c = '-';

	if (poll(&p, 1, 10000) == 1)
		(void)!read(events[0], &c, 1);
	return c;
}

static bool
is_quiet(void)
{
	struct pollfd p = { .fd = events[0], .events = POLLIN };

	return poll(&p, 1, 300) == 0;
}

static int
end_of(pid_t pid)
{
	int status;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int
set_up(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };

	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/supervisorXXXXXX");
	if (mkdtemp(folder) == NULL || pipe(events) != 0)
		return -1;
	snprintf(pid_file, sizeof(pid_file), "%s/pid", folder);
	snprintf(system_path, sizeof(system_path), "%s/notify", folder);
	snprintf(at.sun_path, sizeof(at.sun_path), "%s", system_path);
	system_fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	return bind(system_fd, (struct sockaddr *)&at, sizeof(at));
}

static int
tear_down(void **state)
{
	(void)state;
	close(events[0]);
	close(events[1]);
	close(system_fd);
	unlink(pid_file);
	unlink(system_path);
	return rmdir(folder);
}

static void
expect_word(const char *part)
{
	struct pollfd p = { .fd = system_fd, .events = POLLIN };
	char text[1024];
	ssize_t n;

	poll(&p, 1, 5000);
	n = recv(system_fd, text, sizeof(text) - 1, 0);
	text[n < 0 ? 0 : n] = '\0';
	if (strstr(text, part) == NULL) {
		fprintf(stderr, "# got \"%s\", want \"%s\" in it\n", text,
		    part);
		fail();
	}
}

static void
supervisor_run_stops(void **state)
{
	struct play play = { .code = -1, .runs = 1 };
	const struct options options = { .auto_restart = true };
	pid_t pid = start(&play, &options);
	char text[32] = "";
	int fd;

	(void)state;
	test_int("started", next(), 'S');
	test_int("ready", next(), '!');
	expect_word("READY=1\nSTATUS=up");
	fd = open(pid_file, O_RDONLY);
	(void)!read(fd, text, sizeof(text) - 1);
	close(fd);
	test_int("PID file", atoi(text), pid);
	kill(pid, SIGTERM);
	test_int("told", next(), 'T');
	expect_word("STOPPING=1");
	test_int("code", end_of(pid), 0);
	test_int("PID file is gone", access(pid_file, F_OK), -1);
}

static void
supervisor_run_second_stop(void **state)
{
	struct play play = { .code = -1 };
	const struct options options = { .auto_restart = true };
	pid_t pid = start(&play, &options);

	(void)state;
	test_int("started", next(), 'S');
	test_int("ready", next(), '!');
	kill(pid, SIGTERM);
	test_int("told", next(), 'T');
	test_true("and waits", is_quiet());
	kill(pid, SIGINT);
	test_int("told again", next(), 'T');
	test_int("code", end_of(pid), 0);
}

static void
supervisor_run_reloads_meet(void **state)
{
	struct play play = { .code = -1, .runs = 1 };
	const struct options options = { .auto_restart = false };
	pid_t pid = start(&play, &options);

	(void)state;
	test_int("started", next(), 'S');
	test_int("ready", next(), '!');
	expect_word("READY=1");
	kill(pid, SIGHUP);
	test_int("reload", next(), 'R');
	expect_word("RELOADING=1\nMONOTONIC_USEC=");
	for (int i = 0; i < 1000; i++)
		kill(pid, i % 2 == 0 ? SIGHUP : SIGUSR1);
	test_int("one more for all that came meanwhile", next(), 'R');
	expect_word("READY=1\nSTATUS=new");
	test_true("and no other", is_quiet());
	kill(pid, SIGTERM);
	test_int("told", next(), 'T');
	test_int("code", end_of(pid), 0);
}

static void
supervisor_run_codes(void **state)
{
	static const struct {
		const char	*name;
		int		 code;
		bool		 dies, again;
		const char	*events;	/* S ! then A for restarts */
		int		 want;
	} rows[] = {
		{ "AutoRestart no", 3, false, false, "S!", 3 },
		{ "killed", 0, true, false, "S!", EX_SOFTWARE },
		{ "restarted twice", 3, false, true, "S!AA", 3 },
		{ "killed twice more", 0, true, true, "S!AA", EX_SOFTWARE },
		{ "EX_CONFIG", EX_CONFIG, false, true, "S!", EX_CONFIG },
		{ "EX_NOPERM", EX_NOPERM, false, true, "S!", EX_NOPERM },
		{ "EX_USAGE", EX_USAGE, false, true, "S!", EX_USAGE },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		struct play play = { .code = rows[i].code,
		    .dies = rows[i].dies };
		const struct options options = { .auto_restart = rows[i].again,
		    .auto_restart_count = 2 };
		size_t seen[128] = { 0 }, want[128] = { 0 };
		pid_t pid = start(&play, &options);

		test_int(rows[i].name, end_of(pid), rows[i].want);
		while (!is_quiet())
			seen[(unsigned char)next() & 127]++;
		for (const char *e = rows[i].events; *e != '\0'; e++)
			want[(unsigned char)*e]++;
		for (int c = 0; c < 128; c++)
			test_int(rows[i].name, seen[c], want[c]);
	}
}

/* The supervisor dies: its child sees the end of the channel. */
static void
supervisor_run_killed(void **state)
{
	struct play play = { .code = -1 };
	const struct options options = { .auto_restart = false };
	pid_t pid = start(&play, &options);

	(void)state;
	test_int("started", next(), 'S');
	test_int("ready", next(), '!');
	kill(pid, SIGKILL);
	test_int("the end is seen", next(), 'E');
	test_int("code", end_of(pid), -SIGKILL);
}

static void
supervisor_run_coredumps(void **state)
{
	const struct options options = { .auto_restart = false };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct play play = { .code = 3, .coredumps = i == 1 };
		pid_t pid = start(&play, &options);

		test_int(i == 0 ? "forbidden" : "allowed", end_of(pid), 3);
		while (!is_quiet())
			(void)next();
	}
}

static void
supervisor_run_pid_file(void **state)
{
	struct play play = { .code = -1 };
	const struct options options = { .auto_restart = false };
	char saved[sizeof(pid_file)];
	pid_t pid;

	(void)state;
	memcpy(saved, pid_file, sizeof(saved));
	snprintf(pid_file, sizeof(pid_file), "/nonexistent/pid");
	pid = start(&play, &options);
	test_int("cannot be written", end_of(pid), EX_CANTCREAT);
	memcpy(pid_file, saved, sizeof(saved));
}

static void
restart_again_rate(void **state)
{
	struct options options = { .auto_restart = true,
	    .auto_restart_rate = (char *)(uintptr_t)"3/10s" };
	static struct restart r;
	const char *why = "";
	const uint64_t s = 1000000;

	(void)state;
	restart_init(&r, &options);
	test_int("rate", r.rate, 3);
	test_int("seconds", r.seconds, 10);
	test_true("1", restart_again(&r, 1, 100 * s, &why));
	test_true("2", restart_again(&r, 1, 101 * s, &why));
	test_true("3", restart_again(&r, 1, 102 * s, &why));
	test_true("4 within 10 s", !restart_again(&r, 1, 109 * s, &why));
	test_str("why", why, "AutoRestartRate is reached");
	test_true("later", restart_again(&r, 1, 110 * s, &why));
	test_true("again too early", !restart_again(&r, 1, 110 * s, &why));
	test_true("78", !restart_again(&r, EX_CONFIG, 900 * s, &why));
	options.auto_restart_rate = NULL;
	options.auto_restart_count = 1;
	restart_init(&r, &options);
	test_true("first", restart_again(&r, 1, 1, &why));
	test_true("count", !restart_again(&r, 1, 900 * s, &why));
	options.auto_restart = false;
	restart_init(&r, &options);
	test_true("no", !restart_again(&r, 1, 1, &why));
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(supervisor_run_stops),
		TEST(supervisor_run_second_stop),
		TEST(supervisor_run_reloads_meet),
		TEST(supervisor_run_codes),
		TEST(supervisor_run_killed),
		TEST(supervisor_run_coredumps),
		TEST(supervisor_run_pid_file),
		cmocka_unit_test(restart_again_rate),
	};
	return TEST_RUN(tests);
}
