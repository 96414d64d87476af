/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A folder with a key for a load; see mta_keys.h.
 */

/* system */
#include <sys/stat.h>
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

/* rooms below */
#include "milter/testkeys.h"
#include "milter/textfile.h"
#include "rsa-backend/rsab.h"

/* this room */
#include "mta_keys.h"
#include "mta_mail.h"

#define KEY_MAX	65536	/* octets of key.pem */

static int
path_make(const char *folder, const char *name, char out[PATH_MAX])
{
	if ((size_t)snprintf(out, PATH_MAX, "%s/%s", folder, name) <
	    PATH_MAX)
		return 0;
	warnx("--keys %s: the path is too long", folder);
	return EX_USAGE;
}

static int
file_write(const char *folder, const char *name, mode_t mode,
    struct slice octets)
{
	char path[PATH_MAX];
	int status = path_make(folder, name, path), fd;
	FILE *f;

	if (status != 0)
		return status;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (f != NULL && fwrite(octets.p, 1, octets.n, f) == octets.n &&
	    fflush(f) == 0) {
		fclose(f);
		return 0;
	}
	warn("%s", path);
	if (f != NULL)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return EX_CANTCREAT;
}

/*
 * "selector._domainkey.domain v=DKIM1; ..."
 */
static int
record_write(const char *folder, const char *domain,
    const struct rsab_key *key)
{
	struct buf line;
	int status = EX_OSERR;

	buf_init(&line, TESTKEYS_LINE_MAX);
	buf_add_format(&line, "%s._domainkey.%s ", MTA_MAIL_SELECTOR, domain);
	if (dkim_key_record_print(key, false, false, &line) == 0) {
		buf_add_octet(&line, '\n');
		if (buf_end(&line) == 0)
			status = file_write(folder, "records", 0644,
			    buf_slice(&line));
	}
	if (status == EX_OSERR)
		warnx("the key record cannot be made");
	buf_clear(&line);
	return status;
}

int
mta_keys_make(const char *folder, const char *domain, unsigned bits)
{
	const struct rsab_backend *backend;
	struct rsab_key *key = NULL;
	char *pem = NULL;
	size_t n = 0;
	int error = rsab_backend_find("libcrypto", &backend), status;

	if (error == 0)
		error = rsab_key_generate(backend, RSAB_RSA, bits, &key);
	if (error == 0)
		error = rsab_key_print_private(key, &pem, &n);
	if (error != 0) {
		warnx("making a key of %u bits: %s", bits,
		    rsab_strerror(error));
		rsab_key_unref(key);
		return EX_OSERR;
	}
	if (mkdir(folder, 0755) == 0)
		/* the umask may have taken the daemon's way in */
		(void)chmod(folder, 0755);
	status = file_write(folder, "key.pem", 0600, slice_of(pem, n));
	if (status == 0)
		status = record_write(folder, domain, key);
	rsab_wipe_free(pem, n);
	rsab_key_unref(key);
	return status;
}

static int
file_read(const char *folder, const char *name, size_t max, uint8_t **out,
    size_t *n)
{
	const char *reason = "no memory";
	char path[PATH_MAX];
	int status = path_make(folder, name, path);

	if (status != 0)
		return status;
	if (textfile_read(path, max, out, n, &reason) == 0)
		return 0;
	warnx("%s: %s (dkimbench milter --make-keys makes it)", path, reason);
	return EX_NOINPUT;
}

int
mta_keys_private(const char *folder, struct rsab_key **out)
{
	const struct rsab_backend *backend;
	uint8_t *pem;
	size_t n;
	int status = file_read(folder, "key.pem", KEY_MAX, &pem, &n), error;

	if (status != 0)
		return status;
	error = rsab_backend_find("libcrypto", &backend);
	if (error == 0)
		error = rsab_key_load_private(backend, pem, n, out);
	rsab_wipe_free(pem, n);
	if (error == 0)
		return 0;
	warnx("%s/key.pem: %s", folder, rsab_strerror(error));
	return EX_DATAERR;
}

int
mta_keys_record(const char *folder, const char *domain, struct buf *out)
{
	char name[DKIM_NAME_MAX + 1];
	struct testkeys *keys = NULL;
	struct slice record;
	uint8_t *text;
	unsigned line;
	size_t n;
	int status = file_read(folder, "records", TESTKEYS_FILE_MAX, &text,
	    &n);

	if (status != 0)
		return status;
	snprintf(name, sizeof name, "%s._domainkey.%s", MTA_MAIL_SELECTOR,
	    domain);
	if (testkeys_parse(slice_of(text, n), &keys, &line) != 0) {
		warnx("%s/records:%u: not a name and a key record", folder,
		    line);
		status = EX_DATAERR;
	} else if (testkeys_find(keys, slice_text(name), &record, 1) == 0) {
		warnx("%s/records: %s is not there", folder, name);
		status = EX_DATAERR;
	} else {
		buf_add(out, record);
		if (buf_end(out) != 0) {
			warnx("no memory for a key record");
			status = EX_OSERR;
		}
	}
	testkeys_free(keys);
	free(text);
	return status;
}
