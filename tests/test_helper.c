/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process of dkimd-token: start, death, hang, back-off, what it is given
 * and what not. Its program here is this one (fake_token.h).
 */

/* system */
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* this room */
#include "tests/fake_token.h"
#include "milter/clock.h"
#include "milter/helper.h"
#include "milter/helper_spawn.h"

#define SECOND	1000000u
#define PIN	"s3cretPIN"

static char report[64];

static struct helper_setup
setup(void)
{
	return (struct helper_setup){
		.program = fake_token_program(),
		.module = "/usr/lib/fake.so",
		.init_args = "some='args'",
		.pin = PIN,
		.folders = "/etc/a:/etc/b",
		.sessions = 8,
		.start_ms = 5000,
		.backoff = { .first = 20000, .cap = 80000, .good = SECOND },
	};
}

static struct helper *
make(void)
{
	const struct helper_setup s = setup();
	struct helper *h;

	assert_int_equal(helper_new(&s, &h), 0);
	return h;
}

static int
begin(void **state)
{
	int fd;

	(void)state;
	snprintf(report, sizeof(report), "/tmp/helperXXXXXX");
	fd = mkstemp(report);
	if (fd < 0)
		return -1;
	close(fd);
	unsetenv("PKCS11_FAKE");
	return setenv("PKCS11_FAKE_REPORT", report, 1);
}

static int
end(void **state)
{
	(void)state;
	return unlink(report);
}

