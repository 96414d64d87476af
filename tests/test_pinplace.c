/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of PINs that were refused: have they changed?
 */

/* system */
#include <fcntl.h>
#include <unistd.h>

/* this room */
#include "tests/test.h"
#include "milter/pinplace.h"

static char base[64], path[3][96];

static void
write_file(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int
set_up(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/pinplaceXXXXXX");
	if (mkdtemp(base) == NULL)
		return -1;
	for (int i = 0; i < 3; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/pin%d", base, i);
		if (i < 2)
			write_file(path[i], "1234\n");
	}
	return 0;
}

static int
tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", base);
	return system(command) == 0 ? 0 : -1;
}

static void
add(struct pinplaces *places, const char *file)
{
	char uri[512];

	snprintf(uri, sizeof(uri), "pkcs11:token=a?pin-source=file:%s", file);
	pinplaces_add(places, slice_text(uri));
}

static void
pinplaces_add_rows(void **state)
{
	struct pinplaces places;
	char name[128];

	(void)state;
	test_int("init", pinplaces_init(&places), 0);
	test_int("none", places.n, 0);
	pinplaces_add(&places, slice_text("pkcs11:token=a;object=b"));
	pinplaces_add(&places, slice_text("pkcs11:?pin-source=/a%00b"));
	test_int("no file is meant", places.n, 0);
	add(&places, path[1]);
	add(&places, path[0]);
	add(&places, path[1]);
	add(&places, path[2]);
	test_int("each once", places.n, 3);
	test_str("the path", places.list[0].path, path[1]);
	for (int i = 0; i < 2 * PINPLACES_MAX; i++) {
		snprintf(name, sizeof(name), "/nonexistent/%d", i);
		add(&places, name);
	}
	test_int("bounded", places.n, PINPLACES_MAX);
	pinplaces_clear(&places);
}

static void
pinplaces_have_changed_how(void **state)
{
	struct pinplaces places, copy;

	(void)state;
	for (int i = 0; i < 3; i++) {
		test_int("init", pinplaces_init(&places), 0);
		test_int("init", pinplaces_init(&copy), 0);
		add(&places, path[i]);
		test_int("as it was", pinplaces_have_changed(&places), false);
		if (i == 0)
			write_file(path[i], "98765\n");
		else if (i == 1)
			unlink(path[i]);
		else
			write_file(path[i], "1\n");
		test_int(i == 0 ? "changed" : i == 1 ? "gone" : "came",
		    pinplaces_have_changed(&places), true);
		test_int("copied", pinplaces_copy(&places, &copy), 0);
		test_int("so does a copy", pinplaces_have_changed(&copy),
		    true);
		pinplaces_clear(&places);
		pinplaces_clear(&copy);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pinplaces_add_rows, set_up,
		    tear_down),
		cmocka_unit_test_setup_teardown(pinplaces_have_changed_how,
		    set_up, tear_down),
	};

	return TEST_RUN(tests);
}
