/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PIN files (DESIGN.md "Threats"): a plain file below one of the folders of
 * the configuration, opened once and looked at on its descriptor, with the
 * checks of private key files.
 */

/* system */
#include <stdio.h>
#include <string.h>

/* milter */
#include "milter/identity.h"
#include "milter/keyfile.h"

/* this room */
#include "cmd/dkimd_token.h"

/*
 * Is a path below a folder? By its letters: "." and ".." are refused before.
 */
static bool
is_below(const char *path, const char *folder, size_t n)
{
	while (n > 1 && folder[n - 1] == '/')
		n--;
	if (n == 0 || folder[0] != '/' || strncmp(path, folder, n) != 0)
		return false;
	return n == 1 || path[n] == '/';
}

static bool
is_allowed(const char *path, const char *folders)
{
	while (*folders != '\0') {
		size_t n = strcspn(folders, ":");

		if (is_below(path, folders, n))
			return true;
		folders += n;
		folders += *folders == ':';
	}
	return false;
}

/*
 * Has a path parts that lead elsewhere?
 */
static bool
has_dots(const char *path)
{
	while (*path != '\0') {
		size_t n = strcspn(path, "/");

		if ((n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return true;
		path += n;
		path += *path == '/';
	}
	return false;
}

static int
refuse(struct rsab_token_detail *detail, const char *path, const char *why)
{
	snprintf(detail->text, sizeof detail->text, "PIN file %.300s: %s",
	    path, why);
	return RSAB_ERR_PIN;
}

/*
 * The first line of a file's octets.
 */
static int
first_line(const struct keyfile *file, const char *path,
    uint8_t out[RSAB_TOKEN_PIN_MAX], size_t *n,
    struct rsab_token_detail *detail)
{
	size_t length = 0;

	while (length < file->n && file->octets[length] != '\n')
		length++;
	if (length > 0 && file->octets[length - 1] == '\r')
		length--;
	if (length == 0)
		return refuse(detail, path, "its first line is empty; the PIN "
		    "belongs there");
	if (length > RSAB_TOKEN_PIN_MAX)
		return refuse(detail, path, "its first line is longer than "
		    "255 octets, which no PIN is");
	memcpy(out, file->octets, length);
	*n = length;
	return RSAB_OK;
}

int
dkimd_token_pin(void *context, const char *path, const char *folders,
    uint8_t out[RSAB_TOKEN_PIN_MAX], size_t *n,
    struct rsab_token_detail *detail)
{
	struct identity self;
	struct keyfile file;
	int r;

	(void)context;
	if (path[0] != '/' || has_dots(path))
		return refuse(detail, path, "not a full path without . and ..");
	if (!is_allowed(path, folders))
		return refuse(detail, path, folders[0] == '\0' ?
		    "no folder for PIN files is configured "
		    "(PKCS11PINDirectory)" : "not below a folder of "
		    "PKCS11PINDirectory");
	identity_self(&self);
	if (keyfile_read(path, &self, true, &file) != 0) {
		snprintf(detail->text, sizeof detail->text,
		    "PIN file: %.480s", file.reason);
		return RSAB_ERR_PIN;
	}
	r = first_line(&file, path, out, n, detail);
	keyfile_clear(&file);
	return r;
}
