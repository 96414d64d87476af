/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options about tokens.
 */

/* system */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* room below */
#include "rsa-backend/rsab.h"

/* this room */
#include "milter/conf_pkcs11.h"
#include "milter/tokenuri.h"

static void
fault(const struct options *options, struct report *report, const char *name,
    const char *value, const char *what)
{
	struct option_where where;
	struct report_octets shown;

	report_fault(report, FAULT_FATAL, "%s: \"%s\": %s",
	    conf_options_where(options, name, &where),
	    report_octets(&shown, slice_text(value)), what);
}

static void
check_module(const struct options *options, struct report *report)
{
	const char *path = options->pkcs11_module;
	struct stat st;

	if (path == NULL)
		return;
	if (path[0] != '/')
		fault(options, report, "PKCS11Module", path, "wanted is the "
		    "whole path of a PKCS#11 module, as "
		    "/usr/lib/softhsm/libsofthsm2.so");
	else if (strlen(path) > RSAB_TOKEN_PATH_MAX)
		fault(options, report, "PKCS11Module", path,
		    "at most 1023 octets are possible");
	else if (stat(path, &st) != 0)
		fault(options, report, "PKCS11Module", path, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		fault(options, report, "PKCS11Module", path,
		    "that is no file; wanted is the path of a PKCS#11 "
		    "module");
}

static void
check_init_args(const struct options *options, struct report *report)
{
	const char *text = options->pkcs11_init_args;

	if (text != NULL && strlen(text) > RSAB_TOKEN_PATH_MAX)
		fault(options, report, "PKCS11InitArgs", text,
		    "at most 1023 octets are possible");
}

/*
 * A PIN in a file that all can read, or in the list of processes, is none.
 */
static void
check_secrecy(const struct options *options, struct report *report,
    const char *name)
{
	struct option_place place = conf_options_place(options, name);
	struct option_where where;
	struct stat st;

	if (place.file == NULL)
		return;
	conf_options_where(options, name, &where);
	if (place.line == 0)
		report_fault(report, FAULT_FATAL, "%s: a PIN may not stand "
		    "on the command line, where all users see it; write it "
		    "into the configuration file, or use pin-source",
		    where.text);
	else if (stat(place.file, &st) == 0 && (st.st_mode & 07) != 0)
		report_fault(report, FAULT_FATAL, "%s: a PIN may not stand in "
		    "a file that all users can read: chmod o-rwx %s, or use "
		    "pin-source", where.text, place.file);
}

static void
check_pin(const struct options *options, struct report *report)
{
	struct option_where where;

	if (options->pkcs11_pin == NULL)
		return;
	if (strlen(options->pkcs11_pin) > RSAB_TOKEN_PIN_MAX)
		report_fault(report, FAULT_FATAL, "%s: a PIN has at most "
		    "255 octets", conf_options_where(options, "PKCS11PIN",
		    &where));
	check_secrecy(options, report, "PKCS11PIN");
}

static void
check_folders(const struct options *options, struct report *report)
{
	const char *list = options->pkcs11_pin_directory;
	struct slice rest, item;
	size_t n;

	if (list == NULL)
		return;
	for (rest = slice_text(list); rest.n > 0;
	    rest = slice_from(rest, n < rest.n ? n + 1 : n)) {
		n = slice_find(rest, ',');
		item = slice_trim(slice_sub(rest, 0, n));
		if (item.n == 0 || item.p[0] != '/' ||
		    slice_find(item, ':') < item.n ||
		    slice_find(item, ' ') < item.n) {
			fault(options, report, "PKCS11PINDirectory", list,
			    "wanted is a list of whole paths of folders "
			    "without blanks and colons, as /etc/dkimd");
			return;
		}
	}
	if (strlen(list) > RSAB_TOKEN_FOLDERS_MAX)
		fault(options, report, "PKCS11PINDirectory", list,
		    "at most 2047 octets are possible");
}

/*
 * An option whose value is a URI.
 */
static void
check_uri(const struct options *options, struct report *report,
    const char *name, const char *uri)
{
	struct rsab_token_detail detail = { "" };
	struct option_where where;
	char shown[256];

	if (rsab_token_uri_check(uri, strlen(uri), true, &detail) != 0) {
		rsab_token_uri_print(uri, strlen(uri), shown, sizeof(shown));
		report_fault(report, FAULT_FATAL, "%s: \"%s\": %s",
		    conf_options_where(options, name, &where), shown,
		    detail.text);
	} else if (strstr(uri, "pin-value=") != NULL)
		check_secrecy(options, report, name);
}

static void
check_verify(const struct options *options, struct report *report)
{
	const struct rsab_backend *backend;

	if (options->pkcs11_verify &&
	    rsab_backend_find("pkcs11", &backend) != RSAB_OK)
		fault(options, report, "PKCS11Verify", "yes", "dkimd was built "
		    "without p11-kit; say no, or leave it out");
}

void
conf_pkcs11_check(const struct options *options, struct report *report)
{
	check_module(options, report);
	check_init_args(options, report);
	check_pin(options, report);
	check_folders(options, report);
	check_verify(options, report);
	if (options->pkcs11_token != NULL)
		check_uri(options, report, "PKCS11Token",
		    options->pkcs11_token);
	if (options->key_file != NULL &&
	    tokenuri_is(slice_text(options->key_file)))
		check_uri(options, report, "KeyFile", options->key_file);
}
