/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Description of this machine; see machine.h.
 */

/* system */
#include <sys/utsname.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>

/* made by configure */
#include "config.h"

/* this room */
#include "machine.h"
#include "stopwatch.h"

#if defined(__clang__)
#define COMPILER	__VERSION__
#elif defined(__GNUC__)
#define COMPILER	"gcc " __VERSION__
#else
#define COMPILER	"not known"
#endif

#define LINE_SIZE	8192	/* of /proc/cpuinfo: all flags are one line */

/* Names of /proc/cpuinfo: what RSA and SHA of libcrypto and of ours use. */
static const char *const flags[] = {
	"bmi2", "adx", "avx2", "avx_ifma", "avx512f", "avx512dq", "avx512vl",
	"avx512ifma", "sha_ni", "asimd", "sha2",
};

/*
 * Does a line "name : value" of /proc/cpuinfo have that name? Its value then.
 */
static bool
value_of(char *line, const char *name, char **value)
{
	char *p = line + strlen(name);

	if (strncmp(line, name, strlen(name)) != 0)
		return false;
	p += strspn(p, " \t");
	if (*p != ':')
		return false;
	p += 1 + strspn(p + 1, " \t");
	p[strcspn(p, "\n")] = '\0';
	*value = p;
	return true;
}

/*
 * Those of the list that we look at, in our order.
 */
static void
flags_print(FILE *out, const char *list)
{
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
		size_t n = strlen(flags[i]);
		const char *p = list;

		while ((p = strstr(p, flags[i])) != NULL) {
			if ((p == list || p[-1] == ' ') &&
			    (p[n] == ' ' || p[n] == '\0')) {
				fprintf(out, " %s", flags[i]);
				break;
			}
			p += n;
		}
	}
}

/*
 * The first processor of the list; they are taken to be all alike.
 */
static void
processor_print(FILE *out)
{
	static const char *const names[] = { "model name", "cpu family",
	    "model", "stepping", "CPU implementer", "CPU part" };
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[LINE_SIZE], *value;

	if (f == NULL) {
		fprintf(out, "; not known");
		return;
	}
	while (fgets(line, sizeof line, f) != NULL && line[0] != '\n') {
		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
			if (value_of(line, names[i], &value))
				fprintf(out, "; %s %s", names[i], value);
		if (value_of(line, "flags", &value) ||
		    value_of(line, "Features", &value)) {
			fprintf(out, "; flags");
			flags_print(out, value);
		}
	}
	fclose(f);
}

size_t
machine_version(const char *release)
{
	size_t n = strspn(release, "0123456789.");

	while (n > 0 && release[n - 1] == '.')
		n--;
	return n > 0 ? n : strlen(release);
}

void
machine_print(FILE *out, const char *prefix, const struct pin *pin)
{
	const char *mask = getenv("OPENSSL_ia32cap");
	struct utsname u;
	double ghz;

	pin_thread(pin, 0);
	ghz = stopwatch_ghz();
	fprintf(out, "%sdkimbench %s, compiler %s\n", prefix, DKIMD_VERSION,
	    COMPILER);
	fprintf(out, "%sprocessor 0", prefix);
	processor_print(out);
	if (ghz > 0)
		fprintf(out, "; clock %.2f GHz", ghz);
	else
		fprintf(out, "; clock not known");
	if (pin->n > 0)
		fprintf(out, ", pinned to CPU %u of %u\n", pin->cpu[0], pin->n);
	else
		fprintf(out, ", not pinned\n");
	if (uname(&u) == 0)
		fprintf(out, "%skernel %s %.*s %s\n", prefix, u.sysname,
		    (int)machine_version(u.release), u.release, u.machine);
	fprintf(out, "%s%s%s%s\n", prefix, OpenSSL_version(OPENSSL_VERSION),
	    mask != NULL ? ", OPENSSL_ia32cap=" : "",
	    mask != NULL ? mask : "");
}

/*
 * Copy a text, control characters made harmless.
 */
static void
put(char out[MACHINE_TEXT_SIZE], const char *text)
{
	snprintf(out, MACHINE_TEXT_SIZE, "%s", *text == '\0' ? "-" : text);
	for (char *p = out; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '_';
}

/*
 * x86 names a model, Arm only the maker's number of a part.
 */
static void
look_for_model(char out[MACHINE_TEXT_SIZE])
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[LINE_SIZE], *value;

	put(out, "-");
	if (f == NULL)
		return;
	while (fgets(line, sizeof line, f) != NULL && line[0] != '\n')
		if (value_of(line, "model name", &value) ||
		    value_of(line, "CPU part", &value))
			put(out, value);
	fclose(f);
}

void
machine_look(struct machine_facts *out, const struct pin *pin)
{
	char os[2 * MACHINE_TEXT_SIZE] = "-";
	struct utsname u;

	if (uname(&u) == 0)
		snprintf(os, sizeof os, "%.60s %.*s", u.sysname,
		    (int)machine_version(u.release), u.release);
	put(out->os, os);
	put(out->openssl, OpenSSL_version(OPENSSL_VERSION_STRING));
	look_for_model(out->model);
	pin_thread(pin, 0);
	out->ghz = stopwatch_ghz();
}
