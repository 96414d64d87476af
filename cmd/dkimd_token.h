/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads PIN files for dkimd-token.
 */
#ifndef DKIMD_TOKEN_H
#define DKIMD_TOKEN_H

#include <stddef.h>
#include <stdint.h>

#include "rsa-backend/rsab.h"

/*
 * rsab_token_host.pin: the first line of a file that lies below one of the
 * folders and is as safe as a private key file must be.
 *   folders  full paths, parted by ':'
 *   errors   RSAB_ERR_PIN, with detail
 */
int dkimd_token_pin(void *context, const char *path, const char *folders,
    uint8_t out[RSAB_TOKEN_PIN_MAX], size_t *n,
    struct rsab_token_detail *detail) MUSTUSE;

#endif
