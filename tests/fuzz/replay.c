/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The main of a fuzz target where no fuzzer is linked: runs the target once on
 * each file of its corpus (tests/fuzz/corpus/NAME for fuzz_NAME), or on the
 * files named as arguments, and prints TAP. A fault ends the program, which the
 * runner sees.
 */

/* system */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static int
replay(const char *path, unsigned number)
{
	FILE *f = fopen(path, "rb");
	uint8_t *p = NULL;
	long size;
	size_t n;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) < 0 ||
	    fseek(f, 0, SEEK_SET) != 0 ||
	    (p = malloc(size == 0 ? 1 : (size_t)size)) == NULL) {
		printf("not ok %u - cannot read %s\n", number, path);
		if (f != NULL)
			fclose(f);
		return -1;
	}
	n = fread(p, 1, (size_t)size, f);
	fclose(f);
	(void)LLVMFuzzerTestOneInput(p, n);
	free(p);
	printf("ok %u - %s\n", number, path);
	return 0;
}

static int
plain_file(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int
replay_folder(const char *folder)
{
	struct dirent **list;
	char path[4096];
	int n = scandir(folder, &list, plain_file, alphasort), bad = 0, n_path;

	if (n <= 0) {
		printf("1..1\nnot ok 1 - no corpus in %s\n", folder);
		return 1;
	}
	printf("1..%d\n", n);
	for (int i = 0; i < n; i++) {
		n_path = snprintf(path, sizeof(path), "%s/%s", folder,
		    list[i]->d_name);
		if (n_path < 0 || (size_t)n_path >= sizeof(path))
			printf("not ok %d - the path is too long\n", i + 1);
		bad |= n_path < 0 || (size_t)n_path >= sizeof(path) ||
		    replay(path, (unsigned)i + 1) != 0;
		fflush(stdout);
		free(list[i]);
	}
	free(list);
	return bad;
}

int
main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	char folder[4096];
	int bad = 0;

	name = name == NULL ? argv[0] : name + 1;
	if (argc < 2) {
		if (strncmp(name, "fuzz_", 5) == 0)
			name += 5;
		snprintf(folder, sizeof(folder), "%s/fuzz/corpus/%s",
		    TESTS_SRCDIR, name);
		return replay_folder(folder);
	}
	printf("1..%d\n", argc - 1);
	for (int i = 1; i < argc; i++)
		bad |= replay(argv[i], (unsigned)i) != 0;
	return bad;
}
