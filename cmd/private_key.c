/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The private key that an option names; see private_key.h.
 */

/* system */
#include <err.h>
#include <sysexits.h>

/* this room */
#include "input.h"
#include "private_key.h"

int
private_key_load(const char *path, const struct token_open *how,
    struct rsab_key **out)
{
	const struct rsab_backend *backend;
	uint8_t *octets;
	size_t n;
	int error, status;

	if (token_open_is_uri(path))
		return token_open_key(how, path, out);
	status = input_read_small(path, RSAB_KEY_FILE_MAX, &octets, &n);
	if (status != 0)
		return status;
	error = rsab_backend_find("libcrypto", &backend);
	if (error == 0)
		error = rsab_key_load_private(backend, octets, n, out);
	rsab_wipe_free(octets, n);
	if (error == 0)
		return 0;
	warnx("%s: %s", path, rsab_strerror(error));
	return error == RSAB_ERR_NOMEM ? EX_OSERR : EX_CONFIG;
}
