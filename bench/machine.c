/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Description of this machine; see machine.h.
 */

/* system */
#include <sys/utsname.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/crypto.h>

/* made by configure */
#include "config.h"

/* this room */
#include "machine.h"
#include "stopwatch.h"

#define LINE_SIZE	8192	/* of /proc/cpuinfo: all flags are one line */

/* Names of /proc/cpuinfo: what RSA and SHA of libcrypto and of ours use. */
static const char *const flags[] = {
	"bmi2", "adx", "avx2", "avx_ifma", "avx512f", "avx512dq", "avx512vl",
	"avx512ifma", "sha_ni", "asimd", "sha2",
};

/*
 * The value of a line "name : value" of /proc/cpuinfo, or NULL.
 */
static char *
value_of(char *line, const char *name)
{
	char *colon = strchr(line, ':');

	if (colon == NULL || strncmp(line, name, strlen(name)) != 0 ||
	    strchr(" \t:", line[strlen(name)]) == NULL)
		return NULL;
	colon += 1 + strspn(colon + 1, " \t");
	colon[strcspn(colon, "\n")] = '\0';
	return colon;
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

static void
processor_print(FILE *out)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[LINE_SIZE], *value;
	const char *end = "";

	if (f == NULL) {
		fprintf(out, "not known (no /proc/cpuinfo)");
		return;
	}
	while (fgets(line, sizeof line, f) != NULL && line[0] != '\n') {
		if ((value = value_of(line, "model name")) != NULL ||
		    (value = value_of(line, "cpu")) != NULL)
			fprintf(out, "%s", value);
		else if ((value = value_of(line, "cpu family")) != NULL ||
		    (value = value_of(line, "model")) != NULL ||
		    (value = value_of(line, "stepping")) != NULL)
			fprintf(out, "/%s", value);
		else if ((value = value_of(line, "flags")) != NULL ||
		    (value = value_of(line, "Features")) != NULL) {
			fprintf(out, "; flags");
			flags_print(out, value);
			end = ";";
		}
	}
	fprintf(out, "%s", end);
	fclose(f);
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
	    __VERSION__);
	fprintf(out, "%sprocessor ", prefix);
	processor_print(out);
	if (ghz > 0)
		fprintf(out, " clock %.2f GHz", ghz);
	else
		fprintf(out, " clock not known");
	if (pin->n > 0)
		fprintf(out, ", pinned to CPU %u of %u\n", pin->cpu[0], pin->n);
	else
		fprintf(out, ", not pinned\n");
	if (uname(&u) == 0)
		fprintf(out, "%skernel %s %s %s\n", prefix, u.sysname,
		    u.release, u.machine);
	fprintf(out, "%s%s%s%s\n", prefix, OpenSSL_version(OPENSSL_VERSION),
	    mask != NULL ? ", OPENSSL_ia32cap=" : "",
	    mask != NULL ? mask : "");
}
