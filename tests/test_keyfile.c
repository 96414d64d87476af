/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Key files: what is read, and how the path is judged (MIGRATION 2h, PROBLEMS
 * 45, 58).
 */

/* system */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/keyfile.h"

static char base[64], path[256];
static struct identity me;
static struct keyfile file;

static int
set_up(void **state)
{
	(void)state;
	identity_self(&me);
	snprintf(base, sizeof(base), "/tmp/keyfileXXXXXX");
	return mkdtemp(base) == NULL ? -1 : 0;
}

static int
tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command) == 0 ? 0 : -1;
}

static const char *
in(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", base, name);
	return path;
}

static void
write_file(const char *name, const char *text, mode_t mode)
{
	FILE *f = fopen(in(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(path, mode);
}

static int
read_it(const char *name, bool safe)
{
	int r = keyfile_read(in(name), &me, safe, &file);

	if (r == 0)
		keyfile_clear(&file);
	return r;
}

static void
expect(const char *row, const char *part)
{
	if (strstr(file.reason, part) == NULL) {
		fprintf(stderr, "# %s: got \"%s\", want \"%s\" in it\n", row,
		    file.reason, part);
		fail();
	}
}

static void
keyfile_read_octets(void **state)
{
	(void)state;
	write_file("k", "secret", 0600);
	test_int("read", keyfile_read(in("k"), &me, true, &file), 0);
	test_octets("octets", file.octets, file.n, "secret", 6);
	test_str("nothing unsafe", file.reason, "");
	test_int("size", file.id.size, 6);
	keyfile_clear(&file);
	assert_null(file.octets);
}

static void
keyfile_read_modes(void **state)
{
	static const struct {
		const char	*name;
		mode_t		 mode;
		const char	*part;		/* NULL: safe */
	} rows[] = {
		{ "0600", 0600, NULL },
		{ "0400", 0400, NULL },
		{ "group of ours reads", 0640, NULL },
		{ "others read", 0604, "bits 0004 for all users" },
		{ "others write", 0602, "bits 0002 for all users" },
		{ "others execute", 0601, "bits 0001 for all users" },
		{ "all", 0666, "bits 0006 for all users" },
	};

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(rows); i++) {
		write_file("m", "x", 0600);
		chmod(in("m"), rows[i].mode);
		test_int(rows[i].name, read_it("m", true),
		    rows[i].part == NULL ? 0 : -1);
		if (rows[i].part == NULL)
			continue;
		expect(rows[i].name, rows[i].part);
		expect(rows[i].name, "/m: unsafe");
		expect(rows[i].name, me.user);
		test_int("RequireSafeKeys no", read_it("m", false), 0);
		expect("but it is told", rows[i].part);
		unlink(in("m"));
	}
}

static void
keyfile_read_foreign_group(void **state)
{
	struct identity other = me;

	(void)state;
	write_file("g", "x", 0640);
	if (chown(in("g"), (uid_t)-1, 12345) != 0) {
		/* needs root: a group that is not ours */
		skip();
	}
	test_int("foreign group reads", read_it("g", true), -1);
	expect("foreign group", "bits 0040 for group 12345");
	other.groups[other.n++] = 12345;
	test_int("supplementary group", keyfile_read(in("g"), &other, true,
	    &file), 0);
	keyfile_clear(&file);
}

static void
keyfile_read_owner(void **state)
{
	struct identity who = me;

	(void)state;
	write_file("o", "x", 0600);
	if (chown(in("o"), 12345, (gid_t)-1) != 0)
		skip();		/* needs root */
	test_int("foreign owner", read_it("o", true), -1);
	expect("foreign owner", "/o: unsafe: owner is 12345, not root; chown "
	    "root");
	who.uid = 54321;
	snprintf(who.user, sizeof(who.user), "filter");
	test_int("foreign to both", keyfile_check(in("o"), &who, true, &file),
	    -1);
	expect("foreign to both", "owner is 12345, not root or filter; chown "
	    "filter");
	test_int("no system call failed", file.error, 0);
	test_int("missing", keyfile_check(in("none"), &me, true, &file), -1);
	test_int("ENOENT", file.error, ENOENT);
}

static void
keyfile_read_folder(void **state)
{
	(void)state;
	mkdir(in("d"), 0700);
	write_file("d/k", "x", 0600);
	test_int("0700", read_it("d/k", true), 0);
	chmod(in("d"), 0755);
	test_int("others may read a folder", read_it("d/k", true), 0);
	chmod(in("d"), 0757);
	test_int("others may write", read_it("d/k", true), -1);
	expect("folder", "/d: unsafe: mode 0757 has bits 0002");
	chmod(in("d"), 01777);
	test_int("sticky", read_it("d/k", true), 0);
	chmod(in("d"), 0700);
}

/*
 * PROBLEMS 45: each element of a path that somebody else could write, and each
 * way to read the key itself: it is named, and the bit.
 */
static void
keyfile_read_each_element(void **state)
{
	static const char *const elements[] = { "e1", "e1/e2", "e1/e2/e3",
	    "e1/e2/e3/k" };
	static const mode_t bits[] = { 0001, 0002, 0004 };
	char named[300], text[32];
	size_t i, k;
	bool bad;

	(void)state;
	for (i = 0; i < 3; i++)
		mkdir(in(elements[i]), 0700);
	write_file(elements[3], "x", 0600);
	for (i = 0; i < TEST_COUNT(elements); i++)
		for (k = 0; k < TEST_COUNT(bits); k++) {
			chmod(in(elements[i]), (i < 3 ? 0700 : 0600) |
			    bits[k]);
			snprintf(named, sizeof(named), "%s: unsafe: mode",
			    path);
			/* a folder others may look into, or pass, is safe */
			bad = i == 3 || bits[k] == 0002;
			test_int(elements[i], read_it(elements[3], true),
			    bad ? -1 : 0);
			if (bad) {
				snprintf(text, sizeof(text), "bits %04o",
				    (unsigned)bits[k]);
				expect(elements[i], named);
				expect(elements[i], text);
				expect(elements[i], me.user);
			}
			chmod(in(elements[i]), i < 3 ? 0700 : 0600);
		}
}

static void
keyfile_read_links(void **state)
{
	(void)state;
	mkdir(in("real"), 0700);
	write_file("real/k", "x", 0600);
	assert_int_equal(symlink("real/k", in("last")), 0);
	test_int("last part a link", read_it("last", true), -1);
	expect("last", "/last: the last part of a key's path must not be a "
	    "symbolic link");
	test_int("even without RequireSafeKeys", read_it("last", false), -1);
	assert_int_equal(symlink("real", in("way")), 0);
	test_int("a link on the way", read_it("way/k", true), 0);
	assert_int_equal(symlink("loop", in("loop")), 0);
	test_int("a loop", read_it("loop/k", true), -1);
	expect("loop", "too many symbolic links");
	/* What a link hides is judged, too */
	chmod(in("real"), 0777);
	test_int("unsafe behind a link", read_it("way/k", true), -1);
	expect("behind", "/real: unsafe");
	chmod(in("real"), 0700);
	test_int("dots", read_it("real/../real/./k", true), 0);
}

static void
keyfile_read_kinds(void **state)
{
	char *big = calloc(1, 65538);

	(void)state;
	test_int("missing", read_it("none", true), -1);
	expect("missing", "/none: No such file or directory");
	test_int("missing folder", read_it("none/k", true), -1);
	expect("missing folder", "/none: No such file or directory");
	test_int("a folder", read_it("", true), -1);
	assert_int_equal(mkfifo(in("fifo"), 0600), 0);
	test_int("FIFO", read_it("fifo", true), -1);
	expect("FIFO", "is no plain file");
	write_file("empty", "", 0600);
	test_int("empty", read_it("empty", true), -1);
	expect("empty", "is empty");
	memset(big, 'x', 65537);
	write_file("big", big, 0600);
	test_int("too large", read_it("big", true), -1);
	expect("too large", "is too large");
	big[65536] = '\0';
	write_file("big", big, 0600);
	test_int("largest", read_it("big", true), 0);
	free(big);
}

/* As a user that may not: the reason names element, user and bit. */
static int
as_nobody(void)
{
	static const char *const parts[] = { "/closed: user 12345 has no "
	    "permission; needed is the x bit", "/open/k: user 12345 has no "
	    "permission; needed is the r bit" };
	static const char *const names[] = { "closed/k", "open/k" };
	struct identity who = { .uid = 12345, .user = "12345" };

	if (setgid(12345) != 0 || setuid(12345) != 0)
		return 2;
	for (int i = 0; i < 2; i++)
		if (keyfile_read(in(names[i]), &who, false, &file) == 0 ||
		    strstr(file.reason, parts[i]) == NULL) {
			fprintf(stderr, "# %s\n", file.reason);
			return 1;
		}
	return 0;
}

static void
keyfile_read_no_right(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip();		/* needs root, to become somebody else */
	chmod(base, 0755);
	mkdir(in("closed"), 0700);
	write_file("closed/k", "x", 0600);
	mkdir(in("open"), 0755);
	write_file("open/k", "x", 0600);
	pid = fork();
	if (pid == 0)
		_exit(as_nobody());
	waitpid(pid, &status, 0);
	test_int("reasons", status, 0);
}

static void
keyfile_identify_changes(void **state)
{
	struct keyfile_id a, b;
	struct timespec times[2] = { { 1000, 0 }, { 1000, 5 } };

	(void)state;
	write_file("i", "one", 0600);
	test_int("identify", keyfile_identify(in("i"), &a), 0);
	test_int("again", keyfile_identify(in("i"), &b), 0);
	test_true("same", keyfile_is_same(&a, &b));
	utimensat(AT_FDCWD, in("i"), times, 0);
	test_int("other time", keyfile_identify(in("i"), &b), 0);
	test_true("differs by time", !keyfile_is_same(&a, &b));
	a = b;
	a.size++;
	test_true("differs by size", !keyfile_is_same(&a, &b));
	a = b;
	a.ino++;
	test_true("differs by inode", !keyfile_is_same(&a, &b));
	a = b;
	a.mtime.tv_nsec++;
	test_true("differs by nanosecond", !keyfile_is_same(&a, &b));
	test_int("missing", keyfile_identify(in("none"), &a), -1);
}

static bool
one_run(void *unused)
{
	(void)unused;
	return read_it("k", true) == 0;
}

static void
keyfile_no_memory(void **state)
{
	(void)state;
	write_file("k", "secret", 0600);
	test_int("sites", test_every_allocation(one_run, NULL), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keyfile_read_octets),
		cmocka_unit_test(keyfile_read_modes),
		cmocka_unit_test(keyfile_read_foreign_group),
		cmocka_unit_test(keyfile_read_owner),
		cmocka_unit_test(keyfile_read_folder),
		cmocka_unit_test(keyfile_read_each_element),
		cmocka_unit_test(keyfile_read_links),
		cmocka_unit_test(keyfile_read_kinds),
		cmocka_unit_test(keyfile_read_no_right),
		cmocka_unit_test(keyfile_identify_changes),
		cmocka_unit_test(keyfile_no_memory),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down) != 0;
}