/* What the processes told, a line each. */
static const char *
told(void)
{
	static char text[65536];
	FILE *f = fopen(report, "re");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static int
starts(void)
{
	int n = 0;

	for (const char *p = told(); *p != '\0'; p++)
		n += *p == '\n';
	return n;
}

static int
connects(struct helper *h, uint64_t *incarnation)
{
	int fd = helper_connect(h, incarnation);

	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

static bool
is_gone(long pid)
{
	for (int i = 0; i < 1000; i++) {
		if (kill((pid_t)pid, 0) != 0)
			return true;
		usleep(10000);
	}
	return false;
}

static int
descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(d);
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

/* ---- what it is given ---------------------------------------------------- */

static void
helper_connect_gives_little(void **state)
{
	struct helper *h = make();
	uint64_t incarnation = 0;
	const char *text;
	int open_ones;

	(void)state;
	/* Neither close-on-exec, as libraries make them */
	open_ones = open("/dev/null", O_RDONLY);
	setenv("SECRET", "x", 1);
	setenv("HOME", "/home/x", 1);
	setenv("SOFTHSM2_CONF", "/etc/s", 1);
	test_int("no process before", helper_process(h), 0);
	test_int("connects", connects(h, &incarnation), 1);
	test_int("the first", incarnation, 1);
	text = told();
	test_true("descriptors", strncmp(text, "fds 0 1 2 3; env ", 17) == 0);
	test_true("no others' variables", strstr(text, "SECRET") == NULL &&
	    strstr(text, "HOME") == NULL && strstr(text, "PATH") == NULL);
	test_true("the module's", strstr(text, " SOFTHSM2_CONF=/etc/s") !=
	    NULL);
	test_true("set-up", strstr(text, "; module /usr/lib/fake.so; "
	    "args some='args'; pin 9; folders /etc/a:/etc/b; refused 0\n") !=
	    NULL);
	close(open_ones);
	helper_unref(h);
}

static bool
file_has(const char *path, const char *what)
{
	char text[65536];
	size_t n;
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	n = fread(text, 1, sizeof(text), f);
	fclose(f);
	return memmem(text, n, what, strlen(what)) != NULL;
}

static void
helper_connect_hides_pin(void **state)
{
	struct helper *h = make();
	uint64_t incarnation;
	char path[64];

	(void)state;
	test_int("connects", connects(h, &incarnation), 1);
	snprintf(path, sizeof(path), "/proc/%ld/cmdline", helper_process(h));
	test_true("arguments", file_has(path, "dkimd-token") &&
	    !file_has(path, PIN));
	snprintf(path, sizeof(path), "/proc/%ld/environ", helper_process(h));
	test_true("environment", !file_has(path, PIN));
	test_true("report", !file_has(report, PIN));
	helper_unref(h);
}

static void
helper_spawn_passes_names(void **state)
{
	static const struct {
		const char	*variable;
		bool		 passes;
	} rows[] = {
		{ "SOFTHSM2_CONF=/x", true }, { "SOFTHSM2_CONFX=/x", false },
		{ "NSS_LIB_PARAMS=x", true }, { "P11_KIT_SERVER_ADDRESS=x",
		    true }, { "TPM2_PKCS11_STORE=/x", true },
		{ "ChrystokiConfigurationPath=/x", true },
		{ "PATH=/bin", false }, { "LD_PRELOAD=x", false },
		{ "XNSS_=x", false }, { "", false },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++)
		test_int(rows[i].variable,
		    helper_spawn_passes(rows[i].variable), rows[i].passes);
}

/* ---- death, hang --------------------------------------------------------- */

static void
helper_connect_after_death(void **state)
{
	struct helper *h = make();
	uint64_t incarnation = 0;
	int status, other = -1;
	pid_t child;
	long pid;

	(void)state;
	child = fork();
	if (child == 0)
		_exit(5);
	test_int("connects", connects(h, &incarnation), 1);
	pid = helper_process(h);
	kill((pid_t)pid, SIGKILL);
	test_true("collected", is_gone(pid));
	test_int("connects again", connects(h, &incarnation), 1);
	test_int("to another", incarnation, 2);
	test_true("another", helper_process(h) != pid);
	test_int("other children are left alone", waitpid(child, &status, 0),
	    child);
	other = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	test_int("with their codes", other, 5);
	helper_unref(h);
}

static void
helper_hung_kills_its_own(void **state)
{
	struct helper *h = make();
	uint64_t incarnation = 0;
	long pid;

	(void)state;
	test_int("connects", connects(h, &incarnation), 1);
	pid = helper_process(h);
	helper_hung(h, incarnation);
	test_true("killed", is_gone(pid));
	test_int("connects again", connects(h, &incarnation), 1);
	pid = helper_process(h);
	helper_hung(h, incarnation - 1);
	usleep(50000);
	test_int("not the next one", kill((pid_t)pid, 0), 0);
	test_int("it serves", connects(h, &incarnation), 1);
	test_int("the second", incarnation, 2);
	helper_unref(h);
}

/* ---- a start that fails -------------------------------------------------- */

static void
helper_connect_fails(void **state)
{
	static const struct {
		const char	*how, *why;
		int		 start_ms;
	} rows[] = {
		{ "die", "ended while it loaded", 5000 },
		{ "refuse", "the fake says so", 5000 },
		{ "hang", "within 200 ms", 200 },
	};
	struct rsab_token_detail why;
	uint64_t incarnation, began;
	struct helper_setup s;
	struct helper *h;

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		setenv("PKCS11_FAKE", rows[i].how, 1);
		s = setup();
		s.start_ms = rows[i].start_ms;
		assert_int_equal(helper_new(&s, &h), 0);
		began = clock_us();
		test_int(rows[i].how, connects(h, &incarnation), 0);
		test_true("soon", clock_us() - began < 2 * SECOND);
		helper_why(h, &why);
		if (strstr(why.text, rows[i].why) == NULL)
			test_str(rows[i].how, why.text, rows[i].why);
		unsetenv("PKCS11_FAKE");
		for (int k = 0; k < 200 && !connects(h, &incarnation); k++)
			usleep(20000);
		test_int("it comes back by itself", connects(h, &incarnation),
		    1);
		helper_why(h, &why);
		test_str("nothing is wrong", why.text, "");
		helper_unref(h);
	}
}

static void
helper_connect_no_program(void **state)
{
	struct helper_setup s = setup();
	struct rsab_token_detail why;
	uint64_t incarnation;
	struct helper *h;

	(void)state;
	s.program = "/nonexistent/dkimd-token";
	assert_int_equal(helper_new(&s, &h), 0);
	test_int("no", connects(h, &incarnation), 0);
	helper_why(h, &why);
	test_str("why", why.text, "/nonexistent/dkimd-token cannot be "
	    "started: No such file or directory; install dkimd whole, or say "
	    "in DKIMD_TOKEN where it is");
	helper_unref(h);
}

/* Never two processes for one reason, never one after the other at once. */
static void
helper_backs_off(void **state)
{
	struct helper_setup s = setup();
	uint64_t incarnation, began = clock_us();
	struct helper *h;
	int most;

	(void)state;
	setenv("PKCS11_FAKE", "refuse", 1);
	s.backoff = (struct backoff_rule){ 200000, 400000, SECOND };
	assert_int_equal(helper_new(&s, &h), 0);
	for (int i = 0; i < 20; i++) {
		test_int("no", connects(h, &incarnation), 0);
		usleep(25000);
	}
	/* at once, after 0, 200, 400, 400 ms */
	most = 3 + (int)((clock_us() - began) / 400000);
	if (starts() < 2 || starts() > most)
		test_int("starts", starts(), most);
	helper_unref(h);
}

/* ---- refused PINs -------------------------------------------------------- */

static void
helper_refused_is_told(void **state)
{
	struct helper *h = make(), *next = make();
	char identity[RSAB_TOKEN_IDENTITY], other[RSAB_TOKEN_IDENTITY];
	uint64_t incarnation;

	(void)state;
	memset(identity, 'a', sizeof(identity));
	memset(other, 'b', sizeof(other));
	identity[64] = other[64] = '\0';
	test_int("connects", connects(h, &incarnation), 1);
	helper_refused(h, identity);
	helper_refused(h, identity);
	test_int("counted once", helper_refusals(h), 1);
	helper_refused(h, other);
	test_int("two tokens", helper_refusals(h), 2);
	helper_hung(h, incarnation);
	test_int("connects again", connects(h, &incarnation), 1);
	test_true("the next process knows", strstr(told(), "refused 2\n") !=
	    NULL);
	helper_copy_refusals(h, next);
	test_int("and another helper", helper_refusals(next), 2);
	for (int i = 0; i < 2 * RSAB_TOKEN_REFUSED_MAX; i++) {
		snprintf(identity, sizeof(identity), "%064d", i);
		helper_refused(next, identity);
	}
	test_int("bounded", helper_refusals(next), RSAB_TOKEN_REFUSED_MAX);
	helper_unref(h);
	helper_unref(next);
}

/* ---- the end ------------------------------------------------------------- */

static void
helper_end_waits(void **state)
{
	struct helper *h = make();
	uint64_t incarnation;
	long pid;

	(void)state;
	test_int("connects", connects(h, &incarnation), 1);
	pid = helper_process(h);
	helper_end(h, 5000);
	test_true("collected", kill((pid_t)pid, 0) != 0);
	test_int("none", helper_process(h), 0);
	test_int("not started again", connects(h, &incarnation), 0);
	helper_unref(h);
}

static void
helper_unref_ends(void **state)
{
	int before = descriptors(), now = 0;
	struct helper *h = make();
	uint64_t incarnation;
	long pid;

	(void)state;
	helper_unref(make());
	test_int("connects", connects(h, &incarnation), 1);
	pid = helper_process(h);
	helper_unref(helper_ref(h));
	test_int("one reference is left", kill((pid_t)pid, 0), 0);
	helper_unref(h);
	test_true("the last one", is_gone(pid));
	/* Fewer where another test's helper was still going */
	for (int i = 0; i < 500 && (now = descriptors()) > before; i++)
		usleep(10000);
	test_true("no descriptor is left", now <= before);
}

static bool
one_run(void *unused)
{
	const struct helper_setup s = setup();
	struct helper *h;

	(void)unused;
	if (helper_new(&s, &h) != 0)
		return false;
	helper_unref(h);
	return true;
}

static void
helper_no_memory(void **state)
{
	(void)state;
	test_true("sites", test_every_allocation(one_run, NULL) >= 6);
}

/* ---- many at once -------------------------------------------------------- */

static void *
use(void *arg)
{
	uint64_t incarnation = 0;

	for (int i = 0; i < 40; i++) {
		(void)connects(arg, &incarnation);
		if (i % 10 == 7)
			helper_hung(arg, incarnation);
	}
	return NULL;
}

static void
helper_races(void **state)
{
	struct helper *h = make();
	pthread_t thread[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, use, h);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	helper_end(h, 5000);
	test_int("none is left", helper_process(h), 0);
	helper_unref(h);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(helper_connect_gives_little,
		    begin, end),
		cmocka_unit_test_setup_teardown(helper_connect_hides_pin,
		    begin, end),
		cmocka_unit_test(helper_spawn_passes_names),
		cmocka_unit_test_setup_teardown(helper_connect_after_death,
		    begin, end),
		cmocka_unit_test_setup_teardown(helper_hung_kills_its_own,
		    begin, end),
		cmocka_unit_test_setup_teardown(helper_connect_fails, begin,
		    end),
		cmocka_unit_test_setup_teardown(helper_connect_no_program,
		    begin, end),
		cmocka_unit_test_setup_teardown(helper_backs_off, begin, end),
		cmocka_unit_test_setup_teardown(helper_refused_is_told, begin,
		    end),
		cmocka_unit_test_setup_teardown(helper_end_waits, begin, end),
		cmocka_unit_test_setup_teardown(helper_unref_ends, begin, end),
		cmocka_unit_test(helper_no_memory),
		cmocka_unit_test_setup_teardown(helper_races, begin, end),
	};

	(void)argc;
	if (fake_token_is(argv))
		return fake_token_main();
	return TEST_RUN(tests);
}
