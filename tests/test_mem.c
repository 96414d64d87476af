/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wiping and private pages. What the system says of a page stands in
 * /proc/self/smaps; without one those tests are skipped.
 */

/* system */
#include <sys/wait.h>

#include <unistd.h>

/* rsa-backend */
#include "rsa-backend/mem.h"
#include "rsa-backend/rsab.h"

/* this room */
#include "tests/test.h"

static void
mem_private_new_sizes(void **state)
{
	static const size_t sizes[] = { 1, 31, 4095, 4096, 4097, 131074 };

	(void)state;
	for (size_t i = 0; i < TEST_COUNT(sizes); i++) {
		uint8_t *p = mem_private_new(sizes[i]);

		test_true("there", p != NULL);
		for (size_t k = 0; k < sizes[i]; k++)
			test_int("zero", p[k], 0);
		memset(p, 0xff, sizes[i]);
		mem_private_free(p, sizes[i]);
	}
	mem_private_free(NULL, 0);
}

static void
mem_private_new_absurd(void **state)
{
	(void)state;
	test_true("0", mem_private_new(0) == NULL);
	test_true("half of the address space",
	    mem_private_new(SIZE_MAX / 2) == NULL);
	test_true("all of it", mem_private_new(SIZE_MAX) == NULL);
}

/*
 * The line "VmFlags:" of the mapping that holds an address.
 */
static bool
vm_flags(const void *p, char *out, size_t n)
{
	unsigned long long from, to, at = (uintptr_t)p;
	FILE *f = fopen("/proc/self/smaps", "r");
	bool inside = false, found = false;
	char line[4096];

	while (f != NULL && !found && fgets(line, sizeof line, f) != NULL) {
		if (sscanf(line, "%llx-%llx ", &from, &to) == 2)
			inside = at >= from && at < to;
		found = inside && strncmp(line, "VmFlags:", 8) == 0;
	}
	if (f != NULL)
		fclose(f);
	snprintf(out, n, "%s", found ? line : "");
	return found;
}

static void
mem_private_new_not_dumped(void **state)
{
	uint8_t *p = mem_private_new(100);
	char flags[4096];

	(void)state;
	if (!vm_flags(p, flags, sizeof flags)) {
		mem_private_free(p, 100);
		print_message("no VmFlags in /proc/self/smaps\n");
		skip();
	}
	test_true("MADV_DONTDUMP", strstr(flags, " dd") != NULL);
	test_true("MADV_WIPEONFORK", strstr(flags, " wf") != NULL);
	mem_private_free(p, 100);
}

static void
mem_private_new_empty_after_fork(void **state)
{
	uint8_t *p = mem_private_new(100);
	int status = -1;
	pid_t child;

	(void)state;
	memset(p, 0x5a, 100);
	child = fork();
	if (child == 0)
		_exit(p[0] == 0 && p[99] == 0 ? 0 : 1);
	test_true("fork", child > 0 && waitpid(child, &status, 0) == child);
	test_int("empty in the child", status, 0);
	test_int("there in the parent", p[99], 0x5a);
	mem_private_free(p, 100);
}

static void
mem_private_new_guarded(void **state)
{
	uint8_t *p = mem_private_new(4096);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char flags[4096];

	(void)state;
	/* The page before and the page behind are neither read nor written. */
	if (!vm_flags(p - 1, flags, sizeof flags)) {
		mem_private_free(p, 4096);
		print_message("no VmFlags in /proc/self/smaps\n");
		skip();
	}
	test_true("before", strstr(flags, " rd") == NULL &&
	    strstr(flags, " wr") == NULL);
	test_true("behind", vm_flags(p + (4096 + page - 1) / page * page,
	    flags, sizeof flags));
	test_true("behind", strstr(flags, " rd") == NULL &&
	    strstr(flags, " wr") == NULL);
	mem_private_free(p, 4096);
}

static void
rsab_wipe_all(void **state)
{
	uint8_t octets[65];

	(void)state;
	memset(octets, 0xff, sizeof octets);
	rsab_wipe(octets, sizeof octets - 1);
	for (size_t i = 0; i < sizeof octets - 1; i++)
		test_int("wiped", octets[i], 0);
	test_int("not behind", octets[64], 0xff);
	rsab_wipe(NULL, 0);
	rsab_wipe_free(NULL, 0);
	rsab_wipe_free(malloc(10), 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mem_private_new_sizes),
		cmocka_unit_test(mem_private_new_absurd),
		cmocka_unit_test(mem_private_new_not_dumped),
		cmocka_unit_test(mem_private_new_empty_after_fork),
		cmocka_unit_test(mem_private_new_guarded),
		cmocka_unit_test(rsab_wipe_all),
	};

	return TEST_RUN(tests);
}
